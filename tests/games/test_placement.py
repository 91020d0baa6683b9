"""Placements are numbered without gaps, and moves within a tier can be taken back exactly, in both kinds of Abalone."""

import itertools
import random
from collections import Counter
from math import comb

import numpy as np
import pytest
from support.refusing import refusal

from gamesman import numbering as placing
from gamesman.compiler.compile import Compiler, native_rules
from gamesman.errors import PositionError
from gamesman.model.game import load
from gamesman.model.variant import variant
from gamesman.placing import finder, placer, tier_placer
from gamesman.values import UNDECIDED


def board(cells, full, captures):
    """Return the rules of a board without a game."""
    count = range(full - captures, full + 1)
    return placing.numbering(cells, count, count, turns=lambda a, b: (0, 1) if a + b > 2 * count[0] else ())


def masks(cells, count):
    return sorted(sum(1 << i for i in chosen) for chosen in itertools.combinations(range(cells), count))


@pytest.mark.parametrize(("cells", "full"), [(1, 1), (7, 2), (9, 3), (16, 5), (17, 4), (22, 4), (26, 3)])
def test_a_mask_ranks_after_all_smaller_ones_with_as_many_cells(cells, full):
    rules = board(cells, full, full)
    for count in range(full + 1):
        ordered = masks(cells, count)
        assert [placing.rank(rules, mask) for mask in ordered] == list(range(len(ordered)))
        assert [placing.unrank(rules, count, i) for i in range(len(ordered))] == ordered


def test_unranking_is_the_same_with_and_without_a_list_of_masks():
    rules = board(16, 5, 2)
    assert len(rules.masks) == comb(16, 3) + comb(16, 4) + comb(16, 5)
    unlisted = rules._replace(masks=(0,))
    for count, number in [(3, 0), (3, 559), (4, 777), (5, 4367)]:
        assert placing.unrank(unlisted, count, number) == placing.unrank(rules, count, number)


@pytest.mark.parametrize(("cells", "full", "captures"), [(7, 2, 1), (7, 2, 2), (9, 3, 1), (9, 3, 2), (8, 3, 3)])
def test_the_keys_of_the_tiers_are_runs_that_fill_the_key_space(cells, full, captures):
    rules = board(cells, full, captures)
    found = {}
    for black_count, white_count in itertools.product(range(full - captures, full + 1), repeat=2):
        if black_count == white_count == full - captures:
            continue
        for black, white in itertools.product(masks(cells, black_count), masks(cells, white_count)):
            for who in (0, 1) if not black & white else ():
                key = placing.place_key(rules, black, white, who)
                assert placing.key_place(rules, key) == (black, white, who)
                assert key not in found
                found[key] = placing.place_tier(rules, black, white)
    assert sorted(found) == list(range(placing.place_bound(rules)))
    for tier in set(found.values()):
        first, count = placing.place_run(rules, tier)
        assert [key for key in sorted(found) if found[key] == tier] == list(range(first, first + count))


def test_both_sides_having_lost_has_no_keys():
    rules = board(16, 5, 2)
    assert placing.place_tier(rules, 0b111, 0b111000) == 0
    assert placing.place_run(rules, 0) == (0, 0)
    assert placing.place_run(rules, 9) == (0, 0)


def test_a_capture_lowers_the_tier_and_the_start_has_the_highest():
    rules = board(16, 5, 2)
    tiers = {(b, w): placing.place_tier(rules, (1 << b) - 1, (1 << w) - 1) for b in (3, 4, 5) for w in (3, 4, 5)}
    assert max(tiers.values()) == tiers[5, 5] == 8
    for (b, w), tier in tiers.items():
        assert all(tiers[after] < tier for after in ((b - 1, w), (b, w - 1)) if after in tiers)


@pytest.mark.parametrize(("cells", "full", "captures"), [(41, 10, 1), (40, 20, 20), (676, 49, 3)])
def test_a_board_too_large_to_rank_has_plain_numbers_and_no_tables(cells, full, captures):
    rules = board(cells, full, captures)
    assert not rules.dense
    assert (rules.ranks, rules.choose, rules.masks) == (((0,),), ((0,),), (0,))
    assert placing.place_run(rules, 3) == (0, 0)
    chosen = random.Random(cells)
    for _ in range(100):
        black = chosen.getrandbits(cells)
        white = chosen.getrandbits(cells) & ~black
        for who in (0, 1):
            key = placing.place_key(rules, black, white, who)
            assert 0 <= key < placing.place_bound(rules)
            assert placing.key_place(rules, key) == (black, white, who)


def test_edge_4_is_numbered_below_a_signed_word():
    v = variant("hex_abalone")
    first, count = v.game.functions["tier_keys"](v.rules, v.tier(v.start()))
    assert count == 2 * comb(37, 11) * comb(26, 11)
    assert first + count == (v.key_bound() or 0) < 1 << 63


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(b bb- b-w wb-)", "expected 1 to 3 pieces b, got 4: (b bb- b-w wb-)"),
        ("(b bb- --- ---)", "expected 1 to 3 pieces w, got 0: (b bb- --- ---)"),
        (
            "(b b-- --- --w)",
            "expected numbers of pieces that can be at once, got 1 b and 1 w: (b b-- --- --w)",
        ),
    ],
)
def test_numbers_of_pieces_that_cannot_arise_are_refused(text, reason):
    assert refusal(PositionError, variant("abalone:rows=3,cols=3").parse, text) == reason


GAMES = [
    "abalone:rows=3,cols=3,captures=1",
    "abalone:rows=3,cols=3",
    "abalone:rows=3,cols=3,misere",
    "abalone:rows=3,cols=3,captures=1,freeze",
    "abalone:rows=3,cols=3,freeze",
    "hex_abalone:edge=2",
    "hex_abalone:edge=2,captures=2",
    "hex_abalone:edge=2,corner=none",
    "hex_abalone:edge=2,captures=2,corner=any",
]
LARGER = [
    "abalone",
    "abalone:freeze",
    "abalone:cols=5,misere,freeze",
    "abalone:rows=3,cols=7,captures=4",
    "abalone:rows=6,cols=5,captures=3,freeze",
    "abalone:rows=7,cols=7",
    "hex_abalone:edge=3",
    "hex_abalone:edge=3,corner=none",
    "hex_abalone:corner=any",
    "hex_abalone:edge=6",
]


def moves_within_the_tier(v, position):
    """Count the moves that lead to each position of the same tier."""
    if v.primitive(position) != UNDECIDED:
        return Counter()
    after = Counter(v.do_move(position, move) for move in v.generate_moves(position))
    return Counter({q: n for q, n in after.items() if v.tier(q) == v.tier(position)})


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_moves_are_taken_back_exactly_at_every_position_there_is(name):
    v = variant(name)
    forward: Counter[tuple] = Counter()
    back: Counter[tuple] = Counter()
    for key in range(v.key_bound() or 0):
        position = v.unhash(key)
        assert v.hash(position) == key
        forward.update({(position, after): n for after, n in moves_within_the_tier(v, position).items()})
        back.update((before, position) for before in v.undo_moves(position))
    assert back == forward


def wander(v, positions, seed):
    """Yield positions of random games from the start, at each of which a move was possible."""
    chosen = random.Random(seed)
    position = v.start()
    for _ in range(positions):
        if v.primitive(position) != UNDECIDED:
            position = v.start()
        yield position
        position = v.do_move(position, chosen.choice(list(v.generate_moves(position))))


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGER)
def test_moves_are_taken_back_exactly_on_larger_boards(name):
    v = variant(name)
    for position in wander(v, 100, name):
        for after, n in moves_within_the_tier(v, position).items():
            assert Counter(v.undo_moves(after))[position] == n
        for before, n in Counter(v.undo_moves(position)).items():
            assert v.tier(before) == v.tier(position)
            assert moves_within_the_tier(v, before)[position] == n


@pytest.mark.parametrize("name", LARGER)
def test_the_tier_never_rises(name):
    v = variant(name)
    for position in wander(v, 100, name):
        assert all(v.tier(v.do_move(position, move)) <= v.tier(position) for move in v.generate_moves(position))


@pytest.mark.parametrize("game", ["abalone", "hex_abalone"])
def test_tables_have_the_same_shape_in_every_variant(game):
    sizes = {"abalone": ["rows=3,cols=3", "cols=5", "rows=26,cols=26"], "hex_abalone": ["edge=2", "edge=4", "edge=13"]}
    found = [variant(f"{game}:{size}").rules for size in sizes[game]]
    others = [
        [field for name, field in rules._asdict().items() if name not in ("turned", "numbering")] for rules in found
    ]
    fields = [[*rules.numbering, *other] for rules, other in zip(found, others, strict=True)]
    shapes = {tuple(np.array(field, dtype=object).ndim for field in each) for each in fields}
    assert len(shapes) == 1


COMPILED = [
    "abalone:rows=3,cols=3,freeze",
    "abalone:cols=5,misere",
    "abalone:rows=5,cols=5,freeze",
    "hex_abalone:edge=3",
]


@pytest.fixture(scope="module")
def compiled():
    """Return the sum of all that a game's functions say of the positions with some keys, compiled."""
    found = {}
    for game in ("abalone", "hex_abalone"):
        compiler = Compiler(load(game))
        names = "hash unhash primitive generate_moves do_move undo_moves tier evaluate".split()
        found[game] = compiler.kernel(_digest(*(compiler.functions[name] for name in names)))
    return found


def _digest(hash, unhash, primitive, generate_moves, do_move, undo_moves, tier, evaluate):
    def digest(rules, keys):
        total = 0
        for i in range(len(keys)):
            position = unhash(rules, keys[i])
            total += 3 * (hash(rules, position) & 0xFFFF_FFFF) + 5 * tier(rules, position) + evaluate(rules, position)
            value = primitive(rules, position)
            total += 7 * value
            for before in undo_moves(rules, position):
                total += 11 * (hash(rules, before) & 0xFFFF_FFFF)
            if value < 0:
                for move in generate_moves(rules, position):
                    total += 13 * move + 17 * (hash(rules, do_move(rules, position, move)) & 0xFFFF_FFFF)
        return total

    return digest


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_functions_say_what_the_interpreted_ones_do(compiled, name):
    v = variant(name)
    keys = [v.hash(position) for position in wander(v, 400, name)]
    names = "hash unhash primitive generate_moves do_move undo_moves tier evaluate".split()
    interpreted = _digest(*(v.game.functions[name] for name in names))
    assert compiled[v.game.name](native_rules(v.rules), np.array(keys)) == interpreted(v.rules, keys)


@pytest.mark.parametrize(("cells", "most"), [(5, 2), (8, 3), (9, 4), (16, 5), (17, 4), (25, 3), (36, 2)])
def test_plain_python_numbers_placements_as_compiled_code_does(cells, most):
    chosen, turns = random.Random(cells), [placing.both, lambda first, second: (first - second & 1,)]
    for of in [placing.numbering(cells, range(most + 1), range(most + 1), turns=each) for each in turns]:
        key_of, tier_of = placer(of), tier_placer(of)
        for _ in range(300):
            there = chosen.sample(range(cells), chosen.randrange(min(cells, 2 * most) + 1))
            cut = chosen.randrange(max(0, len(there) - most), min(most, len(there)) + 1)
            first, second = (sum(1 << cell for cell in part) for part in (there[:cut], there[cut:]))
            assert tier_of(first, second) == placing.place_tier(of, first, second)
            for who in (0, 1):
                assert key_of(first, second, who) == placing.place_key(of, first, second, who)


@pytest.mark.parametrize(("cells", "most"), [(5, 2), (9, 4), (16, 5), (17, 4), (25, 3)])
def test_a_placement_is_found_where_its_key_is_its_own_and_nowhere_else(cells, most):
    chosen, found = random.Random(cells), set()
    turns = [
        placing.both,
        lambda first, second: (first - second & 1,),
        lambda first, second: (0, 1) if first > second else (),
    ]
    for of in [placing.numbering(cells, range(1, most + 1), range(most), turns=each) for each in turns]:
        find = finder(of)
        for _ in range(600):
            first, second = (sum(1 << chosen.randrange(cells + 1) for _ in range(most)) for _ in range(2))
            second &= ~first if chosen.random() < 0.8 else -1
            for who in (0, 1, 2, -1):
                try:
                    key = placing.place_key(of, first, second, who)
                    is_own = 0 <= key < of.tier_from[-1] and placing.key_place(of, key) == (first, second, who)
                except IndexError:
                    is_own = False
                expected = (placing.place_tier(of, first, second), key) if is_own else None
                assert find(first, second, who) == expected, (first, second, who)
                found.add(is_own)
    assert found == {True, False}
