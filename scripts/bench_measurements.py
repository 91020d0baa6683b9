"""What scripts/bench measures: a function each, that yields the rows of a table.

To measure something more, write a function that takes a Plan and yields dicts, and enter it in MEASUREMENTS with its
table, of bench_tables.py. A row's fields go to --json as they are.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench_files import outofcore, workers
from bench_plan import FULL, RESULT, Plan, Row, child, folder, gamesman
from bench_process import ROOT, Cost, least, spend
from bench_tables import (
    COMPILING,
    FILES,
    OPTIONS,
    PROBING,
    SERVING,
    SOLVING,
    STARTUP,
    STORING,
    SYMMETRY,
    WORKERS,
    YARDSTICK,
    Table,
)


def _row(name: str, by: str, threads: int, cost: Cost) -> Row:
    result = json.loads(cost.output)
    worth = result["value"] if result["remoteness"] is None else f"{result['value']} in {result['remoteness']}"
    return {
        "variant": name,
        "by": by,
        "threads": threads,
        "worth": worth,
        **{field: result[field] for field in RESULT},
        "cpu": cost.cpu,
        "solve_cpu": result["cpu_seconds"],
        "wall": cost.wall,
        "rate": result["positions"] / cost.cpu,
        "peak": cost.peak,
        "bytes_per_position": cost.peak / result["positions"],
    }


def solving(game: str, plan: Plan) -> Iterator[Row]:
    """Measure the compiled solver, without storing."""
    for name in plan.sizes.solve[game]:
        for threads in plan.threads:
            yield _row(name, "compiled", threads, plan.solve(name, threads))


def large(plan: Plan) -> Iterator[Row]:
    """Measure the largest variant of all."""
    threads = max(plan.threads)
    yield _row(plan.sizes.large, "compiled", threads, plan.solve(plan.sizes.large, threads))


def reference(plan: Plan) -> Iterator[Row]:
    """Measure the reference solver in plain Python, and the compiled one on the same."""
    for name in plan.sizes.reference:
        plain = plan.least(*child("reference", name))
        plan.agree(name, json.loads(plain.output), "the reference solver")
        yield _row(name, "plain Python", 1, plain)
        yield _row(name, "compiled", 1, plan.solve(name))


def yardstick(plan: Plan) -> Iterator[Row]:
    """Abalone solved in C by the same method: for any board, as our game is written, and tied to one."""
    for name, size in plan.sizes.yardstick.items():
        for tuned in (False, True):
            with folder() as place:
                command = build_yardstick(Path(place), *size, tuned=tuned)
                if command is None:
                    print("bench: NO C COMPILER HERE, so there is no yardstick; name one in $CC", file=sys.stderr)
                    return
                theirs = plan.least(*command)
            plan.agree(name, json.loads(theirs.output), f"the yardstick {' '.join(command)}")
            row, ours = _row(name, "C", 1, theirs), _row(name, "compiled", 1, plan.solve(name))
            yield {
                **row,
                "board": "fixed at compile time" if tuned else "any, as in our game",
                "engine_cpu": ours["cpu"],
                "engine_solve_cpu": ours["solve_cpu"],
                "ratio": ours["cpu"] / row["cpu"],
                "solve_ratio": ours["solve_cpu"] / row["cpu"],
            }


def build_yardstick(place: Path, rows: int, cols: int, captures: int, *, tuned: bool) -> list[str] | None:
    """Compile what solves a size of Abalone into a folder; return its command, or None without a C compiler."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        return None
    program, source = str(place / "yardstick"), str(ROOT / "scripts" / "yardstick.c")
    fixed = ["-DTUNED", f"-DROWS={rows}", f"-DCOLS={cols}", f"-DCAPTURES={captures}"] if tuned else []
    spend([*compiler.split(), "-O3", "-march=native", *fixed, source, "-o", program])
    return [program] if tuned else [program, str(rows), str(cols), str(captures)]


def storing(plan: Plan) -> Iterator[Row]:
    """Solving with the database written, against solving alone."""
    for name in plan.sizes.store:
        alone = plan.solve(name)
        with folder() as place:
            command = gamesman("solve", name, "--db", place, "--threads", "1", "--restart", "--json", "--quiet")
            stored = plan.least(*command)
        result = json.loads(stored.output)
        plan.agree(name, result, "the compiled solver with storing")
        yield {
            "variant": name,
            "positions": result["positions"],
            "cpu_alone": alone.cpu,
            "cpu": stored.cpu,
            "ratio": stored.cpu / alone.cpu,
            "database_bytes": result["database_bytes"],
            "bytes_per_position": result["database_bytes"] / result["positions"],
        }


def symmetry(plan: Plan) -> Iterator[Row]:
    """Solve and store up to symmetry, and all positions by themselves."""
    for name in plan.sizes.symmetry:
        found = {}
        for switch in ("off", "on"):
            with folder() as place:
                command = gamesman("solve", name, "--db", place, "--threads", "1", "--restart", "--json", "--quiet")
                run = partial(spend, command, {"GAMESMAN_SYMMETRY": switch})
                print(f"... {name} with symmetry {switch}", file=sys.stderr)
                run()  # compiles what is not compiled yet
                found[switch] = least(run, plan.repeat, plan.patience)
            plan.agree(name, json.loads(found[switch].output), f"the compiled solver with symmetry {switch}")
        alone, turned = (json.loads(found[switch].output) for switch in ("off", "on"))
        yield {
            "variant": name,
            "positions": turned["positions"],
            "cpu_alone": found["off"].cpu,
            "cpu": found["on"].cpu,
            "ratio": found["on"].cpu / found["off"].cpu,
            "peak_alone": found["off"].peak,
            "peak": found["on"].peak,
            "bytes_alone": alone["database_bytes"],
            "database_bytes": turned["database_bytes"],
            "bytes_ratio": turned["database_bytes"] / alone["database_bytes"],
        }


def optional(plan: Plan) -> Iterator[Row]:
    """Solve a game with the required functions alone, and with one after the other of those that it need not have."""
    name, functions = plan.sizes.optional
    for count in range(len(functions) + 1):
        command = child("solve", name, "1", ",".join(functions[count:]))
        spend(command)
        cost = plan.least(*command)
        plan.agree(name, json.loads(cost.output), f"the compiled solver without {functions[count:]}")
        added = f"and `{functions[count - 1]}`" if count else "the required functions"
        yield {"variant": name, "functions": added, "cpu": cost.cpu, "peak": cost.peak}


def startup(plan: Plan) -> Iterator[Row]:
    """Small commands as whole processes, against importing what they stand on."""
    plan.warm("konane")
    with folder() as place:
        solve = gamesman("solve", "konane", "--db", place, "--quiet")
        spend(solve)
        query = gamesman("query", "konane", "(b d1 wbw- b--- --wb)", "--db", place)
        for command, imports in (([*solve, "--restart"], "numba, sqlalchemy, click"), (query, "sqlalchemy, click")):
            bare = plan.least(sys.executable, "-c", f"import {imports}", times=3)
            whole = plan.least(*command, times=3)
            yield {
                "command": f"gamesman {command[3]} konane",
                "cpu": whole.cpu,
                "imports": imports,
                "imports_cpu": bare.cpu,
                "ratio": whole.cpu / bare.cpu,
                "peak": whole.peak,
            }


def compiling(plan: Plan) -> Iterator[Row]:
    """Measure the first solve of a game, with nothing compiled before."""
    for name in plan.sizes.compile:
        with folder() as cache:
            cost = spend(child("solve", name, "1"), {"GAMESMAN_CACHE": cache})
        yield {"variant": name, "cpu": cost.cpu, "wall": cost.wall, "peak": cost.peak}


def probing(plan: Plan) -> Iterator[Row]:
    """Single positions looked up in a database, in a process that runs already."""
    for name in plan.sizes.probe:
        plan.warm(name.partition(":")[0])
        with folder() as place:
            spend(gamesman("solve", name, "--db", place, "--quiet"))
            found = [json.loads(spend(child("probe", name, place)).output) for _ in range(plan.repeat)]
        best = {field: min(f[field] for f in found) for field in ("blocks", "uncached", "cached")}
        yield {"variant": name, **best}


def serving(plan: Plan) -> Iterator[Row]:
    """Positions asked of the server, beside a route of the same framework that answers nothing."""
    name = plan.sizes.probe[-1]
    plan.warm(name.partition(":")[0])
    with folder() as place:
        spend(gamesman("solve", name, "--db", place, "--quiet"))
        command = [sys.executable, str(ROOT / "scripts" / "bench_serving.py"), name, place, str(plan.sizes.requests)]
        yield from map(json.loads, spend(command).output.splitlines())


MEASUREMENTS: dict[str, tuple[Table, Callable[[Plan], Iterator[Row]]]] = {
    **{game: (SOLVING, partial(solving, game)) for game in FULL.solve},
    "large": (SOLVING, large),
    "reference": (SOLVING, reference),
    "yardstick": (YARDSTICK, yardstick),
    "storing": (STORING, storing),
    "symmetry": (SYMMETRY, symmetry),
    "optional": (OPTIONS, optional),
    "outofcore": (FILES, outofcore),
    "workers": (WORKERS, workers),
    "startup": (STARTUP, startup),
    "compile": (COMPILING, compiling),
    "probe": (PROBING, probing),
    "serve": (SERVING, serving),
}
