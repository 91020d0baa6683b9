"""Boards are written straight from their masks here: a text is a number, a byte a letter, and pieces are added to it.

An empty board is a number. A piece adds to it how far its letter is beyond the one of an empty cell, at the place where
its cell is written. Eight cells of a mask at a time, a table says what to add:

    squares(2, 2), x on a1         "-- --"     0x2d2d202d2d
    what is added                              0x000000xx00     xx = ord("x") - ord("-")

The function that does so is written for one board: there are no loops in it, and it takes a microsecond.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from operator import itemgetter
from typing import Any, NamedTuple

from gamesman.boards import Board

Position = tuple[int, ...]

EMPTY = "-"
MOST_CELLS = 64  # the tables of larger boards would be large, too


class Pattern(NamedTuple):
    """Says how positions are written: (T rows), or (T word word rows)."""

    board: Board
    pieces: str  # the letter of each kind
    masks: Sequence[int]  # where they are in a position
    players: Sequence[str]
    turn: int  # where whose turn it is stands in a position, or -1
    words: Mapping[int, Sequence[str] | None]  # where cells and counts are, and what they are called, but for numbers


def can_write(board: Board, pieces: str) -> bool:
    """Tell whether a board is small enough for tables, and all letters are a byte."""
    return 0 < len(board) <= MOST_CELLS and pieces.isascii()


def shower(
    of: Pattern, fields: int, turn: Callable[[Position], int], slow: Callable[[Position], str]
) -> Callable[[Position], str]:
    """Make what writes positions of so many fields; `slow` writes those with two pieces on a cell, or one on none.

    What it returns has `back`, which reads what it writes.

    >>> from gamesman.boards import squares
    >>> pattern = Pattern(squares(2, 2), "xo", [0, 1], "XO", 2, {})
    >>> show = shower(pattern, 3, lambda position: position[2], repr)
    >>> show((0b0001, 0b1000, 1)), show((1, 1, 0)), show.back("(O -o x-)"), show.back("(O -o x)")
    ('(O -o x-)', '(1, 1, 0)', (1, 8, 1), None)
    """
    rows = of.board.write(EMPTY * len(of.board))
    names = [f"f{i}" for i in range(fields)]
    masks = [names[i] for i in of.masks]
    heads = [f"({player} " for player in of.players]
    # Whose turn it is goes into the number, too, where that is as long a text for both players and nothing follows it.
    is_whole = not of.words and len({*map(len, heads)}) == 1 and "".join(heads).isascii()
    texts = [f"{head}{rows})" for head in heads] if is_whole else [rows]
    known: dict[str, Any] = {"slow": slow, "turn": turn, "heads": heads}
    known["empty"] = [int.from_bytes(text.encode("ascii"), "big") for text in texts]
    places = _places(of.board, is_whole)
    terms = [f"empty[{'who' if is_whole else 0}]"]
    for mask, letter in zip(masks, of.pieces, strict=True):
        for low in range(0, len(places), 8):
            known[f"{mask}_{low}"] = _sums([place * (ord(letter) - ord(EMPTY)) for place in places[low : low + 8]])
            terms.append(f"{mask}_{low}[{mask} >> {low} & 255]" if low else f"{mask}_0[{mask} & 255]")
    text = f'({" + ".join(terms)}).to_bytes({len(texts[0])}, "big").decode("ascii")'
    if not is_whole:
        known |= {f"words_{i}": words for i, words in of.words.items()}
        words = "".join(f"{{{names[i] if w is None else f'words_{i}[{names[i]}]'}}} " for i, w in of.words.items())
        text = f"f'{{heads[who]}}{words}{{{text}}})'"
    source = f"""
def show(position):
    {", ".join(names)}, = position
    taken = {" | ".join(masks)}
    if taken != {" + ".join(masks)} or not 0 <= taken <= {of.board.full}:
        return slow(position)
    who = {names[of.turn] if of.turn >= 0 else "turn(position)"}
    return {text}
"""
    exec(source, known)
    show: Callable[[Position], str] = known["show"]
    show.back = _reader(of, fields, texts, show) if is_whole else _nothing  # type: ignore[attr-defined]
    return show


def _reader(
    of: Pattern, fields: int, texts: list[str], show: Callable[[Position], str]
) -> Callable[[str], Position | None]:
    """Make what reads the text that `show` writes of a position, be it one that can arise or not."""
    head = len(f"({of.players[0]} ")
    players = {text[:head]: who for who, text in enumerate(texts)}
    letters = [*zip(of.masks, (str.maketrans({letter: "1", EMPTY: "0"}) for letter in of.pieces), strict=True)]
    others = [str.maketrans(dict.fromkeys(of.pieces.replace(letter, ""), "0")) for letter in of.pieces]
    only = [(i, table | rest) for (i, table), rest in zip(letters, others, strict=True)]
    places = _by_cell(of.board, _columns(of.board, head))
    cells = itemgetter(*reversed(places))
    length, is_turn = len(texts[0]), of.turn >= 0

    def back(text: str) -> Position | None:
        who = players.get(text[:head])
        if len(text) != length or who is None:
            return None
        found = [0] * fields
        there = "".join(cells(text))
        try:
            for i, table in only:
                found[i] = int(there.translate(table), 2)
        except ValueError:
            return None
        if is_turn:
            found[of.turn] = who
        position = tuple(found)
        return position if show(position) == text else None

    return back


def _nothing(text: str) -> None:
    return None


def _columns(board: Board, head: int) -> list[int]:
    """Return where in a text each cell is written, in the order of writing."""
    column = count(head)
    found = []
    for row in board.rows:
        found += [next(column) for _ in row]
        next(column)  # the blank between rows
    return found


def _places(board: Board, is_whole: bool) -> list[int]:
    """Return, for each cell, 1 at the byte where it is written, from the end of the text."""
    last = len(board.write(EMPTY * len(board))) - 1 + is_whole  # behind the rows there is a parenthesis
    return [1 << 8 * (last - column) for column in _by_cell(board, _columns(board, 0))]


def _by_cell(board: Board, columns: list[int]) -> list[int]:
    """Return what is in the order of writing in the order of the cells."""
    found = dict(zip((cell for row in board.rows for cell in row), columns, strict=True))
    return [found[cell] for cell in range(len(board))]


def _sums(places: Sequence[int]) -> list[int]:
    """Return the sum of the places of each set of cells, in the order of the sets' masks."""
    found = [0]
    for place in places:
        found += [place + each for each in found]
    return found
