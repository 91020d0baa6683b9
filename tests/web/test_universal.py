"""GamesmanUni's contract: a client that keeps to the letter of it lists our games and plays them to the end."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.serving import serving
from support.storing import store_solution

from gamesman.db import open_store
from gamesman.model.variant import variant
from gamesman.solver import reference
from gamesman.values import NAMES
from gamesman.web.autogui import decode, encode
from gamesman.web.universal import game_id, variant_id

BASE = "/universal/v1/"
ORDER = ["win", "tie", "draw", "lose", "unsolved"]
SOLVED = ["ten_to_zero", "tictactoe:line=2", "tictactoe", "konane", "konane:rows=4,misere", "ctf:size=2"]
# What the client has in its bundle and fits any game.
BUNDLE = {
    f"general/{colour}piece{form}.svg" for colour in ("black", "white", "red", "blue") for form in ("", "_circle")
}
BUNDLE |= {"ttt/x.svg", "ttt/o.svg", "ttt/3x3grid.svg", "general/slide.mp3", "general/place.mp3"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("served"))
    for name in SOLVED:
        store_solution(open_store(folder), name)
    with serving(db=folder) as client:
        yield client


def get(client, path, raw=b""):
    """Ask as the client does: every path ends in a slash, positions are put in as they are."""
    told = client.ask(f"{BASE}{path}", raw=raw)
    assert told.headers["access-control-allow-origin"] == "*"
    return told.json


def at(client, game, variant, position):
    assert re.fullmatch("[A-Za-z0-9._~-]+", position)
    found = get(client, f"{game}/{variant}/positions/", f"p={position}".encode())
    assert found["position"] == position
    return found


def check_place(place):
    assert re.fullmatch(r"(1|2)_([a-zA-Z0-9-.~]+)*", place["autoguiPosition"])
    assert place["positionValue"] in ORDER and isinstance(place["remoteness"], int)
    if place["positionValue"] == "draw":
        assert place["remoteness"] == -200
    if place["positionValue"] == "unsolved":
        assert place["remoteness"] == -100


def check_position(found, themes):
    """Check all that the client relies on in a position."""
    check_place(found)
    values = [ORDER.index(move["moveValue"]) for move in found["moves"]]
    assert values == sorted(values)
    assert len({move["autoguiMove"] for move in found["moves"]}) == len(found["moves"])
    for move in found["moves"]:
        check_place(move)
        assert move["move"] and isinstance(move["deltaRemoteness"], int)
        opposite = {"win": "lose", "lose": "win"}
        same_turn = move["autoguiPosition"][0] == found["autoguiPosition"][0]
        seen = move["positionValue"] if same_turn else opposite.get(move["positionValue"], move["positionValue"])
        assert move["moveValue"] == seen
        if themes is None:
            assert move["autoguiMove"] == move["move"]
        else:
            check_move(move["autoguiMove"], themes)
    for value in ORDER:
        alike = [move for move in found["moves"] if move["moveValue"] == value]
        deltas = [move["deltaRemoteness"] for move in alike]
        assert deltas == sorted(deltas) and (not deltas or deltas[0] == 0)
        for move in alike:
            assert move["deltaRemoteness"] == abs(move["remoteness"] - alike[0]["remoteness"])


def check_move(text, themes):
    theme = themes["regular"]
    parts = re.fullmatch(r"A_-_(\d+)_(\w)|M_(\d+)_(\d+)_(\w)|T_\w_(\d+)_(\w)", text)
    assert parts, text
    numbers = [int(part) for part in parts.groups() if part and part.isdecimal()]
    assert all(number < len(theme["centers"]) for number in numbers)
    assert text[-1] in theme["sounds"]


def open_game(client, game, variant):
    """Ask the five questions in their order; return the start, and the themes."""
    listed = {each["id"]: each for each in get(client, "")}
    assert (
        listed[game]["type"] == "twoPlayer" and listed[game]["gui"] in {"v0", "v1", "v2", "v3"} and listed[game]["name"]
    )
    told = get(client, f"{game}/")
    assert told["id"] == game and told["allowCustomVariantCreation"] is False and told["supportsWinBy"] is False
    assert variant in [each["id"] for each in told["variants"]]
    found = get(client, f"{game}/{variant}/")
    assert found["id"] == variant and found["name"] and found["gui"]
    data = found["imageAutoGUIData"]
    themes = data["themes"] if data else None
    if data:
        theme = themes[data["defaultTheme"]]
        used = {each["image"] for each in theme["charImages"].values()} | set(theme["sounds"].values())
        assert used | ({theme["background"]} if "background" in theme else set()) <= BUNDLE
        width, height = theme["space"]
        assert all(0 <= x <= width and 0 <= y <= height for x, y in theme["centers"])
        assert len(found["autoguiStartPosition"]) - 2 == len(theme["centers"])
    assert get(client, f"{game}/{variant}/instructions/", b"locale=en-US")["instructions"]
    return found["startPosition"], themes


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["ten_to_zero", "tictactoe", "tictactoe:line=2", "konane", "konane:rows=4,misere", "ctf:size=2", "ctf", "othello"],
)
def test_a_game_is_played_to_its_end_in_its_best_moves_and_in_its_worst(client, name):
    game, id = game_id(name.partition(":")[0]), variant_id(name)
    for choose in (0, -1):
        position, themes = open_game(client, game, id)
        values = reference.solve(variant(name)) if name in SOLVED else None
        for _ in range(40):
            found = at(client, game, id, position)
            check_position(found, themes)
            if values is not None:
                v = variant(name)
                value, remoteness = values.probe(v.parse(decode(position[2:])))
                assert found["positionValue"] == NAMES[value]
                assert found["remoteness"] == (-200 if remoteness is None else remoteness)
            if not found["moves"]:
                assert found["remoteness"] == 0
                break
            move = found["moves"][choose]
            after = at(client, game, id, move["position"])
            assert {key: after[key] for key in ("position", "autoguiPosition", "positionValue", "remoteness")} == {
                key: move[key] for key in ("position", "autoguiPosition", "positionValue", "remoteness")
            }
            position = move["position"]
        else:
            assert name not in ("ten_to_zero", "tictactoe", "konane", "konane:rows=4,misere")


@pytest.mark.slow
def test_what_is_unknown_has_the_key_error(client):
    for path, raw in [("x/", b""), ("konane/x/", b""), ("konane/regular/positions/", b"p=1_x"), ("x/y/z/", b"")]:
        told = get(client, path, raw)
        assert told["error"] and "moves" not in told


def test_ids_that_the_client_draws_by_itself_are_not_used():
    assert game_id("tictactoe") != "tictactoe" and game_id("konane") == "konane"


@given(st.one_of(st.text(), st.text('() "ab-~.+#:/').map(lambda text: f"({text})")))
def test_positions_survive_their_way_in_an_address(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    assert re.fullmatch("[A-Za-z0-9.~-]*", encode(text))
    assert decode(encode(text)) == text
