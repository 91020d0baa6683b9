"""Steps are performed by other processes here, which share nothing with this one but the work folder and the game."""

import socket
import threading
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from gamesman.compiler.compile import compiler_for, rules_for
from gamesman.errors import ClusterFailed
from gamesman.machine.crew import Asked, Call, Crew
from gamesman.machine.memory import Allowance, give_back_at_once
from gamesman.model.same import difference
from gamesman.model.symmetry import in_use
from gamesman.model.variant import variant
from gamesman.solver.disk import BEGUN
from gamesman.solver.disk.folder import WorkFolder
from gamesman.solver.disk.opening import job_for
from gamesman.solver.disk.steps import Bench, Step
from gamesman.solver.disk.tasks import Job, Room


class Plan(NamedTuple):
    """Says what a worker must know of a solve before it can perform a step of it."""

    variant: str
    version: str  # of gamesman
    fingerprint: str
    folder: str
    begun: str  # the mark of the folder
    keys: int  # in a shard
    has_classes: bool
    memory: int | None  # bytes that a worker may use

    @classmethod
    def of(cls, name: str, fingerprint: str, folder: WorkFolder, room: Room, **more: Any) -> "Plan":
        """Return the plan of a solve whose folder is open."""
        mark = str(folder.read(BEGUN))
        return cls(name, version("gamesman"), fingerprint, str(folder.path.resolve()), mark, room.keys, **more)


_opening = threading.RLock()
_benches: dict[Plan, Bench] = {}  # of this process: the latest
_jobs: dict[tuple[str, str, bool], Job] = {}  # what it has compiled, or loaded, for the latest


def refused(plan: Plan) -> str:
    """Say why this process may take no part in a solve; return "" where it may."""
    if reason := difference(plan.variant, plan.version, plan.fingerprint):
        return reason
    if str(WorkFolder(Path(plan.folder)).read(BEGUN)) != plan.begun:
        return f"does not see what is in {plan.folder}; give a folder that all machines share with --work"
    return ""


def _bench(plan: Plan) -> Bench:
    """Return what this process performs steps of a solve with; it is set up once. Raises ClusterFailed."""
    with _opening:
        if plan not in _benches:
            if reason := refused(plan):
                raise ClusterFailed(f"a worker on {socket.gethostname()} {reason}")
            _benches.clear()
            if plan.memory is not None:
                give_back_at_once()
            job = _job(plan.variant, plan.fingerprint, has_classes=plan.has_classes)
            folder, allowance = WorkFolder(Path(plan.folder)), Allowance(plan.memory)
            _benches[plan] = Bench(job._replace(folder=folder, allowance=allowance, room=Room.of(plan.keys)))
        return _benches[plan]


def _job(name: str, fingerprint: str, *, has_classes: bool) -> Job:
    """Return what all steps of a variant share, but where and how much at once. Raises ClusterFailed."""
    of = name, fingerprint, has_classes
    with _opening:
        if of not in _jobs:
            _jobs.clear()
            v = variant(name)
            symmetry = in_use(v) if has_classes else None
            if has_classes and symmetry is None:
                raise ClusterFailed(f"a worker on {socket.gethostname()} is told to leave symmetries alone")
            given = compiler_for(v, symmetry), rules_for(v, symmetry), symmetry
            _jobs[of] = job_for(v, *given, WorkFolder(Path()), Allowance(None))
        return _jobs[of]


def prepare(name: str, fingerprint: str, has_classes: bool) -> None:
    """Load what steps of a variant will need, if this process has the same game."""
    if variant(name).fingerprint == fingerprint:
        _job(name, fingerprint, has_classes=has_classes)


def perform(plan: Plan, step: Step) -> dict[str, Any]:
    """Perform a step in this process."""
    return _bench(plan).perform(step)


class Remote:
    """Has steps performed by the workers of a crew."""

    def __init__(self, crew: Crew, plan: Plan):
        """Begin, where all workers there are may take part. Raises ClusterFailed, with the name of one that may not."""
        self._crew, self._plan = crew, plan
        self._ahead: tuple[list[Step], Asked] | None = None
        for address, reason in crew.everywhere(refused, plan).items():
            # A worker that has died meanwhile: who comes for it is asked at its first step.
            if isinstance(reason, OSError):
                continue
            if isinstance(reason, ImportError):
                reason = f"has no gamesman {plan.version}: {reason}; install it there"
            if reason:
                raise ClusterFailed(f"the worker {address} {reason}")

    @property
    def at_once(self) -> int:
        """Return how many workers there are now."""
        return max(1, self._crew.alive())

    def run(self, steps: Sequence[Step], heard: Callable[[Step, dict[str, Any]], None]) -> None:
        """Have the workers perform all steps."""
        asked = self._taken(steps)
        asked.finish(lambda number, found: heard(steps[number], found))

    def begin(self, steps: Sequence[Step]) -> None:
        """Have the workers begin with the steps that are to be run next, while this process does something else."""
        self._ahead = list(steps), self._crew.begin(self._calls(steps))

    def _taken(self, steps: Sequence[Step]) -> Asked:
        """Return what has been begun with, if it is these steps, else begin."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] == list(steps):
            return ahead[1]
        if ahead is not None:
            ahead[1].cancel()
        return self._crew.begin(self._calls(steps))

    def _calls(self, steps: Sequence[Step]) -> list[Call]:
        variant = self._plan.variant
        return [Call(f"{step.kind} {variant}", step.told(variant), perform, (self._plan, step)) for step in steps]
