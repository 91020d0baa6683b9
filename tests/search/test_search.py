"""Search agrees exactly with plain minimax, and with solved values where it sees to the end."""

import functools
import random
from pathlib import Path

import pytest
from support import SUPPORT
from support.plain import is_without_repetition, minimax, nodes, proof

from gamesman.errors import BrokenGame, CallError, TooLarge
from gamesman.model.variant import variant
from gamesman.search.compiled import Compiled
from gamesman.search.plain import Interpreted
from gamesman.search.scores import CERTAIN, MATE
from gamesman.search.searcher import Searcher
from gamesman.solver.reference import solve
from gamesman.values import LOSE, TIE, UNDECIDED, WIN

RING = SUPPORT / "ring.py"

# The depths are what plain minimax can look at in a moment.
DEPTHS = {
    "hex_abalone": 3,
    "hex_abalone:edge=3": 4,
    "hex_abalone:edge=5,corner=none": 2,
    "abalone": 3,
    "abalone:rows=3,cols=3,misere": 4,
    "abalone:rows=3,cols=4,freeze": 3,
    "abalone:rows=5,cols=6": 2,
    "ctf": 4,
    "ctf:size=3": 6,
    "ctf:size=6": 3,
    "ctf:size=7": 3,
    "konane": 9,
    "konane:rows=4,cols=5,any_piece": 6,
    "konane:rows=6,cols=6,misere": 4,
    "konane:rows=5,cols=5": 6,
    "konane:rows=8,cols=8": 4,
    "tictactoe": 6,
    "tictactoe:rows=3,cols=4,line=3": 4,
    "ten_to_zero": 12,
    f"{RING}:fields=11": 9,
    f"{RING}:fields=13,ties=4": 8,
}
KINDS = [Compiled, Interpreted]
TABLE = 1 << 20


@functools.cache
def v(name):
    return variant(name)


def played_out(variant, chance, most):
    """A position after some moves at random, and those before it; None if it is over."""
    position, past = variant.start(), []
    for _ in range(chance.randrange(most)):
        moves = legal(variant, position, past)
        if not moves:
            return None
        past.append(position)
        position = variant.do_move(position, chance.choice(moves))
    return (position, past) if legal(variant, position, past) else None


def legal(variant, position, past):
    if variant.primitive(position) != UNDECIDED:
        return []
    moves = variant.generate_moves(position)
    if is_without_repetition(variant):
        return [move for move in moves if variant.do_move(position, move) not in {*past, position}]
    return list(moves)


def samples(variant, count, most=40, seed=1):
    chance = random.Random(seed)
    found = (played_out(variant, chance, most) for _ in range(4 * count))
    return [sample for sample in found if sample][:count]


def score(search, position, depth, past=(), slice=1 << 40, **how):
    search.begin(position, depth, past, **how)
    while not search.go_on(slice):
        pass
    return search.value


@pytest.mark.slow
@pytest.mark.parametrize("name", DEPTHS, ids=lambda name: Path(name).name)
def test_every_score_is_that_of_plain_minimax(name):
    variant, chance = v(name), random.Random(2)
    searches = [kind(variant, TABLE) for kind in KINDS]  # their tables are kept from one position to the next
    tried = 0
    for position, past in samples(variant, 60):
        depth = min(chance.randint(1, DEPTHS[name]), chance.randint(1, DEPTHS[name]))
        expected = minimax(variant, position, depth, frozenset(past))
        for search in searches:
            assert score(search, position, depth, past) == expected, (variant.show(position), depth, search)
        tried += 1
    assert tried >= 10


@pytest.mark.slow
@pytest.mark.parametrize("name", DEPTHS, ids=lambda name: Path(name).name)
def test_the_line_leads_to_the_score(name):
    variant = v(name)
    search = Compiled(variant, TABLE)
    for start, past in samples(variant, 8, seed=3):
        depth = DEPTHS[name]
        found = score(search, start, depth, past)
        position, sign, been = start, 1, {*past} - {start}
        for move in search.line:
            assert move in variant.generate_moves(position)
            been.add(position)
            child = variant.do_move(position, move)
            sign *= 1 if variant.turn(child) == variant.turn(position) else -1
            position = child
        assert len(search.line) <= depth
        end = 0 if position in been else minimax(variant, position, depth - len(search.line), frozenset(been))
        if abs(found) < CERTAIN:
            assert sign * end == found
        else:
            assert MATE - abs(found) == len(search.line)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["hex_abalone", "ctf:size=4", "konane:rows=4,cols=5", f"{RING}:fields=12"])
def test_a_search_left_and_taken_up_again_finds_the_same(kind, name):
    for position, past in samples(v(name), 5, most=10):
        whole, slices = kind(v(name), TABLE), kind(v(name), TABLE)
        assert score(slices, position, 5, past, slice=1) == score(whole, position, 5, past)
        assert (slices.line, slices.nodes) == (whole.line, whole.nodes)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_list_of_moves_that_is_full_grows(kind):
    search = kind(v("hex_abalone"), TABLE)
    expected = score(search, v("hex_abalone").start(), 4)
    narrow = kind(v("hex_abalone"), TABLE)
    narrow._room = 2
    assert score(narrow, v("hex_abalone").start(), 4) == expected
    assert narrow.nodes == search.nodes


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_smallest_table_costs_time_and_nothing_else(kind):
    for name in ("hex_abalone", "ctf:size=3", "konane:rows=4,cols=5"):
        search = kind(v(name), 1)
        assert search.rows == 2
        for position, past in samples(v(name), 5):
            assert score(search, position, 3, past) == minimax(v(name), position, 3, frozenset(past))


@pytest.mark.slow
def test_both_kinds_search_the_same_nodes():
    for name in ("abalone", "konane:rows=5,cols=5", "tictactoe"):
        searches = [kind(v(name), 64 << 20) for kind in KINDS]
        assert len({score(search, v(name).start(), 4) for search in searches}) == 1
        assert len({search.nodes for search in searches}) == 1


def test_alpha_beta_looks_at_a_tenth_of_the_tree_at_most():
    start = v("hex_abalone").start()
    found = Searcher(v("hex_abalone")).search(start, depth=4)
    assert found.score == minimax(v("hex_abalone"), start, 4)
    assert found.nodes * 10 <= nodes(v("hex_abalone"), start, 4)


@pytest.mark.parametrize("name", ["konane", "konane:rows=4", "konane:rows=4,misere", "konane:any_piece", "ten_to_zero"])
def test_every_position_is_worth_what_the_solver_says_when_searched_to_the_end(name):
    solved = solve(v(name)).values
    searcher = Searcher(v(name))
    for position in list(solved)[:400]:
        found = searcher.search(position, depth=25)
        assert (found.value, found.remoteness) == solved[position], v(name).show(position)
        if found.move is not None:
            check_best(v(name), solved, position, found.move)


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_ties_are_certain_and_as_far_as_the_solver_says(compiled):
    solved = solve(v("tictactoe")).values
    searcher = Searcher(v("tictactoe"), compiled=compiled)
    chance = random.Random(4)
    late = [p for p in solved if bin(p[0] | p[1]).count("1") >= 2]
    for position in chance.sample(late, 150):
        found = searcher.search(position, depth=9)
        assert (found.value, found.remoteness) == solved[position], v("tictactoe").show(position)
        if found.move is not None:
            check_best(v("tictactoe"), solved, position, found.move)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ctf:size=3", "abalone:rows=3,cols=3", "abalone:rows=3,cols=3,captures=1,misere"])
def test_wins_and_losses_within_the_depth_are_seen_with_their_remoteness_and_no_others(name):
    solved = solve(v(name)).values
    searcher = Searcher(v(name))
    chance = random.Random(5)
    seen = 0
    for position in chance.sample(list(solved), 150):
        value, remoteness = solved[position]
        found = searcher.search(position, depth=4)
        if remoteness is not None and remoteness <= 4 and value != TIE:
            assert (found.value, found.remoteness) == (value, remoteness), v(name).show(position)
            seen += 1
        elif not is_without_repetition(v(name)):
            assert found.value is None, v(name).show(position)
        elif found.value is not None:  # the rule ends draws, and the flight of who has lost
            assert value not in (WIN, LOSE) or (value == found.value and found.remoteness < remoteness)
    assert seen > 20


def check_best(variant, solved, position, move):
    """The move keeps the value, and no other keeps it better."""
    child = variant.do_move(position, move)
    value, remoteness = solved[position]
    expected = value
    if variant.turn(child) != variant.turn(position) and value in (WIN, LOSE):
        expected = WIN + LOSE - value
    assert solved[child] == (expected, remoteness - 1)


@pytest.mark.parametrize("name", ["tictactoe", "tictactoe:rows=2,cols=4", "hex_abalone:edge=2,captures=2"])
def test_a_tie_is_certain_just_where_the_moves_to_the_depth_prove_it(name):
    searcher, chance = Searcher(v(name)), random.Random(6)
    if name.startswith("hex"):  # too small to be played: every way to place its tokens instead
        positions = [v(name).unhash(chance.randrange(v(name).key_bound())) for _ in range(300)]
    else:
        positions = [position for position, _ in samples(v(name), 120, most=9)]
    ties, remotenesses = 0, set()
    for position in positions:
        is_tie, remoteness = proof(v(name), position, 4)
        found = searcher.search(position, depth=4)
        if is_tie:
            ties += 1
            remotenesses.add(remoteness)
            assert (found.value, found.remoteness, found.score) == (TIE, remoteness, 0)
            if remoteness:
                child = v(name).do_move(position, found.move)
                assert proof(v(name), child, 3) == (True, remoteness - 1)
        else:
            assert found.value != TIE
    assert ties > 5
    assert len(remotenesses) > 1


def test_ties_in_a_game_without_repetition_are_found_too():
    name = f"{RING}:fields=9,ties=9"
    found = Searcher(v(name)).search(v(name).parse("(1 6)"), depth=12)
    assert found.value in (WIN, LOSE, TIE)
    score = minimax(v(name), v(name).parse("(1 6)"), 12)
    assert found.score == score


def test_who_has_moves_but_none_that_is_allowed_has_lost():
    name = f"{RING}:fields=7"
    been = [(field, who) for field in (2, 3, 4) for who in (0, 1)]
    found = Searcher(v(name)).search((1, 0), depth=3, past=been)
    assert (found.move, found.value, found.remoteness) == (None, LOSE, 0)
    # Six fields on, the other player would stand where every field ahead has been.
    been = [(field, who) for field in (3, 4, 5) for who in (0, 1)]
    found = Searcher(v(name)).search((1, 0), depth=3, past=been)
    assert (found.line, found.value, found.remoteness) == ([1], WIN, 1)


@pytest.mark.slow
def test_the_same_position_after_another_history_is_another_one():
    name = f"{RING}:fields=11"
    search = Compiled(v(name), TABLE)
    chance = random.Random(7)
    everywhere = [(field, who) for field in range(11) for who in (0, 1)]
    scores = set()
    for _ in range(60):
        been = frozenset(chance.sample(everywhere, chance.randrange(12))) - {(1, 0)}
        if not legal(v(name), (1, 0), been):
            continue
        found = score(search, (1, 0), 6, been)
        assert found == minimax(v(name), (1, 0), 6, been)
        scores.add(found)
    assert len(scores) > 5


def test_a_win_is_taken_as_soon_and_a_loss_put_off_as_long_as_can_be():
    pile = v("ten_to_zero")
    found = Searcher(pile).search(pile.parse("(1 4)"), depth=10)
    assert (found.value, found.remoteness) == (WIN, 3)
    found = Searcher(pile).search(pile.parse("(1 6)"), depth=10)
    assert (found.value, found.remoteness) == (LOSE, 4)


@pytest.mark.slow
def test_a_search_for_a_time_ends_and_has_a_move():
    for name, seconds in [("hex_abalone", 0.2), ("abalone:rows=26,cols=26", 0.01), ("ctf", 0.000001)]:
        found = Searcher(v(name)).search(v(name).start(), seconds=seconds)
        assert found.move in v(name).generate_moves(v(name).start())
        assert found.value is None


@pytest.mark.slow
def test_a_value_that_is_certain_ends_the_search():
    found = Searcher(v("konane")).search(v("konane").start(), seconds=1000)
    assert (found.value, found.remoteness, found.depth) == (LOSE, 7, 7)
    found = Searcher(v("tictactoe")).search(v("tictactoe").start(), seconds=1000)
    assert (found.value, found.remoteness) == (TIE, 9)


def test_a_board_too_large_for_wide_integers_is_searched_interpreted_and_says_so():
    large = v("abalone:rows=17,cols=17")
    found = Searcher(large).search(large.start(), seconds=0.05)
    assert not found.is_compiled
    assert "256 bits" in found.note
    with pytest.raises(TooLarge, match="256 bits"):
        Searcher(large, compiled=True)


@pytest.mark.slow
def test_a_board_whose_keys_do_not_fit_a_machine_word_is_compiled_all_the_same():
    for name in ("hex_abalone:edge=5", "ctf:size=7", "abalone:rows=7,cols=8"):
        assert v(name).key_bound() > 1 << 63
        found = Searcher(v(name), compiled=True).search(v(name).start(), depth=4)
        assert found.is_compiled
        assert found.score == Searcher(v(name), compiled=False).search(v(name).start(), depth=4).score


@pytest.mark.slow
def test_compiled_code_is_loaded_only_where_it_pays():
    hexagon = v("hex_abalone")
    assert not Searcher(hexagon).search(hexagon.start(), depth=3).is_compiled
    assert Searcher(hexagon).search(hexagon.start(), depth=7).is_compiled
    assert not Searcher(hexagon, compiled=False).search(hexagon.start(), depth=6).is_compiled


@pytest.mark.slow
def test_a_game_that_cannot_be_compiled_is_searched_interpreted_and_says_so(tmp_path):
    game = tmp_path / "game.py"
    text = RING.read_text().replace("return position[0] * 7 % 13 - 6", "return int(str(position[0]))")
    game.write_text(text.replace("no_repetition = True", ""))
    found = Searcher(variant(f"{game}:fields=30")).search((1, 0), seconds=0.05)
    assert not found.is_compiled
    assert "cannot be compiled" in found.note


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [False, True])
def test_a_game_that_leaves_a_player_without_moves_is_named(tmp_path, compiled):
    game = tmp_path / "game.py"
    text = RING.read_text().replace("no_repetition = True", "")
    game.write_text(text.replace("range(1, 4)", "range(1, 4 if position[0] < 5 else 1)"))
    broken = variant(f"{game}:fields=30")
    with pytest.raises(BrokenGame, match=r"primitive leaves \([12] [5-7]\) undecided, but it has no move"):
        Searcher(broken, compiled=compiled).search((1, 0), depth=6)


def test_barred_moves_are_left_out_and_nothing_wrong_is_remembered():
    hexagon = v("hex_abalone")
    searcher = Searcher(hexagon)
    best = searcher.search(hexagon.start(), depth=4)
    other = searcher.search(hexagon.start(), depth=4, barred=[best.move])
    assert other.move not in (None, best.move)
    assert other.score <= best.score
    assert searcher.search(hexagon.start(), depth=4).score == best.score
    with pytest.raises(CallError, match="every move is barred"):
        searcher.search(hexagon.start(), depth=4, barred=hexagon.generate_moves(hexagon.start()))


def test_a_search_needs_a_depth_or_a_time():
    konane = v("konane")
    with pytest.raises(CallError, match="expected a depth or a time"):
        Searcher(konane).search(konane.start())
    for depth in (0, 1001):
        with pytest.raises(CallError, match="depth must be 1 to 1000"):
            Searcher(konane).search(konane.start(), depth=depth)


@pytest.mark.slow
def test_a_deep_search_of_a_long_game_needs_no_recursion():
    pile = v("ten_to_zero:total=700,most=1")
    found = Searcher(pile).search(pile.start(), depth=1000)
    assert (found.value, found.remoteness) == (LOSE, 700)
