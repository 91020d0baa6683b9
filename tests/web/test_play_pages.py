"""The play page is told what stands where, how a move is clicked, and what every position and move is worth."""

import json
import re
import tempfile

import pytest
from support.serving import serving
from support.storing import store_solution

from gamesman import app
from gamesman.db import open_store
from gamesman.errors import CallError
from gamesman.model.variant import variant
from gamesman.web import pages_tables
from gamesman.web.catalogue import Catalogue
from gamesman.web.settings import MOST_FILES
from gamesman.web.worker import Tasks

pytestmark = pytest.mark.slow  # workers are started


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("served"))
    for name in ("konane", "ten_to_zero", "ctf:size=3"):
        store_solution(open_store(folder), name)
    with serving(db=folder) as client:
        client.folder = folder
        yield client


def data_of(page):
    assert page.status == 200 and page.headers["content-type"].startswith("text/html")
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', page.body.decode(), re.S)[1]
    )


def test_the_page_of_a_solved_position_has_all_that_it_shows(client):
    data = data_of(client.ask("/game/konane", p='(b "" wbwb b--w w-wb)'))
    assert data["node"]["position"] == '(b "" wbwb b--w w-wb)' and data["node"]["value"] == "win"
    assert all(move["clicks"] and move["value"] and move["board"] for move in data["node"]["moves"])
    assert [one["position"] for one in data["ahead"]] == [move["position"] for move in data["node"]["moves"]]


def test_a_game_is_told_by_its_moves(client):
    data = data_of(client.ask("/game/konane", m="b2-d2"))
    assert [one["value"] for one in data["line"]] == ["lose", "win"] and data["moves"] == ["b2-d2"]
    wrong = client.ask("/game/konane", m="b2-d2", p='(w "" wbwb bwb- w-wb)')
    assert wrong.status == 400 and "lead to" in wrong.body.decode()


def test_what_is_no_page_says_so_as_a_page(client):
    for path, status in (
        ("/game/konan", 404),
        ("/game/konane:rows=0", 400),
        ("/game/..%2f..%2fetc", 404),
        ("/game/", 404),
    ):
        answer = client.ask(path)
        assert (answer.status, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert "expected a strength" in client.ask("/game/konane", second="strong").body.decode()
    assert b"<script>alert" not in client.ask("/game/konane", p="<script>alert(1)</script>").body


def test_pages_work_behind_a_proxy_under_a_prefix():
    with serving(root_path="/play/it") as client:
        page = client.ask("/play/it/games/konane").body.decode()
        assert 'href="/play/it/static/page.css"' in page and 'href="/play/it/"' in page
        missing = client.ask("/play/it/stats/konane")
        assert missing.status == 409 and "/play/it/solve/konane" in missing.body.decode()
        moved = client.ask("/play/it/universal/v1")
        assert (moved.status, moved.headers["location"]) == (307, "/play/it/universal/v1/")


@pytest.mark.parametrize("path", ["/games/games/konane", "/games/konane", "/games/game/konane", "/game/konane"])
def test_a_prefix_may_be_called_like_a_page_whether_the_proxy_takes_it_off_or_not(path):
    with serving(root_path="/games") as client:
        assert client.ask(path).status == 200


def test_a_variant_that_is_not_solved_is_shown_without_values_and_estimated(client):
    data = data_of(client.ask("/game/tictactoe"))
    assert data["source"] == data["node"]["source"] == "unsolved"
    assert {move["value"] for move in data["node"]["moves"]} == {None}
    found = client.ask("/play/estimate", variant="ten_to_zero:total=4").json["moves"]
    assert found[0]["move"] == "1" and found[0]["value"] == "win"


def test_statistics_of_a_variant_too_large_to_solve_are_estimated_and_say_so(client):
    page = client.ask("/stats/konane:rows=8,cols=8")
    text = page.body.decode()
    assert page.status == 200 and "Every number here is estimated" in text and "cut off" not in text
    titles = re.findall("<h2>(.*)</h2>", text)
    assert len(titles) == 2 and all("estimated" in title for title in titles)
    shares = re.search("<th scope=.row.>first wins</th>(.*)</tr>", text)[1]
    assert len(re.findall(r"<td>\s*\d+\.\d % <span class=.amount.>\(\d+\.\d–\d+\.\d\)</span>\s*</td>", shares)) == 3
    assert re.search(r"There are 10<sup>[\d.]+</sup> games from the start \(10<sup>", text)
    assert client.ask("/stats/konane:rows=4").status == 409  # which can be solved


def test_a_position_that_cannot_arise_says_so(client):
    found = client.ask("/play/position", variant="konane", p='(w "" wbwb bwbw wbwb)').json
    assert (found["source"], found["value"]) == ("unreachable", "lose")  # by the rules: nobody can jump


@pytest.mark.parametrize("how", ["perfect", "depth=2", "time=0.1", "random", "mistakes=0.5"])
def test_a_program_makes_a_legal_move(client, how):
    told = client.ask("/play/choose", variant="konane", how=how, p='(b "" wbwb b--w w-wb)').json
    legal = {
        move["move"]: move["position"]
        for move in client.ask("/play/position", variant="konane", m="b2-d2").json["moves"]
    }
    assert told["node"]["position"] == legal[told["move"]]


def test_a_game_without_repetition_bars_what_would_bring_back_a_board(client):
    told = client.ask("/play/position", variant="ctf:size=3", p="(b w-w -W- bBb)").json
    assert told["barred"] == [] and "a1-a2" in {move["move"] for move in told["moves"]}
    been = {"p": "(b w-w -W- bBb)", "been": "(w w-w bW- -Bb)"}
    told = client.ask("/play/position", variant="ctf:size=3", **been).json
    assert told["barred"] == ["a1-a2"] and "a1-a2" not in {move["move"] for move in told["moves"]}


def test_a_saved_game_comes_back(client):
    saved = client.ask("/play/save", variant="konane", m="b2-d2").json
    assert saved["moves"] == ["b2-d2"] and saved["variant"] == "konane"
    loaded = client.ask("/play/load", "POST", {"text": json.dumps(saved)}, variant="konane").json
    assert [one["value"] for one in loaded["line"]] == ["lose", "win"]
    assert client.ask("/play/load", "POST", {"text": "{}"}, variant="konane").status == 400
    other = json.dumps(saved | {"variant": "/etc/passwd.py"})
    assert client.ask("/play/load", "POST", {"text": other}, variant="konane").status == 400


def test_a_random_position_has_the_value_that_is_asked_for(client):
    for value in ("win", "lose"):
        found = client.ask("/play/random", variant="konane", value=value).json
        assert client.ask("/play/position", variant="konane", p=found["position"]).json["value"] == value
    assert client.ask("/play/random", variant="konane", value="draw").status >= 400


def test_a_position_is_put_together_by_hand(client):
    told = client.ask("/play/setup", variant="konane", board="w-wbbwb-wbwb", turn="w", field='""').json
    assert told == {"position": '(w "" wbwb bwb- w-wb)'}
    assert client.ask("/play/setup", variant="konane", board="w-w", turn="w").status == 400


def test_the_scorecard_says_who_gave_what_away(client):
    steps = client.ask("/play/scorecard", variant="ten_to_zero", m="2").json["steps"]
    assert steps[0]["comment"].startswith("gives up the win")


def test_positions_are_downloaded_as_they_are_exported_and_no_file_stays(client, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "sent"))
    (tmp_path / "sent").mkdir()
    app.export(variant("konane"), tmp_path / "wanted.csv", db=client.folder)
    for _ in range(MOST_FILES + 1):
        told = client.ask("/download/positions.csv", variant="konane")
        assert told.status == 200 and told.body == (tmp_path / "wanted.csv").read_bytes()
    assert 'filename="positions.csv"' in told.headers["content-disposition"]
    assert client.ask("/download/positions.csv", variant="konane:rows=4").status == 409
    assert client.ask("/download/positions.json", variant="konane").status == 404
    assert list((tmp_path / "sent").iterdir()) == []


def test_a_file_of_too_many_positions_is_refused(client, monkeypatch):
    monkeypatch.setattr(pages_tables, "MOST_SENT", 16)
    work = Tasks(Catalogue(()), client.folder, print)
    with pytest.raises(CallError, match="konane has 17 positions, and a file has at most 16 here; .*gamesman export"):
        work.exported("konane", "/nowhere.csv")
