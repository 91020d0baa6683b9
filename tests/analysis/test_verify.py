"""`gamesman verify` accepts what is right and finds whatever is not, also where every checksum agrees."""

import json
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner
from support import SUPPORT
from support.altering import CONTRADICTIONS, Altered, rewrite_block
from support.graphs import make_variant, random_graph
from support.storing import store_solution

from gamesman.analysis import verify, walk
from gamesman.analysis.kernels import proving
from gamesman.analysis.lookup import Lookup
from gamesman.cli.main import cli
from gamesman.db import open_store, sqlite_file
from gamesman.errors import NotVerified
from gamesman.model import progress
from gamesman.model.variant import variant
from gamesman.values import DRAW, LOSE, NAMES, TIE, UNDECIDED, UNREACHED, WIN, pack, unpack

NAME = "konane:rows=4"


def run(*words, code=0):
    result = CliRunner().invoke(cli, ["verify", *words])
    assert (result.exit_code, result.exception if code == 0 else None) == (code, None), result.stderr
    return result


@pytest.fixture(params=["interpreted", pytest.param("compiled", marks=pytest.mark.slow)])
def form(request, monkeypatch):
    if request.param == "compiled":
        monkeypatch.setattr(walk, "MOST_INTERPRETED", 0)
    return request.param


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch):
    writing = sqlite_file._sqlite_writing

    def without(path):
        engine = writing(path)
        with engine.connect() as connection:
            connection.connection.dbapi_connection.execute("PRAGMA synchronous=OFF")
        return engine

    monkeypatch.setattr(sqlite_file, "_sqlite_writing", without)


@pytest.fixture
def konane(database):
    return Altered(NAME, database)


def graph(database, edges, values, turns, tiers=None, kind="plain"):
    return Altered(make_variant(edges, values, turns, tiers, kind=kind).name, database)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "konane",
        "konane:rows=4,misere,any_piece",
        "abalone:rows=3,cols=3",
        "abalone:rows=3,cols=3,misere",
        "ctf:size=2",
        "hex_abalone:edge=2",
        "tictactoe",
        "ten_to_zero",
    ],
)
def test_what_is_right_is_verified_and_counted(name, form, database):
    summary = store_solution(open_store(database), name).summary.as_json()
    found = json.loads(run(name, "--json").stdout)
    assert found["status"] == "verified"
    assert {key: found[key] for key in ("variant", "positions", "moves", "tiers")} == {
        key: summary[key] for key in ("variant", "positions", "moves", "tiers")
    }
    said = run(name).stdout
    assert said.startswith(f"{name} is verified: {summary['positions']:,} position") and said.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "tiers"])
@pytest.mark.parametrize("seed", range(10))
def test_whatever_records_are_altered_it_is_found(seed, kind, database):
    """Also several at once: only one assignment of values and remotenesses agrees with all moves."""
    made = random_graph(seed, nodes=40)
    altered = graph(database, *made, kind=kind)
    altered.write()
    assert altered.verify().positions == len(altered.records)
    dice = random.Random(seed)
    places = list(altered.records)
    for _ in range(20):
        chosen = dice.sample(places, min(len(places), dice.choice([1, 1, 1, 2, 3])))
        others = {at: dice.choice(_other_records(altered.records[at], dice)) for at in chosen}
        altered.fault(others)


def _other_records(record, dice):
    value, remoteness = unpack(record)
    near = [pack(value, r) for r in (remoteness - 1, remoteness + 1, remoteness + 2) if r >= 0 and value != DRAW]
    far = [pack(v, 0 if v == DRAW else max(0, remoteness + dice.randint(-2, 2))) for v in (LOSE, DRAW, TIE, WIN)]
    return [other for other in near + far if other != record]


@pytest.mark.slow
def test_every_single_record_of_a_game_is_looked_at(database):
    altered = Altered("konane", database)
    for changed, record in altered.records.items():
        value, remoteness = unpack(record)
        for other in {pack(WIN + LOSE - value, remoteness), pack(value, remoteness + 1), pack(TIE, 1), pack(DRAW, 0)}:
            assert f"position {altered.text(changed)} says " in altered.fault({changed: other})


def test_the_position_that_is_wrong_itself_is_named_and_what_it_should_be(konane, form):
    dice = random.Random(1)
    for changed in dice.sample(list(konane.records), 12):
        value, remoteness = unpack(konane.records[changed])
        said = konane.fault({changed: pack(value, remoteness + 2)})
        over = konane.variant.primitive(konane.variant.unhash(changed[1])) != UNDECIDED
        truth = f"it is over: {NAMES[value]}" if over else f"its moves say {NAMES[value]} in {remoteness}"
        assert said == f"position {konane.text(changed)} says {NAMES[value]} in {remoteness + 2}, {truth}"


def test_two_ties_swapped_are_found(database, form):
    edges = [[1, 2], [3], [4], [4], [5], []]
    altered = graph(database, edges, [UNDECIDED] * 5 + [TIE], [0, 1] * 3)
    first, second = (0, 1), (0, 2)
    assert [unpack(altered.records[at]) for at in (first, second)] == [(TIE, 3), (TIE, 2)]
    said = altered.fault({first: altered.records[second], second: altered.records[first]})
    assert said in (
        "position (1) says tie in 2, its moves say tie in 3",
        "position (2) says tie in 3, its moves say tie in 2",
    )


@pytest.mark.parametrize("value", [WIN, LOSE, TIE])
@pytest.mark.parametrize("further", [[1, 1, 1], [1, 2, 3], [3, 2, 1], [16383, 1, 2]])
def test_draws_in_a_ring_cannot_be_made_anything_else(value, further, database):
    altered = graph(database, [[1], [2], [0]], [UNDECIDED] * 3, [0, 1, 0])
    altered.write()
    altered.verify()
    altered.fault({(0, node): pack(value, r) for node, r in enumerate(further)})


def test_a_draw_made_a_win_is_found(database, form):
    altered = Altered("abalone:rows=3,cols=3,misere", database)
    draw = next(at for at, record in altered.records.items() if unpack(record)[0] == DRAW)
    assert "says win in 3, its moves say draw" in altered.fault({draw: pack(WIN, 3)})


@pytest.mark.slow
def test_a_win_made_a_draw_is_found(database, form):
    altered = Altered("abalone:rows=3,cols=3", database)
    win = next(at for at, record in altered.records.items() if unpack(record) == (WIN, 5))
    assert "says draw, its moves say win in 5" in altered.fault({win: pack(DRAW, 0)})


def test_a_position_that_is_gone_is_missed_where_a_move_leads_there(konane, form):
    for removed in random.Random(2).sample(list(konane.records), 6):
        if konane.text(removed) != konane.solution.summary.position:
            assert f" leads to {konane.text(removed)}, which is not in the database" in konane.fault({removed: None})


def test_a_start_that_is_gone_is_missed(database):
    altered = graph(database, [[1], [0]], [UNDECIDED] * 2, [0, 1])
    said = altered.fault({(0, 0): None}, value=DRAW, remoteness=None)
    assert said == "the start (0) is not in the database"


@pytest.mark.parametrize("tier", [20, 21])
def test_a_position_too_many_is_found(konane, form, tier):
    there = max(key for number, key in konane.records if number == tier)
    assert "cannot be reached from the start" in konane.fault({(tier, there + 1): pack(LOSE, 0)})


def test_a_key_that_stands_for_nothing_is_found(konane, form):
    said = konane.fault({(20, (1 << 62) + 12345): pack(LOSE, 0)})
    assert "cannot be reached from the start" in said


def test_a_tier_too_many_is_found(konane):
    assert "cannot be reached from the start" in konane.fault({(99, 5): pack(LOSE, 0)})
    assert "cannot be reached from the start" in konane.fault({(0, 5): pack(LOSE, 0)})


def test_a_ring_that_nothing_leads_to_is_found(database, form):
    """Every position has a parent, every value follows from its moves; it is none of the game's positions."""
    altered = graph(database, [[1], [0], [3], [2]], [UNDECIDED] * 4, [0, 1, 0, 1])
    assert set(altered.records) == {(0, 0), (0, 1)}
    said = altered.fault({(0, 2): pack(DRAW, 0), (0, 3): pack(DRAW, 0)})
    assert said == "position (2) cannot be reached from the start"


def test_a_position_in_a_tier_that_is_not_its_own_is_found(konane, form):
    moved = next(at for at in konane.records if at[0] == 20)
    said = konane.fault({moved: None, (21, moved[1]): konane.records[moved]})
    assert konane.text(moved) in said


def test_a_record_that_means_nothing_is_found(konane, form):
    changed = next(at for at in konane.records if at[0] == 20)
    assert "a record that means nothing" in konane.fault({changed: pack(DRAW, 7)})
    assert "is not in the database" in konane.fault({changed: UNREACHED})


def test_an_undecided_position_without_moves_is_found(database, form, monkeypatch):
    altered = graph(database, [[1], []], [UNDECIDED, LOSE], [0, 1])
    name = altered.variant.name.replace("l1@0:", "u1@0:")
    monkeypatch.setattr("gamesman.compiler.agreement.is_checked", lambda *_: True)
    stuck = object.__new__(Altered)
    stuck.__dict__ = {**altered.__dict__, "variant": variant(name)}
    said = stuck.fault({(0, 0): pack(WIN, 1), (0, 1): pack(LOSE, 0)})
    why = "generate_moves must yield a move where primitive says UNDECIDED, got none, at (1)"
    assert said == f"position (1) says lose in 0, it has no moves and is not over; {why}"


@pytest.mark.slow
def test_two_positions_with_one_key_are_found(tmp_path, database, form, monkeypatch):
    """The solver takes them for one, and what it then stores agrees with itself."""
    game, stairs = tmp_path / "mine.py", (SUPPORT / "stairs.py").read_text()
    doubled = "    floor, step, who = position\n"
    assert doubled in stairs
    game.write_text(stairs.replace(doubled, doubled + "    step *= floor != 1\n"))
    monkeypatch.setattr("gamesman.compiler.agreement.is_checked", lambda *_: True)
    assert CliRunner().invoke(cli, ["solve", str(game), "--no-verify"]).exit_code == 0
    said = run(str(game), code=1).stderr
    assert ", which has the key of (1 0 " in said, said


def test_a_tier_that_rises_is_found(database, form, monkeypatch):
    monkeypatch.setattr("gamesman.compiler.agreement.is_checked", lambda *_: True)
    altered = graph(database, [[1], [0]], [UNDECIDED] * 2, [0, 1], [5, 4], kind="tiers")
    assert altered.fault() == "position (1) of tier 4 leads up to tier 5"


@pytest.mark.parametrize("what", ["primitives", "moves"])
def test_a_summary_that_counts_wrongly_is_found(konane, what):
    tiers = konane.tiers(konane.records)
    n = getattr(tiers[3], what)
    setattr(tiers[3], what, n + 1)
    said = konane.fault(tiers=tiers)
    assert said == f"the summary says that tier {tiers[3].number} has {n + 1} {what}, it has {n}"


def test_a_summary_that_moves_a_count_is_found(konane):
    tiers = konane.tiers(konane.records)
    tier = next(tier for tier in tiers if len(tier.histogram.get(WIN, {})) > 1)
    (first, n), (second, _) = sorted(tier.histogram[WIN].items())[:2]
    tier.histogram[WIN][first] -= 1
    tier.histogram[WIN][second] += 1
    said = konane.fault(tiers=tiers)
    assert said == f"the summary says that {n - 1} positions of tier {tier.number} are win in {first}, {n} are"


@pytest.mark.parametrize(
    "said",
    [{"value": WIN}, {"remoteness": 6}, {"value": DRAW, "remoteness": None}, {"position": "(w nowhere)"}],
    ids=str,
)
def test_a_summary_that_says_something_else_of_the_start_is_found(konane, said):
    assert konane.fault(**said).startswith("the summary says ")


def test_little_room_changes_nothing(konane, form, monkeypatch):
    for module, name, value in [
        (proving, "MOVES_AT_ONCE", 1),
        (proving, "MOST_TIERS", 1),
        (verify, "PLACES_AT_ONCE", 512),
    ]:
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(Lookup, "_allocator", lambda self, size: self._new_file)
    konane.write()
    (fields,) = [json.loads(run(NAME, "--json").stdout)]
    assert (fields["status"], fields["positions"], fields["moves"]) == ("verified", 1279, 2100)
    changed = next(at for at in konane.records if at[0] == 20)
    assert konane.text(changed) in konane.fault({changed: pack(TIE, 5)})


@pytest.mark.slow
def test_threads_agree(monkeypatch, database):
    monkeypatch.setattr(walk, "MOST_INTERPRETED", 0)
    monkeypatch.setattr(verify, "PLACES_AT_ONCE", 512)
    altered = Altered("abalone:rows=3,cols=3", database)
    altered.write()
    found = [altered.verify(threads) for threads in (1, 2, 5)]
    assert {(v.positions, v.moves, v.tiers) for v in found} == {(10752, 61656, 8)}
    changed = next(at for at, record in altered.records.items() if unpack(record) == (WIN, 3))
    altered.write({changed: pack(WIN, 5)})
    for threads in (1, 2, 5):
        with pytest.raises(NotVerified, match="says win in 5, its moves say win in 3"):
            altered.verify(threads)


@pytest.mark.slow
@pytest.mark.parametrize("change", CONTRADICTIONS)
def test_a_block_that_contradicts_itself_is_found(change, tmp_path):
    name = "konane:rows=4,cols=5"
    store_solution(open_store(str(tmp_path)), name)
    assert json.loads(run(name, "--db", str(tmp_path), "--json").stdout)["status"] == "verified"
    (path,) = tmp_path.glob("*.gamesman")
    rewrite_block(path, lambda *_: None)
    run(name, "--db", str(tmp_path))
    rewrite_block(path, change)
    said = run(name, "--db", str(tmp_path), code=1).stderr
    assert said.startswith("verification failed: ") and " is damaged: " in said


def test_blocks_of_no_tier_are_found(konane, database):
    konane.write()
    (path,) = Path(database).glob("*.gamesman")
    with closing(sqlite3.connect(path)) as connection:
        names = "variant, tier, first, last, number, positions, content, checksum, packed_keys, packed_records"
        select = f"SELECT {names.replace('tier', 'tier + 1000')} FROM gamesman_blocks LIMIT 1"
        connection.execute(f"INSERT INTO gamesman_blocks ({names}) {select}")
        connection.commit()
    assert "expected 24 blocks in its tiers, got 25" in run(NAME, code=1).stderr


def test_a_flipped_byte_is_found(konane, database):
    konane.write()
    (path,) = Path(database).glob("*.gamesman")
    with closing(sqlite3.connect(path)) as connection:
        (packed,) = connection.execute("SELECT packed_records FROM gamesman_blocks WHERE tier = 20").fetchone()
        flipped = bytes([packed[0] ^ 1]) + packed[1:]
        connection.execute("UPDATE gamesman_blocks SET packed_records = ? WHERE tier = 20", [flipped])
        connection.commit()
    result = run(NAME, "--json", code=1)
    said = f"verification failed: {path} is damaged: a block of tier 20; run: gamesman solve --restart {NAME}"
    assert result.stderr == said + "\n"
    found = json.loads(result.stdout)
    assert (found["variant"], found["status"], found["error"]) == (NAME, "failed", said)


def test_a_failure_is_one_line_and_one_object(konane):
    changed = next(at for at, record in konane.records.items() if unpack(record) == (WIN, 5))
    konane.write({changed: pack(WIN, 7)})
    what = f"position {konane.text(changed)} says win in 7, its moves say win in 5"
    said = f"verification failed: {NAME}: {what}; run: gamesman solve --restart {NAME}"
    result = run(NAME, code=1)
    assert (result.stdout, result.stderr) == ("", said + "\n")
    result = run(NAME, "--json", code=1)
    found = json.loads(result.stdout)
    assert (found["status"], found["error"]) == ("failed", said) and 0 <= found["positions"] < 1279
    assert result.stderr == said + "\n"


def test_fields_are_those_of_the_help(konane):
    konane.write()
    found = json.loads(run(NAME, "--json").stdout)
    assert list(found) == "variant status positions moves tiers seconds cpu_seconds peak_memory".split()
    assert all(f'"{name}"' in run("--help").stdout for name in found)


def test_what_is_not_solved_is_not_verified():
    result = run(NAME, code=1)
    assert result.stderr == f"{NAME} is not solved; run: gamesman solve {NAME}\n"
    assert run("konane:rows=x", code=2).stderr == "rows must be a whole number, got x\n"


def test_an_interruption_says_that_nothing_was_changed(konane, monkeypatch):
    konane.write()
    monkeypatch.setattr(progress.Silent, "advance", Mock(side_effect=KeyboardInterrupt))
    assert run(NAME, code=1).stderr == f"interrupted while verifying {NAME}; nothing was changed\n"


@pytest.mark.slow
def test_a_small_variant_starts_no_compiler(konane, database):
    konane.write()
    program = (
        "import sys; from gamesman.cli.main import cli\n"
        f"code = cli.main(['verify', '{NAME}', '--db', {database!r}], standalone_mode=False)\n"
        "sys.exit(code or 'numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


@pytest.mark.slow
def test_on_a_server_as_well(place):
    altered = Altered(NAME, place)
    altered.write()
    assert json.loads(run(NAME, "--db", place, "--json").stdout)["positions"] == 1279
    changed = next(at for at, record in altered.records.items() if unpack(record) == (WIN, 5))
    assert altered.fault({changed: pack(WIN, 7)}).endswith("says win in 7, its moves say win in 5")
    assert "cannot be reached" in altered.fault({(20, (1 << 62)): pack(LOSE, 0)})
    other = Altered("konane", place)
    other.write()
    assert other.verify().positions == 17
