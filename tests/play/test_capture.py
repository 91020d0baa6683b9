"""`capture` of Capture the Flag, as its rules describe it."""

import random

import pytest
from support.plain import minimax

from gamesman.errors import CallError, NoAnswer, PositionError
from gamesman.games.ctf import board_text, capture, read_board
from gamesman.model.variant import variant
from gamesman.search.scores import CERTAIN
from gamesman.values import LOSE, UNDECIDED

START = "-wWw--www-------bbb--bBb-"


def ctf(board, player):
    return variant(f"ctf:start={board},first={player}")


def other(player):
    return "b" if player == "w" else "w"


def replies(board, player, history):
    """The boards that a player may leave."""
    v = ctf(board, player)
    if v.primitive(v.start()) != UNDECIDED:
        return {}
    children = [v.do_move(v.start(), move) for move in v.generate_moves(v.start())]
    texts = {board_text(v.rules.size, child): child for child in children}
    return {text: child for text, child in texts.items() if text not in history}


def scored(board, player, history, depth):
    """Every board that may be left, with its score by plain minimax."""
    v = ctf(board, player)
    been = frozenset((*read_board(text)[1], who) for text in history for who in (0, 1))
    found = replies(board, player, history).items()
    return {text: -minimax_below(v, child, depth - 1, been) for text, child in found}


def minimax_below(v, child, depth, been):
    score = minimax(v, child, depth, been)
    # One move more to the end, seen from the board before.
    return score - (score > CERTAIN) + (score < -CERTAIN)


def games(count, size="-wWw---------bBb", seed=1):
    """Histories of random games, the newest board first, with the player to move."""
    chance = random.Random(seed)
    for _ in range(count):
        history, player = [size], "w"
        for _ in range(chance.randrange(30)):
            choices = list(replies(history[0], player, history))
            if not choices:
                break
            board = chance.choice(choices)
            if not is_board(board):
                break
            history.insert(0, board)
            player = other(player)
        if replies(history[0], player, history):
            yield history, player


def test_the_call_of_the_rules_gives_a_board_they_call_legal():
    for depth in (1, 2, 3, 4):
        assert capture([START], "w", depth) in replies(START, "w", [START])
    assert "-wWw--w-w---w---bbb--bBb-" in replies(START, "w", [START])


def test_boards_given_as_lists_of_symbols_are_answered_by_one():
    for history, player in games(6, "wWw---bBb"):
        symbols = [list(board) for board in history]
        assert "".join(capture(symbols, player, 2)) == capture(history, player, 2)
        assert isinstance(capture(symbols, player, 2), list)
        assert capture([history[0], *symbols[1:]], player, 2) == capture(history, player, 2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "got no history and no player and no depth"),
        ([[START]], "got no player and no depth"),
        ([[START], "w"], "got no depth; like capture"),
    ],
)
def test_an_argument_that_is_missing_is_named(given, said):
    with pytest.raises(CallError, match=said) as caught:
        capture(*given)
    assert "expected capture(history, player, depth)" in str(caught.value)
    with pytest.raises(CallError, match="got no player; like"):
        capture([START], depth=2)


def test_the_sample_of_23_characters_is_refused():
    with pytest.raises(PositionError, match="23 is no square"):
        capture(["-wWw--www-----bbb--bBb-"], "w", 2)


@pytest.mark.parametrize("size", ["-wWw---------bBb", "wWw---bBb", START])
def test_the_board_returned_is_the_best_by_plain_minimax_to_exactly_that_depth(size):
    chance = random.Random(2)
    tried = 0
    for history, player in games(25, size):
        depth = chance.randint(1, 3)
        scores = scored(history[0], player, history, depth)
        assert scores[capture(history, player, depth)] == max(scores.values()), (history, player, depth)
        tried += 1
    assert tried > 10


def test_a_board_that_has_been_never_comes_back_not_even_deep_in_the_search():
    chance = random.Random(3)
    tried = 0
    for history, player in games(40, "wWw---bBb"):
        # Boards that no game has been at count as well: the list says what has occurred.
        choices = sorted(replies(history[0], player, history))
        forbidden = [board for board in chance.sample(choices, len(choices) // 2) if is_board(board)]
        scores = scored(history[0], player, [*history, *forbidden], 3)
        chosen = capture([*history, *forbidden], player, 3)
        assert chosen not in history
        assert chosen not in forbidden
        assert scores[chosen] == max(scores.values())
        tried += bool(forbidden)
    assert tried > 15


def is_board(text):
    try:
        return bool(read_board(text))
    except PositionError:
        return False


@pytest.mark.slow
def test_a_win_in_one_is_always_taken():
    taken = 0
    for history, player in games(150, "wWw---bBb", seed=4):
        v = ctf(history[0], player)
        wins = {text for text, child in replies(history[0], player, history).items() if v.primitive(child) == LOSE}
        if wins:
            taken += 1
            for depth in (1, 2, 4):
                assert capture(history, player, depth) in wins
    assert taken > 10


@pytest.mark.slow
def test_a_loss_that_the_depth_can_see_is_avoided_if_it_can_be():
    avoided = 0
    for history, player in games(60, seed=5):
        scores = scored(history[0], player, history, 3)
        if min(scores.values()) < -CERTAIN < max(scores.values()):
            avoided += 1
            assert scores[capture(history, player, 3)] > -CERTAIN
    assert avoided > 5


def test_a_loss_that_cannot_be_avoided_is_put_off():
    for history, player in games(200, "wWw---bBb", seed=6):
        scores = scored(history[0], player, history, 4)
        if max(scores.values()) < -CERTAIN and len(set(scores.values())) > 1:
            assert scores[capture(history, player, 4)] == max(scores.values()) > min(scores.values())
            return
    pytest.fail("no position was found in which every move loses, some later than others")


def test_where_each_move_would_bring_back_a_board_there_is_none():
    history = ["wWw---bBb", *replies("wWw---bBb", "w", [])]
    with pytest.raises(NoAnswer, match="White has no move left in wWw---bBb: each would bring back a board"):
        capture(history, "w", 2)


def test_where_the_game_is_over_there_is_no_move():
    with pytest.raises(NoAnswer, match="Black has no move left in --b-B---w-W----b: the game is over"):
        capture(["--b-B---w-W----b"], "b", 2)


def test_a_player_stuck_behind_his_own_pieces_has_no_move():
    with pytest.raises(NoAnswer, match="no move left"):
        capture(["wWBb"], "w", 1)


@pytest.mark.parametrize(
    ("history", "player", "depth", "error", "said"),
    [
        ([], "w", 2, CallError, "got an empty one"),
        (START, "w", 2, CallError, "expected a list of boards"),
        (None, "w", 2, CallError, "expected a list of boards"),
        ([START, 7], "w", 2, CallError, "expected a list of boards"),
        ([["-", "w", 7]], "w", 2, CallError, "expected a list of boards"),
        ([["wW", "Bb"]], "w", 2, CallError, "expected a list of boards"),
        ([list("wWb")], "w", 2, PositionError, "3 is no square"),
        ([""], "w", 2, PositionError, "expected a square board"),
        (["-xWw--www-------bbb--bBb-"], "w", 2, PositionError, "got 'x'"),
        (["-w-w--www-------bbb--bBb-"], "w", 2, PositionError, "expected one flag W of White, got none"),
        (["-wWw--wWw-------bbb--bBb-"], "w", 2, PositionError, "expected one flag W of White, got 2"),
        (["-wWw--www-------BBB--bBb-"], "w", 2, PositionError, "expected one flag B of Black, got 4"),
        (["--W------B------"], "w", 2, PositionError, "expected at least one pawn w of White, got none"),
        ([START, "wWw---bBb"], "w", 2, PositionError, "expected boards of 25 cells like the newest, got 9"),
        ([START, "wWw"], "w", 2, PositionError, "3 is no square"),
        ([START], "x", 2, CallError, "expected the player to move, w or b, got 'x'"),
        ([START], "", 2, CallError, "expected the player to move"),
        ([START], "wb", 2, CallError, "expected the player to move"),
        ([START], None, 2, CallError, "expected the player to move"),
        ([START], ["w"], 2, CallError, "expected the player to move"),
        ([START], "w", 0, CallError, "expected a depth of 1 or more, got 0"),
        ([START], "w", -1, CallError, "expected a depth of 1 or more, got -1"),
        ([START], "w", 1.5, CallError, "expected a depth of 1 or more, got 1.5"),
        ([START], "w", True, CallError, "expected a depth of 1 or more, got True"),
        ([START], "w", "2", CallError, "expected a depth of 1 or more, got '2'"),
        ([START], "w", 5000, CallError, "depth must be 1 to 1000, got 5000"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong(history, player, depth, error, said):
    with pytest.raises(error, match=said) as caught:
        capture(history, player, depth)
    assert "\n" not in str(caught.value)
