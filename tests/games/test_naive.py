"""Two readings of the rules, one quick and one literal, say the same at every position they are asked about."""

import itertools
import random

import pytest
from support.naive import abalone, ctf, hex_abalone, konane, l_game, solver

from gamesman.model.variant import variant
from gamesman.solver import reference
from gamesman.values import NAMES, UNDECIDED

pytestmark = pytest.mark.slow

LITERAL = {"abalone": abalone, "konane": konane, "ctf": ctf, "hex_abalone": hex_abalone, "l_game": l_game}


def switches(*names):
    """Return every choice of the switches.

    >>> switches("misere")
    [{}, {'misere': True}]
    """
    return [
        {name: True for name, on in zip(names, choice, strict=True) if on}
        for choice in itertools.product([False, True], repeat=len(names))
    ]


def named(game, options):
    """Return the variant's text, and the test's name."""
    return ":".join([game, ",".join(k if v is True else f"{k}={v}" for k, v in options.items())]).rstrip(":")


def cases(*games_and_options):
    return [pytest.param(game, options, id=named(game, options)) for game, options in games_and_options]


def ours(v, position):
    """Return what the game says of a position, all in text."""
    value = v.primitive(position)
    if value != UNDECIDED:
        return NAMES[value], []
    moves = [(v.move_name(position, m), v.show(v.do_move(position, m))) for m in v.generate_moves(position)]
    return None, sorted(moves)


def literal(game, options, text):
    result = LITERAL[game].over(options, text)
    return result, [] if result else sorted(LITERAL[game].moves(options, text))


def reachable(v):
    """Return every reachable position of the game, by its text."""
    begin = v.start()
    found, waiting = {begin: v.show(begin)}, [begin]
    while waiting:
        position = waiting.pop()
        if v.primitive(position) != UNDECIDED:
            continue
        for move in v.generate_moves(position):
            after = v.do_move(position, move)
            if after not in found:
                found[after] = v.show(after)
                waiting.append(after)
    return found


SIZES = [(r, c) for r in range(1, 5) for c in range(1, 5) if r * c >= 2] + [
    (1, 7),
    (1, 10),
    (7, 1),
    (10, 1),
    (3, 5),
    (5, 3),
]
REMOVED = [
    {"rows": 3, "cols": 4, "removed": "a1,b1,c3"},
    {"rows": 4, "cols": 4, "removed": "a1,a2"},
    {"rows": 3, "cols": 5, "removed": "b2,c2,d2"},
    {"rows": 2, "cols": 5, "removed": "e1,e2"},
]
STARTS = [
    {"rows": 3, "cols": 4, "start": "(b d1 wbw- b--- --wb)"},
    {"rows": 3, "cols": 4, "start": '(b "" wbwb bwb- w-wb)'},
    {"rows": 3, "cols": 3, "start": '(w "" wwb bb- wb-)'},  # like colours side by side
    {"rows": 3, "cols": 4, "start": '(b "" -bww wb-b bw-w)'},
    {"rows": 3, "cols": 4, "start": "(b c3 -bbw wb-b bw-w)"},
    {"rows": 2, "cols": 5, "start": '(w "" bwb-b wbwb-)'},  # a1 is white as by default, the removed cells elsewhere
    {"rows": 2, "cols": 5, "start": '(w "" wbw-w bwbw-)'},  # a1 is black
    {"rows": 3, "cols": 3, "start": "(w a1 bwb wbw w-b)"},  # to go again with a piece that cannot jump
]
FLAGS = [
    {"size": 2},
    {"size": 2, "start": "wWBb", "first": "b"},
    {"size": 3, "start": "wW--w-bB-"},
    {"size": 3, "start": "-W-wbw-B-", "first": "b"},
    {"size": 3, "start": "W-w---b-B"},
    {"size": 3, "start": "W-w---b-B", "first": "b"},
    {"size": 3, "start": "Ww---w-bB"},
    {"size": 4, "start": "--wW--------Bb--", "first": "b"},
    {"size": 3, "start": "-b-wB-W--"},  # over before it begins
]
KONANE = [("konane", {**o, **s}) for o in REMOVED + STARTS for s in switches("misere", "any_piece")] + [
    ("konane", {"rows": r, "cols": c, **s}) for r, c in SIZES for s in switches("misere", "any_piece")
]
ABALONE = [
    ("abalone", {"rows": 3, "cols": 3, "captures": c, **s}) for c in (1, 2) for s in switches("misere", "freeze")
] + [("abalone", {"rows": 3, "cols": 3, "captures": 3, **s}) for s in ({}, {"misere": True, "freeze": True})]
CTF = [("ctf", o) for o in FLAGS]
HEX = [
    ("hex_abalone", {"edge": 2, "corner": corner, "captures": c}) for corner in ("axis", "any", "none") for c in (1, 2)
] + [("hex_abalone", {"edge": 2, "captures": 2, "stuck": "either"})]


@pytest.mark.parametrize(("game", "options"), cases(*KONANE, *ABALONE, *CTF, *HEX))
def test_both_readings_reach_and_solve_the_same_positions(game, options):
    v = variant(named(game, options))
    texts = reachable(v)
    graph = solver.graph(LITERAL[game], options)
    assert v.show(v.start()) == LITERAL[game].start(options)
    assert len(set(texts.values())) == len(texts)
    assert set(texts.values()) == set(graph)
    for position, text in texts.items():
        result, moves = graph[text]
        assert ours(v, position) == (result, sorted(moves)), text
        assert v.parse(text) == position
    values = solver.solve(graph)
    solution = reference.solve(v)
    assert {text: solved(solution, position) for position, text in texts.items()} == values
    fields = solution.summary.as_json()
    found = {
        "start": fields["position"],
        **{name: fields[name] for name in ("value", "remoteness", "positions")},
        **fields["counts"],
        **{name: fields[name] for name in ("primitives", "moves", "max_remoteness")},
    }
    assert found == solver.answer(v.show(v.start()), graph, values)


def solved(solution, position):
    value, remoteness = solution.probe(position)
    return NAMES[value], remoteness


def play(game, options, positions, seed):
    """Yield the texts met in random games of the literal reading."""
    dice = random.Random(seed)
    rules = LITERAL[game]
    text = rules.start(options)
    for _ in range(positions):
        yield text
        over = rules.over(options, text)
        text = rules.start(options) if over else dice.choice(rules.moves(options, text))[1]


LARGE = [
    *(
        ("abalone", {"rows": r, "cols": c, **s})
        for r, c in [(3, 4), (4, 4), (5, 3)]
        for s in switches("misere", "freeze")
    ),
    ("abalone", {"rows": 3, "cols": 4, "captures": 1}),
    ("abalone", {"rows": 4, "cols": 3, "captures": 4, "freeze": True}),
    ("abalone", {"rows": 6, "cols": 9, "captures": 12, "freeze": True}),
    ("abalone", {"rows": 12, "cols": 26, "captures": 3}),
    ("abalone", {"rows": 30, "cols": 3}),
    *(("konane", {"rows": r, "cols": c, **s}) for r, c in [(6, 6), (9, 26)] for s in switches("misere", "any_piece")),
    ("konane", {"rows": 12, "cols": 3, "any_piece": True}),
    ("konane", {"rows": 5, "cols": 5, "removed": "a1,b1,c5,e4"}),
    *(("ctf", {"size": n, "first": first}) for n in (3, 4, 5, 6, 7, 12) for first in "wb"),
    ("ctf", {"size": 4, "start": "W-ww-w----b-B-bb"}),
    ("ctf", {"size": 26}),
    *(("hex_abalone", {"edge": e, "corner": c}) for e in (3, 4, 5) for c in ("axis", "any", "none")),
    ("hex_abalone", {"edge": 3, "captures": 1}),
    ("hex_abalone", {"edge": 4, "captures": 11}),
    ("hex_abalone", {"edge": 8, "captures": 6}),
    ("l_game", {}),
]


@pytest.mark.parametrize(("game", "options"), cases(*LARGE))
def test_both_readings_agree_all_through_random_games(game, options):
    v = variant(named(game, options))
    assert v.show(v.start()) == LITERAL[game].start(options)
    cells = len(v.show(v.start()))
    for text in set(play(game, options, min(300, 10_000 // cells), seed=named(game, options))):
        position = v.parse(text)
        assert v.show(position) == text
        assert ours(v, position) == literal(game, options, text), text


def scattered(game, options, dice):
    """Return a position with pieces anywhere, as many as there can be while nobody has won by captures."""
    begin = LITERAL[game].start(options)
    letters = begin[3:-1]
    cells = [c for c in letters if c != " "]
    if game != "ctf":
        spare = options.get("captures", hex_abalone.CAPTURES[options["edge"]] if game == "hex_abalone" else 2) - 1
        for piece in sorted(set(cells) - {"-"}):
            for _ in range(dice.randint(0, spare)):
                cells[cells.index(piece)] = "-"
    dice.shuffle(cells)
    board = "".join(c if c == " " else cells.pop() for c in letters)
    return f"({dice.choice(sorted(set(letters.lower()) - set(' -')))} {board})"


SCATTERED = [
    *(("abalone", {"rows": 4, "cols": 4, "captures": 3, **s}) for s in switches("misere", "freeze")),
    *(("abalone", {"rows": 3, "cols": 5, "captures": 5, **s}) for s in switches("freeze")),
    ("abalone", {"rows": 9, "cols": 9, "captures": 8, "freeze": True}),
    *(("ctf", {"size": n}) for n in (2, 3, 4, 5, 6)),
    *(("hex_abalone", {"edge": e, "corner": c}) for e in (3, 4, 5) for c in ("axis", "any", "none")),
    *(("hex_abalone", {"edge": 2, "corner": c, "captures": 2}) for c in ("axis", "any", "none")),
    *(("hex_abalone", {"edge": e, "captures": 2, "stuck": "either"}) for e in (2, 3)),
]


@pytest.mark.parametrize(("game", "options"), cases(*SCATTERED))
def test_both_readings_agree_where_no_game_may_lead(game, options):
    v = variant(named(game, options))
    dice = random.Random(named(game, options))
    for text in {scattered(game, options, dice) for _ in range(200)}:
        assert ours(v, v.parse(text)) == literal(game, options, text), text
