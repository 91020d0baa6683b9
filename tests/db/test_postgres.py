"""The same store on a PostgreSQL server: one that the tests start themselves."""

import signal
import subprocess
import sys

import pytest
from sqlalchemy import create_engine, text
from support.killing import start
from support.storing import (
    TIERS,
    counted,
    digest,
    feed,
    made_up_digest,
    made_up_part,
    make_up,
    reached,
    store_solution,
    stored_digest,
)

from gamesman.db import open_store
from gamesman.errors import Damaged, InUse, NotReachable, NotSolved, OtherFormat, OtherRules, StorageFailed
from gamesman.model.variant import variant
from gamesman.solver import reference


def change(place, statement):
    engine = create_engine(place)
    with engine.begin() as connection:
        assert connection.execute(text(statement)).rowcount > 0
    engine.dispose()


def test_variants_are_stored_read_listed_and_deleted(place):
    store = open_store(place)
    assert list(store.list()) == []
    with pytest.raises(NotSolved, match="^konane is not solved; run: gamesman solve konane$"):
        store.open(variant("konane"))
    solutions = {name: store_solution(store, name) for name in ("konane", "konane:rows=4", "konane:misere")}
    for name, solution in solutions.items():
        with store.open(variant(name)) as stored:
            assert stored.get_many(list(solution.values)) == list(solution.values.values())
            assert stored.summary.tiers == solution.summary.tiers
            assert stored.summary.database_bytes > 0
            assert stored_digest(stored).startswith(f"{len(solution.values)}-")
            with pytest.raises(NotReachable):
                stored.probe((0, 0, 0, -1))
    assert [(e.variant, e.status, e.positions) for e in store.list()] == [
        ("konane", "solved", 17),
        ("konane:misere", "solved", 17),
        ("konane:rows=4", "solved", 1279),
    ]
    store.delete(variant("konane"))
    with pytest.raises(NotSolved):
        store.open(variant("konane"))
    with pytest.raises(NotSolved, match="is not stored"):
        store.delete(variant("konane"))
    with store.writer(variant("konane:misere")) as writer:
        assert writer.summary == solutions["konane:misere"].summary
    with store.writer(variant("konane:misere"), restart=True) as writer:
        assert writer.summary is None


@pytest.mark.slow
def test_kills_leave_the_same_database_as_none(place):
    store = open_store(place)
    digests = [made_up_digest([tier]) for tier in range(TIERS)]
    for stop_after in (0, 3, 9):
        process = start(place, pause=0.01, transaction=1 << 14)
        assert process.stdout.readline() == "begin\n"
        for _ in range(stop_after):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with pytest.raises(NotSolved):
            store.open(variant("konane"))
        with store.writer(variant("konane"), wait=True) as writer:
            finished = list(writer.finished())
            for tier in finished:
                assert digest(map(reached, writer.load(tier))) == digests[tier]
        left = [("unfinished", len(finished))] if finished else []
        assert [(entry.status, entry.tiers) for entry in store.list()] == left
    with store.writer(variant("konane")) as writer:
        assert len(writer.finished()) < TIERS
        make_up(writer)
    with store.open(variant("konane")) as stored:
        assert stored_digest(stored) == made_up_digest()


@pytest.mark.slow
def test_a_second_solve_says_who_is_at_work(place):
    process = start(place, pause=0.05)
    assert process.stdout.readline() == "begin\n"
    store = open_store(place)
    try:
        with pytest.raises(InUse, match=f"is being solved by process {process.pid} on"):
            store.writer(variant("konane"))
        with pytest.raises(InUse):
            store.delete(variant("konane"))
        assert [entry.status for entry in store.list()] == ["being solved"]
        other = variant("konane:rows=4")
        solution = reference.solve(other)
        with store.writer(other) as writer:
            feed(writer, other, solution)
        with store.open(other) as stored:
            assert stored.probe(other.start()) == (0, 4)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    "statement,kind",
    [
        ("UPDATE gamesman_blocks SET packed_records = packed_records || 'x' WHERE tier = 20", Damaged),
        ("UPDATE gamesman_blocks SET first = first + 1 WHERE tier = 20", Damaged),
        ("DELETE FROM gamesman_blocks WHERE tier = 20", Damaged),
        ("DELETE FROM gamesman_tiers WHERE tier = 20", Damaged),
        ("UPDATE gamesman_variants SET format = 99", OtherFormat),
        ("UPDATE gamesman_variants SET fingerprint = 'x'", Damaged),
        ("DELETE FROM gamesman_solves", NotSolved),
    ],
)
def test_rows_that_were_changed_are_noticed(place, statement, kind):
    store = open_store(place)
    store_solution(store, "konane:rows=4")
    change(place, statement)
    with pytest.raises(kind) as caught, store.open(variant("konane:rows=4")) as stored:
        assert stored_digest(stored) and stored.summary
    assert "\n" not in str(caught.value)


def test_rules_that_have_changed_are_noticed(place, tmp_path):
    game = tmp_path / "mine.py"
    source = variant("konane").game.path.read_text()
    game.write_text(source)
    store = open_store(place)
    store_solution(store, str(game))
    changed = source.replace("return WIN if rules.misere else LOSE", "return LOSE if rules.misere else WIN")
    assert changed != source
    game.write_text(changed)
    with pytest.raises(OtherRules):
        store.open(variant(str(game)))
    store_solution(store, str(game), restart=True)
    with store.open(variant(str(game))) as stored:
        assert stored.probe(stored.variant.start()) == (3, 9)


def test_a_server_that_does_not_answer_is_one_line_without_the_password():
    store = open_store("postgresql://me:secret@127.0.0.1:1/solved")
    for call in (
        lambda: store.open(variant("konane")),
        lambda: store.writer(variant("konane")),
        lambda: list(store.list()),
    ):
        with pytest.raises(StorageFailed, match="does not answer") as caught:
            call()
        assert "\n" not in str(caught.value) and "secret" not in str(caught.value)


@pytest.mark.slow
def test_two_that_make_the_tables_at_once_both_succeed(place):
    program = (
        "import sys; sys.path[:0] = ['tests']; from support.storing import open_store, store_solution\n"
        "store_solution(open_store(sys.argv[1]), sys.argv[2])"
    )
    names = ["konane", "konane:misere", "konane:any_piece"]
    running = [subprocess.Popen([sys.executable, "-c", program, place, name]) for name in names]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert [entry.status for entry in open_store(place).list()] == ["solved"] * 3


def cut_the_lock(place):
    """End the connection that holds a lock, as an administrator or a firewall does."""
    engine = create_engine(place, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        ended = connection.execute(
            text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted")
        ).all()
        assert len(ended) == 1
        while connection.execute(text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")).scalar():
            pass
    engine.dispose()


def write_some(writer, tiers):
    for tier in tiers:
        part = made_up_part(tier)
        writer.write(tier, part)
        writer.finish(counted(tier, part))
    writer.flush()


@pytest.mark.slow
def test_a_writer_whose_lock_was_cut_says_so_and_stores_nothing_more(place):
    store = open_store(place)
    with (
        pytest.raises(StorageFailed, match=r": the connection .* was cut; run: gamesman solve konane$"),
        store.writer(variant("konane")) as writer,
    ):
        write_some(writer, range(2))
        cut_the_lock(place)
        write_some(writer, range(2, 4))
    assert [(entry.status, entry.tiers) for entry in store.list()] == [("unfinished", 2)]
    with store.writer(variant("konane")) as writer:
        make_up(writer)
    with store.open(variant("konane")) as stored:
        assert stored_digest(stored) == made_up_digest()


@pytest.mark.slow
@pytest.mark.parametrize("has_written", [False, True])
def test_a_second_writer_that_came_in_by_a_cut_lock_is_named(place, has_written):
    store = open_store(place)
    with (
        pytest.raises(InUse, match="was cut, and another process is solving it now; wait for that: --wait$"),
        store.writer(variant("konane")) as first,
    ):
        write_some(first, range(2))
        cut_the_lock(place)
        with store.writer(variant("konane")) as second:
            if has_written:
                write_some(second, range(2, 4))
            with pytest.raises(InUse):
                write_some(first, range(2, 4))
        with store.writer(variant("konane")) as third:
            assert sorted(third.finished()) == ([0, 1, 2, 3] if has_written else [0, 1])
            make_up(third)
        first._raise_failure()
    with store.open(variant("konane")) as stored:
        assert stored_digest(stored) == made_up_digest()


def test_a_writer_that_has_stored_nothing_removes_nothing_of_one_that_came_in_by_a_cut_lock(place):
    store = open_store(place)
    with store.writer(variant("konane")):
        cut_the_lock(place)
        with store.writer(variant("konane")) as second:
            write_some(second, range(2))
    with store.writer(variant("konane")) as third:
        assert sorted(third.finished()) == [0, 1]


def test_a_restart_that_stops_anywhere_leaves_the_old_solution(place):
    store = open_store(place)
    solution = store_solution(store, "konane:rows=4")
    of = variant("konane:rows=4")
    with pytest.raises(KeyboardInterrupt), store.writer(of, restart=True) as writer:
        write_some(writer, range(3))
        raise KeyboardInterrupt
    with store.open(of) as stored:
        assert stored.get_many(list(solution.values)) == list(solution.values.values())
    (entry,) = store.list()
    assert entry.status == "solved" and "solved again in part" in entry.detail
    with store.writer(of, restart=True) as writer:
        assert sorted(writer.finished()) == [0, 1, 2]
    store.delete(of)
    assert list(store.list()) == []


@pytest.mark.slow
def test_a_tier_that_was_changed_is_solved_again(place):
    store = open_store(place)
    with pytest.raises(KeyboardInterrupt), store.writer(variant("konane")) as writer:
        write_some(writer, range(6))
        raise KeyboardInterrupt
    change(place, "UPDATE gamesman_blocks SET packed_records = packed_records || 'x' WHERE tier = 3")
    change(place, "DELETE FROM gamesman_blocks WHERE tier = 4")
    with store.writer(variant("konane")) as writer:
        assert sorted(writer.finished()) == [0, 1, 2, 5]
        make_up(writer)
    with store.open(variant("konane")) as stored:
        assert stored_digest(stored) == made_up_digest()
