"""The play page: what a person can do besides moving, by mouse and by keyboard, and what can be shared."""

import json

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.slow
START = '(w "" wbwb bwb- w-wb)'
SECOND = '(b "" wbwb b--w w-wb)'


def begin(browser, path="/game/konane", **query):
    browser.open(path, **query)
    browser.ready()


def test_moves_are_taken_back_and_made_again(browser):
    begin(browser)
    browser.play("b2-d2")
    assert browser.position() == SECOND
    browser.click("#undo")
    browser.until(lambda: browser.position() == START)
    browser.click("#redo")
    browser.until(lambda: browser.position() == SECOND)
    browser.click("#restart")
    browser.until(lambda: browser.position() == START and not browser.at("#redo").is_enabled())


def test_an_address_leads_to_the_very_state(browser):
    begin(browser)
    browser.play("b2-d2")
    address = browser.at("#share").get_attribute("href")
    browser.driver.get("about:blank")
    browser.driver.get(address)
    browser.ready()
    assert browser.position() == SECOND
    assert [turn.text for turn in browser.all("#turns .turn")] == ["Start", "1. b2-d2"]


def test_sides_are_swapped_and_the_program_takes_over(browser):
    begin(browser, second="perfect")
    browser.click("#swap")
    browser.until(lambda: browser.position() == SECOND, "the program has moved for White")
    browser.ready()


def test_hidden_values_are_nowhere(browser):
    begin(browser, "/game/tictactoe")
    assert "tie" in browser.text("#prediction") and browser.all("#moves .chip")
    browser.click("#values")
    browser.until(lambda: not browser.all("#moves .chip"))
    shown = browser.script("return document.querySelector('.play').innerHTML")
    assert "v-tie" not in browser.at("#board").get_attribute("innerHTML") and "tie" not in browser.text("#prediction")
    assert "ties in" not in shown
    assert "values=hidden" in browser.driver.current_url


def test_players_whose_names_are_plural_win(browser):
    begin(browser, "/game/hare_and_hounds")
    assert browser.text("#prediction").startswith("Hounds, to move, win in ")
    browser.play(browser.moves()[0])
    assert browser.text("#prediction").endswith(": Hounds win, if nobody errs.")
    assert browser.at("#said").get_attribute("textContent").startswith("Hounds play ")
    browser.open("/games/hare_and_hounds")
    browser.until(lambda: "Hounds, who begin, win in " in browser.text("#worth"))


def test_pointing_at_a_move_tells_what_it_is_worth(browser):
    begin(browser, "/game/ten_to_zero")
    browser.script("document.querySelector('[data-move=\"2\"]').focus()")
    assert browser.text("#tip") == "2 loses in 6, best wins in 7"


def test_a_game_is_played_by_the_keyboard_alone(browser):
    begin(browser)
    browser.script("document.querySelector('#board .hit[tabindex=\"0\"]').focus()")
    keys = {"a3": "b2", "b2": "d2"}

    def focused():
        return browser.driver.switch_to.active_element.get_attribute("aria-label")

    def press(*pressed):
        for key in pressed:
            browser.driver.switch_to.active_element.send_keys(key)

    assert focused().startswith("a3: White") and keys
    press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert focused().startswith("b2: White, b2-d2 loses in 7")
    press(Keys.ENTER, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER)
    browser.until(lambda: browser.position() == SECOND)
    browser.ready()
    assert "Black, to move, wins in 6" in browser.at("#said").get_attribute("textContent")
    browser.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.CONTROL, "z")
    browser.until(lambda: browser.position() == START)


def test_a_whole_game_is_played_by_the_keyboard_alone(browser):
    begin(browser, "/game/tictactoe", second="perfect")
    assert browser.text("#tip") == "Click a marked cell to move."
    for _ in range(5):
        for _ in range(60):
            browser.driver.switch_to.active_element.send_keys(Keys.TAB)
            if browser.script("return document.activeElement.matches('#moves .move:not(:disabled)')"):
                break
        browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
        browser.ready()
    assert browser.at("#scorecard").is_displayed() and browser.text("#result") == "A tie."


def test_the_history_is_a_chart_that_leads_back(browser):
    begin(browser, "/game/ten_to_zero", m=["2", "2"])
    assert len(browser.all("#chart .point")) == 3
    browser.script(
        "document.querySelector('#chart .point[data-at=\"1\"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    browser.until(lambda: browser.position() == "(2 8)")


def test_the_scorecard_says_where_a_win_was_given_away(browser):
    begin(browser, "/game/ten_to_zero", m=["2", "2", "2", "1", "2"])
    browser.play("1")
    browser.until(lambda: browser.all("#card tr.grave"), "the scorecard")
    assert "gives up the win: 1 wins in 7" in browser.text("#card tr.grave")


def test_a_position_is_set_up_by_hand(browser):
    begin(browser)
    browser.details("setup")
    browser.until(lambda: "Set up" in browser.text("#setup-tools"))
    browser.click("#setup-tools button")
    assert browser.text("#tip") == "Click a cell to put the chosen piece there, and again to take it away."
    browser.script("[...document.querySelectorAll('.palette button')].find((b) => b.textContent === 'empty').click()")
    for cell in ("0", "4"):
        browser.click(f'#board .hit[data-cell="{cell}"]')
    browser.choose("#setup-turn", "b")
    browser.click("#setup-tools .primary")
    browser.until(lambda: browser.position() == '(b "" wbwb -wb- --wb)')
    browser.ready()
    assert "cannot arise" in browser.text("#prediction")
    assert browser.until(lambda: browser.all("#moves .chip"), "estimates")


def test_a_position_that_is_none_is_told_so(browser):
    begin(browser)
    browser.details("notation")
    browser.at("#position").clear()
    browser.at("#position").send_keys("(w nonsense)", Keys.ENTER)
    browser.until(lambda: "expected" in browser.text("#notation-error"))
    assert all("400" in fault for fault in browser.faults())  # the console tells of the status


def test_a_game_is_saved_as_play_saves_it_and_loaded(browser):
    begin(browser)
    browser.play("b2-d2")
    browser.details("notation")
    browser.click("#save-text")
    saved = browser.until(lambda: browser.script("return document.getElementById('saved').value"))
    assert json.loads(saved) == {"gamesman": 1, "variant": "konane", "start": START, "moves": ["b2-d2"]}
    browser.click("#restart")
    browser.until(lambda: browser.position() == START)
    browser.ready()
    browser.click("#load")
    browser.until(lambda: browser.position() == SECOND)
    browser.ready()


def test_a_random_position_has_the_value_asked_for(browser):
    begin(browser, "/game/dodgem")
    browser.details("random")
    browser.click("#random-tools .v-lose")
    browser.until(lambda: "p=" in browser.driver.current_url)
    browser.ready()
    assert "loses in" in browser.text("#prediction")


def test_a_variant_too_large_is_searched_and_marked_so(browser):
    begin(browser, "/game/hex_abalone")
    browser.until(lambda: "Estimated by search" in browser.text("#prediction"))
    assert browser.all("#moves .chip")


def test_pieces_that_cannot_be_clicked_have_a_list_of_moves(browser):
    begin(browser, "/game/mygame:total=6")
    assert browser.text("#text") == "(1 6)" and browser.moves() == ["1", "2"]


def test_the_page_of_a_solved_position_is_small(browser):
    browser.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.requests()
    begin(browser, "/game/konane")
    browser.until(lambda: browser.all("#board .piece"))
    count, length = browser.requests()
    assert 3 <= count <= 5 and 10_000 < length < 150_000


def test_a_piece_is_dragged(browser):
    begin(browser)
    cells = [browser.at(f'#board .hit[data-cell="{cell}"]') for cell in (5, 7)]
    ActionChains(browser.driver).drag_and_drop(*cells).perform()
    browser.until(lambda: browser.position() == SECOND)
    browser.ready()


def test_pieces_slide_unless_that_is_not_wanted(browser):
    animated = "return document.getAnimations().length"
    for is_moving in (False, True):
        browser.look(is_moving=is_moving)
        begin(browser)
        browser.script("document.getAnimations().forEach((one) => one.finish())")
        made = browser.script(f"document.querySelector('#moves .move').click(); {animated}")
        assert (made > 0) == is_moving
        browser.ready()


def test_each_position_is_asked_for_once(browser):
    begin(browser, "/game/dodgem")
    browser.play("a3-b3")
    browser.play(browser.moves()[0])
    asked = (
        "return performance.getEntriesByType('resource').filter((one) => one.name.includes('/play/position?')).length"
    )
    before = browser.script(asked)
    for button, move in (("#undo", 1), ("#undo", 0), ("#redo", 1), ("#redo", 2)):
        browser.click(button)
        browser.until(
            lambda move=move: (
                browser.script("return document.querySelector('#turns .here')?.textContent[0]") == ("S12"[move])
            )
        )
        browser.ready()
    assert browser.script(asked) == before


@pytest.mark.parametrize("width, is_dark", [(1280, False), (768, True), (360, False), (360, True)])
def test_no_page_is_wider_than_the_window(browser, width, is_dark):
    browser.look(width, 800, is_dark=is_dark)
    played = "/game/ten_to_zero?m=2&m=2&m=2&m=1&m=2&m=1"
    around = ["/", "/stats/dodgem", "/compare?v=konane&v=dodgem", "/games/konane", "/solve/konane:rows=4", "/api/"]
    for path in [*around, "/game/dodgem", "/game/l_game", "/game/tapatan", played]:
        browser.open(path)
        browser.until(lambda: browser.script("return document.readyState") == "complete")
        wide = browser.script("return document.documentElement.scrollWidth")
        assert wide <= width, path


def test_the_names_of_points_are_beside_their_lines(browser):
    boxes = "return [...document.querySelectorAll('#board .place')].map((name) => { const b = name.getBBox(); "
    boxes += "return [b.x + b.width / 2, b.y + b.height / 2, b.x, b.y, b.x + b.width, b.y + b.height]; })"
    lines = "return [...document.querySelectorAll('#board .edge')].map((line) => "
    lines += "['x1', 'y1', 'x2', 'y2'].map((key) => Number(line.getAttribute(key))))"
    for game in ("tapatan", "hare_and_hounds", "mu_torere"):
        begin(browser, f"/game/{game}")
        left, top, right, down = map(float, browser.at("#board").get_dom_attribute("viewBox").split())
        edges = browser.script(lines)
        for x, y, *box in browser.script(boxes):
            assert left <= box[0] and top <= box[1] and box[2] <= right and box[3] <= down, game
            assert min(distance(x, y, *edge) for edge in edges) > 8, game


def distance(x, y, x1, y1, x2, y2):
    """How far a point is from a line between two others."""
    along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2)
    near = min(1, max(0, along))
    return ((x - x1 - near * (x2 - x1)) ** 2 + (y - y1 - near * (y2 - y1)) ** 2) ** 0.5
