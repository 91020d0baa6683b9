"""Several processes solve for this one: one variant by its shards, or several variants side by side, each by one."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamesman.app.solving import solve
from gamesman.app.sources import open
from gamesman.errors import ClusterFailed, GamesmanError, NotSolved, about
from gamesman.model.paths import split_file
from gamesman.values import KEY_LIMIT

if TYPE_CHECKING:
    from gamesman.machine.crew import Crew
    from gamesman.model.progress import Progress
    from gamesman.model.summary import Summary
    from gamesman.model.variant import Variant

    Answers = Iterator[tuple[Variant, tuple[str, Summary] | GamesmanError]]


def solve_each(
    variants: Sequence["Variant"],
    crew: "Callable[[], AbstractContextManager[Crew]] | None" = None,
    *,
    db: str | None = None,
    memory: int | None = None,
    is_restart: bool = False,
    progress: "Callable[[], Progress]",
    tell: Callable[[str], object] = str,
    **settings: Any,
) -> "Answers":
    """Solve variants; yield each, in this order, with what `solve` returns or the error that it raises.

    Where `crew` makes a crew its workers solve what is not solved yet: several variants side by side, each by one
    worker, and a single one together.
    """
    common = {"db": db, "is_restart": is_restart, **settings}
    if crew is None:
        for variant in variants:
            given = {**common, "memory": memory, "progress": progress(), "tell": tell}
            yield variant, _answer(variant, len(variants) > 1, **given)
        return
    solved = {} if is_restart else _solved(variants, db)
    left = [variant for variant in variants if variant.name not in solved]
    with crew() if left else nullcontext() as its_crew:
        found: Answers = iter([])
        if its_crew is not None and len(left) == 1:
            found = iter([(left[0], _together(left[0], its_crew, memory, progress, tell, common))])
        elif its_crew is not None:
            found = _side_by_side(left, its_crew, memory, progress, tell, common)
        for variant in variants:
            yield next(found) if variant.name not in solved else (variant, ("already solved", solved[variant.name]))


def solve_missing(
    variants: Sequence["Variant"],
    crew: "Callable[[], AbstractContextManager[Crew]] | None" = None,
    *,
    db: str | None = None,
    tell: Callable[[str], object],
    **settings: Any,
) -> None:
    """Solve those of several variants that are not solved yet; `tell` hears which.

    Raises the first error, when all others are solved.
    """
    solved = _solved(variants, db)
    left = [variant for variant in variants if variant.name not in solved]
    failed: GamesmanError | None = None
    for group in [[variant] for variant in left] if crew is None else [left] * bool(left):
        tell(f"solving {', '.join(variant.name for variant in group)}")
        for _, answer in solve_each(group, crew, db=db, tell=tell, **settings):
            if isinstance(answer, GamesmanError):
                failed = failed or answer
    if failed is not None:
        raise failed


def _answer(variant: "Variant", is_one_of_several: bool, **settings: Any) -> "tuple[str, Summary] | GamesmanError":
    try:
        with about(variant.name) if is_one_of_several else nullcontext():
            return solve(variant, **settings)
    except GamesmanError as error:
        return error


def _solved(variants: Sequence["Variant"], db: str | None) -> "dict[str, Summary]":
    """Return what is solved already."""
    found = {}
    for variant in variants:
        try:
            with open(variant, db=db) as stored:
                found[variant.name] = stored.summary
        except NotSolved:
            pass
        except GamesmanError:  # whoever solves it says what it is
            pass
    return found


def _together(
    variant: "Variant",
    crew: "Crew",
    memory: int | None,
    progress: "Callable[[], Progress]",
    tell: Callable[[str], object],
    common: dict[str, Any],
) -> "tuple[str, Summary] | GamesmanError":
    """Have all workers solve a variant by its shards, or one of them solve it whole where it has none."""
    # lazy: start-up time
    from gamesman.solver.disk.beyond import NotByShards

    try:
        given = {**common, "memory": memory, "progress": progress(), "tell": tell}
        return _answer(variant, False, crew=crew, **given)
    except NotByShards:
        tell(f"{variant.name} cannot be cut into shards: one worker solves it whole")
    ((_, found),) = _side_by_side([variant], crew, memory, progress, tell, common)
    return found


def _side_by_side(
    variants: Sequence["Variant"],
    crew: "Crew",
    memory: int | None,
    progress: "Callable[[], Progress]",
    tell: Callable[[str], object],
    common: dict[str, Any],
) -> "Answers":
    """Have each variant solved by one worker; yield them in their order."""
    given = {**common, "db": absolute(common["db"]), "memory": memory, "is_one_of_several": len(variants) > 1}
    given["threads"] = given.get("threads") or 1
    answers = in_order(crew, "solve", _solve_here, variants, given, progress())
    for variant, (answer, lines) in zip(variants, answers, strict=True):
        for line in lines:
            tell(line)
        yield variant, answer


def in_order(
    crew: "Crew",
    what: str,
    function: Callable[[str, dict[str, Any]], Any],
    variants: Sequence["Variant"],
    settings: dict[str, Any],
    progress: "Progress",
) -> Iterator[Any]:
    """Have a function called with the name of each variant and the settings; yield the answers in their order.

    The workers share the memory that the settings have, where they limit it; see `memory_of_worker`. They begin with
    the variants of the most numbers, so that none is at a large one when all others are through. Raises ClusterFailed
    where one of them has another gamesman, or another game of that name.
    """
    # lazy: start-up time
    from gamesman.machine.crew import Call
    from gamesman.model.same import marks

    memory = settings.get("memory")
    share = {"memory": None if memory is None else memory // max(1, crew.workers)}
    order = sorted(range(len(variants)), key=lambda number: -(variants[number].key_bound() or KEY_LIMIT))
    given = {**settings, **share}

    def call(each: "Variant") -> Call:
        return Call(what, f"{what} {each.name}", _call_here, (each.name, marks(each), function, given))

    asked = crew.begin([call(variants[number]) for number in order])
    done, found = 0, dict[int, Any]()
    progress.start(f"{what}, {len(variants)} variants", len(variants))
    for place, answer in asked.each():
        found[order[place]] = answer
        progress.note(f"{crew.alive()} workers")
        progress.advance(1)
        while done in found:
            yield found.pop(done)
            done += 1
    progress.finish()


def _call_here(
    name: str,
    wanted: tuple[str, str, str],
    function: Callable[[str, dict[str, Any]], Any],
    settings: dict[str, Any],
) -> Any:
    """Call a function in this process, a worker, if it has what is wanted of it. Raises ClusterFailed.

    What it returns calls the variant by the name it has where it was asked for, maybe in another folder.
    """
    # lazy: start-up time
    from gamesman.machine.crew import address_of_worker
    from gamesman.model.same import difference
    from gamesman.model.variant import variant

    if reason := difference(*wanted):
        raise ClusterFailed(f"the worker {address_of_worker()} {reason}")
    found, here = function(wanted[0], settings), variant(wanted[0]).name
    return found if here == name else _renamed(found, here, name)


def _renamed(said: Any, name: str, wanted: str) -> Any:
    """Let what is said of a variant of a game that is a file call both by other names."""
    # lazy: start-up time
    from gamesman.model.summary import Summary

    if isinstance(said, tuple | list):
        return type(said)(_renamed(each, name, wanted) for each in said)
    if isinstance(said, str):
        return said.replace(split_file(name)[0], split_file(wanted)[0])
    if isinstance(said, GamesmanError):
        said.args = _renamed(said.args, name, wanted)
    if isinstance(said, Summary):
        said.variant = wanted
    return said


def absolute(db: str | None) -> str | None:
    """Return where databases are, for a process in another folder."""
    place = db if db is not None else os.environ.get("GAMESMAN_DB")
    return place if not place or "://" in place else str(Path(place).expanduser().resolve())


def _solve_here(name: str, settings: dict[str, Any]) -> "tuple[tuple[str, Summary] | GamesmanError, list[str]]":
    """Solve a variant in this process, a worker; return what `solve` does or its error, and what it has told."""
    # lazy: start-up time
    from gamesman.machine.crew import memory_of_worker
    from gamesman.model.variant import variant

    lines: list[str] = []
    settings = {**settings, "memory": memory_of_worker(settings["memory"])}
    return _answer(variant(name), tell=lines.append, **settings), lines
