"""The bench measures what it says, and holds the compiled solver against C that finds the same."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import ROOT

from gamesman.model.variant import variant

pytestmark = pytest.mark.slow


@pytest.fixture
def measurements(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import bench_measurements

    return bench_measurements


def bench(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/bench.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, **environment})


def test_every_measurement_fills_the_columns_of_its_table(measurements: Any) -> None:
    run = bench("--quick", "--repeat", "1", "--json")
    assert run.returncode == 0, run.stderr
    machine, *rows = map(json.loads, run.stdout.splitlines())
    assert "numba" in machine["machine"]
    unmeasured = {"yardstick"} if "NO C COMPILER" in run.stderr else set()
    assert {row["measurement"] for row in rows} == set(measurements.MEASUREMENTS) - unmeasured
    for row in rows:
        table, _ = measurements.MEASUREMENTS[row["measurement"]]
        assert set(table.columns) <= set(row)
        assert all(row[field] > 0 for field in row if field.endswith(("cpu", "wall", "peak", "ratio", "cached")))


def test_the_tables_are_markdown() -> None:
    run = bench("--quick", "--repeat", "1", "--only", "konane,reference")
    assert run.returncode == 0, run.stderr
    machine, blank, title, also_blank, head, rule, *rows = run.stdout.splitlines()
    assert title == "### Solving, without storing"
    assert blank == also_blank == ""
    assert [row.split(" | ")[:5] for row in rows] == [
        ["| konane:rows=4,cols=5", "compiled", "1", "14,865", "lose in 10"],
        ["| konane:rows=4,cols=5", "compiled", "2", "14,865", "lose in 10"],
        ["| konane:rows=4", "plain Python", "1", "1,279", "lose in 4"],
        ["| konane:rows=4", "compiled", "1", "1,279", "lose in 4"],
    ]
    assert {line.count("|") for line in (head, rule, *rows)} == {head.count("|")}


def test_a_missing_compiler_is_said_loudly() -> None:
    run = bench("--quick", "--only", "yardstick", PATH="/nonexistent", CC="")
    assert run.returncode == 0
    assert "NO C COMPILER HERE" in run.stderr


def test_a_measurement_that_does_not_exist_is_refused_in_one_line() -> None:
    run = bench("--only", "konane,chess")
    assert run.returncode == 2
    said = run.stderr.splitlines()[-1]
    assert said.startswith("scripts/bench: error: argument --only: expected some of konane, ")
    assert said.endswith(", got chess")


def test_a_solver_that_finds_something_else_ends_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from bench_plan import QUICK, RESULT, Plan

    plan = Plan(QUICK, [1], 1, 0.0)
    found = dict.fromkeys(RESULT, 1)
    plan.agree("konane", found, "one")
    plan.agree("konane", found, "the same again")
    with pytest.raises(SystemExit, match="another disagrees on konane"):
        plan.agree("konane", {**found, "moves": 2}, "another")


# What the test below runs in a small process: a child's peak counts from its parent's, and that of the tests is large.
COSTS = """
import json, sys
from bench_process import spend
idle = spend([sys.executable, "-c", "import time; time.sleep(0.3)"])
busy = spend([sys.executable, "-c", "list(range(10_000_000)); sum(range(10_000_000)); print('done')"])
print(json.dumps([idle, busy]))
"""


def test_the_cost_of_a_process_is_its_own(measurements: Any) -> None:
    from bench_process import Cost, spend

    said = subprocess.run(
        [sys.executable, "-c", COSTS], cwd=ROOT / "scripts", capture_output=True, text=True, check=True
    ).stdout
    idle, busy = (Cost(*fields) for fields in json.loads(said))
    assert idle.wall > 0.3 and idle.cpu < idle.wall
    assert busy.cpu > idle.cpu and busy.peak > idle.peak + 200_000_000
    assert busy.output == "done\n"
    with pytest.raises(SystemExit, match="exit status 3"):
        spend([sys.executable, "-c", "raise SystemExit(3)"])


@pytest.mark.parametrize("tuned", [False, True])
@pytest.mark.parametrize("rows, cols, captures", [(3, 3, 1), (3, 3, 2), (3, 3, 3), (3, 4, 1), (4, 3, 1), (3, 5, 1)])
def test_the_yardstick_agrees_with_the_engine(
    rows: int, cols: int, captures: int, tuned: bool, measurements: Any, tmp_path: Path
) -> None:
    from bench_process import spend

    from gamesman.solver.solve import solve

    command = measurements.build_yardstick(tmp_path, rows, cols, captures, tuned=tuned)
    if command is None:
        pytest.skip("NO C COMPILER HERE: the yardstick cannot be built")
    theirs = json.loads(spend(command).output)
    ours = solve(variant(f"abalone:rows={rows},cols={cols},captures={captures}")).as_json()
    assert {field: theirs[field] for field in measurements.RESULT} == {
        field: ours[field] for field in measurements.RESULT
    }
