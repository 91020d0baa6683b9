"""What a search has found is held here, and turned into the fields of `search --json`."""

from dataclasses import dataclass
from typing import Any

from gamesman.model.variant import Position, Variant
from gamesman.search.scores import STATIC
from gamesman.values import NAMES


@dataclass(frozen=True, slots=True)
class Found:
    """Holds the best move of a position, and what the position is worth to the player to move."""

    position: Position
    move: int | None  # None where there is none: the game is over
    line: list[int]  # the principal variation, `move` first
    score: int  # STATIC where a win is seen that is not certain
    value: int | None  # where it is certain: see gamesman.values
    remoteness: int | None  # of a value that is certain; None for a draw, and of a tie where time has run out
    depth: int  # how many plies were searched in full; 0 where nothing had to be, or could be
    nodes: int
    seconds: float
    source: str  # search or database
    is_compiled: bool
    note: str  # why it was not compiled, or why the database did not help

    @property
    def nodes_per_second(self) -> int:
        return round(self.nodes / self.seconds) if self.seconds else 0

    @property
    def estimate(self) -> str:
        """Say what a position seems to be worth whose value is not certain."""
        if abs(self.score) >= STATIC:
            return f"seems to {'win' if self.score > 0 else 'lose'}"
        return f"{self.score:+d}"

    def line_names(self, variant: Variant) -> list[str]:
        """Return the names of the moves of the line."""
        names, position = [], self.position
        for move in self.line:
            names.append(variant.move_name(position, move))
            position = variant.do_move(position, move)
        return names

    def as_json(self, variant: Variant) -> dict[str, Any]:
        """Return the fields of `search --json`."""
        line = self.line_names(variant)
        return {
            "variant": variant.name,
            "position": variant.show(self.position),
            "turn": variant.letter(self.position),
            "move": line[0] if line else None,
            "leads_to": variant.show(variant.do_move(self.position, self.line[0])) if line else None,
            "value": None if self.value is None else NAMES[self.value],
            "remoteness": self.remoteness,
            "score": self.score,
            "depth": self.depth,
            "line": line,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "nodes_per_second": self.nodes_per_second,
            "source": self.source,
            "compiled": self.is_compiled,
            "note": self.note or None,
        }
