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
from gamesman.machine.memory import Allowance
from gamesman.model.symmetry import in_use
from gamesman.model.variant import variant
from gamesman.solver.disk import BEGUN
from gamesman.solver.disk.folder import WorkFolder
from gamesman.solver.disk.opening import job_for
from gamesman.solver.disk.steps import Bench, Step
from gamesman.solver.disk.tasks import Room


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


_opening = threading.Lock()
_benches: dict[Plan, Bench] = {}  # of this process: the latest


def refused(plan: Plan) -> str:
    """Say why this process may take no part in a solve; return "" where it may."""
    if version("gamesman") != plan.version:
        return f"has gamesman {version('gamesman')}, not {plan.version}; install the same version there"
    try:
        fingerprint = variant(plan.variant).fingerprint
    except Exception as error:
        return f"cannot load {plan.variant}: {error}"
    if fingerprint != plan.fingerprint:
        return f"has other rules of {plan.variant}; install the same game there"
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
            v = variant(plan.variant)
            symmetry = in_use(v) if plan.has_classes else None
            if plan.has_classes and symmetry is None:
                raise ClusterFailed(f"a worker on {socket.gethostname()} is told to leave symmetries alone")
            folder, allowance = WorkFolder(Path(plan.folder)), Allowance(plan.memory)
            given = compiler_for(v, symmetry), rules_for(v, symmetry), symmetry, folder, allowance
            _benches[plan] = Bench(job_for(v, *given)._replace(room=Room.of(plan.keys)))
        return _benches[plan]


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
        return [Call(step.told(self._plan.variant), perform, (self._plan, step)) for step in steps]
