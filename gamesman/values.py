"""A position has one of four values, ordered here, and a 16-bit record that holds it with its remoteness.

A value is from the point of view of the player to move. The numbers are load-bearing: a player prefers the
larger one, so that ``max`` of values is the choice a player makes.
"""

LOSE, DRAW, TIE, WIN = 0, 1, 2, 3
UNDECIDED = -1

# Every key of a variant that can be solved is from 0 to below this: keys are integers of 64 bits with a sign.
KEY_LIMIT = 1 << 63

NAMES = ("lose", "draw", "tie", "win")

# A record keeps the value in the upper two of sixteen bits. A DRAW has no remoteness, so the records with a DRAW
# above and something below are free for the solver's own marks: no mark can be mistaken for a real remoteness.
REMOTENESS_BITS = 14
MAX_REMOTENESS = (1 << REMOTENESS_BITS) - 1


def negate(value: int) -> int:
    """Return the same value for the other player.

    >>> [NAMES[negate(value)] for value in (LOSE, DRAW, TIE, WIN)]
    ['win', 'draw', 'tie', 'lose']
    """
    return 3 - value if value == LOSE or value == WIN else value


def pack(value: int, remoteness: int) -> int:
    """Return the record of a value and its remoteness (0 for a DRAW, which has none).

    >>> unpack(pack(WIN, 23))
    (3, 23)
    """
    return value << REMOTENESS_BITS | remoteness


def unpack(record: int) -> tuple[int, int]:
    """Return the value and the remoteness of a record."""
    return record >> REMOTENESS_BITS, record & MAX_REMOTENESS


def answer(record: int) -> tuple[int, int | None]:
    """Return the value and the remoteness of a record, None for a DRAW.

    >>> answer(pack(WIN, 23)), answer(pack(DRAW, 0))
    ((3, 23), (1, None))
    """
    value = record >> REMOTENESS_BITS
    return value, None if value == DRAW else record & MAX_REMOTENESS


def preference(value: int, remoteness: int) -> tuple[int, int]:
    """Return a key to sort by: what a player likes better has a larger one.

    He wins as soon as possible, ties as soon as possible and loses as late as possible.

    >>> preference(WIN, 3) > preference(WIN, 5) > preference(TIE, 0) > preference(DRAW, 0)
    True
    >>> preference(LOSE, 8) > preference(LOSE, 2)
    True
    """
    if value == DRAW:
        return value, 0
    return value, remoteness if value == LOSE else -remoteness


# The mark of a key that stands for no reachable position, in arrays that have an entry for every key of a range.
UNREACHED = pack(DRAW, 1)
