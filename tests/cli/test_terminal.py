"""The terminal of a game: screens, and what a Ctrl-C does there."""

import builtins
import os
import shutil
import sys

import pytest
from click.testing import CliRunner

from gamesman.cli.main import cli
from gamesman.cli.terminal import Left, Terminal


@pytest.fixture
def terminal(monkeypatch, capsys):
    """One that a person watches, of ten lines."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((80, 10)))
    return Terminal()


def typing(monkeypatch, *lines):
    asked, rest = [], iter(lines)

    def read(prompt=""):
        asked.append(prompt)
        line = next(rest, None)
        if line is None:
            raise EOFError
        return line

    monkeypatch.setattr(builtins, "input", read)
    return asked


def test_more_than_a_screen_is_shown_a_screen_at_a_time(terminal, monkeypatch, capsys):
    text = "\n".join(map(str, range(25)))
    asked = typing(monkeypatch, "", "")
    terminal.page(text)
    assert asked == ["-- 16 more: Enter, or q -- ", "-- 7 more: Enter, or q -- "]
    assert capsys.readouterr().out.split() == text.split()
    typing(monkeypatch, "Q")
    terminal.page(text)
    assert capsys.readouterr().out.split() == text.split()[:9]
    asked = typing(monkeypatch)
    terminal.page("\n".join("a" * 9))
    assert asked == []


def test_where_nobody_watches_nothing_is_asked(monkeypatch, capsys):
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    asked = typing(monkeypatch)
    Terminal().page("\n".join(map(str, range(100))))
    assert asked == []
    assert len(capsys.readouterr().out.split()) == 100
    with pytest.raises(KeyboardInterrupt):
        interrupted(Terminal())
    with pytest.raises(Left):
        Terminal().ask("> ")


def interrupted(terminal):
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        terminal.interrupted("once more ends")


def test_a_second_ctrl_c_ends_unless_a_line_was_typed_between(terminal, monkeypatch, capsys):
    typing(monkeypatch, "moves")
    interrupted(terminal)
    assert "once more ends" in capsys.readouterr().out
    assert terminal.ask("> ") == "moves"
    interrupted(terminal)
    with pytest.raises(KeyboardInterrupt):
        interrupted(terminal)


def test_who_moves_on_sees_the_board_again_and_may_leave_out_what_stands_between_cells():
    begin = '(b "" --b-b w-w-w -wbwb -bwbw)'
    words = ["play", "konane:rows=4,cols=5", begin, "--side", "black", "--strength", "depth=1"]
    said = CliRunner().invoke(cli, words, input="C2A2\nside 1\nside none\n").output
    assert "(b a2 --b-b w-w-w b--wb -bwbw)" in said
    assert "You are Black now." in said
