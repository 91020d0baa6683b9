"""A process that does for the server what takes long, or what nobody has tried: `python -m gamesman.web.worker`.

It reads a task a line and answers in lines: A and the answer, E and an error, P and how far it is, each in JSON. It may
be ended at any moment.
"""

import json
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO

import psutil

from gamesman import app
from gamesman.errors import BrokenGame, GamesmanError, OptionError, about
from gamesman.machine import signals
from gamesman.model.advice import asking
from gamesman.model.description import described, titled
from gamesman.model.variant import variants as read_variants
from gamesman.search.history import read_entry
from gamesman.search.searcher import Searcher
from gamesman.values import NAMES, UNDECIDED
from gamesman.web.autogui import art, position_id, unsolved_json
from gamesman.web.catalogue import Catalogue
from gamesman.web.pages_tables import TableTasks
from gamesman.web.pages_work import PlayTasks
from gamesman.web.progress import Told
from gamesman.web.settings import LONGEST_LINE, MOST_COMPARED

if TYPE_CHECKING:
    from gamesman.model.variant import Position, Variant

MOST_BYTES = 6 << 30  # of address space: a variant that takes more is refused, and not the machine brought down
MOST_MOVES = 2000  # of one position
TABLE_BYTES = 64 << 20  # of a search
MEMORY = 1 << 30  # of statistics and comparisons
ESTIMATED_GAMES = 200  # at random
# Beyond so many positions statistics are of what solving has counted, without a walk over all of them.
MOST_WALKED = 3_000_000


class Tasks(PlayTasks, TableTasks):
    """Does the tasks that there are: each method by its name."""

    def __init__(self, catalogue: Catalogue, db: str | None, say_progress: Callable[[dict[str, Any]], None]):
        super().__init__(catalogue, db)
        self.say_progress = say_progress

    def games(self) -> list[dict[str, Any]]:
        """Return the games that the network may name, each with its title, or with what is wrong with it."""
        found = {name: titled(self.catalogue.own(name)) for name in self.catalogue.names}
        return [{"name": name} | {key: self.catalogue.told(each[key]) for key in each} for name, each in found.items()]

    def opens(self, variant: str) -> dict[str, Any]:
        """Tell that a variant is solved, and its canonical name, by which the server itself can then open it."""
        found = self._variant(variant)
        app.open(found, db=self.db).close()
        return {"own": found.name, "variant": self._shown(found.name)}

    def info(self, variant: str) -> dict[str, Any]:
        """Return the fields of `info --json`, whether the variant is solved, and its board."""
        # lazy: start-up time
        from gamesman.web.boards import board_json

        found = self._variant(variant)
        fields = described(found)
        fields["name"], fields["variant"] = self._shown(found.game.name), self._shown(found.name)
        status = "solved"
        try:
            app.open(found, db=self.db).close()
        except GamesmanError as error:
            status = type(error).__name__
        return {**fields, "is_solved": status == "solved", "cells": board_json(found)}

    def moves(self, variant: str, p: str | None) -> dict[str, Any]:
        """Return a position and its legal moves by the rules alone, whether or not it is solved or can arise."""
        found = self._variant(variant)
        position = found.start() if p is None else found.parse(p)
        return moves_json(found, position)

    def line(self, variant: str, p: str | None, length: int) -> dict[str, Any]:
        """Return the fields of `line --json`, no longer than so many moves."""
        # lazy: start-up time
        from gamesman.model.answers import line

        found = self._variant(variant)
        with app.open(found, db=self.db) as stored:
            position = found.start() if p is None else found.parse(p)
            fields = line(found, stored, position).as_json()
        fields["is_cut"] = len(fields["moves"]) > min(length, LONGEST_LINE)
        fields["moves"] = fields["moves"][: min(length, LONGEST_LINE)]
        return fields

    def search(
        self, variant: str, p: str | None, depth: int | None, time: float | None, history: list[str]
    ) -> dict[str, Any]:
        """Return the fields of `search --json`; `history` is what has been in the game, the newest first."""
        found = self._variant(variant)
        position = found.start() if p is None else found.parse(p)
        past = [each for text in history for each in read_entry(found, text)]
        app.check_foreign(found)
        with app.stored_or_none(found, db=self.db, warn=lambda said: None) as stored:
            fields = Searcher(found, stored, TABLE_BYTES).search(position, depth, time, past).as_json(found)
        return {**fields, "variant": self._shown(found.name)}

    def stats(self, variant: str) -> dict[str, Any]:
        """Return the fields of `stats --json`, those of a walk too where it does not take too long."""
        found = self._variant(variant)
        with app.open(found, db=self.db) as stored:
            fields = stored.summary.as_json()
        (profile,) = app.profiles([found], db=self.db, memory=MEMORY, is_walked=fields["positions"] <= MOST_WALKED)
        return {**profile.stats_json(), "variant": self._shown(found.name)}

    def estimated(self, variant: str) -> dict[str, Any]:
        """Return the fields of `stats --estimate --json`, from few enough games for somebody who waits for a page."""
        # lazy: start-up time
        from gamesman.analysis.estimating import Asked

        found = self._variant(variant)
        asked = Asked(playouts=ESTIMATED_GAMES, depth=1)
        (estimated,) = app.estimates([found], asked, memory=MEMORY)
        return {**estimated.as_json(), "variant": self._shown(found.name)}

    def named(self, variants: list[str]) -> list[str]:
        """Return the variants that names with ranges, lists and stars stand for."""
        every = (each for text in variants for each in read_variants(self.catalogue.own(text), MOST_COMPARED))
        found = [self._shown(each.name) for each in every]
        if len(found) > MOST_COMPARED:
            raise OptionError(f"expected at most {MOST_COMPARED} variants to compare, got {len(found)}")
        return list(dict.fromkeys(found))

    def compare(self, variants: list[str]) -> dict[str, Any]:
        """Return the fields of `compare --json`."""
        found = [self._variant(name) for name in variants]
        positions = 0
        for each in found:
            with about(each.name), app.open(each, db=self.db) as stored:
                positions += stored.summary.as_json()["positions"]
        told = app.compare(found, db=self.db, memory=MEMORY, is_walked=positions <= MOST_WALKED).as_json()
        for fields in told["variants"]:
            fields["variant"] = self._shown(fields["variant"])
        for pair in told["pairs"]:
            pair["first"], pair["second"] = self._shown(pair["first"]), self._shown(pair["second"])
        return told

    def solve(self, variant: str, memory: int | None) -> dict[str, Any]:
        """Solve a variant into the database; return the fields of `solve --json`."""
        found = self._variant(variant)
        told = Told(self.say_progress)
        memory = memory or psutil.virtual_memory().available // 2
        status, summary = app.solve(found, db=self.db, memory=memory, progress=told, has_files=False)
        return {**summary.as_json(status), "variant": self._shown(found.name)}

    def universal_games(self) -> list[dict[str, Any]]:
        """Return the games for GamesmanUni's client: names, and whether there is a picture of their default variant."""
        found = []
        for name in self.catalogue.names:
            try:
                variant = self._variant(name)
                gui = "v2" if art(variant) else "v0"
            except GamesmanError:  # somebody else's, which cannot be used
                continue
            found.append({"id": name, "name": variant.game.title.partition(":")[0], "gui": gui})
        return found

    def universal_variant(self, variant: str) -> dict[str, Any]:
        """Return what GamesmanUni's client is told of a variant, and how it is drawn."""
        found = self._variant(variant)
        drawn, start = art(found), found.start()
        name = position_id(found, start)
        told = {
            "gui": "v2" if drawn else "v0",
            "startPosition": name,
            "autoguiStartPosition": drawn.position(found, start) if drawn else name,
            "imageAutoGUIData": drawn.told if drawn else None,
        }
        return {"told": told, "art": drawn}

    def universal_position(self, variant: str, p: str, has_art: bool) -> dict[str, Any]:
        """Return a position for GamesmanUni's client, of a variant that is not solved."""
        found = self._variant(variant)
        return unsolved_json(found, art(found) if has_art else None, found.parse(p), MOST_MOVES)

    def variants(self) -> list[dict[str, Any]]:
        """Return what is stored, of the games that the network may name."""
        found = []
        for entry in app.list(db=self.db):
            shown = self.catalogue.shown(entry.variant)
            if shown is not None:
                fields = asdict(entry) | {"variant": shown}
                fields["database_bytes"] = fields.pop("bytes")
                del fields["detail"]
                found.append(fields)
        return found


def moves_json(variant: "Variant", position: "Position") -> dict[str, Any]:
    """Return a position with its legal moves, and what each leads to; the value only where the game is over."""
    # lazy: start-up time
    from gamesman.web.boards import cells, clicks

    value = variant.primitive(position)
    found: list[dict[str, Any]] = []
    for move in variant.generate_moves(position) if value == UNDECIDED else ():
        if len(found) >= MOST_MOVES:
            raise OptionError(f"expected at most {MOST_MOVES} moves in a position, got more")
        child = variant.do_move(position, move)
        found.append(
            {
                "move": variant.move_name(position, move),
                "position": variant.show(child),
                "turn": variant.letter(child),
                "value": None,
                "remoteness": None,
                "clicks": clicks(variant, position, move),
            }
        )
    is_over = value != UNDECIDED
    return {
        "position": variant.show(position),
        "turn": variant.letter(position),
        "value": NAMES[value] if is_over else None,
        "remoteness": 0 if is_over else None,
        "moves": sorted(found, key=lambda move: str(move["move"])),
        "cells": cells(variant, position),
    }


def main() -> None:
    """Answer tasks until there are no more: the server has ended, or has closed its end."""
    answers, asked = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)  # what a game prints goes to the log
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signals.watch()
    signal.signal(signal.SIGPROF, _out_of_time)
    setup = json.loads(asked.readline())
    work = Tasks(Catalogue(setup["files"]), setup["db"], lambda fields: _say(answers, b"P", fields))
    if not setup["is_solving"]:
        _bound_memory()
    lines: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(asked, lines), name="gamesman-tasks", daemon=True).start()
    while line := lines.get():
        _answer(work, json.loads(line), setup["db"] if setup["is_local"] else None, answers)


def _listen(asked: BinaryIO, lines: "SimpleQueue[bytes]") -> None:
    """Take what is asked, on a thread, and end the task at hand when the server is gone."""
    for line in asked:
        lines.put(line)
    lines.put(b"")
    os.kill(os.getpid(), signal.SIGTERM)


class OutOfTime(BaseException):
    """Ends a task that has used up its seconds of CPU; no game's own code may take it for an error of its own."""


def _out_of_time(number: int, frame: object) -> None:
    raise OutOfTime


def _answer(work: Tasks, asked: dict[str, Any], told_db: str | None, answers: BinaryIO) -> None:
    task: Callable[..., Any] = getattr(work, asked.pop("task"))
    cpu = asked.pop("cpu")
    try:
        with asking(told_db):
            signal.setitimer(signal.ITIMER_PROF, cpu)
            try:
                found = task(**asked)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            _say(answers, b"A", found)
    except GamesmanError as error:
        _say(answers, b"E", {"error": type(error).__name__, "said": work.catalogue.told(str(error))})
    except OutOfTime:
        _say(answers, b"E", {"error": "Interrupted", "said": f"it takes longer than the {cpu:g} s that it may take"})
    except KeyboardInterrupt as error:  # by us, or because the server is gone
        said = "; ".join(["interrupted", *map(str, error.args)])
        _say(answers, b"E", {"error": "Interrupted", "said": said})
    except MemoryError:
        _say(answers, b"E", {"error": "TooLarge", "said": "it needs more memory than one request may take"})
    except RecursionError:
        _say(answers, b"E", {"error": "OptionError", "said": "it is nested too deeply to be read"})
    except Exception as error:
        # lazy: start-up time
        from gamesman.model.blame import blame, is_of_game
        from gamesman.web.problems import log

        fault = _fault_of_game(work.catalogue, str(asked.get("variant", "")), cpu)
        if not fault and is_of_game(error):
            fault = work.catalogue.told(blame(error))
        if fault:
            _say(answers, b"E", {"error": "BrokenGame", "said": fault})
            return
        log(error)
        _say(answers, b"E", {"error": "", "said": "this is a bug in gamesman; the server's log says more"})


def _fault_of_game(catalogue: Catalogue, name: str, cpu: float) -> str:
    """Say what is wrong with a file of the user's, where that may be why a task failed; return "" where nothing is."""
    # lazy: start-up time
    from gamesman.app.checking import check_foreign

    try:
        signal.setitimer(signal.ITIMER_PROF, cpu)
        check_foreign(read_variants(catalogue.own(name), 1)[0])
    except BrokenGame as error:
        return catalogue.told(str(error))
    except (Exception, OutOfTime):
        return ""
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return ""


def _say(answers: BinaryIO, kind: bytes, what: Any) -> None:
    answers.write(kind + json.dumps(what).encode() + b"\n")
    answers.flush()


def _bound_memory() -> None:
    try:
        # lazy: start-up time
        import resource
    except ImportError:  # not on Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = MOST_BYTES if most == resource.RLIM_INFINITY else min(MOST_BYTES, most)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, most))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # when there is no task at hand, there is nobody to tell
        main()
