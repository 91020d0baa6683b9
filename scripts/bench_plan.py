"""How much scripts/bench measures, and what its measurements have in common: whom they start, and what must agree."""

import json
import sqlite3
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bench_process import ROOT, Cost, least, spend

Row = dict[str, Any]

# What must be the same whoever solves a variant.
RESULT = ["value", "remoteness", "positions", "counts", "primitives", "moves", "max_remoteness"]


class Sizes(NamedTuple):
    """Names the variants measured; `warm` are small, but large enough to use all the code that the others use."""

    solve: dict[str, list[str]]
    large: str  # solved once, with the most threads
    warm: dict[str, str]
    reference: list[str]
    yardstick: dict[str, tuple[int, int, int]]  # Abalone: rows, columns and captures
    store: list[str]
    symmetry: list[str]
    optional: tuple[str, list[str]]  # and what its game need not have, in the order in which it is best added
    files: dict[str, str]  # what memory is allowed; it is less than they take, so that they are solved in files
    together: str  # solved by its shards
    side_by_side: list[str]  # each several small ones
    probe: list[str]
    compile: list[str]
    requests: int


WARM = {
    "konane": "konane:rows=4,cols=5",
    "abalone": "abalone:rows=3,cols=3",
    "ctf": "ctf:size=3",
    "hex_abalone": "hex_abalone:edge=2",
}
LARGEST_OF_OURS = ["abalone", "konane:rows=5,cols=6", "hex_abalone:edge=3"]
FULL = Sizes(
    solve={
        "konane": ["konane:rows=5,cols=5", "konane:rows=5,cols=6"],
        "abalone": ["abalone"],
        "ctf": ["ctf:size=4"],
        "hex_abalone": ["hex_abalone:edge=3"],
    },
    large="abalone:cols=5",
    warm=WARM,
    reference=["konane:rows=4,cols=5", "ctf:size=3", "abalone:rows=3,captures=1"],
    yardstick={"abalone": (4, 4, 2)},
    store=["abalone", "konane:rows=5,cols=6"],
    symmetry=["quixo:size=4", "teeko", "connect4:rows=5,cols=5", *LARGEST_OF_OURS],
    optional=("teeko:size=4", ["tier", "undo_moves", "tier_keys", "symmetries"]),
    files={"konane:rows=5,cols=6": "350M", "hex_abalone:edge=3": "300M", "ctf:start=-wWw----------------bB-b-": "360M"},
    together="konane:rows=5,cols=6",
    side_by_side=[
        "abalone:rows=3,cols=3|4,captures=1..3,misere=*,freeze=*",
        "abalone:rows=3,cols=3..5,captures=1|2,misere=*,freeze=*",
        "abalone:rows=3|4,cols=4,captures=1..3,misere=*,freeze=*",
    ],
    probe=["konane:rows=5,cols=5", "abalone"],
    compile=[*WARM.values()],
    requests=5000,
)
QUICK = Sizes(
    solve={game: [small] for game, small in WARM.items()},
    large="abalone:rows=3",
    warm=WARM,
    reference=["konane:rows=4"],
    yardstick={"abalone:rows=3,cols=3": (3, 3, 2)},
    store=["abalone:rows=3,cols=3"],
    symmetry=["tictactoe"],
    optional=("tictactoe", ["tier", "symmetries"]),
    files={"konane:rows=4,cols=7": "290M"},
    together="konane:rows=4,cols=5",
    side_by_side=["konane:rows=3|4,misere=*"],
    probe=["konane:rows=4,cols=5"],
    compile=["tictactoe"],
    requests=200,
)


@dataclass
class Plan:
    """Says how much is measured, and what has been found already."""

    sizes: Sizes
    threads: list[int]
    repeat: int
    patience: float  # seconds after which a command is not repeated any more
    _warm: set[str] = field(default_factory=set)
    _found: dict[Any, Cost] = field(default_factory=dict)
    _results: dict[str, Row] = field(default_factory=dict)

    def least(self, *command: str, times: int = 1) -> Cost:
        """Return the least cost of a command; short ones are run some times more, being hard to tell from noise."""
        print(f"... {' '.join(command[1:] or command)}", file=sys.stderr)
        return least(partial(spend, [*command]), times * self.repeat, self.patience)

    def solve(self, name: str, threads: int = 1) -> Cost:
        """Measure the compiled solver with its code compiled before, once however often it is asked for."""
        self.warm(name.partition(":")[0])
        if (name, threads) not in self._found:
            cost = self.least(*child("solve", name, str(threads)))
            while json.loads(cost.output)["compiled"]:
                cost = self.least(*child("solve", name, str(threads)))
            self.agree(name, json.loads(cost.output), f"the compiled solver with {threads} threads")
            self._found[name, threads] = cost
        return self._found[name, threads]

    def store(self, name: str, place: str, *settings: str) -> Cost:
        """Measure a solve into a database; what has compiled something is not counted."""
        command = gamesman("solve", name, "--db", place, "--restart", "--json", "--quiet", *settings)
        print(f"... {name} {' '.join(settings)}", file=sys.stderr)
        costs, kept = list[Cost](), _kept()
        while not costs or (len(costs) < self.repeat and sum(cost.wall for cost in costs) <= self.patience):
            cost, before, kept = spend(command), kept, _kept()
            costs += [cost] * (kept == before)
        cost = least(iter(costs).__next__, len(costs), float("inf"))
        for result in map(json.loads, cost.output.splitlines()):
            self.agree(result["variant"], result, " ".join(command))
        return cost

    def warm(self, game: str) -> None:
        if game not in self._warm:
            print(f"... compiling {game}, if it is not yet", file=sys.stderr)
            spend(child("solve", self.sizes.warm[game], "2"))
            self._warm.add(game)

    def agree(self, name: str, result: Row, whose: str) -> None:
        """Hold a result against what was found before: who measures a solver that is wrong measures nothing."""
        found = {field: result[field] for field in RESULT}
        if self._results.setdefault(name, found) != found:
            sys.exit(f"bench: {whose} disagrees on {name}:\n{found}\n{self._results[name]} was found before")


def _kept() -> int:
    """Return how many functions are compiled and kept."""
    return sum(json.loads(line)["functions"] for line in spend(gamesman("cache", "--json")).output.splitlines())


def stored(place: str) -> int:
    """Return a checksum of all that is stored in a folder but when and how it was solved."""
    checksum = 0
    for file in sorted(Path(place).glob("*")):
        with sqlite3.connect(file) as connection:
            for table in ("blocks", "tiers"):
                for row in connection.execute(f"select * from gamesman_{table}"):
                    checksum = zlib.crc32(repr(row).encode(), checksum)
    return checksum


def child(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "scripts" / "bench_child.py"), *arguments]


def gamesman(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "gamesman", *arguments]


@contextmanager
def folder() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="gamesman-bench-") as name:
        yield name
