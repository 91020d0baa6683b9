"""Boards know where their cells are, what they are called, which are neighbours, and how the whole can be turned.

A board is plain Python for `setup` and for notation. What compiled code needs of it goes into the rules as masks, ints
with bit i for cell i, and as tables of masks.

    squares(3, 4)      a1 is cell 0, b1 is cell 1, ...; kinds of rays: rook, bishop, king
    hexagons(4)        cells as in a honeycomb, see below; kind: hex
    points(...)        points joined by lines, whatever their shape; kind: line

A ray is the cells that follow one another from a cell in one direction; all else is made of rays.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import itemgetter
from string import ascii_uppercase

from gamesman.errors import PositionError, shorten
from gamesman.notation import LETTERS, cell_name, draw_grid
from gamesman.turning import Permutation, isometries, turns

Rays = tuple[tuple[tuple[int, ...], ...], ...]  # by cell, by direction: the cells ahead

ROOK = ((0, 1), (0, -1), (1, 0), (-1, 0))  # steps of rows and columns: east, west, north, south
BISHOP = ((1, 1), (-1, -1), (1, -1), (-1, 1))
HEX = ((0, 1), (1, 0), (1, -1), (-1, 1), (-1, 0), (0, -1))  # steps of rows and diagonals; d and 5 - d are opposite
MOST_CELLS = 1 << 20  # of a board: more are a number of the rules mistaken for another, and would take for ever
MOST_BOARDS = 64  # that are kept: a server is asked for boards of any size


@dataclass(frozen=True, eq=False)
class Board:
    """Cells with names and places; `rows` are the cells as a position is written, `rays` what lies ahead of them."""

    names: tuple[str, ...]
    at: tuple[tuple[float, float], ...]  # right and up: for a picture, one step is about 1
    rows: tuple[tuple[int, ...], ...]
    rays: Mapping[str, Rays] = field(repr=False)
    drawn: Callable[["Board", str], str] = field(repr=False)
    joint: str = "-"  # between the cells of a move

    def __len__(self) -> int:
        return len(self.names)

    @property
    def full(self) -> int:
        """Return the mask of all cells."""
        return (1 << len(self)) - 1

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: cell for cell, name in enumerate(self.names)}

    def cell(self, name: str) -> int:
        """Return the number of a cell. Raises PositionError.

        >>> squares(3, 4).cell("d3")
        11
        >>> squares(3, 4).cell("e1")
        Traceback (most recent call last):
        ...
        gamesman.errors.PositionError: expected a cell from a1 to d3, got e1
        """
        if name not in self._numbers:
            first, last = (self.names[row[i]] for row, i in self._corners)
            raise PositionError(f"expected a cell from {first} to {last}, got {shorten(name) or 'nothing'}")
        return self._numbers[name]

    @property
    def _corners(self) -> tuple[tuple[tuple[int, ...], int], tuple[tuple[int, ...], int]]:
        low, high = self.rows[-1], self.rows[0]
        return ((low, 0), (high, -1)) if min(low) < min(high) else ((high, 0), (low, -1))

    def mask(self, cells: str | Iterable[int]) -> int:
        """Return the mask of some cells, given by their numbers or as names in one text.

        >>> squares(3, 4).mask("a1 c1")
        5
        """
        numbers = map(self.cell, cells.split()) if isinstance(cells, str) else cells
        return sum(1 << cell for cell in set(numbers))

    def where(self, holds: Callable[[float, float], bool]) -> int:
        """Return the mask of the cells whose place fits: on squares, column and row from 0.

        >>> bin(squares(3, 4).where(lambda x, y: x == 0))
        '0b100010001'
        """
        bits = "".join("1" if holds(x, y) else "0" for x, y in reversed(self.at))
        return int(bits or "0", 2)

    def neighbours(self, kind: str) -> tuple[int, ...]:
        """Return, for each cell, the mask of those one step away.

        >>> bin(squares(3, 3).neighbours("rook")[4])
        '0b10101010'
        """
        return tuple(self.mask(ray[0] for ray in rays if ray) for rays in self.rays[kind])

    def ahead(self, kind: str) -> tuple[tuple[int, ...], ...]:
        """Return, for each direction and each cell, the mask of all cells ahead."""
        return tuple(tuple(map(self.mask, rays)) for rays in zip(*self.rays[kind], strict=True))

    def inside(self, kind: str) -> tuple[int, ...]:
        """Return, for each direction, the mask of the cells from which a step stays on the board."""
        directions = zip(*self.rays[kind], strict=True)
        return tuple(self.mask(cell for cell, ray in enumerate(rays) if ray) for rays in directions)

    def steps(self, kind: str) -> tuple[int, ...]:
        """Return, for each direction, how much higher the next cell's number is: on squares the same from every cell.

        >>> squares(3, 4).steps("rook")
        (1, -1, 4, -4)
        """
        directions = [
            {ray[0] - cell for cell, ray in enumerate(rays) if ray} for rays in zip(*self.rays[kind], strict=True)
        ]
        if any(len(found) > 1 for found in directions):
            raise ValueError("steps are for boards of squares, on which every step in a direction is the same")
        return tuple(found.pop() if found else 0 for found in directions)

    def axes(self, kind: str) -> tuple[tuple[int, int], ...]:
        """Return the table of `gamesman.lines.has_line`: for each direction its step and the cells that can make it.

        >>> squares(2, 2).axes("rook")
        ((1, 5), (2, 3))
        """
        pairs = zip(self.steps(kind), self.inside(kind), strict=True)
        return tuple((step, inside) for step, inside in pairs if step > 0) or ((0, 0),)

    def lines(self, length: int, kind: str) -> tuple[int, ...]:
        """Return the masks of all lines of as many cells, each once.

        >>> len(squares(3, 3).lines(3, "king"))
        8
        """
        starts = ((cell, ray) for cell, rays in enumerate(self.rays[kind]) for ray in rays or ((),))
        found = {self.mask((cell, *ray[: length - 1])) for cell, ray in starts if len(ray) >= length - 1}
        return tuple(sorted(found))

    @cached_property
    def symmetries(self) -> tuple[Permutation, ...]:
        """Return every way to turn or mirror the board, but for leaving it as it is; see gamesman/turning.py.

        >>> len(squares(3, 3).symmetries), len(squares(3, 4).symmetries), len(hexagons(3).symmetries)
        (7, 3, 11)
        """
        linked = [
            set().union(*(ray[:1] for rays in kinds for ray in rays)) for kinds in zip(*self.rays.values(), strict=True)
        ]
        return isometries(self.at, linked)

    def turned(self, keeps: Callable[[Permutation], bool] = bool) -> tuple[tuple[int, ...], ...]:
        """Return the table of `gamesman.turning.turn_mask` for all symmetries, or those that keep what the rules need.

        Where there is none, it has one row that changes nothing; for a board that no word holds it is empty.
        """
        if len(self) > 64:
            return ()
        return turns([*filter(keeps, self.symmetries)] or [tuple(range(len(self)))])

    def write(self, letters: str) -> str:
        """Write the rows of the board, given one letter for each cell."""
        return "".join(self._written(letters + " "))

    def read(self, rows: Sequence[str]) -> str:
        """Return one letter for each cell, read from the rows that `write` writes."""
        return "".join(self._read("".join(rows)))

    @cached_property
    def _written(self) -> Callable[[str], Iterable[str]]:
        return _picker([i for row in self.rows for i in (*row, len(self))][:-1])

    @cached_property
    def _read(self) -> Callable[[str], Iterable[str]]:
        place = {cell: i for i, cell in enumerate(cell for row in self.rows for cell in row)}
        return _picker([place[cell] for cell in range(len(self))])

    def draw(self, letters: str) -> str:
        """Draw the board for a person, given one letter for each cell."""
        return self.drawn(self, letters)

    def draw_names(self, letters: str) -> str:
        """Draw the board with the name of each cell, and after it the letter of what stands there.

        >>> print(hexagons(2).draw_names(hexagons(2).read(["bb", "-r-", "--"])))
            A2=b  A3=b
        B1    B2=r  B3
            C1    C2
        """
        if self.drawn is _draw_points:
            return self.draw(letters)  # names are there already
        pitch = max(map(len, self.names)) + 4 & ~1  # even, since rows of hexagons are half a cell apart
        left, heights = min(x for x, _ in self.at), sorted({y for _, y in self.at}, reverse=True)
        lines = [""] * len(heights)
        for (x, y), name, letter in sorted(zip(self.at, self.names, letters, strict=True)):
            line = heights.index(y)
            said = name if letter == "-" else f"{name}={letter}"
            lines[line] = f"{lines[line]:<{round((x - left) * pitch)}}{said}"
        return "\n".join(lines)


def _picker(order: list[int]) -> Callable[[str], Iterable[str]]:
    """Make a function that takes letters of a text in an order; itemgetter of a single item would return no tuple."""
    return itemgetter(*order) if len(order) > 1 else lambda text: text[order[0]]


@lru_cache(MOST_BOARDS)
def squares(rows: int, cols: int, bottom_first: bool = False) -> Board:
    """Make a board of squares, whose positions are written from the top row on, or from the bottom one.

    >>> board = squares(2, 3)
    >>> board.names
    ('a1', 'b1', 'c1', 'a2', 'b2', 'c2')
    >>> print(board.draw("x--oo-"))
    2  o o -
    1  x - -
    <BLANKLINE>
       a b c
    """
    _check_size(rows * cols)
    by_row = [tuple(range(row * cols, (row + 1) * cols)) for row in range(rows)]

    def rays(steps: Sequence[tuple[int, int]]) -> Rays:
        return tuple(
            tuple(_squares_ahead(rows, cols, row, col, up, right) for up, right in steps)
            for row in range(rows)
            for col in range(cols)
        )

    return Board(
        names=tuple(cell_name(row, col) for row in range(rows) for col in range(cols)),
        at=tuple((float(col), float(row)) for row in range(rows) for col in range(cols)),
        rows=tuple(by_row if bottom_first else by_row[::-1]),
        rays=_Lazily({"rook": lambda: rays(ROOK), "bishop": lambda: rays(BISHOP), "king": lambda: rays(ROOK + BISHOP)}),
        drawn=lambda board, letters: draw_grid([letters[i * cols : (i + 1) * cols] for i in reversed(range(rows))]),
    )


def _check_size(cells: int) -> None:
    if cells > MOST_CELLS:
        raise ValueError(f"expected a board of at most {MOST_CELLS:,} cells, got {cells:,}")


def _squares_ahead(rows: int, cols: int, row: int, col: int, up: int, right: int) -> tuple[int, ...]:
    cells = []
    while 0 <= row + up < rows and 0 <= col + right < cols:
        row, col = row + up, col + right
        cells.append(row * cols + col)
    return tuple(cells)


class _Lazily(Mapping[str, Rays]):
    """Rays by their kind, worked out when they are first asked for: notation on a large board needs none."""

    def __init__(self, ways: Mapping[str, Callable[[], Rays]]):
        self._ways = ways
        self._found: dict[str, Rays] = {}

    def __getitem__(self, kind: str) -> Rays:
        if kind not in self._found:
            self._found[kind] = self._ways[kind]()
        return self._found[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ways)

    def __len__(self) -> int:
        return len(self._ways)


def hexagon_rows(edge: int) -> list[range]:
    """Return the diagonals of each row of a hexagon, from the top.

    >>> hexagon_rows(2)
    [range(2, 4), range(1, 4), range(1, 3)]
    """
    above = [range(edge - row, 2 * edge) for row in range(edge)]
    return above + [range(1, 2 * edge - row) for row in range(1, edge)]


@lru_cache(MOST_BOARDS)
def hexagons(edge: int) -> Board:
    """Make a hexagon of hexagons: rows A, B, ... from the top, diagonals 1, 2, ... that lean like a backslash.

    Cells are numbered so that a step is the same rotation of a mask everywhere: one to the right is one bit on, one
    down the diagonal 3 * edge - 1 bits on, and past the last bit comes the first.

    >>> board = hexagons(2)
    >>> [board.names[cell] for row in board.rows for cell in row]
    ['A2', 'A3', 'B1', 'B2', 'B3', 'C1', 'C2']
    >>> board.rays["hex"][board.cell("B1")][0] == (board.cell("B2"), board.cell("B3"))
    True
    """
    _check_size(3 * edge * edge)
    found = [(row, diagonal) for row, diagonals in enumerate(hexagon_rows(edge)) for diagonal in diagonals]
    number = {(row, diagonal): (diagonal - edge + row * (3 * edge - 1)) % len(found) for row, diagonal in found}
    ordered = sorted(found, key=number.__getitem__)

    def ray(row: int, diagonal: int, down: int, right: int) -> tuple[int, ...]:
        cells = []
        while (row + down, diagonal + right) in number:
            row, diagonal = row + down, diagonal + right
            cells.append(number[row, diagonal])
        return tuple(cells)

    return Board(
        names=tuple(f"{ascii_uppercase[row]}{diagonal}" for row, diagonal in ordered),
        at=tuple((diagonal + row / 2, -row * 3**0.5 / 2) for row, diagonal in ordered),
        rows=tuple(tuple(number[row, d] for d in diagonals) for row, diagonals in enumerate(hexagon_rows(edge))),
        rays={"hex": tuple(tuple(ray(*cell, *step) for step in HEX) for cell in ordered)},
        drawn=_draw_hexagons,
        joint=" ",
    )


def _draw_hexagons(board: Board, letters: str) -> str:
    """Draw the board with the rows' letters at the left and the diagonals' numbers at their lower ends."""
    edge = (len(board.rows) + 1) // 2
    pitch = 2 if edge <= 5 else 4
    lines = []
    for number, row in enumerate(board.rows):
        ended = [str(3 * edge - 1 - number)] if number >= edge else []
        cells = "".join(f"{cell:<{pitch}}" for cell in [*(letters[cell] for cell in row), *ended])
        lines.append(" " * (abs(edge - 1 - number) * pitch // 2) + f"{ascii_uppercase[number]}  {cells}".rstrip())
    numbers = "".join(f"{diagonal:<{pitch}}" for diagonal in range(1, edge + 1))
    lines.append(" " * (edge * pitch // 2 + 3) + numbers.rstrip())
    return "\n".join(lines)


@lru_cache(MOST_BOARDS)
def points(*paths: str, at: tuple[tuple[str, float, float], ...] = ()) -> Board:
    """Make a board of points joined by lines, each line given as the names of its points in order.

    Names like b3 say where a point is: column b, row 3. For other names `at` says it, as (name, right, up), and its
    order is the cells' own. A line whose end is its beginning is a ring.

    >>> board = points("a1 b1 c1", "a1 b2 c1", "b1 b2")
    >>> board.names
    ('a1', 'b1', 'c1', 'b2')
    >>> bin(board.neighbours("line")[board.cell("b2")])
    '0b111'
    >>> print(board.draw("xo-x"))
    2    x
    1  x o -
    <BLANKLINE>
       a b c
    """
    lines = [path.split() for path in paths]
    if at:
        place = {name: (x, y) for name, x, y in at}
        rows = [tuple(range(len(place)))]
    else:
        names = {name for line in lines for name in line}
        if odd := [name for name in sorted(names) if name[0] not in LETTERS or not name[1:].isdecimal()]:
            raise ValueError(f"points must have names like b3, or places in `at`, got {shorten(odd[0])}")
        place = {name: (float(LETTERS.index(name[0])), float(int(name[1:]) - 1)) for name in names}
        place = dict(sorted(place.items(), key=lambda item: item[1][::-1]))
        heights = sorted({y for _, y in place.values()}, reverse=True)
        rows = [tuple(i for i, (_, y) in enumerate(place.values()) if y == height) for height in heights]
    number = {name: cell for cell, name in enumerate(place)}
    rays: list[list[tuple[int, ...]]] = [[] for _ in number]
    for line in lines:
        cells = [number[name] for name in line]
        is_ring = cells[0] == cells[-1] and len(cells) > 1
        for way in (cells, cells[::-1]):
            for i, cell in enumerate(way[:-1]):
                rays[cell].append(tuple((way[i + 1 :] + way[1:])[: len(way) - 2] if is_ring else way[i + 1 :]))
    most = max(map(len, rays))
    return Board(
        names=tuple(number),
        at=tuple(place.values()),
        rows=tuple(rows),
        rays={"line": tuple((*of, *((),) * (most - len(of))) for of in rays)},
        drawn=_draw_points if at else _draw_grid_points,
    )


def _draw_grid_points(board: Board, letters: str) -> str:
    wide, high = (int(max(values)) + 1 for values in zip(*board.at, strict=True))
    canvas = [[" "] * wide for _ in range(high)]
    for (x, y), letter in zip(board.at, letters, strict=True):
        canvas[int(y)][int(x)] = letter
    return "\n".join(line.rstrip() for line in draw_grid(["".join(row) for row in reversed(canvas)]).split("\n"))


def _draw_points(board: Board, letters: str) -> str:
    """Draw every point at its place, with its name before the letter that stands there."""
    left, top = min(x for x, _ in board.at), max(y for _, y in board.at)
    lines: dict[int, dict[int, str]] = {}
    for (x, y), name, letter in zip(board.at, board.names, letters, strict=True):
        lines.setdefault(round((top - y) * 2), {})[round((x - left) * 5)] = f"{name}:{letter}"
    drawn = []
    for height in range(max(lines) + 1):
        line = ""
        for column, text in sorted(lines.get(height, {}).items()):
            line = f"{line:<{column}}{text}"
        drawn.append(line)
    return "\n".join(drawn)
