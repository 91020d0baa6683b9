"""Moves ranked after all that has been, in games in which no position may come back."""

import os
import random
import re
import subprocess
import sys

import pytest
from support import ROOT, SUPPORT

from gamesman.model.variant import variant
from gamesman.play.players import Program, Strength
from gamesman.play.record import GameRecord
from gamesman.play.review import review
from gamesman.play.standing import ranked_legal
from gamesman.search.searcher import Searcher
from gamesman.solver.reference import solve
from gamesman.values import NAMES, UNDECIDED, negate

RING = SUPPORT / "ring.py"


@pytest.fixture(scope="module")
def flags():
    v = variant("ctf:size=3")
    return v, solve(v)


class Stored:
    """Solved by the reference solver, as a stored variant is looked up."""

    def __init__(self, solution):
        self.probe, self.probe_many, self.get = solution.probe, solution.probe_many, solution.values.get


def wandering(v, draw):
    """A game played at random, but rather by moves that keep all pieces, so that boards are about to come back."""
    game = GameRecord(v)
    while game.end is None:
        legal = game.legal_moves()
        quiet = [m for m in legal if v.tier(v.do_move(game.position, m)) == v.tier(game.position)]
        game.play(draw.choice(quiet or legal))
    return game


def pasts(game):
    for number, position in enumerate(game.positions[:-1]):
        yield position, game.positions[:number]


@pytest.mark.slow
def test_only_legal_moves_are_ranked(flags):
    v, solution = flags
    forbidden = 0
    for seed in range(100):
        game = wandering(v, random.Random(seed))
        for position, past in pasts(game):
            moves = ranked_legal(v, solution, position, past)
            assert moves
            assert not {move.position for move in moves} & {*past, position}
            assert sorted(moves, key=lambda move: NAMES.index(move.value), reverse=True) == moves
            assert moves[0].delta == 0
            forbidden += len(moves) < len(list(v.generate_moves(position)))
        for step, (position, past) in zip(review(game, solution), pasts(game), strict=True):
            if step.comment:
                best = step.comment.replace(":", "").split()
                legal = {move.name for move in ranked_legal(v, solution, position, past)}
                assert legal & set(best), step
    assert forbidden > 100


@pytest.mark.slow
def test_a_figure_is_what_can_be_forced_by_the_rules(flags):
    v, solution = flags
    searcher, checked, withdrawn = Searcher(v, compiled=False), 0, 0
    for seed in range(40):
        for position, past in pasts(wandering(v, random.Random(seed))):
            for move in ranked_legal(v, solution, position, past):
                value, remoteness = solution.probe(move.position)
                withdrawn += value in (0, 3) and move.remoteness is None
                if move.remoteness is None or not 0 < move.remoteness <= 5:
                    continue
                found = searcher.search(move.position, move.remoteness, past=[*past, position])
                assert found.value == value, (v.show(position), move.name)
                assert found.remoteness <= remoteness
                checked += 1
    assert checked > 100
    assert withdrawn > 0


def test_a_game_in_which_boards_may_come_back_is_ranked_by_its_values_alone():
    v = variant("abalone:rows=3,cols=3,captures=1")
    solution, draw = solve(v), random.Random(1)
    game = GameRecord(v)
    while game.end is None and len(game.moves) < 30:
        moves = ranked_legal(v, solution, game.position, game.past)
        assert {move.move for move in moves} == set(game.legal_moves())
        assert all(move.is_sure for move in moves)
        assert moves[0].value == NAMES[solution.probe(game.position)[0]]
        game.play(draw.choice(game.legal_moves()))


def test_a_tie_that_a_board_may_be_in_the_way_of_has_no_figure():
    v = variant(f"{RING}:fields=9,ties=9")
    solution = solve(v)
    for position in solution.values:
        if v.primitive(position) == UNDECIDED:
            for move in ranked_legal(v, solution, position, []):
                assert (move.value, move.remoteness, move.is_sure) in (("tie", None, False), ("draw", None, True))


@pytest.mark.slow
def test_a_hint_is_no_move_that_would_bring_back_a_board(flags):
    v, solution = flags
    stored = Stored(solution)
    for seed in range(30):
        game, draw = GameRecord(v), random.Random(seed)
        programs = [Program(v, Strength("perfect"), stored, draw), Program(v, Strength("random"), None, draw)]
        while game.end is None:
            choice = programs[game.turn ^ seed & 1].choose(game)
            assert choice.move in game.legal_moves()
            if " in " in choice.remark:
                best = ranked_legal(v, stored, game.position, game.past)[0]
                value, remoteness = stored.get(best.position)
                own = value if v.turn(best.position) == game.turn else negate(value)
                assert (best.is_sure, best.value, best.remoteness) == (True, NAMES[own], remoteness)
            game.play(choice.move)


@pytest.mark.slow
def test_two_perfect_players_of_capture_the_flag_are_not_blamed_for_moves_that_were_forbidden(database):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-m", "gamesman"]
    subprocess.run([*program, "solve", "ctf:size=4", "--quiet"], env=environment, capture_output=True, check=True)
    words = ["--side", "none", "--strength", "perfect", "--other", "perfect", "--seed", "1"]
    run = subprocess.run([*program, "play", "ctf:size=4", *words], env=environment, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    # In what is a draw somebody runs out of moves that are allowed.
    assert re.search(r"After \d+ moves: (White|Black) has won\.\nNobody went wrong\.\n$", run.stdout)
