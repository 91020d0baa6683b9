"""A page is told what to draw of a game: where the cells are, how pieces look, and what stands where.

All of it follows from what a game declares. With a layout it is a board (gamesman/boards.py) with pieces on its cells:

    picture   once a variant: the cells, the lines between points, how each kind of piece looks
    placed    once a position: the letter on each cell

What a move's clicks are, gamesman/web/boards.py tells.

A game of piles says how many there are (`piles`); of one that says nothing there is its text, and a list of moves.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gamesman.boards import Board
from gamesman.layout import Cell, Count
from gamesman.model.game import SHAPES
from gamesman.model.variant import Position, Variant
from gamesman.web.boards import board_of

COLOURS = ("black", "white", "red", "blue", "green", "yellow", "orange", "purple", "brown", "pink")
# More things than this in a pile are no picture any more.
MOST_IN_PILES = 200
# Nor is a board with more cells, and a page of it would never be done.
MOST_CELLS = 2000


def picture(variant: Variant) -> dict[str, Any]:
    """Return what all positions of a variant have in common: its cells, and how the pieces look.

    >>> from gamesman.model.variant import variant
    >>> found = picture(variant("tapatan"))
    >>> found["kind"], found["at"][4], found["lines"][0], found["pieces"]["x"]["shape"]
    ('points', [1.0, 1.0], [0, 1], 'cross')
    >>> picture(variant("ten_to_zero"))["kind"]
    'piles'
    """
    players = named_players(variant)
    colours = [_colour(player["name"]) for player in players]
    if colours[0] == colours[1]:
        colours = ["", ""]
    found = {"players": [player | {"colour": colour} for player, colour in zip(players, colours, strict=True)]}
    board = _drawn(variant)
    if board is None:
        piles = _piles(variant, variant.start())
        return found | ({"kind": "text"} if piles is None else {"kind": "piles", "piles": list(piles)})
    left, top = min(x for x, _ in board.at), max(y for _, y in board.at)
    return found | {
        "kind": _kind(board),
        "names": board.names,
        "at": [[round(x - left, 4), round(top - y, 4)] for x, y in board.at],  # right and down
        "rows": board.rows,
        "lines": _lines(board),
        "pieces": {letter: _look(variant, letter) for letter in variant.game.module.layout.pieces},
        "fields": [_field(field) for field in variant.game.module.layout.fields if isinstance(field, Cell | Count)],
    }


def named_players(variant: Variant) -> list[dict[str, Any]]:
    """Return how the players are called, the one who begins by the rules first.

    >>> from gamesman.model.variant import variant
    >>> [(player["name"], player["isPlural"]) for player in named_players(variant("hare_and_hounds"))]
    [('Hounds', True), ('Hare', False)]
    """
    game = variant.game
    return [
        {"letter": letter, "name": name, "isPlural": game.is_plural(number)}
        for number, (letter, name) in enumerate(game.players.items())
    ]


def placed(variant: Variant, position: Position) -> dict[str, Any]:
    """Return what stands where in a position.

    >>> from gamesman.model.variant import variant
    >>> placed(variant("konane"), variant("konane").start())
    {'board': 'w-wbbwb-wbwb', 'fields': [None]}
    >>> placed(variant("ten_to_zero"), (7, 0))
    {'piles': [7]}
    """
    board = _drawn(variant)
    if board is not None:
        layout = variant.game.module.layout
        pairs = zip(layout.fields, position, strict=True)
        fields = [
            None if isinstance(field, Cell) and value < 0 else value
            for field, value in pairs
            if isinstance(field, Cell | Count)
        ]
        return {"board": layout.letters(board, position)} | ({"fields": fields} if fields else {})
    piles = _piles(variant, position)
    if piles is not None and sum(piles) <= MOST_IN_PILES:
        return {"piles": list(piles)}
    return {"text": variant.draw(position)}


def _drawn(variant: Variant) -> Board | None:
    """Return the board of a game if there is one that can be drawn."""
    board = board_of(variant)
    return None if board is None or len(board) > MOST_CELLS else board


def _piles(variant: Variant, position: Position) -> Sequence[int] | None:
    """Return how many things are in each pile, or None where the game is not one of piles."""
    if not variant.has("piles"):
        return None
    found: Sequence[int] = variant.game.functions["piles"](variant.rules, position)
    return found


def _kind(board: Board) -> str:
    return "hexagons" if "hex" in board.rays else "points" if "line" in board.rays else "squares"


def _lines(board: Board) -> list[list[int]]:
    """Return the pairs of points that are joined; on squares and hexagons neighbours are seen as they are."""
    rays = board.rays.get("line", ())
    joined = {(min(cell, ray[0]), max(cell, ray[0])) for cell, ahead in enumerate(rays) for ray in ahead if ray}
    return [list(pair) for pair in sorted(joined)]


def _field(field: Cell | Count) -> dict[str, str]:
    """Say of what kind a field of a position is that is neither pieces nor a turn."""
    return {"kind": "cell"} if isinstance(field, Cell) else {"kind": "count", "name": field.most}


def _look(variant: Variant, letter: str) -> dict[str, Any]:
    """Say how a piece looks: as the game declares, or else by its letter and the name of the player it belongs to."""
    players: Mapping[str, str] = variant.game.players
    owner = next((own for own in (letter, letter.lower()) if own in players), None)
    name = players[owner] if owner is not None else ""
    declared = getattr(variant.game.module, "shapes", {}).get(letter)
    shape = declared if declared in SHAPES else _shape(letter, name)
    return {
        "shape": shape,
        "player": list(players).index(owner) if owner is not None else None,
        "name": _spoken(letter, name, shape, is_first=letter == owner),
        # A disc that has no colour of its own is told by its letter.
        "letter": letter if shape == "disc" and not _colour(name) else "",
    }


def _spoken(letter: str, player: str, shape: str, *, is_first: bool) -> str:
    """Say what stands on a cell, for those who hear the board: White, White flag, block."""
    if not player:
        return shape if not letter.isalnum() else f"piece {letter}"
    return player if is_first else f"{player} {shape if shape != 'disc' else letter}"


def _shape(letter: str, player: str) -> str:
    if not letter.isalnum():
        return "block"
    if player.lower() == letter.lower() == "x":
        return "cross"
    if player.lower() == letter.lower() == "o":
        return "ring"
    return "flag" if letter.isupper() else "disc"


def _colour(name: str) -> str:
    """Return the colour that a player's name speaks of, or nothing."""
    return next((colour for colour in COLOURS if colour in name.lower().split()), "")
