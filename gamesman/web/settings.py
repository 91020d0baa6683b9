"""What the server was started with, and the limits of what it takes from the network."""

from dataclasses import dataclass

LONGEST_VARIANT = 1000  # letters of a variant's name
LONGEST_POSITION = 5000  # letters of a position
LONGEST_BODY = 300_000  # bytes of what is posted
LONGEST_LINE = 1000  # moves
MOST_IN_BATCH = 100  # positions in one request
MOST_COMPARED = 32  # variants in one comparison
MOST_SECONDS = 10.0  # of one search
DEEPEST = 64  # moves that one search may look ahead
MOST_SENT = 1_000_000  # positions of a variant in one file
MOST_FILES = 4  # of positions, that are sent at a time
MOST_SOLVED = 200_000_000  # positions of a variant that the network may have solved


@dataclass(frozen=True)
class Settings:
    """Holds what `gamesman serve` was told."""

    db: str | None = None
    files: tuple[str, ...] = ()  # game files of the user's
    is_solving: bool = False  # whether variants may be solved from the network
    is_asked_to_solve: bool = False  # whether that was said, and does not follow from only this machine connecting
    is_local: bool = True  # whether only this machine can connect: then paths may be told
    root_path: str = ""  # the prefix under which a proxy serves us, like /games
    workers: int = 2
    memory: int | None = None  # for a solve, in bytes
