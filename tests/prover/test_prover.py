"""What is proved is what solving says, in every game of which both can be done; where nothing can be, it is said."""

import functools
import random

import pytest
from support import ROOT, SUPPORT
from support.small_variants import small

from gamesman.errors import BrokenGame
from gamesman.model.variant import variant
from gamesman.prover import certificate, tree
from gamesman.prover.prover import Prover
from gamesman.solver.reference import solve
from gamesman.values import NAMES, UNDECIDED

TABLE = 2 << 20
PASSING = '''"""Put two stones in turn, or pass once."""
from typing import NamedTuple
from gamesman.values import LOSE, UNDECIDED
options = []
class Rules(NamedTuple):
    none: int
def setup(o): return Rules(0)
def start(rules): return 3, 0, 0
def hash(rules, position): return (position[0] * 2 + position[1]) * 2 + position[2]
def unhash(rules, key): return key >> 2, key >> 1 & 1, key & 1
def turn(rules, position): return position[1]
def tier(rules, position): return position[0]
def primitive(rules, position): return UNDECIDED if position[0] else LOSE
def generate_moves(rules, position):
    yield 1
    if MAY_PASS:
        yield 0
def do_move(rules, position, move): return position[0] - move, 1 - position[1], 1 - move
def show(rules, position): return "(%d %d %d)" % position
def parse(rules, text): return tuple(map(int, text.strip("()").split()))
def move_name(rules, position, move): return str(move)
'''


def prove(name, **settings):
    board = variant(name)
    return Prover(board, table_bytes=TABLE, **settings).prove(board.start())


@pytest.mark.slow
def test_a_slow_first_call_does_not_make_all_that_follow_too_short(monkeypatch):
    """Memory that is touched for the first time is slow, and so is a machine that has something else to do."""
    board = variant("konane:rows=5,cols=6")
    prover, now, calls = Prover(board, table_bytes=TABLE), [0.0], []
    monkeypatch.setattr("gamesman.prover.prover.time.perf_counter", lambda: now[0])
    prover.load(board.start())
    run = prover.run

    def timed(number, state, rows, *given):
        before = int(state[tree.NODES])
        status = run(number, state, rows, *given)
        if len(rows):  # else the code is only loaded
            calls.append(int(state[tree.NODES]) - before)
            now[0] += calls[-1] * (1e-6 if len(calls) > 1 else 1e-3)
        return status

    monkeypatch.setattr(prover, "run", timed)
    assert prover.prove(board.start()).nodes > 50_000
    assert calls[0] <= 50 and calls == sorted(calls[:-1]) + calls[-1:] and max(calls) > 10_000


@pytest.mark.slow
@pytest.mark.parametrize("game", ["konane", "chomp", "tictactoe"])
def test_proofs_agree_with_solving_and_their_certificates_hold(game, tmp_path):
    proved = 0
    for board in small(game):
        value, _ = solve(board).probe(board.start())
        prover = Prover(board, table_bytes=TABLE)
        proof = prover.prove(board.start())
        assert proof.value == NAMES[value], board.name
        if proof.source == "search":
            with certificate.opened(str(tmp_path / "proof")) as out:
                certificate.write(out, prover, proof)
            checked = certificate.check(str(tmp_path / "proof"))
            assert (checked.value, checked.position) == (NAMES[value], board.start())
            proved += 1
    assert proved


@pytest.mark.slow
def test_where_positions_come_back_a_proof_says_within_how_many_moves():
    board = variant("dodgem:size=3")
    solution = solve(board)
    prover = Prover(board, table_bytes=TABLE)
    positions = [p for p in solution.values if board.primitive(p) == UNDECIDED]
    within = 0
    for position in random.Random(1).sample(positions, 60):
        value, remoteness = solution.probe(position)
        proof = prover.prove(position)
        # Where every move from here on lowers the tier it is proved outright.
        assert proof.value == NAMES[value] and proof.depth in (0, remoteness), board.show(position)
        assert ("come back" in proof.note) == (proof.depth > 0)
        within += proof.depth > 0
    assert within


@pytest.mark.slow
def test_a_draw_is_never_proved():
    board = variant(f"{SUPPORT / 'ring.py'}:fields=11")
    proof = Prover(board, table_bytes=TABLE).prove(board.start(), 0.2)
    assert (proof.value, proof.depth) == (None, 0)
    assert "there is none within" in proof.note


@pytest.mark.slow
def test_two_threads_prove_the_same():
    assert prove("konane:rows=5,cols=6", threads=2).value == "lose"
    found = prove("konane:rows=5,cols=5", threads=2)
    # Any move that wins may be found first, a3-c3 or c1-c3.
    board = variant("konane:rows=5,cols=5")
    assert found.value == "win"
    assert Prover(board, table_bytes=TABLE).prove(board.do_move(board.start(), found.move)).value == "lose"


@pytest.mark.slow
def test_the_time_is_kept_and_the_next_search_goes_on():
    board = variant("konane:rows=6,cols=6")
    prover = Prover(board, table_bytes=TABLE)
    assert prover.prove(board.start(), 0.01).value is None
    end = board.parse('(w "" wbwb-- bw--wb wb--wb bw--wb wb-bwb bwbwbw)')
    assert prover.prove(end).value in ("win", "lose")


def test_a_position_that_is_over_needs_no_search():
    board = variant("konane")
    proof = Prover(board).prove(board.parse('(w "" ---- ---- ---b)'))
    assert (proof.value, proof.source, proof.nodes) == ("lose", "rules", 0)


@pytest.mark.slow
def test_a_game_says_that_nothing_comes_back_and_is_held_to_it(tmp_path):
    for says, passes, wanted in [(False, 1, "come back"), (True, 1, "but one has")]:
        path = tmp_path / f"passing{says}.py"
        path.write_text(PASSING.replace("MAY_PASS", str(passes)) + f"no_return = {says}\n")
        if says:
            with pytest.raises(BrokenGame, match=wanted):
                prove(str(path))
        else:
            assert wanted in prove(str(path)).note


@pytest.mark.slow
def test_mobility_says_where_to_search_first(tmp_path):
    text = (ROOT / "games" / "domineering.py").read_text()
    counting = "    return popcount(places(rules, position))\n"
    found = []
    for name, wanted in [("without", ""), ("against", counting.replace("return ", "return 100 - "))]:
        path = tmp_path / f"{name}.py"
        path.write_text(text.replace(counting, wanted) if wanted else text[: text.index("def mobility")])
        found.append(prove(f"{path}:rows=5,cols=5"))
    told = prove("domineering:rows=5,cols=5")
    assert {proof.value for proof in (told, *found)} == {"lose"}
    assert found[0].nodes == told.nodes < found[1].nodes


@functools.cache
def stored(name):
    return solve(variant(name))


def test_what_a_database_has_is_not_searched():
    board = variant("konane")

    class Stored:
        variant = board
        get = staticmethod(lambda position: stored("konane").probe(position))
        probe = staticmethod(lambda position: stored("konane").probe(position))
        probe_many = staticmethod(lambda positions: stored("konane").probe_many(positions))

    proof = Prover(board, Stored()).prove(board.start())
    assert (proof.value, proof.source, proof.nodes) == ("lose", "database", 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["konane:rows=5,cols=4,misere", "tictactoe", "connect4:rows=4,cols=4"])
def test_images_of_a_position_are_searched_once(name, monkeypatch):
    with_images = prove(name)
    monkeypatch.setenv("GAMESMAN_SYMMETRY", "off")
    without = prove(name)
    assert with_images.value == without.value and 0 < with_images.nodes < without.nodes


@pytest.mark.slow
def test_images_count_that_leave_the_position_asked_about_as_it_is():
    board = variant("tictactoe")
    prover = Prover(board, table_bytes=TABLE)
    corner, centre = (board.parse(text) for text in ("(o --- --- x--)", "(o --- -x- ---)"))
    kept = []
    for position in (corner, centre):
        prover.prove(position)
        kept.append(prover._rules.kept_symmetries.bit_count())
    assert kept == [1, 7]


@pytest.mark.slow
def test_a_tie_is_one_when_it_is_asked_about_again():
    board = variant("tictactoe:rows=1")
    prover = Prover(board, table_bytes=TABLE)
    assert [prover.prove(board.start()).value for _ in range(2)] == ["tie", "tie"]
