"""Search is measured here: depths against each other and against random play, and against solved values.

A match is played in pairs: each opening, some moves at random from the start, is played twice with sides changed, so
that neither side's luck with it counts. The Elo difference is that of the share of points won; the error bar is where
the share lies in 95 of 100 such matches, from how the pairs differ among each other.

Against solved values there are no games: positions are drawn from the database in which the player to move can go
wrong, that is, has something to lose and a move that loses it, and the moves that search chooses are looked up.

Tables of endgames are measured in matches that begin just above them, and by how many random endgames a search knows.
"""

import json
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gamesman import app
from gamesman.errors import CallError, GamesmanError, NoAnswer
from gamesman.model.endgames import endgames
from gamesman.model.variant import Position, Variant, variant
from gamesman.play.players import ChosenMove, Program, Strength
from gamesman.play.record import GameRecord
from gamesman.search.searcher import Searcher
from gamesman.values import LOSE, UNDECIDED, negate

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions
    from gamesman.model.tables import Tables

OPENING = 6
MOST_MOVES = 400  # a longer game counts as a draw
SURE = 1.96  # standard errors to each side that hold 95 of 100


@dataclass(frozen=True, slots=True)
class Score:
    """Counts what the first of two programs made of a match."""

    wins: int
    draws: int
    losses: int
    error: float  # the standard error of its share of the points

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        return (self.wins + self.draws / 2) / self.games

    def elo(self) -> str:
        """Return the Elo difference with its error bar; where every game was won, the least it can be.

        >>> Score(75, 0, 25, 0.04).elo()
        '+191 (+124 to +273)'
        >>> Score(100, 0, 0, 0.0).elo()
        'over +484'
        """
        if self.share in (0, 1):
            # With a smaller share, fewer than 5 of 100 matches of so many pairs would be won in all their pairs.
            least = elo(0.05 ** (2 / self.games))
            return f"over {least:+.0f}" if self.share else f"under {-least:+.0f}"
        low, high = (elo(self.share + sign * SURE * self.error) for sign in (-1, 1))
        return f"{elo(self.share):+.0f} ({low:+.0f} to {high:+.0f})"


def elo(share: float) -> float:
    """Return the Elo difference that a share of the points stands for.

    >>> round(elo(0.75)), round(elo(0.5))
    (191, 0)
    """
    share = min(max(share, 1e-4), 1 - 1e-4)
    return 400 * math.log10(share / (1 - share))


def openings(
    variant: Variant, count: int, moves: int, chance: random.Random, tables: "Tables | None" = None
) -> Iterator[list[int]]:
    """Different openings of so many moves, after which the game is not over; with tables, down to just above these."""
    seen = set()
    for _ in range(100 * count):
        game = GameRecord(variant)
        while (len(game.moves) < moves or _is_far(game.position, tables)) and game.end is None:
            game.play(chance.choice(game.legal_moves()))
        if game.end is None and game.position not in seen:
            seen.add(game.position)
            yield game.moves
            if len(seen) == count:
                return
    raise CallError(f"expected {count} different openings of {moves} moves, found {len(seen)}; give a larger --opening")


def _is_far(position: Position, tables: "Tables | None") -> bool:
    """Tell whether a position is more than a tier above those of the tables."""
    return tables is not None and tables.endgames.tier(position) > tables.endgames.up_to + 1


class Rival:
    """Chooses moves by the program of another checkout, in a process of its own."""

    def __init__(self, variant: Variant, strength: Strength, checkout: str, clock: str):
        if strength.kind not in ("depth", "time"):
            raise CallError(f"expected a strength that searches, depth=N or time=S, got {strength}")
        self._depth = int(strength.amount) if strength.kind == "depth" else None
        self._seconds = strength.amount if strength.kind == "time" else None
        program, place = Path(__file__).with_name("tournament_rival.py"), Path(checkout).resolve()
        own = place / ".venv/bin/python"
        self._process = subprocess.Popen(
            [own if own.exists() else sys.executable, program, variant.name, clock],
            env={**os.environ, "PYTHONPATH": str(place)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()

    def choose(self, game: GameRecord) -> ChosenMove:
        """Ask the other program for its move; return it."""
        show = game.variant.show
        asked = {"position": show(game.position), "past": [show(position) for position in game.past]}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({**asked, "depth": self._depth, "seconds": self._seconds}) + "\n")
        self._process.stdin.flush()
        return ChosenMove(game.variant.parse_move(game.position, self._answer()["move"]), "")

    def stop(self) -> None:
        """Let the process end."""
        self._process.communicate()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise NoAnswer("the other program has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer


def match(
    variant: Variant,
    first: Strength,
    second: Strength,
    pairs: int,
    moves: int,
    seed: int,
    against: str | None = None,
    seconds: float = math.inf,
    clock: str = "wall",
    tables: "Tables | None" = None,
) -> Score:
    """Play pairs of games, sides changed after each, no more of them once so many seconds are over.

    With `against` the second is the program of that checkout. With the clock "cpu" programs count what they take
    themselves, and others may run beside them. With tables of endgames the first has them, and games begin near them.
    """
    chance = random.Random(seed)
    rival = Rival(variant, second, against, clock) if against else None
    programs = [player(variant, first, chance, tables), rival or player(variant, second, chance)]
    wall = time.perf_counter
    if clock == "cpu":
        time.perf_counter = time.process_time
    try:
        begun = openings(variant, pairs, moves, chance, tables)
        return _played(variant, programs, begun, time.monotonic() + seconds)
    finally:
        time.perf_counter = wall
        if rival is not None:
            rival.stop()


def _played(variant: Variant, programs: Sequence[Program | Rival], openings: Iterator[list[int]], end: float) -> Score:
    points: list[float] = []
    for opening in openings:
        for turn in (0, 1):
            winner = play(variant, opening, programs[turn], programs[1 - turn])
            points.append(0.5 if winner is None else float(winner == turn))
        if time.monotonic() > end:
            break
    means = [(a + b) / 2 for a, b in zip(points[::2], points[1::2], strict=True)]
    pairs = len(means)
    mean = sum(means) / pairs
    error = math.sqrt(sum((m - mean) ** 2 for m in means) / max(1, pairs - 1) / pairs)
    return Score(points.count(1), points.count(0.5), points.count(0), error)


def player(variant: Variant, strength: Strength, chance: random.Random, tables: "Tables | None" = None) -> Program:
    searcher = Searcher(variant) if strength.kind == "random" else Searcher(variant, compiled=True, tables=tables)
    return Program(variant, strength, None, chance, searcher)


def play(variant: Variant, opening: Sequence[int], first: Program | Rival, second: Program | Rival) -> int | None:
    """Play a game after an opening; return the turn of the winner, or None."""
    game = GameRecord(variant)
    for move in opening:
        game.play(move)
    while game.end is None and len(game.moves) < MOST_MOVES:
        game.play((second if game.turn else first).choose(game).move)
    return game.end.winner if game.end is not None else None


@dataclass(frozen=True, slots=True)
class Problem:
    """Holds a position in which the player to move can go wrong, and the moves that do not."""

    position: Position
    keeping: frozenset[int]
    moves: int


def problems(variant: Variant, stored: "SolvedPositions", count: int, seed: int) -> list[Problem]:
    """So many positions drawn at random from a solved variant."""
    chance = random.Random(seed)
    tiers = [(tier, len(keys)) for tier, keys, _ in stored.positions()]
    parts: dict[int, list[int]] = {}
    for i in chance.choices(range(len(tiers)), [n for _, n in tiers], k=20 * count):
        parts.setdefault(i, []).append(chance.randrange(tiers[i][1]))
    keys = [int(keys[j]) for i, (_, keys, _) in enumerate(stored.positions()) for j in parts.get(i, [])]
    chance.shuffle(keys)
    found = []
    for key in keys:
        problem = as_problem(variant, stored, variant.unhash(key))
        if problem is not None:
            found.append(problem)
            if len(found) == count:
                break
    return found


def as_problem(variant: Variant, stored: "SolvedPositions", position: Position) -> Problem | None:
    if variant.primitive(position) != UNDECIDED:
        return None
    value, _ = stored.probe(position)
    if value == LOSE:
        return None
    turn = variant.turn(position)
    moves = list(variant.generate_moves(position))
    children = [variant.do_move(position, move) for move in moves]
    worth = [
        answer[0] if variant.turn(child) == turn else negate(answer[0])
        for child, answer in zip(children, stored.probe_many(children), strict=True)
    ]
    keeping = frozenset(move for move, own in zip(moves, worth, strict=True) if own == value)
    return Problem(position, keeping, len(moves)) if len(keeping) < len(moves) else None


def drawn(variant: Variant, tier: int, count: int, seed: int) -> list[Position]:
    """So many positions of a tier of endgames in which the game is not over, of all there are, reachable or not."""
    chance, tables = random.Random(seed), endgames(variant, str(tier))
    first, there = tables.tier_keys(tier)
    found = (tables.unhash(first + chance.randrange(there)) for _ in range(100 * count))
    return list(islice((position for position in found if variant.primitive(position) == UNDECIDED), count))


def known(variant: Variant, strength: Strength, positions: Sequence[Position], tables: "Tables | None") -> float:
    """In which part of the positions a search to a depth knows the value for certain."""
    searcher = Searcher(variant, compiled=True, tables=tables)
    found = [searcher.search(position, int(strength.amount)) for position in positions]
    return sum(each.value is not None for each in found) / len(found)


def show_known(variant: Variant, programs: Sequence[Strength], tables: "Tables", count: int, seed: int) -> None:
    """Print in which part of random endgames each search knows the value, with the tables and without."""
    click.echo(f"| {variant.name}, {count:,} positions each | with tables | without |\n|---|---:|---:|")
    for tier in (tables.endgames.up_to, tables.endgames.up_to + 1):
        positions = drawn(variant, tier, count, seed)
        for strength in (each for each in programs if each.kind == "depth"):
            shares = " | ".join(f"{known(variant, strength, positions, each):.1%}" for each in (tables, None))
            name = endgames(variant, str(tier)).tier_name(tier)
            click.echo(f"| {name}, {strength} | {shares} |")


@contextmanager
def stored_tables(variant: Variant, db: str | None) -> "Iterator[Tables]":
    with app.tables_or_none(variant, db=db) as tables:
        if tables is None:
            solving = f"gamesman solve {variant.name} --up-to TIER"
            raise NoAnswer(f"no endgames of {variant.name} are stored; run: {solving}")
        yield tables


def kept(variant: Variant, problems: Sequence[Problem], strength: Strength) -> float:
    """In which part of the positions a program's move keeps the value; at random, on average."""
    if strength.kind == "random":
        return sum(len(problem.keeping) / problem.moves for problem in problems) / len(problems)
    program = player(variant, strength, random.Random())
    right = sum(program.choose(GameRecord(variant, problem.position)).move in problem.keeping for problem in problems)
    return right / len(problems)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", metavar="VARIANT")
@click.argument("strengths", nargs=-1, required=True, metavar="STRENGTH...")
@click.option("--pairs", default=50, type=click.IntRange(1), help="Pairs of games in a match [default: 50].")
@click.option("--opening", default=OPENING, type=click.IntRange(0), help=f"Moves at random [default: {OPENING}].")
@click.option("--seed", default=1, help="Makes openings and random play the same each time [default: 1].")
@click.option("--solved", is_flag=True, help="Not against each other but against the solved values.")
@click.option("--positions", default=1000, type=click.IntRange(1), help="Positions for --solved [default: 1000].")
@click.option("--against", metavar="CHECKOUT", help="Each STRENGTH against the same one of the program there.")
@click.option("--tables", "has_tables", is_flag=True, help="Each STRENGTH with endgame tables against without.")
@click.option("--clock", default="wall", type=click.Choice(["wall", "cpu"]), help="What time=S counts [default: wall].")
@click.option("--minutes", default=math.inf, help="Begin no pair once a match has taken so long.")
@click.option("--db", metavar="URL-or-folder", help="Where solved variants are.")
def main(
    name: str,
    strengths: tuple[str, ...],
    pairs: int,
    opening: int,
    seed: int,
    solved: bool,
    positions: int,
    against: str | None,
    has_tables: bool,
    clock: str,
    minutes: float,
    db: str | None,
) -> None:
    """Measure strength: each STRENGTH (random, depth=N, time=S) against the one before it, as a table in Markdown.

    scripts/tournament hex_abalone random depth=1 depth=2 depth=3

    scripts/tournament ctf:size=4 random depth=1 depth=4 --solved

    scripts/tournament ctf depth=4 --tables; with --solved: how often each search knows a value by them, and without
    """
    played = variant(name)
    programs = [Strength.read(text) for text in strengths]
    if any(strength.kind == "perfect" for strength in programs):
        raise CallError("expected strengths that search, or random: depth=N, time=S or random, got perfect")
    if len(programs) < 2 and not solved and not against and not has_tables:
        raise CallError(f"expected two strengths or more to play each other, got one: {programs[0]}")
    if solved and has_tables:
        with stored_tables(played, db) as tables:
            show_known(played, programs, tables, positions, seed)
        return
    if solved:
        with app.open(played, db=db) as stored:
            drawn = problems(played, stored, positions, seed)
        if not drawn:
            raise NoAnswer(f"{played.name} has no position in which a move can be wrong; give a larger variant")
        click.echo(f"| {played.name}, {len(drawn):,} positions | keeps the value |\n|---|---:|")
        for strength in programs:
            click.echo(f"| {strength} | {kept(played, drawn, strength):.1%} |")
        return
    click.echo(f"| {played.name} | won | drawn | lost | Elo (95%) |\n|---|---:|---:|---:|---|")
    other = "itself without tables" if has_tables else "the other at {}"
    others = [(other.format(program), program, program) for program in programs] if against or has_tables else []
    for name, weaker, stronger in others or [(str(a), a, b) for a, b in zip(programs, programs[1:], strict=False)]:
        with stored_tables(played, db) if has_tables else nullcontext() as tables:
            score = match(played, stronger, weaker, pairs, opening, seed, against, 60 * minutes, clock, tables)
        click.echo(f"| {stronger} against {name} | {score.wins} | {score.draws} | {score.losses} | {score.elo()} |")


if __name__ == "__main__":
    try:
        main()
    except GamesmanError as error:
        click.echo(str(error), err=True)
        raise SystemExit(error.exit_code) from None
