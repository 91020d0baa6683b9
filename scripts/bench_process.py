"""A command is run here in a fresh process, and what it cost is measured: CPU, wall clock, memory.

This process must stay small: a child's peak memory is not counted from zero, but from what its parent had when it was
started. So nothing of numba or numpy is imported here.
"""

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Cost(NamedTuple):
    cpu: float  # seconds, user and system, of the whole process
    wall: float  # seconds
    peak: int  # bytes
    output: str


def spend(command: list[str], environment: Mapping[str, str] | None = None) -> Cost:
    """Run a command to its end; a failure ends the bench. Byte code is kept, as that of an installed program is."""
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=errors,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "", **(environment or {})},
        )
        try:
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            sys.exit(f"bench: exit status {process.returncode} of {' '.join(command)}\n{errors.read()}")
        unit = 1 if sys.platform == "darwin" else 1024
        return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * unit, output.read())


def least(run: Callable[[], Cost], repeat: int, patience: float) -> Cost:
    """Return the least CPU and wall of several runs, and the highest peak; stop when they have taken too long."""
    costs: list[Cost] = []
    while len(costs) < repeat and sum(cost.wall for cost in costs) <= patience:
        costs.append(run())
    return Cost(
        min(cost.cpu for cost in costs),
        min(cost.wall for cost in costs),
        max(cost.peak for cost in costs),
        min(costs).output,
    )


def machine() -> str:
    """Return what the machine is, and what runs on it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{processor}, {cores} cores{load}; Python {platform.python_version()}, numba {version('numba')}"
