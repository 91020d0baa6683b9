"""The bench: measures, each run in a process of its own, and prints markdown tables, or with --json an object a row.

CPU is user and system time of the whole process, the least of several runs; the peak is the most of them. Before a game
is measured it is compiled, so what is measured compiles nothing (but for the table of first compiles).
"""

import argparse
import json
from itertools import groupby
from typing import Any

from bench_measurements import MEASUREMENTS
from bench_plan import FULL, QUICK, Plan, Row
from bench_process import machine
from bench_tables import Table


def main() -> None:
    arguments = _arguments()
    sizes = QUICK if arguments.quick else FULL
    plan = Plan(sizes, arguments.threads, arguments.repeat, 0 if arguments.quick else 60)
    if arguments.json:
        print(json.dumps({"measurement": "machine", "machine": machine()}), flush=True)
    else:
        print(machine(), flush=True)
    for table, names in groupby(arguments.only, lambda name: MEASUREMENTS[name][0]):
        if not arguments.json:
            print(f"\n### {table.title}\n\n{_head(table)}", flush=True)
        for name in names:
            for row in MEASUREMENTS[name][1](plan):
                print(json.dumps({"measurement": name, **row}) if arguments.json else _line(table, row), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("scripts/bench", description="Measure what solving costs on this machine.")
    names = ", ".join(MEASUREMENTS)
    parser.add_argument("--only", type=_names, default=[*MEASUREMENTS], help=f"some of: {names}", metavar="NAME,...")
    parser.add_argument("--threads", type=_numbers, default=[1, 2], help="default: 1,2", metavar="N,...")
    parser.add_argument("--repeat", type=int, default=3, help="runs of what does not take long (3)", metavar="N")
    parser.add_argument("--quick", action="store_true", help="small variants, each once: to see that the bench works")
    parser.add_argument("--json", action="store_true", help="an object a line")
    arguments = parser.parse_args()
    if arguments.repeat < 1:
        parser.error(f"--repeat must be 1 or more, got {arguments.repeat}")
    return arguments


def _names(text: str) -> list[str]:
    unknown = sorted(set(text.split(",")) - set(MEASUREMENTS))
    if unknown:
        raise argparse.ArgumentTypeError(f"expected some of {', '.join(MEASUREMENTS)}, got {', '.join(unknown)}")
    return [name for name in MEASUREMENTS if name in text.split(",")]


def _numbers(text: str) -> list[int]:
    numbers = [int(number) for number in text.split(",") if number.isdecimal()]
    if not numbers or min(numbers) < 1 or len(numbers) < text.count(",") + 1:
        raise argparse.ArgumentTypeError(f"expected numbers from 1 like 1,2, got {text}")
    return numbers


def _head(table: Table) -> str:
    """Return the first two lines of a table; columns of numbers keep to the right."""
    headings = " | ".join(heading for heading, _ in table.columns.values())
    rules = " | ".join("--:" if kind else "---" for _, kind in table.columns.values())
    return f"| {headings} |\n| {rules} |"


def _line(table: Table, row: Row) -> str:
    return f"| {' | '.join(_cell(row[field], kind) for field, (_, kind) in table.columns.items())} |"


def _cell(content: Any, kind: str) -> str:
    text = f"{content / 1e6:,.1f}" if kind == "MB" else f"{content:{kind}}"
    return text.replace("|", "\\|")  # of several values of an option, which would end the cell


if __name__ == "__main__":
    main()
