"""Files of a solve in files are damaged while it goes on, or is stopped: it ends in the same database, or says so.

    GAMESMAN_HOSTILE_ROUNDS=20 scripts/test tests/hostile/test_work_files.py

tries several hundred times, in one process and by two workers.
"""

import contextlib
import random
import shutil
from functools import partial

import pytest
from support.chance import chance, rounds
from support.collecting import Classes
from support.damaging import damage
from support.graphs import make_variant, random_graph
from support.storing import stored_rows
from support.turning import turned_variant

from gamesman import app
from gamesman.app.location import work_folder
from gamesman.errors import Damaged, GamesmanError
from gamesman.machine.crew import crew
from gamesman.model.progress import Silent
from gamesman.model.variant import variant
from gamesman.solver.disk import backwards, beyond, blocks, folder, levels
from gamesman.solver.disk.beyond import Beyond
from gamesman.solver.solve import solve

pytestmark = pytest.mark.slow

WRITING = blocks, folder, backwards, levels
MADE = {
    "sets": lambda: variant("konane:rows=4"),
    "cycles": lambda: make_variant(*random_graph(3, nodes=60), kind="plain"),
    "cycles with un-moves": lambda: make_variant(*random_graph(3, nodes=60), kind="undo"),
    "classes with cycles": lambda: turned_variant(random.Random(25), "graph_game_turned", nodes=60)[0],
}


class Stopped(Exception):
    pass


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Cut whatever is solved in files into shards of a few keys."""
    for name, value in (("MOST_KEYS", 30), ("KEYS_OF_WORKER", 30), ("LEAST_KEYS", 1)):
        monkeypatch.setattr(beyond, name, value)


@pytest.fixture
def in_files(monkeypatch):
    monkeypatch.setattr(Beyond, "is_begun", lambda self: True)


def damage_one(work, dice):
    """Damage one of the files that are written, or remove it, or put another one in its place; but not the lock."""
    paths = sorted(path for path in work.iterdir() if path.name != folder.LOCK and path.suffix != blocks.NEW)
    if not paths:
        return
    path, kind = dice.choice(paths), dice.randrange(8)
    if kind == 0:
        path.unlink()
    elif kind == 1:
        path.write_bytes(dice.choice(paths).read_bytes())
    elif kind == 2:
        path.write_bytes(path.read_bytes() + dice.randbytes(dice.randint(1, 100)))
    else:
        path.write_bytes(damage(path.read_bytes() or b"?", dice))


def check_one_line(error):
    assert "\n" not in str(error)
    assert isinstance(error, Damaged) and "remove the folder" in str(error), error


def written(monkeypatch, work, then):
    """Have `then` called after each write of a file."""
    write = blocks.write

    def watched(path, chunks):
        size = write(path, chunks)
        then()
        return size

    for module in WRITING:
        monkeypatch.setattr(module, "write", watched)


@pytest.fixture(scope="module", params=MADE)
def whole(request):
    """A variant, what is handed over when nothing is damaged, and how many files that takes."""
    v, sink, files = MADE[request.param](), Classes(), []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Beyond, "is_begun", lambda self: True)
        patched.setattr(beyond, "MOST_KEYS", 30)
        patched.setattr(beyond, "LEAST_KEYS", 1)
        place = request.getfixturevalue("tmp_path_factory").mktemp("whole") / "work"
        written(patched, place, lambda: files.append(1))
        solve(v, sink, threads=1, work=place)
    return v, sink.joined(), len(files)


@pytest.mark.parametrize("is_stopped", [False, True], ids=["going on", "stopped"])
def test_a_damaged_file_changes_nothing_or_is_named(is_stopped, whole, in_files, tmp_path, monkeypatch):
    v, wanted, files = whole
    outcomes = {"same": 0, "named": 0}
    for number in range(rounds(5)):
        dice, work, sink = chance("work", v.name, is_stopped, number), tmp_path / str(number), Classes()
        left = [dice.randrange(1, files)]

        def then(left=left, work=work, dice=dice):
            left[0] -= 1
            if left[0] == 0:
                damage_one(work, dice)
                if is_stopped:
                    raise Stopped

        with monkeypatch.context() as patched:
            written(patched, work, then)
            outcome = "same"
            for _ in range(3):
                try:
                    solve(v, sink, threads=1, work=work)
                    break
                except Stopped:
                    sink = dice.choice([sink, Classes()])
                except GamesmanError as error:
                    check_one_line(error)
                    outcome = "named"
                    shutil.rmtree(work)
        assert sink.joined() == wanted
        assert not work.exists()
        outcomes[outcome] += 1
    print(outcomes)


@pytest.fixture(scope="module")
def two():
    """Two workers."""
    with crew(2, None) as found:
        yield found


class Damaging(Silent):
    """Damages a file of a work folder when a number of steps are done."""

    def __init__(self, left, work, dice):
        self.left, self.work, self.dice = left, work, dice

    def advance(self, steps):
        self.left -= 1
        if self.left == 0:
            damage_one(self.work, self.dice)


def test_a_damaged_file_of_two_workers_changes_nothing_or_is_named(two, tmp_path):
    name = "konane:rows=4"
    v = variant(name)
    app.solve(v, db=str(tmp_path / "memory"), threads=1)
    wanted, steps = stored_rows(tmp_path / "memory"), Damaging(-1, None, None)

    def solved(place, progress):
        given = {"db": str(place), "work": str(place.with_suffix(".work")), "progress": lambda: progress}
        ((_, answer),) = app.solve_each([v], partial(contextlib.nullcontext, two), **given)
        return answer

    solved(tmp_path / "files", steps)
    assert stored_rows(tmp_path / "files") == wanted
    for number in range(rounds(5)):
        dice, place = chance("work of two", name, number), tmp_path / str(number)
        progress = Damaging(
            dice.randint(1, -steps.left), work_folder(name, None, str(place.with_suffix(".work"))), dice
        )
        answer = solved(place, progress)
        if isinstance(answer, GamesmanError):
            check_one_line(answer)
            shutil.rmtree(progress.work)
            answer = solved(place, progress)
        assert answer[0] == "solved" and stored_rows(place) == wanted
