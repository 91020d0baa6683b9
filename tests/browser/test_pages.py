"""The pages around play: all games, options, statistics, comparison, solving; and whether everybody can use them."""

import pytest
from support.browsing import find_axe

from gamesman.web.settings import MOST_COMPARED

pytestmark = pytest.mark.slow
MANY = "chomp:rows=2,cols=3 ctf:size=3 ten_to_zero dodgem hare_and_hounds konane mu_torere tapatan tictactoe".split()


def test_home_shows_every_game_with_its_board(browser):
    browser.open("/")
    browser.until(lambda: len(browser.all("svg.thumb .piece, pre.thumb")) > 18)
    assert len(browser.all(".card")) == 19 and "mygame" in browser.text(".games")


def test_options_change_the_variant_and_its_result(browser):
    browser.open("/games/konane")
    browser.until(lambda: "White, who begins, loses in 7 moves" in browser.text("#worth"))
    browser.click("#option-misere")
    browser.until(lambda: browser.text("#variant") == "konane:misere" and "Not solved" in browser.text("#worth"))
    browser.choose("#option-rows", "0")
    browser.until(lambda: "rows must be 1 or more" in browser.text("#error"))
    assert all("400" in fault for fault in browser.faults())


def test_a_bar_tells_its_count_and_an_example_that_opens(browser):
    browser.open("/stats/dodgem")
    browser.until(lambda: browser.all("#remoteness .bar.v-lose"))
    hover = "arguments[0].dispatchEvent(new PointerEvent('pointerenter'))"
    browser.script(hover, browser.all("#remoteness .bar.v-lose")[1])
    link = browser.at("#told a")
    assert "losses with remoteness" in browser.text("#told")
    browser.driver.get(link.get_attribute("href"))
    browser.ready()
    assert "loses in" in browser.text("#prediction")


def test_statistics_are_downloaded(browser):
    browser.open("/stats/konane")
    wanted = browser.until(lambda: [link.get_attribute("href") for link in browser.all("a[download]")])
    kinds = [link.partition("?")[0].rpartition(".")[2] for link in wanted]
    assert kinds == ["json", "csv", "parquet", "csv", "parquet"]
    lengths = "const done = arguments[1]; const length = async (link) => { const a = await fetch(link); "
    lengths += "return a.ok ? (await a.arrayBuffer()).byteLength : 0 }; "
    lengths += "Promise.all(arguments[0].map(length)).then(done)"
    assert all(length > 100 for length in browser.driver.execute_async_script(lengths, wanted))


def test_variants_are_compared(browser):
    browser.open("/compare")
    for name in ("konane", "dodgem"):
        browser.at("#add").send_keys(name)
        browser.click("#add-form button")
    browser.click("#go")
    browser.until(lambda: len(browser.all("#remoteness .series")) == 2)
    assert "konane and dodgem" in browser.text("#pairs") and len(browser.all("#shares svg")) == 2


def test_many_variants_have_a_line_of_their_own_each_and_their_pairs_are_folded_away(browser):
    lines = "return [...document.querySelectorAll('#key line')].map((one) => "
    lines += "one.getAttribute('class') + one.getAttribute('stroke-dasharray'))"
    browser.open("/compare", v=MANY)
    browser.until(lambda: len(browser.all("#key li")) == len(MANY), "the comparison")
    assert len(set(browser.script(lines))) == len(MANY)
    assert (
        browser.text("#pairs-count") == f"{len(MANY) * (len(MANY) - 1) // 2} pairs"
        and not browser.at("#pairs").is_displayed()
    )
    count = "const done = arguments[0]; import('/static/charts.js').then(({ lineKey }) => done(new Set("
    count += f"[...Array({MOST_COMPARED}).keys()].map((i) => lineKey(i).innerHTML)).size))"
    assert browser.driver.execute_async_script(count) == MOST_COMPARED


def test_a_variant_is_solved_with_progress_and_can_be_cancelled(browser):
    browser.open("/game/ten_to_zero:total=12")
    browser.ready()
    browser.click("#prediction a")
    browser.click("#begin")
    browser.until(lambda: browser.at("#progress").is_displayed() and browser.text("#phase"), "progress")
    browser.click("#cancel")
    browser.until(lambda: "Cancelled" in browser.text("#done"), "it is cancelled")
    browser.click("#begin")
    browser.until(lambda: "Solved: " in browser.text("#done"), "it is solved")
    browser.click("#done a")
    browser.ready()
    assert "loses in" in browser.text("#prediction")


def test_how_long_a_solve_takes_is_not_said_before_there_is_a_rate(browser):
    browser.open("/solve/konane:rows=4")
    frames = "[0, 0], [1, 9], [2, 9.2], [50, 11], [60, 12], [100, 20]"
    found = browser.driver.execute_async_script(
        "const done = arguments[0]; import('/static/pace.js').then(({ Pace }) => { const pace = new Pace(); "
        f"done([{frames}].map(([done, seconds]) => pace.left({{ phase: 'x', done, total: 101, seconds }}))); }})"
    )
    assert found[:3] == [None, None, None] and [round(left, 1) for left in found[3:]] == [2.1, 2.1, 0.1]


def test_variants_to_compare_are_chosen_from_those_that_are_solved(browser):
    browser.open("/compare")
    assert not browser.at("#go").is_enabled()
    for name in ("konane", "dodgem", "tapatan"):
        browser.click(f'#offered button[value="{name}"]')
    browser.click('#chosen button[aria-label="Leave out dodgem"]')
    browser.click("#go")
    browser.until(lambda: browser.text("#key").split() == ["konane", "tapatan"])


def test_an_unknown_game_has_a_page_that_says_so(browser):
    browser.open("/game/konan")
    assert "did you mean konane?" in browser.text("main")
    assert all("404" in fault for fault in browser.faults())


@pytest.mark.parametrize("is_dark", [False, True])
def test_axe_finds_no_serious_fault(browser, is_dark):
    script = find_axe()
    if script is None:
        pytest.skip("no axe-core here; npm install --prefix ~/.cache/gamesman-tests axe-core")
    source = script.read_text(encoding="utf-8")
    browser.look(1280, 900, is_dark=is_dark)
    found = []
    pages = ["/", "/games/konane", "/game/tictactoe", "/game/hare_and_hounds", "/game/mygame", "/stats/dodgem"]
    pages += ["/compare", "/compare?v=konane&v=dodgem", "/solve/konane:misere", "/api/", "/game/ten_to_zero?m=2&m=2"]
    over = "/game/ten_to_zero?m=2&m=2&m=2&m=1&m=2&m=1"
    for path in [*pages, over]:
        browser.open(path)
        if path.startswith("/game/"):
            browser.ready()
            browser.script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        elif path.startswith(("/stats", "/compare?")):
            browser.until(lambda: browser.all("#measures td"))
        found += [f"{path}: {fault}" for fault in browser.axe(source)]
    assert found == []
