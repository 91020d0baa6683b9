"""The table that a game is played at, in a terminal and at a pipe."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest
from support import ROOT

from gamesman.app import kept_game
from gamesman.cli.session import Session
from gamesman.model.game import built_in
from gamesman.model.variant import variant
from gamesman.play.players import Program, Strength
from gamesman.play.record import GameRecord, load
from gamesman.values import UNDECIDED

pytestmark = pytest.mark.slow

PROGRAM = [sys.executable, "-m", "gamesman", "play"]


def environment():
    return {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}


def at_pipe(*words, typed="", code=0):
    result = subprocess.run(
        [*PROGRAM, *map(str, words)], env=environment(), input=typed, capture_output=True, text=True, cwd=ROOT
    )
    assert (result.returncode, "Traceback" in result.stderr) == (code, False), result.stderr
    return result.stdout if code == 0 else result.stderr


def test_a_whole_game_at_a_pipe_against_the_program():
    out = at_pipe(
        "konane", "--strength", "depth=9", typed="1\n" + "".join(f"{m}\n" for m in ("b2-d2", "a1-c1", "a3-a1"))
    )
    assert "player 1 (White, moves first) or player 2 (Black)?" in out
    assert "(b d1 wbw- b--- --wb)" in out
    assert out.rstrip().endswith("After 7 moves: Black has won.")


def test_a_whole_game_in_a_terminal():
    read = ""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execve(sys.executable, [*PROGRAM, "konane", "--strength", "depth=9"], environment())
    for typed in ("1", "b2-d2", "b2-d2", "a1-c1", "a3-a1"):
        read += until(terminal, "none] " if typed == "1" else "White> ")
        os.write(terminal, f"{typed}\n".encode())
    read += until(terminal, "has won.")
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    os.close(terminal)
    assert "b2-d2: b2 holds no piece of White" in read
    assert "After 7 moves: Black has won." in read
    assert "Traceback" not in read


def until(terminal, text):
    """What a program writes up to a text."""
    read = ""
    while text not in read:
        if not select.select([terminal], [], [], 120)[0]:
            pytest.fail(f"the program was silent before {text!r}: {read}")
        try:
            chunk = os.read(terminal, 4096)
        except OSError:  # Linux says so where the other end is closed
            chunk = b""
        if not chunk:
            pytest.fail(f"the program ended before {text!r}: {read}")
        read += chunk.decode()
    return read


def started(*words):
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execve(sys.executable, [*PROGRAM, *words], environment())
    return process, terminal


def interrupt(terminal, said):
    """Type Ctrl-C; once more where nothing comes of it: it may come between a prompt and the waiting for a line."""
    read = ""
    for _ in range(12):
        os.write(terminal, b"\x03")
        while select.select([terminal], [], [], 8)[0]:
            read += os.read(terminal, 4096).decode()
            if said in read:
                return read
    pytest.fail(f"Ctrl-C is not heeded: {read}")


def ended(process, terminal):
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    os.close(terminal)
    return code


def test_a_second_ctrl_c_ends_the_program_and_the_game_is_gone_on_with():
    process, terminal = started("konane")
    until(terminal, "none] ")
    assert "once more, or quit, ends" in interrupt(terminal, "none] ")
    os.write(terminal, b"both\nb2-d2\n")
    until(terminal, "Black> ")
    assert "once more, or quit, ends" in interrupt(terminal, "Black> ")
    said = interrupt(terminal, "interrupted")
    assert "The game is kept; go on with it: gamesman play --resume konane" in said
    assert ended(process, terminal) == 1
    assert "\r\nThe game is kept" in said
    process, terminal = started("--resume")
    asked = until(terminal, "Black> ")
    assert '(b "" wbwb b--w w-wb)' in asked and "none]" not in asked
    for move in ("d1-b1", "a1-c1", "d3-d1", "pass", "a3-a1", "b3-d3"):
        os.write(terminal, f"{move}\n".encode())
    until(terminal, "After 7 moves: Black has won.")
    assert ended(process, terminal) == 0
    assert "no game of konane is kept" in at_pipe("konane", "--resume", code=2)
    assert "no game is kept" in at_pipe("--resume", code=2)


def test_the_game_left_last_goes_on_against_the_program_as_it_was():
    for name, seconds in (("konane", "5"), ("tictactoe", "5")):
        process, terminal = started(name, "--side", "2", "--strength", "depth=3", "--clock", seconds)
        read = until(terminal, "left)> ")
        assert "searching" not in read.splitlines()[-1]
        os.write(terminal, b"q\n")
        assert f"--resume {name}" in until(terminal, "left unfinished")
        assert ended(process, terminal) == 0
    process, terminal = started("--resume")
    assert "(o " in until(terminal, "O (")
    os.write(terminal, b"b2\n")
    assert re.search(r"plays .* ahead\)|plays .*in [0-9]+\)", until(terminal, "O ("))
    os.write(terminal, b"quit\n")
    until(terminal, "left unfinished")
    assert ended(process, terminal) == 0
    assert json.loads(kept_game("tictactoe", None).read_text())["programs"] == {"x": "depth=3"}


def test_a_game_that_is_left_before_the_side_is_told_asks_for_it_again(tmp_path):
    game = GameRecord(variant("konane"))
    game.play(game.read_move("b2-d2"))
    saved = tmp_path / "saved"
    saved.write_text(game.save())
    for words in (["konane", "--load", str(saved)], ["--resume"]):
        process, terminal = started(*words)
        until(terminal, "none] ")
        os.write(terminal, b"q\n")
        until(terminal, "left unfinished")
        assert ended(process, terminal) == 0


def test_ctrl_c_while_the_program_thinks_leads_back_to_the_prompt():
    process, terminal = started("abalone:rows=9,cols=9", "--side", "2", "--strength", "time=1000")
    until(terminal, "i\r\n")  # the board is shown, the program thinks
    interrupt(terminal, "Black is the program's, Enter lets it think> ")
    os.write(terminal, b"a1-a2\n")
    assert "it is the program's turn" in until(terminal, "think> ")
    os.write(terminal, b"strength depth=1\n\n")
    until(terminal, "White> ")
    os.write(terminal, b"QUIT\n")
    until(terminal, "left unfinished")
    assert ended(process, terminal) == 0


def test_ctrl_c_while_the_program_thinks_ends_it_with_a_line():
    process = subprocess.Popen(
        [*PROGRAM, "abalone:rows=9,cols=9", "--side", "none", "--strength", "time=1000"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "\n"  # the board is shown, the program thinks
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (1, "interrupted\n")


def test_the_program_plays_itself():
    out = at_pipe("tictactoe", "--side", "none", "--strength", "depth=9", "--other", "random", "--seed", "5")
    assert "X plays" in out
    assert "O plays" in out
    assert "After" in out
    assert "(at random)" in out


def test_hexagonal_abalone_is_played_as_its_rules_ask():
    out = at_pipe("hex_abalone", "--strength", "depth=2", typed="3\n2\nG2 F2\nquit\n")
    assert "Be player 1 (Blue, moves first) or player 2 (Red)?" in out
    assert "expected 1, 2, b, r, both or none, got 3" in out
    assert out.index("Blue plays") < out.index("Red> G2 F2")
    assert out.rstrip().endswith("The game is left unfinished.")


def test_capital_and_small_letters_are_the_same():
    out = at_pipe("konane", "--side", "both", typed="B2-D2\nD1-b1\nMoves\nHistory\nUNDO\nSide BLACK\nQuit\n")
    assert '(w "" wbwb b--w wb--)' in out
    assert "1.  White  b2-d2" in out
    assert out.rstrip().endswith("The game is left unfinished.")
    assert "(r bbbb" in at_pipe("hex_abalone", "--side", "both", typed="c4 C5\n")


def test_quit_and_help_are_understood_at_the_first_question():
    out = at_pipe("konane", typed="help\nQUIT\n")
    assert "Player 1 moves first." in out
    assert out.rstrip().endswith("The game is left unfinished.")


def test_what_cannot_be_saved_is_said_before_the_first_move():
    said = at_pipe("konane", "--side", "both", "--save", "/nowhere/at/all", typed="b2-d2\n", code=2)
    assert "/nowhere/at/all cannot be written: No such file or directory" in said


def test_the_seed_may_be_0_and_the_clock_is_shown():
    out = at_pipe(
        "tictactoe", "--side", "1", "--strength", "random", "--seed", "0", "--clock", "3", typed="a1\nclock\n"
    )
    assert out == at_pipe(
        "tictactoe", "--side", "1", "--strength", "random", "--seed", "0", "--clock", "3", typed="a1\nclock\n"
    )
    assert "X (2:59 left)> clock" in out or "X (3:00 left)> clock" in out
    assert "O 2:59 left" in out or "O 3:00 left" in out


@pytest.mark.parametrize("game", built_in())
def test_help_tells_how_moves_of_the_game_are_written_and_fits_a_screen(game, capsys):
    record = GameRecord(variant(game))
    Session(record, None, "random", None, 1, None)._help("")
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) < 80
    assert len(lines) < 24
    move = record.variant.move_name(record.position, record.legal_moves()[0])
    assert lines[0].startswith(f"Type a move like {move}")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("A4 B4", "A4 B4: a third own token stands in the way at C4"),
        ("A4 A6", "A4 A6: the two tokens of a pair must be neighbours"),
        ("G1 G2", "G1 G2: G1 holds no token of Blue"),
        ("A1 B1", "A1 B1: there is no cell A1 on a board of edge 4"),
        ("A4B4", "expected a move like"),
        ("jump", "expected a move like"),
        ("undo", "there is no move of yours to take back"),
        ("undo x", "expected undo, or undo N"),
        ("undo 0", "expected undo, or undo N"),
        ("save", "expected save FILE"),
        ("load", "expected load FILE"),
        ("load /nowhere", "/nowhere cannot be read"),
        ("save /nowhere/at/all", "/nowhere/at/all cannot be written"),
        ("strength 9", "expected a strength"),
        ("side x", "expected 1, 2, b, r, both or none, got x"),
    ],
)
def test_what_cannot_be_done_is_told_why_and_the_game_goes_on(typed, said):
    out = at_pipe("hex_abalone", "--side", "both", typed=f"{typed}\nA6 B6\n")
    assert said in out
    assert "(r " in out


def test_everything_that_help_lists_works(tmp_path):
    file = tmp_path / "game.json"
    typed = ["help", "moves", "show", "hint", "values", "b2-d2", "history", f"save {file}", "undo", f"load {file}"]
    typed += ["side both", "strength depth=3", "resign", ""]
    out = at_pipe("konane", "--side", "1", "--strength", "depth=9", typed="\n".join(typed))
    assert "b2-d2" in out.partition("moves")[2]
    assert "loses in 7" in out  # the hint
    assert "seen 4 moves ahead at most" in out
    assert "1.  White  b2-d2" in out
    assert "2 moves taken back." in out
    assert "2 moves loaded." in out
    assert "The program plays depth=3." in out
    assert "After 2 moves: White has resigned: Black has won." in out
    assert load(file.read_text()).names() == ["b2-d2", "d1-b1"]


def test_a_solved_game_is_played_perfectly_and_reviewed(database):
    subprocess.run([*PROGRAM[:-1], "solve", "tictactoe", "--quiet"], env=environment(), cwd=ROOT, check=True)
    out = at_pipe("tictactoe", typed="2\nhint\nvalues\nb1\nhistory\nresign\n")
    assert "X plays a1   (ties in 9)" in out
    assert "b2   (ties in 8)" in out
    assert re.search(r"b1 +lose +\d+ +gives up the tie", out)
    assert "Who went wrong where:" in out
    assert re.search(r"2\. +O +b1 +lose +6 +gives up the tie: b2 ties in 8", out)
    assert "Nobody went wrong." in at_pipe("tictactoe", "--side", "none")


def test_a_game_is_saved_after_every_move_and_taken_up_again(tmp_path):
    file = tmp_path / "game.json"
    out = at_pipe("konane", "--side", "both", "--save", file, typed="b2-d2\nd1-b1\n")
    assert "left unfinished" in out
    assert load(file.read_text()).names() == ["b2-d2", "d1-b1"]
    out = at_pipe("konane", "--side", "both", "--load", file, typed="a1-c1\nd3-d1\npass\na3-a1\nb3-d3\n")
    assert "After 7 moves: Black has won." in out


def test_a_game_is_saved_as_a_whole_or_not_at_all(tmp_path):
    """Where no file can grow, as on a full disk, the game that was saved before is still there, and nothing else."""
    file = tmp_path / "game.json"
    before = GameRecord(variant("tictactoe")).save()
    file.write_text(before)
    limited = (
        "import resource, runpy, signal, sys; sys.argv[0] = 'gamesman'; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20)); runpy.run_module('gamesman', run_name='__main__')"
    )
    command = [sys.executable, "-c", limited, "play", "konane", "--side", "both", "--save", str(file)]
    done = subprocess.run(command, env=environment(), input="b2-d2\n", capture_output=True, text=True, cwd=ROOT)
    assert "cannot be written: File too large" in done.stdout
    assert file.read_text() == before and os.listdir(tmp_path) == ["game.json"]


def test_lines_end_between_moves_and_between_words(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    typed = "moves\nfoo\nquit\n"
    out = at_pipe("l_game", "--side", "both", "--strength", "random", typed=typed)
    lines = out.partition("> moves\n")[2].splitlines()
    assert max(map(len, lines)) <= 80
    moves = lines[: next(i for i, line in enumerate(lines) if line.endswith("foo"))]
    assert all(line.endswith(",") for line in moves[:-1])
    assert "foo is no move here; moves: a1-b3, a1-b3 a4-b1, a1-b3 a4-b2, a1-b3 a4-c1, a1-b3\na4-d2" in out


def test_a_history_given_is_kept_to():
    boards = "-Ww-w-------bBb- -wWw---------bBb"
    out = at_pipe("ctf:size=4", "(w -wW- w--- ---- bBb-)", "--side", "both", "--history", boards, typed="quit\n")
    assert "left unfinished" in out
    out = at_pipe(
        "ctf:size=4", "(w -wWw ---- ---- bB-b)", "--side", "both", "--history", "wW-w--------bB-b", typed="b4-a4\n"
    )
    assert "b4-a4" in out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["konane", "--side", "3"], 2, "expected 1, 2, w, b, both or none, got 3"),
        (["konane", "--strength", "good"], 2, "expected a strength"),
        (["konane", "--strength", "perfect"], 1, "konane is not solved; run: gamesman solve konane"),
        (["konane", "--load", "/nowhere"], 2, "/nowhere cannot be read"),
        (["konane", "(w)", "--load", "/nowhere"], 2, "--load takes up a saved game"),
        (["konane", "--side", "1", "--save", "/nowhere/at/all"], 2, "/nowhere/at/all cannot be written"),
        (["chess"], 2, "no such game: chess"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong(words, code, said):
    error = at_pipe(*words, typed="b2-d2\n", code=code)
    assert said in error
    assert error.count("\n") == 1


def test_a_game_of_another_variant_is_not_taken_up(tmp_path):
    file = tmp_path / "game.json"
    file.write_text(GameRecord(variant("konane:rows=4")).save())
    assert "is a game of konane:rows=4; run: gamesman play konane:rows=4" in at_pipe("konane", "--load", file, code=2)


def test_a_saved_game_does_not_have_another_game_loaded(tmp_path):
    trap = tmp_path / "trap.py"
    trap.write_text("raise SystemExit('it was run')")
    file = tmp_path / "game.json"
    file.write_text(json.dumps({"gamesman": 1, "variant": f"{trap}:size=3", "start": "", "moves": []}))
    said = at_pipe("konane", "--load", file, code=2)
    assert "it is a game of" in said
    assert "it was run" not in said


def test_undo_leaves_alone_what_the_program_played_first():
    out = at_pipe("konane", "--side", "2", "--strength", "depth=1", typed="undo\nd1-b1\nundo 7\nundo\n")
    assert out.count("White plays b2-d2") == 1
    assert out.count("there is no move of yours to take back") == 2
    assert "2 moves taken back." in out


def test_a_game_that_is_over_is_shown_and_nothing_asked():
    out = at_pipe("hex_abalone:edge=2")
    assert "hex_abalone:edge=2 is over before the first move: a tie." in out
    assert "gamesman info hex_abalone" in out
    assert "player 1" not in out


def test_every_game_can_be_played_from_start_to_end_by_programs():
    for name in ("abalone:rows=3,cols=3", "ctf:size=3", "hex_abalone:edge=3", "konane:rows=5,cols=5", "ten_to_zero"):
        game, v = GameRecord(variant(name)), variant(name)
        program = Program(v, Strength("depth", 2))
        while game.end is None:
            game.play(program.choose(game).move)
        assert v.primitive(game.position) != UNDECIDED or game.end.winner is None or game.forbids_repetition
