"""Solving in files: the same to the byte as in memory, through shards so tiny that everything is split."""

import itertools
import random
import resource
import subprocess
import sys
import time
import weakref

import numpy as np
import pytest
from numba import njit
from support import ROOT
from support.collecting import Classes
from support.storing import stored_rows
from support.turning import turned_variant

from gamesman import app
from gamesman.compiler.compile import compiler_for, rules_for
from gamesman.errors import AddressError, Damaged, InUse, StorageFailed, TooLarge
from gamesman.machine.memory import Allowance
from gamesman.machine.workers import Workers
from gamesman.model.variant import variant
from gamesman.solver.disk import beyond, blocks, folder
from gamesman.solver.disk.beyond import Beyond
from gamesman.solver.disk.blocks import Blocks
from gamesman.solver.disk.folder import WorkFolder
from gamesman.solver.kernels import sorting
from gamesman.solver.kernels.sorting import MOST_BYTES
from gamesman.solver.solve import solve
from gamesman.solver.sparse import Sparse


@pytest.fixture
def tiny(monkeypatch):
    """Solve in files whatever is solved, a few keys at a time."""
    monkeypatch.setattr(Beyond, "is_begun", lambda self: True)
    monkeypatch.setattr(beyond, "MOST_KEYS", 12)
    monkeypatch.setattr(beyond, "LEAST_KEYS", 1)


SAME = [
    lambda: variant("konane:rows=4"),
    lambda: turned_variant(random.Random(25), "graph_game_turned_undo_dense", nodes=60)[0],
]


@pytest.mark.slow
@pytest.mark.parametrize("made", SAME, ids=["sets", "arrays"])
def test_the_database_is_the_same_to_the_byte(made, tmp_path, request):
    """Of sets without cycles, and of arrays with cycles and symmetries."""
    v = made()
    app.solve(v, db=str(tmp_path / "memory"), threads=1, is_verified=False)
    request.getfixturevalue("tiny")
    app.solve(v, db=str(tmp_path / "files"), threads=2, is_verified=False)
    assert stored_rows(tmp_path / "files") == stored_rows(tmp_path / "memory")


class Stopped(Exception):
    pass


@pytest.mark.slow
def test_a_solve_stopped_at_any_step_goes_on_with_the_next(tiny, tmp_path, monkeypatch):
    """The files stay, or the database loses all it had: both end in what was solved at one go."""
    v, whole, work = variant("konane:rows=3"), Classes(), tmp_path / "work"
    solve(v, whole, threads=1, work=work)
    written, steps, write = [], [0], blocks.write

    def counted(path, chunks):
        if steps[0] == 0:
            raise Stopped
        steps[0] -= 1
        written.append(path.name)
        return write(path, chunks)

    for module in (blocks, folder):
        monkeypatch.setattr(module, "write", counted)
    steps[0] = -1
    solve(v, Classes(), threads=1, work=work)
    once, dice = list(written), random.Random(5)
    written.clear()
    kept = None
    while True:
        sink, steps[0] = Classes(kept), dice.randint(1, len(once) // 3)
        try:
            solve(v, sink, threads=1, work=work)
            break
        except Stopped:
            assert work.exists()
            kept = sink if dice.random() < 0.5 else None
    assert sink.joined() == whole.joined()
    assert len(once) < len(written) < 2 * len(once)  # what was done was not done again
    assert not work.exists()


@pytest.mark.slow
def test_records_are_taken_back_where_the_files_are_gone(tiny, tmp_path):
    v, whole = variant("konane"), Classes()
    solve(v, whole, threads=1, work=tmp_path / "work")
    half = Classes(whole)
    for tier in sorted(whole.tiers)[-2:]:
        half.forget(tier)
    solve(v, half, threads=1, work=tmp_path / "work")
    assert len(half.solved) == 2
    assert half.joined() == whole.joined()


@pytest.mark.slow
def test_what_does_not_fit_only_when_it_is_solved_goes_on_in_files(tiny, tmp_path, monkeypatch):
    v, whole, sink, told = variant("konane"), Classes(), Classes(), []
    solve(v, whole, threads=1, work=tmp_path / "work")
    monkeypatch.undo()
    for name, value in (("MOST_KEYS", 12), ("LEAST_KEYS", 1)):
        monkeypatch.setattr(beyond, name, value)
    settle, left = Sparse.solve, iter([True, True])

    def refusing(self, number, advanced):
        if next(left, False):
            return settle(self, number, advanced)
        raise TooLarge("it is too large", 1 << 40)

    monkeypatch.setattr(Sparse, "solve", refusing)
    solve(v, sink, threads=1, work=tmp_path / "work", memory=ENOUGH, tell=told.append)
    assert len(told) == 1 and "does not fit" in told[0]
    assert sink.joined() == whole.joined()


@pytest.mark.slow
@pytest.mark.parametrize("writes", [15, 60])
def test_files_of_which_one_is_damaged_are_made_anew(writes, tiny, tmp_path, monkeypatch):
    """While tiers are found, or solved."""
    v, whole, sink, work, told = variant("konane"), Classes(), Classes(), tmp_path / "work", []
    solve(v, whole, threads=1, work=work)
    left, write = iter(range(writes)), blocks.write

    def stopping(path, chunks):
        if next(left, None) is None:
            raise Stopped
        return write(path, chunks)

    with monkeypatch.context() as patched, pytest.raises(Stopped):
        for module in (blocks, folder):
            patched.setattr(module, "write", stopping)
        solve(v, sink, threads=1, work=work)
    for path in (*work.glob("*.keys"), *work.glob("*.run")):
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    solve(v, sink, threads=1, work=work, tell=told.append)
    assert len(told) == 1 and "all files of konane are made anew" in told[0]
    assert sink.joined() == whole.joined()


@pytest.mark.slow
@pytest.mark.parametrize("writes", [5, 40])
def test_a_full_disk_is_said_in_a_line_and_when_there_is_room_it_goes_on(writes, tiny, tmp_path, monkeypatch):
    """Where no file can grow, as on a full disk, while tiers are found, or solved."""
    v, whole, sink, work = variant("konane"), Classes(), Classes(), tmp_path / "work"
    solve(v, whole, threads=1, work=work)
    left, write = iter(range(writes)), blocks.write
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def filled(path, chunks):
        if next(left, None) is not None:
            return write(path, chunks)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8, before[1]))
        try:
            return write(path, chunks)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    said = "cannot write .*: File too large; make room there, .*; the same command goes on where it stopped$"
    with monkeypatch.context() as patched, pytest.raises(StorageFailed, match=said):
        for module in (blocks, folder):
            patched.setattr(module, "write", filled)
        solve(v, sink, threads=1, work=work)
    assert work.exists() and not list(work.glob("*.new"))
    solve(v, sink, threads=1, work=work)
    assert sink.joined() == whole.joined()


PROGRAM = """
import sys
from gamesman import app
from gamesman.model.variant import variant
from gamesman.solver.disk import beyond, folder
from gamesman.solver.disk.beyond import Beyond

Beyond.is_begun = lambda self: True
beyond.MOST_KEYS, beyond.LEAST_KEYS = 40, 1
print("begin", flush=True)
app.solve(variant("konane"), db=sys.argv[1], threads=1)
"""


MEMORY = """
import sys
from gamesman import app
from gamesman.machine.memory import peak
from gamesman.model.variant import variant
from gamesman.solver.disk.beyond import Beyond

Beyond.is_begun = lambda self: True
app.solve(variant("konane:rows=4,cols=7"), db=sys.argv[1], threads=2, memory=int(sys.argv[2]), is_verified=False)
print(peak())
"""


@pytest.mark.slow
def test_two_threads_keep_to_the_memory_allowed(tmp_path):
    """The second run is the one that counts: the first may compile."""
    for place, allowed in (("first", 500 << 20), ("second", 260 << 20)):
        command = [sys.executable, "-c", MEMORY, str(tmp_path / place), str(allowed)]
        most = int(subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, check=True).stdout)
    assert most <= 0.97 * allowed, most


@pytest.mark.slow
def test_too_little_memory_for_files_is_refused_with_what_would_do(tmp_path):
    """What is named does, without a reserve of more than a few megabytes."""
    v, used = variant("konane"), Allowance(None).used()
    with pytest.raises(TooLarge, match="solving konane in files needs about .* of memory, .* allowed") as refused:
        work_in_files(v, tmp_path, used + (20 << 20))
    needed = refused.value.needed
    work_in_files(v, tmp_path, needed + (4 << 20))
    with pytest.raises(TooLarge):
        work_in_files(v, tmp_path, needed - (8 << 20))


def work_in_files(v, place, memory):
    """What `solve` would go on with in files."""
    allowance = Allowance(memory)
    with Beyond(v, place / "work", allowance, str) as goes_on:
        compiler = compiler_for(v, None)
        given = compiler, rules_for(v, None), None, Workers(1)
        return goes_on.strategy(*given, is_stored=True, has_cycles=False)


@pytest.mark.slow
def test_a_killed_solve_goes_on_and_ends_in_the_same_database(tmp_path):
    app.solve(variant("konane"), db=str(tmp_path / "memory"), threads=1)
    command, dice = [sys.executable, "-c", PROGRAM, str(tmp_path / "files")], random.Random()
    for seconds in (dice.uniform(0.4, 1.2), dice.uniform(0.4, 1.2), None):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
        assert process.stdout.readline() == b"begin\n"
        if seconds is not None:
            time.sleep(seconds)
            process.kill()
        process.communicate()
    assert process.returncode == 0
    assert stored_rows(tmp_path / "files") == stored_rows(tmp_path / "memory")


ENCODE, DECODE = (njit(function, error_model="numpy") for function in (sorting.encode, sorting.decode))


def some_blocks(path):
    """Files of keys and of records, in blocks of three."""
    keys, records = np.array([3, 5, 9, 1 << 40, (1 << 63) - 2, (1 << 63) - 1]), np.arange(6, dtype=np.uint16)
    blocks.write_keys(path / "keys", keys, 3, ENCODE)
    blocks.write_records(path / "records", keys, records, 3)
    return keys, records


def read(path):
    keys = Blocks(path / "keys").read_keys(0, 2, DECODE, np.empty(6, np.int64))
    return keys, Blocks(path / "records").read_records(0, 2)


def test_keys_and_records_are_read_as_they_were_written(tmp_path):
    keys, records = some_blocks(tmp_path)
    found_keys, found_records = read(tmp_path)
    assert found_keys.tolist() == keys.tolist() and found_records.tolist() == records.tolist()
    assert Blocks(tmp_path / "keys").between(9, 10) == (0, 1)
    assert Blocks(tmp_path / "keys").between(1 << 40, (1 << 63) - 1) == (1, 2)


def test_differences_of_any_length_are_read_as_they_were_written():
    dice = np.random.default_rng(1)
    for count, bits in itertools.product([1, 2, 3, 4, 5, 6, 9, 300], [0, 3, 9, 17, 26, 40, 54]):
        keys = np.cumsum(dice.integers(0, 1 << bits, count, endpoint=True) >> dice.integers(0, bits + 1, count))
        packed, found = np.full(MOST_BYTES * count, 255, np.uint8), np.zeros(count, np.int64)
        size, total = ENCODE(keys, packed)
        for wrong in (None, *(range(size) if count < 300 else ())):
            read = packed[:size].copy()
            if wrong is not None:
                read[wrong] ^= 1 << wrong % 8
            sound = DECODE(read, np.array([size]), keys[:1], np.array([total]), count, found)
            assert sound == (wrong is None) and (not sound or found.tolist() == keys.tolist())
        if count == 300:
            assert sorting.packed_bytes(keys) == pytest.approx(size / count, rel=0.02, abs=0.05)


@pytest.mark.parametrize("name", ["keys", "records"])
def test_a_file_of_which_any_byte_is_changed_or_that_ends_early_is_found(name, tmp_path):
    some_blocks(tmp_path)
    path, whole = tmp_path / name, (tmp_path / name).read_bytes()
    for at in range(len(whole)):
        for content in (whole[:at], whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :]):
            path.write_bytes(content)
            with pytest.raises(Damaged, match=f"{name} is damaged; remove the folder"):
                read(tmp_path)
    path.unlink()
    with pytest.raises(Damaged, match=f"{name} is missing; remove the folder"):
        read(tmp_path)


def test_a_work_folder_is_gone_on_with_only_for_the_same_and_by_one_at_a_time(tmp_path):
    work, mark = WorkFolder(tmp_path / "work"), {"of": "a game", "keys": 100}
    assert not work.is_begun()
    begun = work.open(mark)
    assert begun.items() > mark.items() and work.is_begun()
    work.note("step.json", {"done": 1})
    with pytest.raises(InUse, match="another process is at work"):
        WorkFolder(tmp_path / "work").open(mark)
    work.close()
    assert work.open({**mark, "keys": 200}) == begun
    assert work.read("step.json") == {"done": 1}
    (work.path / "step.json").write_text("00000000 {}")
    assert work.read("step.json") is None
    work.note("step.json", {"done": 1})
    work.close()
    for other in ({**mark, "keys": 50}, {**mark, "of": "another game"}):
        anew = work.open(other)
        assert anew.items() > other.items() and anew["number"] != begun["number"]
        assert work.read("step.json") is None
        work.close()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear")
    with pytest.raises(StorageFailed, match="expected a folder of ours"):
        WorkFolder(tmp_path / "mine").open(mark)
    with pytest.raises(StorageFailed, match="give another --work"):
        WorkFolder(tmp_path / "mine" / "letter.txt").open(mark)


ENOUGH = 1 << 40  # bytes of memory, whatever the tests before have left in this process


def heard(work, positions=(1e6, 2e6), memory=ENOUGH):
    """What is told, and whether the solve goes on, where it was refused in memory."""
    told = []
    with Beyond(variant("konane:rows=6,cols=6"), work, Allowance(memory), told.append) as over:
        with over.hearing():
            raise TooLarge("it is too large", 1 << 40, positions)
        assert over.is_begun()
    return told


def test_what_does_not_fit_memory_goes_on_in_files_and_says_so(tmp_path):
    (line,) = heard(tmp_path / "work")
    assert line.startswith("konane:rows=6,cols=6 does not fit 1.0 TB of memory: it is solved in files, about ")
    assert line.endswith(f" MB in {tmp_path / 'work'}")


def test_what_was_done_in_memory_is_gone_before_it_goes_on_in_files(tmp_path):
    class Tables:
        pass

    kept, told = [], []

    def enumerate():
        tables = Tables()
        kept.append(weakref.ref(tables))
        raise TooLarge("it is too large", 1 << 40, (1e6, 2e6))

    def tell(line):
        told.append(kept[0]())

    over = Beyond(variant("konane:rows=6,cols=6"), tmp_path / "work", Allowance(ENOUGH), tell)
    with over.hearing():
        enumerate()
    assert told == [None]


@pytest.mark.parametrize("how", [{"work": None}, {"positions": None}])
def test_what_cannot_go_on_in_files_is_refused_as_ever(how, tmp_path):
    with pytest.raises(TooLarge) as error:
        heard(**{"work": tmp_path / "work", **how})
    assert str(error.value) == "it is too large"


def test_too_little_memory_to_begin_with_files_is_refused_with_what_would_do(tmp_path):
    with pytest.raises(TooLarge, match="^it is too large; in files it would need about .* of memory$"):
        heard(work=tmp_path / "work", memory=1)


def test_what_the_disk_has_no_room_for_is_refused(tmp_path):
    said = r"^it is too large; in files it would need about [\d.,]+ TB of disk, .* free at "
    with pytest.raises(TooLarge, match=said):
        heard(tmp_path / "work", positions=(1e14, 2e14))


@pytest.mark.parametrize("wrong", ["", "x\0y", "FILE"])
def test_a_work_folder_that_is_none_is_a_wrong_call(wrong, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(AddressError, match="--work must be a folder, got"):
        app.solve(variant("konane"), work=wrong.replace("FILE", str(tmp_path / "file")))
