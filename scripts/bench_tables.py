"""The tables that scripts/bench writes: for each column the field of a row, its heading, how it is written."""

from typing import NamedTuple


class Table(NamedTuple):
    """Has a heading, and for each column its own: a row's field, how it is written."""

    title: str
    columns: dict[str, tuple[str, str]]


SOLVING = Table(
    "Solving, without storing",
    {
        "variant": ("variant", ""),
        "by": ("solver", ""),
        "threads": ("threads", ""),
        "positions": ("positions", ","),
        "worth": ("start", ""),
        "cpu": ("CPU s", ".2f"),
        "wall": ("wall s", ".2f"),
        "rate": ("positions / CPU s", ",.0f"),
        "peak": ("peak MB", "MB"),
        "bytes_per_position": ("bytes / position", ".1f"),
    },
)
YARDSTICK = Table(
    "The same work in C, one thread",
    {
        "variant": ("variant", ""),
        "positions": ("positions", ","),
        "board": ("C written for", ""),
        "cpu": ("C: CPU s", ".2f"),
        "engine_cpu": ("ours: CPU s", ".2f"),
        "ratio": ("ours / C", ".2f"),
        "engine_solve_cpu": ("ours, after start-up: CPU s", ".2f"),
        "solve_ratio": ("ours, after start-up / C", ".2f"),
        "peak": ("C: peak MB", "MB"),
    },
)
STORING = Table(
    "Storing, one thread",
    {
        "variant": ("variant", ""),
        "positions": ("positions", ","),
        "cpu_alone": ("CPU s without", ".2f"),
        "cpu": ("CPU s with", ".2f"),
        "ratio": ("with / without", ".2f"),
        "database_bytes": ("database MB", "MB"),
        "bytes_per_position": ("bytes / position", ".2f"),
    },
)
SYMMETRY = Table(
    "Symmetry: solving and storing, one thread",
    {
        "variant": ("variant", ""),
        "positions": ("positions", ","),
        "cpu_alone": ("CPU s without", ".2f"),
        "cpu": ("CPU s with", ".2f"),
        "ratio": ("with / without", ".2f"),
        "peak_alone": ("peak MB without", "MB"),
        "peak": ("peak MB with", "MB"),
        "bytes_alone": ("database MB without", "MB"),
        "database_bytes": ("database MB with", "MB"),
        "bytes_ratio": ("with / without", ".3f"),
    },
)
FILES = Table(
    "In files, with less memory than it takes; one thread, stored",
    {
        "variant": ("variant", ""),
        "positions": ("positions", ","),
        "limit": ("`--memory`", ""),
        "cpu_alone": ("CPU s in memory", ".2f"),
        "cpu": ("CPU s in files", ".2f"),
        "ratio": ("in files / in memory", ".2f"),
        "peak_alone": ("peak MB in memory", "MB"),
        "peak": ("peak MB in files", "MB"),
    },
)
WORKERS = Table(
    "By two processes, stored; CPU is that of all of them, the peak that of the largest",
    {
        "variant": ("variant", ""),
        "variants": ("variants", ","),
        "positions": ("positions", ","),
        "before": ("against", ""),
        "wall_alone": ("wall s of that", ".2f"),
        "wall": ("wall s", ".2f"),
        "wall_ratio": ("ratio", ".2f"),
        "cpu_alone": ("CPU s of that", ".2f"),
        "cpu": ("CPU s", ".2f"),
        "ratio": ("ratio", ".2f"),
        "peak": ("peak MB", "MB"),
    },
)
OPTIONS = Table(
    "What each optional function buys, one thread, without storing",
    {"variant": ("variant", ""), "functions": ("with", ""), "cpu": ("CPU s", ".2f"), "peak": ("peak MB", "MB")},
)
STARTUP = Table(
    "Starting up, whole processes",
    {
        "command": ("command", ""),
        "cpu": ("CPU s", ".3f"),
        "imports": ("against importing", ""),
        "imports_cpu": ("CPU s", ".3f"),
        "ratio": ("ratio", ".2f"),
        "peak": ("peak MB", "MB"),
    },
)
COMPILING = Table(
    "First compile of a game, and a small solve",
    {"variant": ("variant", ""), "cpu": ("CPU s", ".1f"), "wall": ("wall s", ".1f"), "peak": ("peak MB", "MB")},
)
PROBING = Table(
    "Looking up a position, median in microseconds",
    {
        "variant": ("variant", ""),
        "blocks": ("blocks", ","),
        "uncached": ("block not in memory", ".1f"),
        "cached": ("block in memory", ".1f"),
    },
)
SERVING = Table(
    "Requests over 8 connections",
    {
        "variant": ("variant", ""),
        "asked": ("asked", ""),
        "rate": ("requests / s", ",.0f"),
        "share": ("of the bare route", ".2f"),
        "spent": ("CPU us a request", ".0f"),
        "spent_share": ("bare / this", ".2f"),
        "middle": ("median ms", ".1f"),
        "p99": ("p99 ms", ".1f"),
    },
)
