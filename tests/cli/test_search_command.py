"""`gamesman search`: what it says, what it takes, and where a database answers instead."""

import json

import pytest
from click.testing import CliRunner

from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.model.variant import variant
from gamesman.search.searcher import Searcher
from gamesman.solver.solve import solve
from gamesman.values import DRAW, LOSE, UNDECIDED, WIN

START = "-wWw--www-------bbb--bBb-"
NEXT = "-wWw--w-w---w---bbb--bBb-"
FIELDS = """variant position turn move leads_to value remoteness score depth line nodes seconds nodes_per_second source
    compiled note""".split()


def run(*words, code=0):
    result = CliRunner().invoke(cli, ["search", *words])
    assert (result.exit_code, result.exception if code == 0 else None) == (code, None), result.stderr
    return result


def answer(*words):
    return json.loads(run(*words, "--json").stdout)


def store(name):
    v = variant(name)
    with open_store().writer(v) as writer:
        solve(v, sink=writer, threads=1)
    return open_store().open(v)


def test_it_says_the_best_move_its_score_the_line_and_the_nodes():
    found = answer("hex_abalone", "--depth", "4")
    assert list(found) == FIELDS
    v = variant("hex_abalone")
    position = v.start()
    for name in found["line"]:
        position = v.do_move(position, v.parse_move(position, name))
    assert len(found["line"]) == found["depth"] == 4
    assert found["score"] == v.game.functions["evaluate"](v.rules, position)
    assert found["move"] == found["line"][0]
    assert found["position"] == v.show(v.start())
    assert (found["value"], found["remoteness"], found["source"]) == (None, None, "search")
    assert found["nodes"] > 100
    assert abs(found["nodes_per_second"] - found["nodes"] / found["seconds"]) < 0.02 * found["nodes_per_second"]


def test_a_value_that_is_certain_is_said():
    found = answer("konane", "--depth", "20")
    assert (found["value"], found["remoteness"], found["turn"]) == ("lose", 7, "w")
    assert "White to move loses in 7" in run("konane", "--depth", "20").stdout
    found = answer("tictactoe", "(x xx- oo- ---)", "--depth", "1")
    assert (found["move"], found["value"], found["remoteness"]) == ("c3", "win", 1)


def test_a_game_that_is_over_has_no_move():
    found = answer("hex_abalone:edge=2", "--depth", "3")
    assert [found[field] for field in ("move", "leads_to", "value", "remoteness", "line")] == [None, None, "tie", 0, []]
    assert "a tie" in run("hex_abalone:edge=2").stdout


@pytest.mark.slow
def test_a_time_ends_the_search():
    found = answer("hex_abalone", "--time", "0.1")
    assert found["depth"] >= 1
    assert found["line"]
    assert answer("hex_abalone", "--time", "1000", "--depth", "2")["depth"] == 2


def test_an_estimate_is_said_to_be_one():
    said = run("hex_abalone", "--depth", "2").stdout
    assert "by estimate, 2 moves ahead" in said
    assert "best move" in said


def test_a_board_too_large_says_that_it_is_interpreted():
    said = run("abalone:rows=17,cols=17", "--time", "0.05").stdout
    assert "a second, interpreted" in said
    assert "256 bits" in said


@pytest.mark.slow
def test_a_stored_database_answers_instead():
    store("ctf:size=3").close()
    found = answer("ctf:size=3", "--depth", "1")
    assert (found["value"], found["remoteness"], found["source"], found["nodes"]) == ("win", 5, "database", 0)
    assert len(found["line"]) == 5
    assert answer("ctf:size=3", "--depth", "1", "--no-db")["source"] == "search"


@pytest.mark.slow
def test_where_the_database_does_not_have_the_position_it_is_asked_further_on():
    with store("konane:rows=4,cols=5,any_piece") as stored:
        v = variant("konane:rows=4,cols=5,any_piece")
        # The start with the other colour to move cannot be reached, but what follows may be.
        white, black, who, last = v.start()
        position = (white, black, 1 - who, last)
        assert stored.get(position) is None
        plain = Searcher(v).search(position, depth=30)
        asked = Searcher(v, stored).search(position, depth=30)
        assert (asked.value, asked.remoteness) == (plain.value, plain.remoteness)
        assert asked.source == "search"
        assert "does not have the position" in asked.note


@pytest.mark.slow
def test_the_database_is_asked_at_every_node_and_what_it_knows_is_not_searched():
    v = variant("konane:rows=4,cols=5")

    class Known:
        """Has every position but the start."""

        def __init__(self, stored):
            self.stored = stored

        def get(self, position):
            return None if position == v.start() else self.stored.get(position)

    with store(v.name) as stored:
        found = Searcher(v, Known(stored)).search(v.start(), depth=1)
        assert (found.value, found.remoteness) == stored.get(v.start())
        assert found.nodes == 1 + len(list(v.generate_moves(v.start())))


@pytest.mark.slow
def test_a_win_is_searched_where_a_quicker_win_has_been_and_may_not_come_back():
    """Who has made a slower winning move goes on without the position that he has left."""
    with store("ctf:size=3") as stored:
        v = variant("ctf:size=3")
        seen, frontier, slower, others = {v.start()}, [v.start()], [], []
        while frontier and not (slower and others):
            position = frontier.pop()
            for move in v.generate_moves(position) if v.primitive(position) == UNDECIDED else ():
                child = v.do_move(position, move)
                if v.tier(child) == v.tier(position) and v.primitive(child) == UNDECIDED:
                    (value, remoteness), (its, to) = stored.get(position), stored.get(child)
                    if (value, its) == (WIN, LOSE) and to > remoteness:
                        slower.append((position, child))
                    elif its == WIN and value != LOSE:
                        others.append((position, child))
                if child not in seen:
                    seen.add(child)
                    frontier.append(child)
        before, after = slower[0]
        found = Searcher(v, stored).search(after, depth=2, past=[before])
        assert found.source == "search"
        assert "which positions may not come back" in found.note
        before, after = others[0]
        assert Searcher(v, stored).search(after, depth=2, past=[before]).source == "database"


@pytest.mark.slow
def test_a_stored_draw_of_a_game_without_repetition_is_searched_among_the_moves_that_do_not_lose():
    with store("ctf:size=3") as stored:
        v = variant("ctf:size=3")
        drawn, frontier = [], [v.start()]
        while frontier and len(drawn) < 20:
            position = frontier.pop()
            children = [v.do_move(position, m) for m in v.generate_moves(position)]
            frontier += [child for child in children if v.primitive(child) < 0][:2]
            if stored.get(position)[0] == DRAW:
                drawn.append(position)
        assert drawn
        for position in drawn:
            found = Searcher(v, stored).search(position, depth=2)
            assert found.source == "search"
            assert stored.get(v.do_move(position, found.move))[0] == DRAW


def test_a_history_is_boards_or_positions_here_or_in_a_file(tmp_path):
    expected = answer("ctf", "(b -wWw- -w-w- --w-- -bbb- -bBb-)", "--depth", "3", "--history", f"{NEXT} {START}")
    assert expected["turn"] == "b"
    file = tmp_path / "history.txt"
    file.write_text(f"{NEXT}\n{START}\n")
    positions = "(b -wWw- -w-w- --w-- -bbb- -bBb-), (w -wWw- -www- ----- -bbb- -bBb-)"
    for history in (f"{NEXT},{START}", f'["{NEXT}", "{START}"]', str(file), positions):
        found = answer("ctf", "--history", history, "--depth", "3")
        assert [found[field] for field in FIELDS[:10]] == [expected[field] for field in FIELDS[:10]]


def test_a_board_that_says_whose_turn_it_is_stands_for_one_position():
    assert answer("tictactoe", "--history", "----x----", "--depth", "1")["position"] == "(o --- -x- ---)"


def test_who_has_no_move_left_by_the_history_is_told_why():
    v = variant("ctf:size=3")
    position = v.parse("(w w-W --- bBb)")
    after = [v.show(v.do_move(position, move)) for move in v.generate_moves(position)]
    found = answer("ctf:size=3", v.show(position), "--depth", "3", "--history", " ".join(after))
    assert (found["move"], found["value"], found["remoteness"]) == (None, "lose", 0)
    assert found["note"] == "no move is left: each would bring back a position that has been"


def test_no_move_brings_back_a_board_of_the_history():
    v = variant("ctf:size=3")
    start = v.show(v.start())
    best = answer("ctf:size=3", start, "--depth", "3")
    found = answer("ctf:size=3", start, "--depth", "3", "--history", best["leads_to"])
    assert found["move"] != best["move"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ctf", "--history", "wWBb", "--depth", "1"], "or a board like -wWw--www-------bbb--bBb-, got wWBb"),
        (["ctf", "--history", " ", "--depth", "1"], "expected a file or boards"),
        (["ctf", "--history", "x" * 25, "--depth", "1"], "expected 5 rows of 5 cells"),
        (["konane", "--history", "wbwbbwb-w-wb"], 'expected a position like (w "" wbwb bwb- w-wb), got wbwb'),
        (["tictactoe", "--history", "xxx------"], "expected as many x as o"),
        (["ctf", "--depth", "0"], "--depth must be 1 or more"),
        (["ctf", "--depth", "1001"], "depth must be 1 to 1000"),
        (["ctf", "--depth", "two"], "--depth must be a whole number"),
        (["ctf", "--time", "0"], "--time must be a number of seconds"),
        (["ctf", "--time", "soon"], "--time must be a number of seconds"),
        (["ctf", "--table", "large"], "--table must be a size"),
        (["ctf", "(w)", "--depth", "1"], "expected 5 rows"),
        (["chess", "--depth", "1"], "no such game: chess"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong(words, said):
    result = run(*words, code=2)
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
