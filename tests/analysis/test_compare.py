"""What `compare` says of several variants, found again by SQL from exports and from the reference solver."""

import csv
import io
import json
import re
from collections import Counter
from itertools import combinations
from math import inf

import duckdb
import pytest
from click.testing import CliRunner
from support.storing import store_solution

from gamesman.analysis import matching, sharing, walk
from gamesman.analysis.statistics import NO_P_VALUES
from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.errors import NotSolved
from gamesman.model.variant import variant, variants
from gamesman.values import NAMES

pytestmark = pytest.mark.slow

EIGHT = "konane:rows=3..4,misere=*,any_piece=*"


def run(*words, code=0):
    result = CliRunner().invoke(cli, [*words])
    assert (result.exit_code, result.exception if code == 0 else None) == (code, None), result.stderr
    return result


def compared(*words):
    return json.loads(run("compare", *words, "--json").stdout)


def stored(place, *texts):
    """Store what the texts stand for; the solutions by name."""
    store = open_store(place)
    return {v.name: store_solution(store, v.name) for text in texts for v in variants(text)}


@pytest.fixture(params=["interpreted", "compiled"])
def form(request, monkeypatch):
    if request.param == "compiled":
        monkeypatch.setattr(walk, "MOST_INTERPRETED", 0)


def by_text(name, solution):
    show = variant(name).show
    return {show(position): answer for position, answer in solution.values.items()}


def check_shared(pair, solutions):
    """Match the texts of two reference solutions, which is what sharing a position means."""
    first, second = (by_text(pair[side], solutions[pair[side]]) for side in ("first", "second"))
    both = first.keys() & second.keys()
    shared = pair["shared"]
    assert shared["positions"] == len(both)
    if "reason" in shared:
        return
    changes = Counter((NAMES[first[t][0]], NAMES[second[t][0]]) for t in both)
    assert {(a, b): n for a, row in shared["changes"].items() for b, n in row.items() if n} == changes
    assert shared["same_value"] == sum(n for (a, b), n in changes.items() if a == b)
    assert shared["same_value_and_remoteness"] == sum(first[t] == second[t] for t in both)
    assert {(e["from"], e["to"]): e["positions"] for e in shared["examples"]} == {
        (a, b): n for (a, b), n in changes.items() if a != b
    }
    for example in shared["examples"]:
        worth = [(NAMES[v], r) for v, r in (first[example["position"]], second[example["position"]])]
        assert worth == [(example[side], r) for side, r in zip(("from", "to"), example["remoteness"], strict=True)]


@pytest.mark.parametrize(
    "texts",
    [
        ["konane:rows=4,misere=*,any_piece=*"],
        ["abalone:rows=3,cols=3,captures=1..3"],
        ["abalone:rows=3,cols=3", "abalone:rows=3,cols=3,misere"],
        ["konane:rows=4", "konane:rows=4,removed=a1,a2"],
        ["konane", 'konane:start=(w "" wbwb bw-- w-wb)', 'konane:start=(w "" bbwb bw-w w-wb)'],
        ["ctf:size=2", "ctf:size=3"],
        ["hex_abalone:edge=2", "tictactoe", "ten_to_zero"],
    ],
    ids=" ".join,
)
def test_shared_positions_are_those_with_the_same_text(texts, form, database):
    solutions = stored(database, *texts)
    found = compared(*texts)
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == list(combinations(solutions, 2))
    for pair in found["pairs"]:
        check_shared(pair, solutions)


def test_boards_of_other_shapes_share_nothing_though_their_numbers_are_the_same(database):
    """A bit a cell: a board of 3x5 and one of 5x3 are the same tuple."""
    solutions = stored(database, "konane:rows=3,cols=5", "konane:rows=5,cols=3")
    positions = [set(solution.values) for solution in solutions.values()]
    assert positions[0] & positions[1]
    (pair,) = compared("konane:rows=3,cols=5", "konane:rows=5,cols=3")["pairs"]
    assert pair["shared"] == {"positions": 0, "reason": "their boards differ"}


def test_the_same_texts_of_other_tuples_are_not_counted_as_none(database, tmp_path):
    """A game whose tuples hold an option: the same text is another tuple in each variant."""
    game = tmp_path / "countdown.py"
    game.write_text(COUNTDOWN)
    texts = [f"{game}:extra=0", f"{game}:extra=1"]
    stored(database, *texts)
    (pair,) = compared(*texts)["pairs"]
    assert pair["shared"]["reason"].startswith("the same boards are other tuples of numbers")


def test_sharing_in_parts_is_the_same_as_at_once(database, form, monkeypatch):
    texts = ["konane:rows=4,any_piece", "konane:rows=4"]
    solutions = stored(database, *texts)
    whole = compared(*texts)
    check_shared(whole["pairs"][0], solutions)
    monkeypatch.setattr(matching, "number_alike", lambda solved: False)  # each is given a code
    assert compared(*texts) == whole
    monkeypatch.setattr(sharing, "TIER_BYTES", 2000)
    assert compared(*texts) == whole
    monkeypatch.setattr(matching, "CODE_BITS", 0)  # which is mixed from the position's numbers
    assert compared(*texts) == whole
    mixed, seeds = matching._mixed, []

    def often_the_same(words, seed):
        seeds.append(seed)
        return mixed(words, seed) % 64 if seed == 1 else mixed(words, seed)

    monkeypatch.setattr(matching, "_mixed", often_the_same)
    assert compared(*texts) == whole and max(seeds) > 1


def test_the_order_of_the_variants_turns_the_changes_round(database):
    texts = ["konane:rows=4,any_piece", "konane:rows=4,misere"]
    stored(database, *texts)
    there, back = (compared(*order)["pairs"][0] for order in (texts, texts[::-1]))
    for value, other in [(a, b) for a in NAMES for b in NAMES]:
        assert there["shared"]["changes"][value][other] == back["shared"]["changes"][other][value]
    assert there["effects"]["cliffs_delta"]["value"] == -back["effects"]["cliffs_delta"]["value"]
    for name in ("cramers_v", "total_variation", "kolmogorov_smirnov"):
        assert there["effects"][name] == back["effects"][name]


def test_numbers_are_those_of_the_exported_positions(tmp_path, database):
    names = ["abalone:rows=3,cols=3", "abalone:rows=3,cols=3,misere"]
    stored(database, *names)
    sql = duckdb.connect()
    for name, letter in zip(names, "ab", strict=True):
        run("export", name, str(tmp_path / f"{letter}.parquet"), "--quiet")
        sql.execute(f"create view {letter} as select * from '{tmp_path / letter}.parquet'")
    found = compared(*names)
    for fields, letter in zip(found["variants"], "ab", strict=True):
        query = f"""select count(*), avg(remoteness), median(coalesce(remoteness, 'infinity'::double)),
            max(remoteness), count(*) - count(remoteness), avg((value in ('win', 'lose'))::int),
            avg((value = 'win')::int), avg((value = 'lose')::int) from {letter}"""
        names_ = "positions mean_remoteness median_remoteness max_remoteness never_end decisiveness".split()
        wanted = [*(fields[name] for name in names_), fields["shares"]["win"], fields["shares"]["lose"]]
        wanted[2] = inf if wanted[2] is None else wanted[2]
        assert sql.execute(query).fetchone() == pytest.approx(tuple(wanted))
        query = f"""select avg((value = 'win')::int) from {letter} where remoteness is distinct from 0
            group by position[2] order by position[2]"""
        shares = [share for (share,) in sql.execute(query).fetchall()]
        assert [fields[f"{player}_player"]["share"] for player in ("first", "second")] == pytest.approx(shares)
    (pair,) = found["pairs"]
    query = "select a.value, b.value, count(*) from a join b using (position) group by all"
    changes = {(v, w): n for v, row in pair["shared"]["changes"].items() for w, n in row.items() if n}
    assert {(v, w): n for v, w, n in sql.execute(query).fetchall()} == changes
    query = """select sum(abs(coalesce(x, 0) - coalesce(y, 0))) / 2 from
        (select value, count(*) / (select count(*) from a) as x from a group by value) full join
        (select value, count(*) / (select count(*) from b) as y from b group by value) using (value)"""
    (distance,) = sql.execute(query).fetchone()
    assert pair["effects"]["total_variation"]["value"] == pytest.approx(distance, abs=1e-6)
    for letter in "ab":
        sql.execute(f"""create view ends_{letter} as select coalesce(remoteness, 'infinity'::double) as r,
            count(*) / (select count(*) from {letter}) as n from {letter} group by 1""")
    query = "select sum(a.n * b.n * ((b.r > a.r)::int - (b.r < a.r)::int)) from ends_a as a, ends_b as b"
    (delta,) = sql.execute(query).fetchone()
    assert pair["effects"]["cliffs_delta"]["value"] == pytest.approx(delta, abs=1e-6)
    query = """select max(abs((select coalesce(sum(n), 0) from ends_a where r <= bound) - (select coalesce(sum(n), 0)
        from ends_b where r <= bound))) from (select r as bound from ends_a union select r from ends_b)"""
    (gap,) = sql.execute(query).fetchone()
    assert pair["effects"]["kolmogorov_smirnov"]["value"] == pytest.approx(gap, abs=1e-6)


def test_ranges_are_all_their_variants_and_each_once(database):
    stored(database, EIGHT)
    found = compared(EIGHT, "konane")
    assert [fields["variant"] for fields in found["variants"]] == [v.name for v in variants(EIGHT)]
    assert len(found["pairs"]) == 28
    assert found["note"] == NO_P_VALUES and "p_value" not in json.dumps(found)


def test_a_variant_is_the_same_alone_and_in_a_comparison(database):
    stored(database, "konane:misere=*")
    alone = json.loads(run("stats", "konane:misere", "--json").stdout)
    fields = compared("konane", "konane:misere")["variants"][1]
    assert "first_player_advantage" not in fields | alone
    assert {name: fields[name] for name in fields if name != "shares"} == {
        name: alone[name] for name in fields if name != "shares"
    }


def test_the_page_for_people_says_what_the_json_says(database):
    stored(database, "konane:rows=4,misere=*", "ctf:size=2")
    words = ["konane:rows=4,misere=*", "ctf:size=2"]
    found, text = compared(*words), run("compare", *words).stdout
    lines = [line.split() for line in text.splitlines()]
    assert ["C", "ctf:size=2"] in lines
    for name, field in (("positions", "positions"), ("max remoteness", "max_remoteness")):
        assert [*name.split(), *(f"{fields[field]:,}" for fields in found["variants"])] in lines
    pair = found["pairs"][0]
    v, delta = pair["effects"]["cramers_v"], pair["effects"]["cliffs_delta"]
    assert f"A and B  {v['value']:.2f} {v['size']}" in text and f"{delta['value']:+.2f} {delta['size']}" in text
    assert f"A and B share {pair['shared']['positions']:,} positions: " in text
    assert all(example["position"] in text for example in pair["shared"]["examples"])
    assert text.splitlines()[-1] == "no positions shared: A and C, B and C: they are different games"
    assert NO_P_VALUES in " ".join(text.split())


def test_csv_is_a_row_a_variant(database):
    stored(database, "konane:rows=4,misere=*")
    rows = list(csv.DictReader(io.StringIO(run("compare", "konane:rows=4,misere=*", "--csv").stdout)))
    fields = compared("konane:rows=4,misere=*")["variants"]
    for row, expected in zip(rows, fields, strict=True):
        assert row["variant"] == expected["variant"]
        assert (int(row["win"]), float(row["share_win"])) == (expected["counts"]["win"], expected["shares"]["win"])
        assert int(row["only_moves_lose"]) == expected["only_moves_by_value"]["lose"]
        assert float(row["first_player_share"]) == expected["first_player"]["share"]
        assert float(row["mean_remoteness"]) == expected["mean_remoteness"]
        assert None not in row and None not in row.values()


def test_csv_can_be_the_whole_distributions(database):
    solutions = stored(database, "abalone:rows=3,cols=3,misere=*")
    text = run("compare", "abalone:rows=3,cols=3,misere=*", "--csv", "--remoteness").stdout
    found = {
        (row["variant"], row["value"], row["remoteness"]): int(row["positions"])
        for row in csv.DictReader(io.StringIO(text))
    }
    expected = Counter(
        (name, NAMES[value], "" if r is None else str(r))
        for name, solution in solutions.items()
        for value, r in solution.values.values()
    )
    assert found == expected


def test_without_the_walk_players_and_only_moves_are_left_out(database):
    stored(database, "konane:misere=*")
    quick = compared("konane:misere=*", "--quick")
    assert all(fields["only_moves"] is fields["first_player"] is None for fields in quick["variants"])
    pair, whole = (found["pairs"][0] for found in (quick, compared("konane:misere=*")))
    assert pair["shared"] | {"best_moves": whole["shared"]["best_moves"]} == whole["shared"]
    assert pair["shared"]["best_moves"] is None and whole["shared"]["best_moves"]["moves"] > 0
    text = run("compare", "konane:misere=*", "--quick").stdout
    assert "only move" not in text and "first wins" not in text and "decisive" in text
    assert run("compare", "konane:misere=*", "--quick", "--csv").stdout.count("\n") == 3


def test_what_there_is_none_of_has_no_row_unless_it_is_asked_for(database):
    stored(database, "konane:misere=*")
    shown = {line.split("  ")[0] for line in run("compare", "konane:misere=*").stdout.splitlines()}
    assert "losses" in shown and not shown & {"ties", "draws", "never end"}
    asked = run("compare", "konane:misere=*", "--measure", "ties").stdout
    assert re.search(r"^ties +0.0 % +0.0 %$", asked, re.M)


def test_nothing_is_solved_unless_told_to(database):
    stored(database, "konane")
    result = run("compare", "konane:misere=*", code=1)
    assert result.stderr == "konane:misere is not solved; run: gamesman solve konane:misere\n"
    result = run("compare", "konane:misere=*", "--solve", "--json")
    assert result.stderr == "solving konane:misere\n"
    with open_store(database).open(variant("konane:misere")) as solved:
        assert json.loads(result.stdout)["variants"][1]["positions"] == solved.summary.as_json()["positions"] == 17
    assert run("compare", "konane:misere=*", "--solve", "--json").stderr == ""


def test_solving_that_is_refused_leaves_nothing_behind(database):
    result = run("compare", "konane", "konane:rows=26,cols=26", "--solve", "--quiet", code=1)
    assert result.stderr.count("\n") == 1 and result.stdout == ""
    with pytest.raises(NotSolved):
        open_store(database).open(variant("konane:rows=26,cols=26"))


@pytest.mark.parametrize(
    "words, said",
    [
        (["konane"], "expected two or more variants to compare, got one: konane; name another, or a range: misere=*"),
        (["konane", "konane:misere=no"], "expected two or more variants to compare, got one: konane;"),
        (["konane:misere=*", "--measure", "win"], "expected a measure, one of positions, wins, losses, ties, draws"),
        (["konane:misere=*", "--sort", "only move", "--quick"], "only move needs the walk over all positions"),
        (["konane:misere=*", "--baseline", "konan"], "no such game: konan (did you mean konane?)"),
        (["konane:misere=*", "--baseline", "konane", "--all-pairs"], "expected --baseline or --all-pairs, got both"),
        (["konane:misere=*", "--csv", "--json"], "expected --csv or --json, got both"),
        (["konane:misere=*", "--remoteness"], "--remoteness says what --csv gives; add --csv"),
        (["konane:misere=*", "--plot", "x.jpg"], "--plot must be a file that ends in .png, .svg or .pdf, got x.jpg"),
        (["konane:misere=*", "--html", "x.png"], "--html must be a file that ends in .html or .htm, got x.png"),
        (["konane:misere=*", "--html", "no/x.html"], "--html must be a file in a folder that there is, got no/x.html"),
        (["konan:misere=*"], "no such game: konan (did you mean konane?); run: gamesman games"),
        (["konane:rows=*"], "rows=* has no end; give a range like rows=3..5"),
        (["konane:rows=5..3"], "rows must be a range like 3..5, got 5..3"),
        (["konane:misere=*", "--threads", "0"], "--threads must be 1 or more, got 0"),
        (["konane:misere=*", "--sovle"], "no such option: --sovle (did you mean --solve?)"),
    ],
    ids=lambda found: " ".join(found) if isinstance(found, list) else "",
)
def test_a_wrong_call_is_one_line(words, said):
    result = run("compare", *words, code=2)
    assert result.stderr.startswith(said) and result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_the_sample_that_decides_is_of_every_tier(database):
    stored(database, "konane:rows=4")
    with open_store(database).open(variant("konane:rows=4")) as solved:
        found = {solved.variant.tier(position) for position in sharing._sample(solved)}
        assert found == set(solved.tiers)


COUNTDOWN = '''"""Count down to zero."""

from typing import NamedTuple

from gamesman.options import Number
from gamesman.values import LOSE, UNDECIDED

options = [Number("extra", default=0, low=0)]


class Rules(NamedTuple):
    extra: int


def setup(o):
    return Rules(o.extra)


def start(rules):
    return (5 + rules.extra,)


def hash(rules, position):
    return position[0]


def unhash(rules, key):
    return (key,)


def turn(rules, position):
    return (position[0] - rules.extra) % 2


def primitive(rules, position):
    return LOSE if position[0] == rules.extra else UNDECIDED


def generate_moves(rules, position):
    yield 1


def do_move(rules, position, move):
    return (position[0] - move,)


def show(rules, position):
    return str(position[0] - rules.extra)


def parse(rules, text):
    return (int(text) + rules.extra,)


def move_name(rules, position, move):
    return "-1"
'''
