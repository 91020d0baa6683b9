"""The arguments and options that several commands take are written here, each once, with what reads and checks them."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gamesman.errors import CallError, OptionError, shorten

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from gamesman.machine.crew import Crew
    from gamesman.model.variant import Variant

    Reads = click.ParamType
else:

    class Reads(click.ParamType):
        """Stands for click's ParamType, of which the type checker is told what is read; an older click cannot be."""

        def __class_getitem__(cls, read: object) -> type:
            return cls


Command = TypeVar("Command", bound=Callable[..., Any])

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class Size(Reads[int]):
    """Reads a number of bytes like 6G, 500M or 1.5G.

    >>> Size().convert("1.5K", None, None)
    1536
    """

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"\s*([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([KMGT]?)(?:i?B)?\s*", value, re.IGNORECASE)
        size = int(float(match[1]) * UNITS[match[2].upper()]) if match else 0
        if size < 1:
            raise CallError(f"{_name(param)} must be a size like 6G or 500M, got {shorten(value) or 'nothing'}")
        return size


class WholeNumber(Reads[int]):
    """Reads a whole number, 1 or more, or from another one on.

    >>> WholeNumber().convert("2", None, None), WholeNumber(low=0).convert("0", None, None)
    (2, 0)
    """

    name = "N"

    def __init__(self, low: int = 1):
        self._low = low

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if re.fullmatch(r"[0-9]{10,}", value):
            raise CallError(f"{_name(param)} must be less than a billion, got {shorten(value)}")
        if not re.fullmatch(r"[0-9]+", value):
            raise CallError(
                f"{_name(param)} must be a whole number, {self._low} or more, got {shorten(value) or 'nothing'}"
            )
        if int(value) < self._low:
            raise CallError(f"{_name(param)} must be {self._low} or more, got {value}")
        return int(value)


class Seconds(Reads[float]):
    """Reads a time in seconds, or in another unit.

    >>> Seconds().convert("0.5", None, None)
    0.5
    """

    name = "S"

    def __init__(self, unit: str = "seconds"):
        self._unit = unit

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, int | float):
            return float(value)
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?|\.[0-9]{1,9}", value) or float(value) == 0:
            raise CallError(
                f"{_name(param)} must be a number of {self._unit}, like 2 or 0.5, got {shorten(value) or 'nothing'}"
            )
        return float(value)


class OneVariant(Reads["Variant"]):
    """Reads the name of a variant, not of endgames alone unless it may be; converts it into the variant."""

    name = "VARIANT"

    def __init__(self, *, may_be_partial: bool = False):
        self._may_be_partial = may_be_partial

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "Variant":
        # lazy: start-up time
        from gamesman.model.variant import variant

        found = variant(value) if isinstance(value, str) else value
        if found.is_partial and not self._may_be_partial:
            raise OptionError(f"{found.name} is endgames alone, which are not asked by that name; leave out up_to")
        return found


class SeveralVariants(Reads["list[Variant]"]):
    """Reads a name with ranges, lists or stars; converts it into all the variants it stands for."""

    name = "VARIANT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "list[Variant]":
        # lazy: start-up time
        from gamesman.model.variant import variants

        return variants(value) if isinstance(value, str) else value


def _name(param: click.Parameter | None) -> str:
    return param.opts[0] if param is not None else "it"


def _each_once(ctx: click.Context, param: click.Parameter, found: "tuple[list[Variant], ...]") -> "list[Variant]":
    return list({variant.name: variant for several in found for variant in several}.values())


variant_argument = click.argument("variant", type=OneVariant(), metavar="VARIANT")
variants_argument = click.argument(
    "variants", type=SeveralVariants(), nargs=-1, required=True, metavar="VARIANT...", callback=_each_once
)
db_option = click.option(
    "--db",
    metavar="URL-or-folder",
    help="Where solved variants are: an SQLAlchemy URL, or a folder "
    "[default: $GAMESMAN_DB, else the user's data folder].",
)
threads_option = click.option(
    "--threads", type=WholeNumber(), help="Threads to use, no more than can run at once [default: all]."
)
memory_option = click.option("--memory", type=Size(), help="Memory to use at most, like 6G [default: what is free].")
json_option = click.option("--json", "is_json", is_flag=True, help="Answer in JSON, one object a line.")
quiet_option = click.option("--quiet", "is_quiet", is_flag=True, help="Show no progress.")
names_option = click.option("--names", "is_named", is_flag=True, help="Draw each cell of a board with its name.")
reference_option = click.option(
    "--reference",
    "is_reference",
    is_flag=True,
    help="Solve here and now in plain Python, storing nothing: slow, short and surely right. "
    "It stops where there are more than 5 million positions, or more than fit --memory.",
)


workers_option = click.option("--workers", type=WholeNumber(), help="Work in so many processes on this machine.")
cluster_option = click.option("--cluster", metavar="ADDRESS", help="Work on a running Dask cluster: its scheduler.")


MOST_OF_A_CORE = 8  # processes: more would have started only after minutes


def crew_of(workers: int | None, cluster: str | None) -> "Callable[[], AbstractContextManager[Crew]] | None":
    """Return what makes the processes that are asked for, None where they are not. Raises OptionError."""
    if workers is None and cluster is None:
        return None
    if workers is not None and cluster is not None:
        raise OptionError("expected --workers or --cluster, got both")
    # lazy: start-up time
    from gamesman.machine.crew import crew
    from gamesman.machine.workers import cores

    if (most := MOST_OF_A_CORE * cores()) < (workers or 0):
        raise OptionError(f"--workers must be at most {most}, {MOST_OF_A_CORE} for each core here, got {workers:,}")
    return lambda: crew(workers, cluster)


def in_order(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that gives a command several options, in this order."""

    def decorated(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


# What commands take that read solved variants, and those that work through them on several threads.
reading_options = in_order(db_option, memory_option, json_option, quiet_option)
working_options = in_order(db_option, threads_option, memory_option, json_option, quiet_option)
