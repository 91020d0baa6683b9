"""A stored solution is proved here without the solver: every position is held against its own moves.

What is checked. The start is stored. From there positions are *reached*, tier by tier from the highest down, within a
tier until nothing new is found: every reached position is expanded with the game's functions, its key and tier are
those of the position it stands for, and each of its moves leads to a stored position, of the same tier or a lower one,
that its key stands for as well.
Its record is that of the rules if it is primitive, with remoteness 0, and else follows from its children's records,
values being those for the player who moves (a child's are the other way round where the turn changes); no move is
yielded twice:

    WIN     1 + the least remoteness of a winning child
    TIE     no child wins: 1 + the least remoteness of a tied child
    DRAW    no child wins or ties, one draws
    LOSE    all children lose: 1 + the largest remoteness among them

In the end every stored position has been reached, and the summary counts what was counted here: positions by value and
remoteness, primitive ones and moves of each tier, and the start's value. Below that the rows of the database agree with
each other and with their checksums, and single positions are found as the stream of all of them gives them.

What that proves. The stored positions are exactly those that can be reached: none is missing, because moves lead from
stored to stored ones and the start is among them; none is too many, because a position is only reached by moves from
the start. No induction over the tiers is needed for that, and cycles do no harm: a ring of positions that lead to each
other, but to which nothing leads, is never entered. And no two of them have one key, which would stand for one only.

A stored WIN or LOSE of remoteness r is true. By induction over r: of remoteness 0 are the primitive ones. A stored WIN
in r has a winning child of remoteness r - 1, which is true, so it is won in r at most. All children of a stored LOSE
are truly lost for the player, at most r - 1 moves from the end, so it is lost in r at most. And none is settled sooner,
or missed, by induction over the true remoteness s: a position truly won in s has a child truly won in s - 1, which is
stored so; then the position cannot be stored as anything but a WIN in s or less. All children of a position truly lost
in s are truly lost in less than s and stored so; then it cannot be stored but as a LOSE in 1 + the largest of them,
which is s. A remoteness cannot be made up in a cycle: each is one more than a child's, down to a primitive position.

A stored TIE of remoteness r is true. By now all others are known to be positions from which nobody can force a win.
Whoever can tie prefers that to going on for ever, so a tie is a position among them from which a primitive tie is
reached by moves among them, in as few of these as there can be. A stored TIE in r has a tied child of remoteness r - 1,
so there is such a way of r moves; and a position with a way of s moves has a child with one of s - 1, which is stored
so, and is then itself stored as a TIE in s or less.

What is left is a DRAW: by exclusion, as a draw is what is neither won, lost nor tied.

Where one position of each class is stored (gamesman.model.symmetry), all this is said of classes: a move leads to the
class of the position it leads to, and a class is as many positions as its images are different ones. That is the same
as saying it of all positions, because of each class it is checked that its positions are one game: every image has a
key and a tier, a turn and a value of its own that agree with the first one's; the images of images are among them, the
least of each is the first one; and the images of the positions that moves lead to from it are those to which moves lead
from its image, each as often. The start is a class of one. So where one position of a class can be reached all can: by
the images of the moves that lead to the first.

What it does not prove: that the game's functions say what the rules say. That the compiled functions agree with the
plain ones is tried on a thousand positions, as before solving.
"""

import itertools
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from gamesman.analysis import explain, walk
from gamesman.analysis.kernels import images, proving, walking
from gamesman.analysis.lookup import SPARE_BYTES, LoadedTier, Lookup
from gamesman.errors import BrokenGame, Damaged, NotVerified
from gamesman.machine.memory import Allowance, peak
from gamesman.machine.workers import Workers
from gamesman.model import culprit
from gamesman.model.advice import command
from gamesman.model.progress import Progress, Silent
from gamesman.model.summary import Histogram, TierSummary
from gamesman.values import DRAW, NAMES, UNREACHED, WIN, pack, unpack

if TYPE_CHECKING:
    from gamesman.model.ports import Positions, SolvedPositions

PLACES_AT_ONCE = 1 << 18  # places that a thread takes at a time
SUSPECTS = 1000  # positions that are looked at, at most, where a function of the game has failed at one of them


class _Contradiction(Exception):
    """Is raised at a position that is not as it should be, with its tier and its key."""


class _CutOff(Exception):
    """Is raised where compiled code has cut off a number beyond a machine word, with the key of the position."""


class Verification:
    """Proves one stored solution; what it has counted is there to be read, also after a failure."""

    def __init__(
        self,
        stored: "SolvedPositions",
        threads: int | None = None,
        memory: int | None = None,
        progress: Progress | None = None,
    ):
        self.positions = self.moves = self.tiers = 0
        self._began, self._cpu_began = time.monotonic(), time.process_time()
        self._stored, self._variant = stored, stored.variant
        self._threads, self._memory = threads, memory
        self._progress = progress or Silent()
        self._lock = Lock()
        self._is_tested = not stored.variant.game.is_ours

    def run(self) -> None:
        """Prove the solution. Raises NotVerified, naming the position and what is wrong with it."""
        try:
            try:
                self._check_all()
            except _CutOff as error:
                # If plain Python says the same the game has meant it, as where a mask follows, and may do so anywhere.
                self._check_against_python(*error.args)
                self.positions = self.moves = self.tiers = 0
                self._is_tested = False
                self._check_all()
        except _Contradiction as error:
            raise self._contradicted(*error.args) from None
        except Damaged as error:
            raise NotVerified(f"verification failed: {error}") from error
        finally:
            self._progress.finish()

    def as_json(self, status: str) -> dict[str, Any]:
        return {
            "variant": self._variant.name,
            "status": status,
            "positions": self.positions,
            "moves": self.moves,
            "tiers": self.tiers,
            "seconds": round(time.monotonic() - self._began, 3),
            "cpu_seconds": round(time.process_time() - self._cpu_began, 3),
            "peak_memory": peak(),
        }

    def _check_all(self) -> None:
        self._stored.check_structure()
        self._check_start()
        summaries = {tier.number: tier for tier in self._stored.summary.tiers}
        total = sum(tier.positions for tier in summaries.values())
        self._get_ready(total)
        self._progress.start(f"verifying {self._variant.name}", total)
        workers = Workers(self._threads if total > walk.MOST_INTERPRETED else 1)
        try:
            self._buffers = [proving.Buffers() for _ in range(workers.threads)]
            self._reach_start()
            for number in sorted(summaries, reverse=True):
                self._check_tier(self._lookup.tier(number), summaries[number], workers)
                self._lookup.drop(number)
        finally:
            workers.close()

    def _get_ready(self, total: int) -> None:
        variant, allowance = self._variant, Allowance(self._memory)
        needed = SPARE_BYTES + walk.code_size(variant, total, "proving.expand")
        allowance.begin(needed, f"verifying {variant.name}")
        if total > walk.MOST_INTERPRETED:
            # lazy: start-up time
            from gamesman.compiler.agreement import check_compiled, check_interpreted
            from gamesman.compiler.compile import Compiler

            compiler = Compiler(variant.game)
            check_interpreted(variant, compiler)
            check_compiled(variant, compiler)
        self._is_tested = self._is_tested and total > walk.MOST_INTERPRETED
        tests = {"is_bounded": not variant.game.is_ours, "is_tested": self._is_tested}
        kernel, functions, self._rules = walk.form_for(variant, total, self._stored.symmetry, **tests)
        self._kernels = {**walking.find_kernels(kernel, functions), **proving.kernels(kernel, functions)}
        if self._stored.symmetry is not None:
            self._kernels |= images.kernels(kernel, functions)
        self._lookup = Lookup(
            self._stored,
            self._kernels,
            max(0, allowance.left - needed),
            lambda tier: self._within(tier, self._stored.checked_positions(tier)),
            sizes={tier.number: tier.classes for tier in self._stored.summary.tiers},
            is_marking=True,
            is_whole=variant.is_partial,
            left=lambda: allowance.left,
        )

    def _within(self, tier: int, parts: Iterable["Positions"]) -> Iterator["Positions"]:
        """Yield the parts of a tier, checking that their keys are among those that the game gives it."""
        first, count = self._variant.tier_keys(tier)
        for part in parts:
            keys = part.keys
            if count and not first <= keys[0] <= keys[-1] < first + count:
                raise self._failed(
                    f"tier {tier} has keys {keys[0]} to {keys[-1]}, not of {first} to {first + count - 1}"
                )
            yield part

    def _check_start(self) -> None:
        variant, summary = self._variant, self._stored.summary
        start = variant.start()
        record = self._stored.record(variant.tier(start), variant.hash(start))
        if record is None:
            raise self._failed(f"the start {variant.show(start)} is not in the database")
        said = summary.position, pack(summary.value, summary.remoteness or 0), summary.remoteness is None
        if said != (variant.show(start), record, summary.value == DRAW):
            self._refuse_record(variant.tier(start), variant.hash(start))
            value, remoteness = unpack(record)
            raise self._failed(
                f"the summary says {summary.position} is {NAMES[summary.value]} in {summary.remoteness}, the start is "
                f"{variant.show(start)} and {NAMES[value]} in {remoteness if value != DRAW else None}"
            )

    def _refuse_record(self, tier: int, key: int) -> None:
        """Blame a record that contradicts its moves, and not the summary that it contradicts as well."""
        if explain.fault(self._stored, tier, key):
            raise _Contradiction(tier, key)

    def _reach_start(self) -> None:
        variant, start = self._variant, self._variant.start()
        wanted, which = np.array([variant.hash(start)], np.int64), np.zeros(1, np.int32)
        self._lookup.find(variant.tier(start), 0, 1, wanted, which, np.empty(1, np.uint16))

    def _check_tier(self, tier: LoadedTier, summary: TierSummary, workers: Workers) -> None:
        self._progress.note(f"tier {tier.number}")
        for buffers in self._buffers:
            buffers.moves.tally.fill(0)
        size = len(tier.records)
        while True:
            ranges = [(begin, min(begin + PLACES_AT_ONCE, size)) for begin in range(0, size, PLACES_AT_ONCE)]
            marked = [
                r for r in ranges if tier.dirty[r[0] >> walking.CHUNK_BITS : (r[1] >> walking.CHUNK_BITS) + 1].any()
            ]
            workers.share(lambda w, begin, end: self._expand(self._buffers[w], tier, begin, end), marked)
            # A thread may have seen the mark of a chunk before that of its position: these are two writes.
            missed = [r for r in self._lookup.passing(ranges) if np.any(tier.done[slice(*r)] < tier.reached[slice(*r)])]
            for begin, end in missed:
                places = begin + np.flatnonzero(tier.done[begin:end] < tier.reached[begin:end])
                tier.dirty[places >> walking.CHUNK_BITS] = 1
            if not missed:
                break
        for begin, end in self._lookup.passing(ranges):
            unseen = (tier.done[begin:end] == 0) & (tier.records[begin:end] != UNREACHED)
            if unseen.any():
                raise self._failed(self._unreachable(tier, begin + int(np.argmax(unseen))))
        primitives, moves = np.sum([buffers.moves.tally for buffers in self._buffers], axis=0).tolist()
        if self._stored.symmetry is None:
            histogram = _histogram(tier, self._lookup.passing(ranges))
        else:
            histogram = self._check_classes(tier, ranges, workers)
        self._compare(summary, TierSummary(tier.number, histogram, primitives, moves))
        self.positions += summary.positions
        self.moves += moves
        self.tiers += 1

    def _check_classes(self, tier: LoadedTier, ranges: list[tuple[int, int]], workers: Workers) -> Histogram:
        """Check that the images of each class are the same game. Returns their positions by value and remoteness."""
        totals = [np.zeros(1 << 16, np.int64) for _ in self._buffers]

        def check(w: int, begin: int, end: int) -> None:
            self._lookup.release()
            room = images.CHILDREN_AT_FIRST
            while True:
                scratch, total = np.empty((2, room), np.int64), np.zeros(1 << 16, np.int64)
                keys = tier.keys[begin:end]
                try:
                    place, wrong = self._kernels["check_classes"](
                        self._rules, tier.number, tier.first + begin, keys, tier.records[begin:end], scratch, total
                    )
                except (OverflowError, IndexError, ZeroDivisionError) as error:
                    if end - begin == 1:
                        raise self._fallen(tier, np.array([begin]), error) from error
                    middle = (begin + end) // 2
                    check(w, begin, middle)
                    return check(w, middle, end)
                if wrong != images.FULL:
                    break
                room *= 4
            if wrong:
                position = self._variant.unhash(tier.key(begin + place))
                said = images.FAULTS[wrong]
                failed = self._failed(f"symmetries: {said}, at {self._variant.show(position)}")
                failed.fault = culprit.fault(self._variant, tier.key(begin + place))
                raise failed
            totals[w] += total

        workers.share(check, ranges)
        return _by_record(sum(totals))

    def _expand(self, b: "proving.Buffers", tier: LoadedTier, begin: int, end: int) -> None:
        """Expand what has been reached and not yet been expanded in some places of a tier."""
        i = begin
        while i < end:
            moves = b.moves
            moves.tiers[0] = 0
            ended = int(moves.tally[proving.PRIMITIVES])
            try:
                following, n, count, wrong = self._kernels["expand"](self._rules, tier, i, end, moves)
            except Exception as error:
                if self._variant.game.is_ours or isinstance(error, MemoryError | OSError):
                    raise
                places = i + np.flatnonzero(tier.reached[i:end] > tier.done[i:end])
                raise self._fallen(tier, places, error) from error
            if wrong >= 0:
                raise _Contradiction(tier.number, tier.key(wrong))
            if following == i:  # one position's moves do not find room
                b.grow()
                continue
            for t, number in enumerate(moves.tiers[1 : moves.tiers[0] + 1].tolist()):
                if number > tier.number:
                    parent = tier.key(int(moves.parents[moves.whose[:n][moves.which[:n] == t][0] >> 1]))
                    text = self._variant.show(self._variant.unhash(parent))
                    failed = self._failed(f"position {text} of tier {tier.number} leads up to tier {number}")
                    failed.fault = culprit.fault(self._variant, parent)
                    raise failed
                self._lookup.find(number, t, n, moves.wanted, moves.which, b.found)
            wrong = self._kernels["derive"](tier.records, moves.parents, count, moves.whose, b.found, n)
            if wrong >= 0:
                raise _Contradiction(tier.number, tier.key(wrong))
            with self._lock:
                self._progress.advance(count + int(moves.tally[proving.PRIMITIVES]) - ended)
            i = following

    def _check_against_python(self, key: int) -> None:
        # lazy: start-up time
        from gamesman.compiler.agreement import check_at

        try:
            check_at(self._variant, key)
        except BrokenGame as error:
            failed = self._failed(str(error).removeprefix(f"{self._variant.name}: "))
            failed.fault = str(error)
            raise failed from None

    def _fallen(self, tier: LoadedTier, places: np.ndarray, error: Exception) -> NotVerified:
        """Return the error of a position, of those in some places, at which one of the game's functions fails."""
        if self._is_tested and isinstance(error, OverflowError):
            raise _CutOff(tier.key(int(places[0])))  # the first, for what is done is marked so
        faults = (culprit.fault(self._variant, tier.key(place)) for place in places[:SUSPECTS].tolist())
        fault = next(filter(None, faults), "") or explain.uncompiled(self._variant, error)
        failed = self._failed(fault.removeprefix(f"{self._variant.name}: ") or f"{type(error).__name__}: {error}")
        failed.fault = fault
        return failed

    def _compare(self, said: TierSummary, counted: TierSummary) -> None:
        for what in ("primitives", "moves"):
            if getattr(said, what) != getattr(counted, what):
                raise self._failed(
                    f"the summary says that tier {said.number} has {getattr(said, what):,} {what}, it has "
                    f"{getattr(counted, what):,}"
                )
        for value in range(WIN + 1):
            there, here = (Counter(each.histogram.get(value, {})) for each in (said, counted))
            for remoteness in sorted(there.keys() | here.keys()):
                if there[remoteness] != here[remoteness]:
                    worth = NAMES[value] if value == DRAW else f"{NAMES[value]} in {remoteness}"
                    raise self._failed(
                        f"the summary says that {there[remoteness]:,} positions of tier {said.number} are {worth}, "
                        f"{here[remoteness]:,} are"
                    )

    def _contradicted(self, tier: int, key: int) -> NotVerified:
        """Return the error of a position that contradicts its moves, or of one below it where that begins."""
        fault = culprit.fault(self._variant, key)
        try:
            key, said = explain.root(self._stored, tier, key)
        except Exception as error:
            if not fault:
                raise
            said = str(error)
        fault = fault or culprit.fault(self._variant, key)
        keys = itertools.chain.from_iterable(part.keys for part in self._stored.positions(tier))
        fault = fault or culprit.undoing(self._variant, keys, key) or culprit.fault_at_images(self._variant, key)
        if said is None and not fault:
            text = self._variant.show(self._variant.unhash(key))
            said = f"position {text} is right in plain Python and wrong when compiled: the functions differ"
        failed = self._failed("; ".join(filter(None, [said, fault.removeprefix(f"{self._variant.name}: ")])))
        failed.fault = fault
        return failed

    def _unreachable(self, tier: LoadedTier, place: int) -> str:
        key = tier.key(place)
        try:
            return f"position {self._variant.show(self._variant.unhash(key))} cannot be reached from the start"
        except Exception:  # of a key that stands for no position anything may be said
            return f"key {key} of tier {tier.number} cannot be reached from the start"

    def _failed(self, what: str) -> NotVerified:
        again = command("solve", self._variant.name, options=["--restart"])
        return NotVerified(f"verification failed: {self._variant.name}: {what}; run: {again}")


def _histogram(tier: LoadedTier, ranges: Iterable[tuple[int, int]]) -> Histogram:
    return _by_record(
        sum((np.bincount(tier.records[begin:end], minlength=1 << 16) for begin, end in ranges), np.zeros(1, int))
    )


def _by_record(total: Any) -> Histogram:
    found: Histogram = {}
    for record in np.flatnonzero(total).tolist():
        if record != UNREACHED:
            value, remoteness = unpack(record)
            found.setdefault(value, Counter())[remoteness] = int(total[record])
    return found
