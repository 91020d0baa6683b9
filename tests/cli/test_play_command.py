"""Playing: the rules of a whole game, and the programs that play."""

import json
import random
import re
import sys

import pytest
from support import SUPPORT

from gamesman.errors import CallError, MoveError, NotSolved
from gamesman.model.variant import variant
from gamesman.play.clock import Clock
from gamesman.play.players import Program, Strength
from gamesman.play.record import GameRecord, load
from gamesman.play.review import review
from gamesman.search.searcher import Searcher
from gamesman.solver.reference import solve

RING = SUPPORT / "ring.py"
PROGRAM = [sys.executable, "-m", "gamesman", "play"]
KONANE = ["b2-d2", "d1-b1", "a1-c1", "d3-d1", "pass", "a3-a1", "b3-d3"]


def played(name, *moves):
    game = GameRecord(variant(name))
    for move in moves:
        game.play(game.read_move(move))
    return game


class Reference:
    """Solved by the reference solver, as a stored variant is looked up."""

    def __init__(self, v):
        self.solution = solve(v)
        self.probe, self.probe_many = self.solution.probe, self.solution.probe_many

    def get(self, position):
        return self.solution.values.get(position)


# A game


def test_a_game_ends_by_its_own_rules():
    game = played("konane", *KONANE)
    assert (game.end.winner, game.end.reason) == (1, "Black has won")
    assert played("konane", *KONANE[:-1]).end is None
    tie = played("tictactoe", "a1", "b2", "b1", "c1", "a3", "a2", "c2", "b3", "c3")
    assert (tie.end.winner, tie.end.reason) == (None, "a tie")
    stuck = GameRecord(variant("hex_abalone:edge=2"))
    assert stuck.end.winner is None
    assert stuck.legal_moves() == []


def test_no_board_comes_back_in_capture_the_flag():
    game = played("ctf:size=4", "b4-a4", "d1-d2", "a4-b4")
    with pytest.raises(MoveError, match="d2-d1"):
        game.read_move("d2-d1")  # a pawn never steps back
    game = played("ctf:size=4", "b4-a4", "b1-a1", "a4-b4")
    with pytest.raises(MoveError, match="a1-b1 would bring back the board that was there at the start"):
        game.read_move("a1-b1")
    move = game.variant.parse_move(game.position, "a1-b1")
    assert move not in game.legal_moves()
    game = played("ctf:size=4", "b4-b3", "b1-a1", "c4-b4", "a1-b1")
    with pytest.raises(MoveError, match="b4-c4 would bring back the board that was there after move 1"):
        game.read_move("b4-c4")


def test_who_has_no_move_but_forbidden_ones_has_lost():
    v = variant(f"{RING}:fields=7")
    game = GameRecord(v, (1, 0), [(field, who) for field in (2, 3, 4) for who in (0, 1)])
    assert game.legal_moves() == []
    assert game.end.winner == 1
    assert "has no move left that does not bring back a board" in game.end.reason


def test_a_position_that_is_there_for_the_third_time_ends_a_game_that_lets_it_come_back():
    v = variant("abalone")
    game = GameRecord(v)
    chance = random.Random(1)
    while game.end is None:
        back = [m for m in game.legal_moves() if game.past.count(v.do_move(game.position, m))]
        game.play(back[0] if back else chance.choice(game.legal_moves()))
        assert len(game.moves) < 1000
    assert game.end.winner is None
    assert "third time" in game.end.reason
    assert game.past.count(game.position) == 3


def test_moves_are_taken_back():
    game = played("konane", *KONANE[:3])
    assert game.undo() == 0
    assert game.names() == KONANE[:2]
    game.undo()
    game.undo()
    assert game.position == game.variant.start()
    with pytest.raises(MoveError, match="no move to take back"):
        game.undo()


def test_a_resignation_is_taken_back_without_a_move():
    game = played("konane", *KONANE[:3])
    game.resigned = 1
    assert (game.end.winner, game.end.reason) == (0, "Black has resigned")
    game.undo()
    assert game.end is None
    assert len(game.moves) == 3


def test_a_saved_game_is_taken_up_as_it_was():
    for game in (played("konane", *KONANE), played("ctf:size=4", "b4-a4", "b1-a1"), GameRecord(variant("tictactoe"))):
        again = load(game.save())
        assert (again.positions, again.moves, again.variant.name) == (game.positions, game.moves, game.variant.name)
    v = variant(f"{RING}:fields=7")
    game = GameRecord(v, (1, 0), [(3, 0), (3, 1)])
    game.resigned = 1
    again = load(game.save())
    assert (again.been, again.end) == (game.been, game.end)
    assert again.legal_moves() == game.legal_moves()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f.pop("moves"), "is no saved game"),
        (lambda f: f.update(gamesman=2), "is of format 2, expected 1"),
        (lambda f: f.update(variant="konan"), "no such game: konan"),
        (lambda f: f.update(variant=7), "is no saved game"),
        (lambda f: f.update(start="(w)"), "cannot be taken up"),
        (lambda f: f["moves"].insert(1, "a1-a3"), "move 2: a1-a3"),
        (lambda f: f["moves"].append("pass"), "the game is over"),
        (lambda f: f.update(moves=[3]), "is no saved game"),
        (lambda f: f.update(moves=None), "is no saved game"),
        (lambda f: f.update(resigned="x"), "is no saved game"),
    ],
)
def test_a_file_that_is_no_saved_game_is_refused(change, said):
    fields = json.loads(played("konane", *KONANE).save())
    change(fields)
    with pytest.raises(CallError, match=re.escape(said)):
        load(json.dumps(fields))
    for text in ("", "null", "[]", "{", "7", "[" * 100_000):
        with pytest.raises(CallError, match="is no saved game"):
            load(text)


def test_who_has_run_out_of_time_has_lost_and_the_clock_is_saved():
    game = played("konane", *KONANE[:2])
    game.clock = Clock(60, (61, 5))
    assert game.clock.has_run_out(game.turn)
    game.late = game.turn
    again = load(game.save())
    assert (again.end.winner, again.end.reason) == (1, "White has run out of time")
    assert (again.clock.limit, again.clock.used) == (60, [61, 5])
    fields = json.loads(game.save())
    for clock in ({"limit": 0, "used": [0, 0]}, {"limit": 5, "used": [0]}, {"limit": "x", "used": [0, 0]}, 7):
        with pytest.raises(CallError, match="is no saved game"):
            load(json.dumps({**fields, "clock": clock}))


def test_a_program_keeps_to_the_clock():
    game = GameRecord(variant("abalone:rows=3,cols=3"))
    game.clock = Clock(0.5)
    chosen = Program(game.variant, Strength("depth", 500), searcher=Searcher(game.variant, compiled=False)).choose(game)
    assert chosen.move in game.legal_moves()


# The programs


@pytest.mark.parametrize(
    "text", ["", "strong", "depth", "depth=x", "depth=0", "depth=1001", "time", "time=0", "time=-1"]
)
def test_a_strength_that_is_none_is_refused(text):
    with pytest.raises(CallError):
        Strength.read(text)


def test_strengths_are_read_and_written():
    for text in ("perfect", "random", "depth=4", "time=0.5"):
        assert str(Strength.read(text)) == text
    assert Strength.read(" depth 4 ") == Strength.read("depth=4")


def test_perfect_play_keeps_the_value_and_wins_in_time():
    v = variant("konane:rows=4")
    stored = Reference(v)
    for seed in range(10):
        programs = [Program(v, Strength("random"), None, random.Random(seed)), Program(v, Strength("perfect"), stored)]
        game = GameRecord(v)
        while game.end is None:
            before = stored.get(game.position)
            who = game.turn
            game.play(programs[who].choose(game).move)
            if who == 1 and before[0] == 3:
                assert stored.get(game.position)[1] == before[1] - 1
        assert game.end.winner == 1  # the start is lost for white


@pytest.mark.slow
def test_perfect_play_keeps_a_draw():
    v = variant("abalone:rows=3,cols=3,misere")
    stored = Reference(v)
    programs = [Program(v, Strength("perfect"), stored), Program(v, Strength("depth", 2))]
    game = GameRecord(v)
    assert stored.get(game.position)[0] == 1
    while game.end is None:
        game.play(programs[game.turn].choose(game).move)
        if game.turn == 1:
            assert stored.get(game.position)[0] == 1
    assert game.end.winner is None


def test_perfect_play_needs_a_database():
    with pytest.raises(NotSolved, match="konane is not solved; run: gamesman solve konane; or play at another"):
        Program(variant("konane"), Strength("perfect"))


@pytest.mark.slow
def test_perfect_play_in_capture_the_flag_never_brings_back_a_board():
    v = variant("ctf:size=3")
    stored = Reference(v)
    for seed in range(10):
        chance = random.Random(seed)
        game = GameRecord(v)
        programs = [Program(v, Strength("perfect"), stored, chance), Program(v, Strength("random"), None, chance)]
        while game.end is None:
            move = programs[game.turn].choose(game).move
            assert move in game.legal_moves()
            game.play(move)
        assert game.end.winner == 0  # the start is won for white
        assert len(set(game.positions)) == len(game.positions)


def test_random_play_is_the_same_with_the_same_seed():
    def moves(seed):
        v = variant("tictactoe")
        program, game = Program(v, Strength("random"), None, random.Random(seed)), GameRecord(v)
        while game.end is None:
            game.play(program.choose(game).move)
        return game.moves

    assert moves(1) == moves(1)
    assert len({tuple(moves(seed)) for seed in range(10)}) > 5


def test_a_review_tells_who_went_wrong_where():
    game = played("tictactoe", "a1", "b1", "b2", "c3", "a2", "c1", "b3")
    steps = review(game, solve(game.variant))
    said = [(step.number, step.player, step.name, step.comment) for step in steps if step.comment]
    assert said == [
        (2, "O", "b1", "gives up the tie: b2 ties in 8"),
        (7, "X", "b3", "gives up the win: a3 wins in 1"),
    ]
    assert (steps[2].value, steps[2].remoteness) == ("win", 5)
    assert [step.comment for step in review(played("konane", *KONANE), solve(variant("konane")))] == [""] * 7
