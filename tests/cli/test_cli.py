"""The command line's answers, for people and for programs."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import SUPPORT

from gamesman.cli.display import filled
from gamesman.cli.main import cli
from gamesman.model import game

GRAPH = str(SUPPORT / "graph_game.py")
START = '(w "" wbwb bwb- w-wb)'
MOVE_FIELDS = ["move", "position", "turn", "value", "remoteness"]
SOLVE_FIELDS = """variant status position value remoteness positions counts primitives moves max_remoteness tiers
    seconds cpu_seconds peak_memory database_bytes""".split()


def run(*words, stdin=None, code=0):
    result = CliRunner().invoke(cli, [*words], input=stdin)
    assert (result.exit_code, result.exception if code == 0 else None) == (code, None), result.stderr
    return result


def answers(*words, stdin=None, code=0):
    return [json.loads(line) for line in run(*words, "--json", stdin=stdin, code=code).stdout.splitlines()]


def test_a_call_without_a_command_shows_the_help():
    assert run().stdout == run("--help").stdout
    assert "query" in run().stdout


def test_every_command_has_examples_of_itself():
    ctx = cli.make_context("gamesman", ["games"])
    for name in cli.list_commands(ctx):
        examples = cli.get_command(ctx, name).examples
        assert examples and all(f"gamesman {name}" in example for example in examples), name
        assert all(example in run(name, "--help").stdout for example in examples), name


def test_games_is_a_line_a_game():
    lines = run("games").stdout.splitlines()
    assert len(lines) == len(game.built_in())
    assert any(line.startswith("konane ") and line.endswith(game.load("konane").title) for line in lines)
    assert {"name": "konane", "title": game.load("konane").title} in answers("games")


class Broken:
    """An installed game that cannot be imported."""

    def __init__(self, error):
        self.error = error

    def load(self):
        raise self.error


@pytest.mark.parametrize("error", [ImportError("no hex"), ZeroDivisionError("by zero"), SystemExit(3)], ids=repr)
def test_a_broken_installed_game_does_not_break_the_list(monkeypatch, error):
    monkeypatch.setattr(game, "_installed", lambda: {"broken": Broken(error)})
    found = answers("games")
    assert {fields["name"] for fields in found} == {*game.built_in(), "broken"}
    assert [set(fields) for fields in found if fields["name"] == "broken"] == [{"name", "error"}]
    assert len(run("games").stdout.splitlines()) == len(found)


def test_info_shows_rules_options_notation_and_the_board():
    text = run("info", "konane").stdout
    for part in (game.load("konane").rules_text, START, "3  w b w b\n2  b w b -\n1  w - w b\n", "White to move: b2-d2"):
        assert part in text
    assert "  misere     yes or no " in text


@pytest.mark.parametrize("name", game.built_in())
def test_info_fits_a_terminal_of_80_letters_with_every_word(name, monkeypatch):
    words = run("info", name).stdout.partition("  option")[0].split()
    monkeypatch.setenv("COLUMNS", "80")
    text = run("info", name).stdout
    assert max(map(len, text.splitlines())) <= 80
    assert text.partition("  option")[0].split() == words


def test_paragraphs_are_filled_anew_and_what_begins_a_line_still_does(monkeypatch):
    text = "Items\n    one    is explained in a line which\n           goes on\n    two    is not\n\n  a  b\n 1  2"
    monkeypatch.setenv("COLUMNS", "30")
    assert filled(text) == (
        "Items\n    one    is explained in a\n           line which goes on\n    two    is not\n\n  a  b\n 1  2"
    )


def test_info_of_a_file_shows_no_letter_that_a_terminal_would_obey(tmp_path):
    (tmp_path / "obeyed.py").write_text(
        (SUPPORT / "stairs.py").read_text() + "\n\ndef draw(r, p):\n    return 'a\\x1b[2J\\a\\nb'\n"
    )
    text = run("info", str(tmp_path / "obeyed.py")).stdout
    assert "\na?[2J?\nb\n" in text
    assert all(letter.isprintable() or letter == "\n" for letter in text)


def test_info_of_a_variant_gives_its_own_example_and_ranges():
    (fields,) = answers("info", "abalone:rows=3,cols=3")
    captures = next(option for option in fields["options"] if option["name"] == "captures")
    assert captures["range"] == "1 to 3 here"
    assert (captures["kind"], captures["default"], captures["value"]) == ("number", 2, 2)
    assert (fields["variant"], fields["position"]) == ("abalone:rows=3,cols=3", "(b bb- b-w -ww)")
    assert list(fields) == "name variant title rules players options position turn board moves".split()


@pytest.mark.parametrize("name", game.built_in())
def test_info_knows_every_game(name):
    (fields,) = answers("info", name)
    assert fields["title"] in run("info", name).stdout
    assert len(fields["options"]) == len(game.load(name).options)


def test_solve_gives_the_fields_of_the_contract():
    (fields,) = answers("solve", "konane:cols=4,rows=4,misere=no", "--reference")
    assert list(fields) == SOLVE_FIELDS
    assert (fields["variant"], fields["status"], fields["value"], fields["remoteness"]) == (
        "konane:rows=4",
        "solved",
        "lose",
        4,
    )
    assert fields["counts"] == {"win": 779, "lose": 500, "tie": 0, "draw": 0}
    assert fields["peak_memory"] > 1_000_000 and fields["seconds"] > 0 and fields["database_bytes"] is None


def test_solve_takes_ranges_and_solves_each_variant_once():
    found = answers("solve", "konane:misere=*", "konane:rows=3..4", "--reference")
    assert [fields["variant"] for fields in found] == ["konane", "konane:misere", "konane:rows=4"]


def test_of_several_variants_one_too_large_does_not_stop_the_others(monkeypatch):
    monkeypatch.setattr("gamesman.app.sources.MOST_POSITIONS", 20)
    found = answers("solve", "konane:rows=3..5", "--reference", code=1)
    assert [set(fields) == {"variant", "error"} for fields in found] == [False, True, True]
    assert "konane:rows=4 has more than 20 positions" in found[1]["error"]


def test_solve_says_in_words_what_it_found():
    lines = run("solve", "konane", "--reference").stdout.splitlines()
    assert lines[:6] == [
        "konane: White to move loses in 7",
        "  positions  17: 9 wins, 8 losses, 0 ties, 0 draws",
        "  primitive  4",
        "  moves      17",
        "  longest    7 moves",
        "  tiers      11",
    ]
    assert lines[6].startswith("  took       0.0")


def test_query_gives_the_fields_of_the_contract():
    (fields,) = answers("query", "konane", "--reference")
    assert fields == {
        "position": START,
        "turn": "w",
        "value": "lose",
        "remoteness": 7,
        "moves": [
            {"move": "b2-d2", "position": '(b "" wbwb b--w w-wb)', "turn": "b", "value": "lose", "remoteness": 6}
        ],
    }
    assert list(fields) == ["position", "turn", "value", "remoteness", "moves"]
    assert list(fields["moves"][0]) == MOVE_FIELDS


def test_query_draws_the_board_and_ranks_the_moves():
    position = '(b "" bw-- w--b ---w -b--)'
    assert run("query", "konane:rows=4,misere", position, "--reference").stdout == (
        """(b "" bw-- w--b ---w -b--)

4  b w - -
3  w - - b
2  - - - w
1  - b - -

   a b c d

Black to move wins in 2

move   value  remoteness  delta             leads to
a4-a2  win             1  best              (w "" -w-- ---b b--w -b--)
a4-c4  win             2  1 later           (w "" --b- w--b ---w -b--)
d3-d1  lose            0  gives up the win  (w "" bw-- w--- ---- -b-b)
"""
    )


def test_winning_shows_only_the_moves_that_keep_the_value():
    question = ["query", "konane:rows=4,misere", '(b "" bw-- w--b ---w -b--)', "--reference", "--winning"]
    assert [move["move"] for move in answers(*question)[0]["moves"]] == ["a4-a2", "a4-c4"]
    assert "d3-d1" not in run(*question).stdout


def test_the_remoteness_of_a_draw_is_null():
    (fields,) = answers("query", f"{GRAPH}:graph=(u0:1 u1:0)", "--reference")
    assert (fields["value"], fields["remoteness"], fields["moves"][0]["remoteness"]) == ("draw", None, None)
    assert "Player 1 to move draws" in run("query", f"{GRAPH}:graph=(u0:1 u1:0)", "--reference").stdout


@pytest.mark.parametrize(
    "graph, words",
    [
        ("(u0:1 t1)", "Player 1 to move ties in 1"),
        ("(t0)", "The game is over: a tie"),
        ("(l1)", "Player 2 has lost"),
        ("(w0)", "Player 1 has won"),
    ],
)
def test_values_in_words(graph, words):
    assert words in run("query", f"{GRAPH}:graph={graph}", "--reference").stdout.splitlines()


def test_query_reads_positions_from_standard_input_and_goes_on_after_a_bad_one():
    stdin = f'{START}\n\nnonsense\n(b "" wbwb b--w w-wb)\n(b "" wbwb bwb- w-wb)\n'
    first, bad, second, unreachable = answers("query", "konane", "-", "--reference", stdin=stdin, code=1)
    assert (first["position"], second["position"]) == (START, '(b "" wbwb b--w w-wb)')
    assert list(bad) == ["position", "error"] and bad["position"] == "nonsense"
    assert unreachable["position"] == '(b "" wbwb bwb- w-wb)'
    assert "cannot be reached from the start of konane" in unreachable["error"]


def test_for_people_bad_positions_among_several_are_lines_on_standard_error():
    result = run("query", "konane", START, "nonsense", START, "--reference", code=1)
    assert result.stderr == f"expected a position like {START}, got nonsense\n"
    assert result.stdout.count("White to move loses in 7") == 2


def test_a_position_may_have_its_quotes_doubled_for_the_shell():
    assert answers("query", "konane", "(w '' wbwb bwb- w-wb)", "--reference")[0]["position"] == START


def test_line_plays_best_to_the_end():
    assert run("line", "konane", "--reference").stdout == (
        f"""{START}

White to move loses in 7

1.  White  b2-d2  (b "" wbwb b--w w-wb)
2.  Black  d1-b1  (w "" wbwb b--w wb--)
3.  White  a1-c1  (b "" wbwb b--w --w-)
4.  Black  d3-d1  (b d1 wbw- b--- --wb)
5.  Black  pass   (w "" wbw- b--- --wb)
6.  White  a3-a1  (b "" -bw- ---- w-wb)
7.  Black  b3-d3  (w "" ---b ---- w-wb)

White has lost
"""
    )


def test_line_has_the_fields_of_query_and_says_what_repeats():
    (fields,) = answers("line", "konane", "(b d1 wbw- b--- --wb)", "--reference")
    assert list(fields) == ["position", "turn", "value", "remoteness", "moves", "repeats"]
    assert [list(move) for move in fields["moves"]] == [MOVE_FIELDS] * 3
    assert fields["repeats"] is None
    (fields,) = answers("line", f"{GRAPH}:graph=(u0:1 u1:0)", "--reference")
    assert [move["position"] for move in fields["moves"]] == ["(1)"]
    assert fields["repeats"]["position"] == "(0)"
    text = run("line", f"{GRAPH}:graph=(u0:1 u1:0)", "--reference").stdout
    assert text.endswith("0>0 would now repeat (0): this goes on for ever\n")


def test_line_with_boards_draws_each():
    text = run("line", "konane", "(b d1 wbw- b--- --wb)", "--boards", "--reference").stdout
    assert text.count("   a b c d") == 4
    assert '1. Black: pass   (w "" wbw- b--- --wb)\n\n3  w b w -\n' in text


def test_a_game_file_is_checked_before_it_is_trusted(tmp_path):
    source = Path(GRAPH).read_text()
    file = tmp_path / "wrong.py"
    file.write_text(source.replace("return position[0]\n", "return 7\n", 1))
    result = run("query", str(file), "--reference", code=2)
    assert "hash" in result.stderr and len(result.stderr.splitlines()) == 1
