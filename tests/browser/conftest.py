"""One browser and one server for all tests of a process; a test that leaves a fault in the page fails."""

import tempfile
from pathlib import Path

import pytest
from support.browsing import Browser, find_programs, server
from support.storing import store_solution

from gamesman.db import open_store

SOLVED = [
    *("abalone:rows=3,cols=3,captures=1", "chomp:rows=2,cols=3", "clobber:rows=2,cols=3", "ctf:size=3", "dodgem"),
    *("connect4:rows=3,cols=3,line=3", "domineering:rows=3", "hare_and_hounds", "konane", "mu_torere", "l_game"),
    *("othello:rows=3", "quixo:size=2", "tapatan", "teeko:size=3,pieces=2", "ten_to_zero", "tictactoe"),
]


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """The address of a server with small variants solved, and a game file of the user's: the one of CONTRIBUTING."""
    folder = tmp_path_factory.mktemp("served")
    store = open_store(str(folder / "db"))
    for name in SOLVED:
        store_solution(store, name)
    text = Path(__file__).parents[2].joinpath("CONTRIBUTING.md").read_text(encoding="utf-8")
    game = next(part for part in text.split("```python\n")[1:] if part.startswith('"""Ten to Zero')).partition("```")[0]
    (folder / "mygame.py").write_text(game, encoding="utf-8")
    with server(folder, str(folder / "mygame.py")) as address:
        yield address


@pytest.fixture(scope="session")
def chromium(served):
    if find_programs() is None:
        pytest.skip("no Chromium and chromedriver here; on Debian: apt-get install chromium chromium-driver")
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(served, profile)
        yield browser
        browser.close()


@pytest.fixture
def browser(chromium):
    chromium.look()
    chromium.faults()
    yield chromium
    assert chromium.faults() == []
