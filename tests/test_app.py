"""What the program says of a solve that is ended is so at that moment."""

import ast
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event
from support.storing import counted, made_up_part, make_up

import gamesman.solver.solve
from gamesman import app
from gamesman.db import open_store
from gamesman.machine import signals
from gamesman.model.variant import variant

NOTHING = "nothing is stored yet"
GOES_ON = "the same command goes on where it stopped"


@pytest.fixture
def outcome(monkeypatch):
    """Return what asks, as the thread that ends the process does, what there is of the solve that is going on."""
    asked = []

    @contextmanager
    def task(name, outcome, seek=None):
        asked.append(outcome)
        yield

    monkeypatch.setattr(signals, "task", task)
    return lambda: asked[-1]()


def solve_with(monkeypatch, step, folder, **how):
    """Solve konane, where `step` does what the solver would do with the sink."""
    monkeypatch.setattr(gamesman.solver.solve, "solve", lambda variant, sink, *_, **__: step(sink))
    return app.solve(variant("konane"), db=str(folder), **how)


def store_tier(sink, tier):
    sink.write(tier, made_up_part(tier))
    sink.finish(counted(tier, made_up_part(tier)))
    sink.flush()


def interrupt(sink):
    store_tier(sink, 0)
    raise KeyboardInterrupt


def test_a_solve_that_is_ended_says_what_is_stored_at_that_moment(outcome, monkeypatch, tmp_path):
    said = []

    def step(sink):
        said.append(outcome())
        event.listen(sink._engine, "commit", lambda connection: said.append(outcome()), once=True)
        for tier in range(2):
            store_tier(sink, tier)
            said.append(outcome())
        return make_up(sink, range(2, 4))

    assert solve_with(monkeypatch, step, tmp_path)[0] == "solved"
    assert said == [NOTHING, "", GOES_ON, GOES_ON]


def test_tiers_that_could_not_be_stored_are_not_spoken_of(outcome, monkeypatch, tmp_path):
    def step(sink):
        monkeypatch.setattr(sink, "_check_lock", fail)
        store_tier(sink, 0)

    def fail():
        raise OSError("the disk is gone")

    with pytest.raises(Exception, match="the disk is gone"):
        solve_with(monkeypatch, step, tmp_path)
    assert outcome() == NOTHING and not list(tmp_path.iterdir())


def test_what_an_earlier_solve_has_stored_is_spoken_of_from_the_start(outcome, monkeypatch, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        solve_with(monkeypatch, interrupt, tmp_path)
    assert outcome() == GOES_ON
    said = []

    def step(sink):
        said.append(outcome())
        return make_up(sink, range(2))

    open_writer = gamesman.db.store.Store.writer

    def opening(*arguments, **how):
        said.append(outcome())
        return open_writer(*arguments, **how)

    monkeypatch.setattr(gamesman.db.store.Store, "writer", opening)
    solve_with(monkeypatch, step, tmp_path)
    assert said == ["", GOES_ON]


def test_a_restart_that_is_ended_does_not_say_that_nothing_is_stored(outcome, monkeypatch, tmp_path):
    said = []

    def step(sink):
        said.append(outcome())
        return make_up(sink, range(2))

    for is_restart in (False, True):
        solve_with(monkeypatch, step, tmp_path, is_restart=is_restart)
    assert said == [NOTHING, ""]
    assert [entry.status for entry in open_store(str(tmp_path)).list()] == ["solved"]


def test_functions_are_of_the_files_that_are_said_for_their_types():
    tree = ast.parse(Path(app.__file__).read_text())
    said = {
        name.name: node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for name in node.names
    }
    assert {name: getattr(app, name).__module__ for name in app.__all__} == {name: said[name] for name in app.__all__}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        app.nothing  # noqa: B018
