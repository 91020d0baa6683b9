"""Games are told in the words of GamesmanUni's client: positions, moves and pictures as its AutoGUI reads them.

    position         2_w.~.wbwb.b--w.w-wb    turn digit, then the text: letters that survive in a URL as they are
    autoguiPosition  2_w-wbwb-bwbwb          turn digit, then what stands on each cell; without a picture the position
    autoguiMove      M_5_7_x, A_-_4_y        an arrow, a button; without a picture the move's name

A picture can only be made of what the client has in its bundle: pieces for everybody, and one grid.

>>> encode('(w "" wbwb bwb- w-wb)'), decode(encode('(w "" wbwb bwb- w-wb)'))
('w.~.wbwb.bwb-.w-wb', '(w "" wbwb bwb- w-wb)')
>>> encode("3+4"), decode("~-3~2b4")
('~-3~2b4', '3+4')
"""

import re
from typing import Any, NamedTuple

from gamesman.errors import PositionError, shorten
from gamesman.model.answers import MoveAnswer, PositionAnswer
from gamesman.model.random_play import random_positions
from gamesman.model.variant import Position, Variant
from gamesman.values import DRAW, NAMES, UNDECIDED, negate
from gamesman.web.boards import board_of, cells, clicks

# The client draws games of these names by itself, from positions of its own.
RESERVED = {"tictactoe", "quarto", "sim", "kayles"}
NO_END = -200  # the remoteness of a draw
NOT_KNOWN = -100  # that of what is not solved
ORDER = ["win", "tie", "draw", "lose", "unsolved"]
TRIED = 300  # positions in which a picture's moves must differ
MOST_CELLS = 200

COLOURS = {"white": "white", "black": "black", "red": "red", "blue": "blue"}
SIGNS = {"x": "ttt/x.svg", "o": "ttt/o.svg"}
SOUNDS = {"x": "general/slide.mp3", "y": "general/place.mp3"}


def encode(text: str) -> str:
    """Write a position's text in letters, digits, dots, dashes and tildes alone; no two texts are written the same."""
    is_plain = text.startswith("(") and text.endswith(")")
    words = (text[1:-1] if is_plain else text).split(" ")
    found = ("~" if word == '""' else re.sub(r"[^A-Za-z0-9-]", _escaped, word) for word in words)
    return ("" if is_plain else "~-") + ".".join(found)


def _escaped(match: re.Match[str]) -> str:
    return "".join(f"~{byte:02x}" for byte in match[0].encode())


def decode(text: str) -> str:
    """Read what `encode` has written. Raises PositionError."""
    is_plain = not text.startswith("~-")
    found = []
    for word in text.removeprefix("~-").split("."):
        if not re.fullmatch(r"~|(?:[A-Za-z0-9-]|~[0-9a-f]{2})*", word):
            raise PositionError(f"expected letters, digits, dots, dashes and tildes, got {shorten(text)}")
        if word == "~":
            found.append('""')
            continue
        try:
            found.append(re.sub("((?:~..)+)", lambda match: bytes.fromhex(match[0].replace("~", "")).decode(), word))
        except ValueError:
            raise PositionError(f"expected a position in UTF-8, got {shorten(text)}") from None
    return f"({' '.join(found)})" if is_plain else " ".join(found)


def position_id(variant: Variant, position: Position) -> str:
    """Return how the client names a position."""
    return f"{variant.turn(position) + 1}_{encode(variant.show(position))}"


def read_position_id(text: str) -> str:
    """Return the text of the position that the client names. Raises PositionError."""
    if not re.match("[12]_", text):
        raise PositionError(f"expected a position like 1_w.wb--, got {shorten(text) or 'nothing'}")
    return decode(text[2:])


class Art(NamedTuple):
    """Holds how a variant's board is drawn: a letter for each kind of piece, and what the client is told."""

    letters: dict[str, str]
    pass_at: int | None  # the place beside the board where a pass is clicked
    told: dict[str, Any]

    def position(self, variant: Variant, position: Position) -> str:
        """Return the autoguiPosition."""
        on_board = cells(variant, position) or ""
        beside = "" if self.pass_at is None else "-"
        return f"{variant.turn(position) + 1}_" + "".join(self.letters[letter] for letter in on_board) + beside

    def move(self, variant: Variant, position: Position, move: int) -> str:
        """Return the autoguiMove: an arrow from cell to cell, a button on a cell, or one beside the board."""
        ends = clicks(variant, position, move) or []
        if not ends:
            return variant.move_name(position, move) if self.pass_at is None else f"T_p_{self.pass_at}_x"
        return f"A_-_{ends[0]}_y" if len(ends) == 1 else f"M_{ends[0]}_{ends[1]}_x"


def art(variant: Variant) -> Art | None:
    """Return how the client can draw a variant, or None where it has no picture that fits."""
    board = board_of(variant)
    if board is None or "ends" not in variant.game.functions or len(board) > MOST_CELLS:
        return None
    pieces = variant.game.module.layout.pieces
    letters = {"-": "-"} | {
        piece: piece if piece.isalnum() and piece.isascii() else str(i) for i, piece in enumerate(pieces)
    }
    images = _images(variant, pieces)
    drawn = _moves_drawn(variant, Art(letters, len(board), {}))
    if images is None or drawn is None:
        return None
    has_pass = any(move.startswith("T_") for move in drawn)
    left, top = min(x for x, _ in board.at), max(y for _, y in board.at)
    centers = [[round(x - left + 0.5, 3), round(top - y + 0.5, 3)] for x, y in board.at]
    width, height = (max(place[i] for place in centers) + 0.5 for i in (0, 1))
    if has_pass:
        centers.append([width / 2, height + 0.5])
        height += 1
    theme = {
        "space": [width, height],
        "centers": centers,
        "charImages": {letters[piece]: {"image": image, "scale": 0.8} for piece, image in images.items()},
        "circleButtonRadius": 0.2,
        "lineWidth": 0.1,
        "arrowWidth": 0.1,
        "entitiesOverArrows": True,
        "sounds": SOUNDS,
        "animationType": "entityFade",
    }
    if _is_grid_of_three(centers):
        theme["background"] = "ttt/3x3grid.svg"
    told = {"defaultTheme": "regular", "themes": {"regular": theme}}
    return Art(letters, len(board) if has_pass else None, told)


def _is_grid_of_three(centers: list[list[float]]) -> bool:
    return sorted(centers) == [[x + 0.5, y + 0.5] for x in range(3) for y in range(3)]


def _images(variant: Variant, pieces: str) -> dict[str, str] | None:
    """Return a picture for each kind of piece, or None where there are more kinds than pictures."""
    players = {letter.lower(): name.lower() for letter, name in variant.game.players.items()}
    found: dict[str, str] = {}
    for piece in pieces:
        name = players.get(piece.lower())
        if name in SIGNS and piece.islower():
            found[piece] = SIGNS[name]
        elif name is not None:
            colour = COLOURS.get(name) or ("blue", "red")[list(players).index(piece.lower())]
            found[piece] = (
                f"general/{colour}piece{'_circle' if piece.isupper() and piece.lower() in pieces else ''}.svg"
            )
    for piece in pieces:
        if piece not in found:
            free = (f"general/{colour}piece.svg" for colour in ("black", "white", "red", "blue"))
            found[piece] = next((image for image in free if image not in found.values()), "")
    return found if all(found.values()) and len(set(found.values())) == len(found) else None


def _moves_drawn(variant: Variant, art: Art) -> set[str] | None:
    """Return how moves are drawn, or None where two of a position are drawn alike: the client would keep only one."""
    found: set[str] = set()
    for position in random_positions(variant, TRIED):
        if variant.primitive(position) == UNDECIDED:
            drawn = [art.move(variant, position, move) for move in variant.generate_moves(position)]
            if len(set(drawn)) < len(drawn):
                return None
            found.update(drawn)
    return found


def answer_json(variant: Variant, art: Art | None, answer: PositionAnswer) -> dict[str, Any]:
    """Return a position of a solved variant."""
    moves = [_move(variant, art, answer.position, move) for move in answer.moves]
    _add_deltas(moves)
    return {**_place(variant, art, answer.position, answer.value, answer.remoteness), "moves": moves}


def _move(variant: Variant, art: Art | None, position: Position, move: MoveAnswer) -> dict[str, Any]:
    value = move.value
    if variant.turn(position) != variant.turn(move.position):
        value = NAMES[negate(NAMES.index(value))]
    return {
        **_place(variant, art, move.position, value, move.remoteness),
        "move": move.name,
        "autoguiMove": art.move(variant, position, move.move) if art else move.name,
        "moveValue": move.value,
    }


def unsolved_json(variant: Variant, art: Art | None, position: Position, most: int) -> dict[str, Any]:
    """Return a position of a variant that is not solved: its moves, and values only where the game is over."""
    value = variant.primitive(position)
    moves: list[dict[str, Any]] = []
    for move in variant.generate_moves(position) if value == UNDECIDED else ():
        if len(moves) >= most:
            raise PositionError(f"expected at most {most} moves in a position, got more")
        child = variant.do_move(position, move)
        end = variant.primitive(child)
        is_same = variant.turn(position) == variant.turn(child)
        name = variant.move_name(position, move)
        moves.append(
            {
                **_place(variant, art, child, *_ending(end)),
                "move": name,
                "autoguiMove": art.move(variant, position, move) if art else name,
                "moveValue": "unsolved" if end == UNDECIDED else NAMES[end if is_same else negate(end)],
            }
        )
    moves.sort(key=lambda move: (ORDER.index(move["moveValue"]), move["move"]))
    _add_deltas(moves)
    return {**_place(variant, art, position, *_ending(value)), "moves": moves}


def _ending(value: int) -> tuple[str, int]:
    return ("unsolved", NOT_KNOWN) if value == UNDECIDED else (NAMES[value], 0)


def _place(variant: Variant, art: Art | None, position: Position, value: str, remoteness: int | None) -> dict[str, Any]:
    name = position_id(variant, position)
    return {
        "position": name,
        "autoguiPosition": art.position(variant, position) if art else name,
        "positionValue": value,
        "remoteness": NO_END if remoteness is None and value == NAMES[DRAW] else remoteness,
    }


def _add_deltas(moves: list[dict[str, Any]]) -> None:
    """Add how far each move's remoteness is from the best of its value (a draw has none); no two are drawn alike."""
    for value, best in (("win", min), ("tie", min), ("lose", max)):
        alike = [move for move in moves if move["moveValue"] == value]
        for move in alike:
            move["deltaRemoteness"] = abs(move["remoteness"] - best(each["remoteness"] for each in alike))
    drawn = set()
    for move in moves:
        move.setdefault("deltaRemoteness", 0)
        if move["autoguiMove"] in drawn:  # then it is listed by its name
            move["autoguiMove"] = move["move"]
        drawn.add(move["autoguiMove"])
