"""Every game is played by clicks, from its first move to its last, against a player that plays perfectly."""

import pytest

from gamesman.model.game import built_in

pytestmark = pytest.mark.slow

# Small enough to be solved here; Connect 4 is played on its own board, too.
PLAYED = {
    "abalone:rows=3,cols=3,captures=1": "perfect",
    "chomp:rows=2,cols=3": "perfect",
    "clobber:rows=2,cols=3": "perfect",
    "connect4:rows=3,cols=3,line=3": "perfect",
    "connect4": "depth=2",
    "ctf:size=3": "perfect",
    "dodgem": "perfect",
    "domineering:rows=3": "perfect",
    "hare_and_hounds": "perfect",
    "hex_abalone:edge=3,captures=1": "perfect",
    "konane": "perfect",
    "l_game": "perfect",
    "mu_torere": "perfect",
    "othello:rows=3": "perfect",
    "quixo:size=2": "perfect",
    "tapatan": "perfect",
    "teeko:size=3,pieces=2": "perfect",
    "ten_to_zero": "perfect",
    "tictactoe": "perfect",
    "mygame:total=6": "random",
}
# The smallest of its game that can be played, with 36,517,452 positions: too many for the plain solver of the others.
SOLVED_IN_THE_BROWSER = "hex_abalone:edge=3,captures=1"
MOST_MOVES = 60
# Windows and schemes of colours: each game is played in one of them, and its page fits all.
LOOKS = [(width, is_dark) for width in (1280, 768, 360) for is_dark in (False, True)]
# Default boards that nobody can solve: they are played against search, some moves each.
TOO_LARGE = ["clobber", "ctf", "domineering", "hex_abalone", "othello"]
FEW_MOVES = 2


@pytest.mark.parametrize("variant", PLAYED)
def test_a_whole_game_is_played_by_clicks(browser, variant):
    how = PLAYED[variant]
    hidden = {} if how == "perfect" else {"values": "hidden"}
    width, is_dark = LOOKS[[*PLAYED].index(variant) % len(LOOKS)]
    browser.look(width, is_dark=is_dark)
    if variant == SOLVED_IN_THE_BROWSER:
        solve(browser, variant)
    browser.open(f"/game/{variant}", second=how, **hidden)
    browser.ready()
    for _ in range(MOST_MOVES):
        moves = browser.moves()
        if not moves:
            break
        browser.play(moves[-1])  # the worst: it makes the game short
    else:
        pytest.fail(f"the game does not end: {browser.driver.current_url}")
    assert browser.at("#scorecard").is_displayed() and browser.text("#result")
    browser.until(lambda: browser.text("#card"), "the scorecard")
    if how == "perfect":
        other = browser.script("return JSON.parse(document.getElementById('data').textContent).players[1].name")
        sums = browser.until(lambda: browser.all("#card .sums li"), "the scorecard's sums")
        assert "gave the value away" not in next(line.text for line in sums if line.text.startswith(other))
    assert too_wide(browser) == []


def solve(browser, variant):
    """Have a variant solved, and see that it is told how far that is and how long it will take."""
    browser.open(f"/solve/{variant}")
    browser.click("#begin")
    browser.until(lambda: "seconds more" in browser.text("#phase"), "how long it takes")
    browser.until(lambda: "Solved: 36,517,452 positions" in browser.text("#done"), "it is solved")


def too_wide(browser):
    """The looks in which the page, as it is now, is wider than the window."""
    found = []
    for width, is_dark in LOOKS:
        browser.look(width, is_dark=is_dark)
        if browser.script("return document.documentElement.scrollWidth") > width:
            found.append((width, is_dark))
    return found


def test_every_game_is_among_those_played():
    assert {name.partition(":")[0] for name in PLAYED} == {*built_in(), "mygame"}


@pytest.mark.parametrize("game", TOO_LARGE)
def test_a_default_board_that_is_too_large_is_played_by_clicks_against_search(browser, game):
    browser.open(f"/game/{game}", second="depth=1")
    browser.ready()
    for _ in range(FEW_MOVES):
        browser.play(browser.moves()[-1])
    assert len(browser.all("#turns .turn")) == 1 + 2 * FEW_MOVES
    browser.until(
        lambda: "stimated by search" in browser.text("#prediction") and browser.all("#moves .chip"), "estimates"
    )
    assert too_wide(browser) == []
