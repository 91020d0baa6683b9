"""What has been proved of a position is held here, and turned into the fields of `prove --json`."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from gamesman.model.variant import Position, Variant
from gamesman.values import TIE, WIN


class Claim(NamedTuple):
    """Says that a player can force as much as a value; a value is proved by one claim or two."""

    player: int
    least: int  # WIN or TIE


@dataclass(frozen=True, slots=True)
class Proof:
    """Holds the value of a position, as far as it is proved, and a move that keeps it."""

    position: Position
    value: str | None  # win, lose, tie or not win; None where nothing is proved
    move: int | None  # a move that wins, or holds the tie; None where none does
    nodes: int
    seconds: float
    source: str = "search"  # or database, or rules where the game is over
    depth: int = 0  # the moves within which the win is forced, where positions can come back; else 0
    note: str = ""
    certificate: str = ""  # the file it was written to
    covered: int = 0  # the positions it has a move for, or leads to
    bytes: int = 0

    @property
    def nodes_per_second(self) -> int:
        return round(self.nodes / self.seconds) if self.seconds else 0

    def claims(self, variant: Variant) -> list[Claim]:
        """Return what has to be shown for the value."""
        mover = variant.turn(self.position)
        return claims(self.value, mover)

    def move_name(self, variant: Variant) -> str | None:
        return None if self.move is None else variant.move_name(self.position, self.move)

    def as_json(self, variant: Variant) -> dict[str, Any]:
        """Return the fields of `prove --json`."""
        return {
            "variant": variant.name,
            "position": variant.show(self.position),
            "turn": variant.letter(self.position),
            "value": self.value,
            "move": self.move_name(variant),
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
            "proved": self.value is not None,
            "depth": self.depth or None,
            "source": self.source,
            "note": self.note or None,
            "certificate": self.certificate or None,
        }


def claims(value: str | None, mover: int) -> list[Claim]:
    """Return what has to be shown for a value of a position in which a player is to move.

    >>> claims("lose", 0)
    [Claim(player=1, least=3)]
    >>> len(claims("tie", 0))
    2
    """
    other = 1 - mover
    return {
        "win": [Claim(mover, WIN)],
        "lose": [Claim(other, WIN)],
        "tie": [Claim(mover, TIE), Claim(other, TIE)],
        "not win": [Claim(other, TIE)],
    }.get(value or "", [])
