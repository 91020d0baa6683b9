"""Small boards of every game, each with every switch and choice in all its values, and boards too large to solve."""

import functools

from gamesman.model.game import load
from gamesman.model.variant import Variant, variants
from gamesman.options import Choice, Switch

# Small boards, each of which is played with every switch and every choice; a game not named here, with its defaults.
SMALL = {
    "abalone": ["rows=3,cols=3,captures=1..3", "rows=3,cols=4", "rows=5,cols=3"],
    "chomp": ["", "rows=1,cols=1", "rows=1,cols=4", "rows=3,cols=3"],
    "clobber": ["rows=1,cols=1", "rows=1,cols=6", "rows=2,cols=3", "rows=3,cols=3", "rows=3,cols=4"],
    "connect4": ["rows=1,cols=1", "rows=2,cols=3", "rows=3,cols=3,line=3", "rows=4,cols=4", "rows=5,cols=3,line=2"],
    "ctf": ["size=2", "size=3", "size=4", "start=-bb-wBW-w,first=b"],
    "dodgem": ["size=2", "size=3"],
    "domineering": ["rows=1", "rows=2", "rows=3,cols=1", "rows=3", "rows=4", "rows=3,cols=5"],
    "hex_abalone": ["edge=2", "edge=3"],
    "konane": [
        "",
        "rows=1,cols=2",
        "rows=7,cols=1",
        "rows=4,cols=4..5",
        'start=(b "" ww-b bw-w)',
        "rows=3,cols=5,removed=a1,a2",
    ],
    "othello": ["rows=2", "rows=3", "rows=4,cols=3", "rows=4"],
    "quixo": ["size=2", "size=3"],
    "teeko": ["size=3,pieces=2", "size=3,pieces=3", "size=3", "size=4"],
}
# Boards far too large to solve, that can be played all the same.
LARGE = [
    "chomp:rows=9,cols=20",
    "clobber:rows=10,cols=10",
    "connect4:rows=30,cols=26,line=5",
    "dodgem:size=12",
    "domineering:rows=12",
    "abalone:rows=30,cols=6",
    "abalone:rows=8,cols=9,freeze",
    "ctf:size=26",
    "hex_abalone",
    "hex_abalone:edge=13",
    "konane:rows=40,cols=26",
    "konane:rows=8,cols=8,misere",
    "othello",
    "quixo:size=9",
    "teeko:size=12,pieces=6",
]


def stars(game: str) -> list[str]:
    """Return every switch and choice of a game in all its values: misere=*, corner=*."""
    return [f"{option.name}=*" for option in load(game).options if isinstance(option, Switch | Choice)]


@functools.cache
def small(game: str) -> list[Variant]:
    found = {}
    for size in SMALL.get(game, [""]):
        given_names = {piece.partition("=")[0] for piece in size.split(",")}
        rest = [star for star in stars(game) if star.partition("=")[0] not in given_names]
        for v in variants(f"{game}:{','.join(filter(None, [size, *rest]))}"):
            found[v.name] = v
    return list(found.values())
