"""What every game must keep to, whatever its rules: the same tests over all of them and their small variants."""

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.small_variants import LARGE, small

from gamesman.compiler.agreement import describing
from gamesman.compiler.compile import Compiler, native_rules
from gamesman.errors import GamesmanError, MoveError, PositionError
from gamesman.model.check import FEWEST, check
from gamesman.model.game import built_in, load
from gamesman.model.variant import Variant, variant, variants
from gamesman.options import Choice, Switch
from gamesman.values import UNDECIDED

SMALL_VARIANTS = [v for game in built_in() for v in small(game)]


def positions(v: Variant, limit: int = 300) -> list[tuple[int, ...]]:
    """Yield positions in the order of their distance from the start."""
    found = {v.start(): None}
    order = [v.start()]
    for position in order:
        if len(order) < limit and v.primitive(position) == UNDECIDED:
            children = [v.do_move(position, move) for move in v.generate_moves(position)]
            order += [child for child in dict.fromkeys(children) if child not in found]
            found.update(dict.fromkeys(children))
    return order


def test_every_game_is_tried_with_every_option_it_has():
    for game in built_in():
        for option in load(game).options:
            if isinstance(option, Switch | Choice):
                assert len({getattr(v.options, option.name) for v in small(game)}) > 1, (game, option.name)


@pytest.mark.slow
@pytest.mark.parametrize("v", SMALL_VARIANTS, ids=lambda v: v.name)
def test_its_functions_agree_with_each_other(v):
    assert check(v, 500) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_a_large_board_is_played_as_a_small_one_is(name):
    assert FEWEST <= check(variant(name), 30) <= 30


@pytest.mark.parametrize("v", SMALL_VARIANTS, ids=lambda v: v.name)
def test_its_name_stands_for_the_same_variant(v):
    again = variant(v.name)
    assert again.name == v.name
    assert again.rules == v.rules
    assert again.fingerprint == v.fingerprint


@pytest.mark.parametrize("game", built_in())
def test_variants_that_differ_have_fingerprints_that_differ(game):
    # Options may make no difference on a small board: Teeko's larger squares do not fit 3x3.
    assert len({v.fingerprint for v in small(game)}) == len({(v.rules, v.start()) for v in small(game)})
    assert len(small(game)) == len({v.name for v in small(game)})


@pytest.mark.parametrize("game", built_in())
def test_it_tells_its_rules_and_options(game):
    found = load(game)
    assert found.title.endswith(".")
    assert len(found.title) <= 115
    for option in found.options:
        assert option.help, f"{option.name} has no help"


@pytest.mark.parametrize("v", SMALL_VARIANTS, ids=lambda v: v.name)
def test_positions_are_read_with_any_spaces_around_them(v):
    text = v.show(v.start())
    assert v.parse(f"  {text}\n") == v.start()


@pytest.mark.parametrize("game", built_in())
def test_a_board_is_drawn_with_all_its_rows(game):
    for v in small(game):
        if v.has("draw"):
            board = v.draw(v.start())
            assert board == board.rstrip()
            assert max(map(len, board.splitlines())) <= 120


@pytest.mark.parametrize("game", built_in())
def test_the_ends_of_a_move_are_cells_of_the_board_and_other_moves_have_others(game):
    found = load(game)
    for v in small(game)[-2:] if hasattr(found.module, "layout") else ():
        cells = {*range(len(found.module.layout.board(v.rules)))}
        for position in [p for p in positions(v, 20) if v.primitive(p) == UNDECIDED]:
            ends = [found.functions["ends"](v.rules, position, move) for move in v.generate_moves(position)]
            assert len({*ends}) == len(ends), v.show(position)
            assert all({*of} <= cells for of in ends), v.show(position)


@pytest.mark.slow
@pytest.mark.parametrize("game", built_in())
def test_compiled_it_does_what_it_does_interpreted(game):
    describe, out = describing(Compiler(load(game))), np.zeros(10_000, np.int64)
    for v in small(game):
        rules = native_rules(v.rules)
        for position in positions(v):
            expected = [v.hash(position), v.turn(position), v.primitive(position), v.tier(position)]
            if v.primitive(position) == UNDECIDED:
                for move in v.generate_moves(position):
                    expected += [move, v.hash(v.do_move(position, move))]
            if v.has("undo_moves"):
                expected += map(v.hash, v.undo_moves(position))
            if v.has("symmetries"):
                expected += map(v.hash, v.game.functions["symmetries"](v.rules, position))
            count = describe(rules, v.hash(position), out)
            assert out[:count].tolist() == expected, f"{v.name} at {v.show(position)}"


# Texts made of what the notations are made of, so that many are nearly right.
NEARLY = st.text(alphabet=' ()"-,.:=|*;<>0123456789abcdewbrWBxoLT\n\t\0é٣²', max_size=60)
WORDS = st.lists(
    st.sampled_from(
        ["(", ")", "w", "b", '""', "wb-", "bbb-", "---", "a1", "b2", "-", "a1-a2", "A1", "B2", "pass", "99", " "]
    ),
    max_size=12,
).map(" ".join)
ANY_TEXT = st.one_of(NEARLY, WORDS, st.text(max_size=40))
QUICK = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def mangled(text: str):
    """Return a text with one stretch of it replaced: what a person types who errs once."""
    where = st.tuples(st.integers(0, len(text)), st.integers(0, 4), st.text('wbrWB-() "a1٣', max_size=3))
    return where.map(lambda cut: text[: cut[0]] + cut[2] + text[cut[0] + cut[1] :])


def one_line(error: GamesmanError) -> bool:
    return len(str(error).splitlines()) == 1 and len(str(error)) < 400


@pytest.mark.slow
@pytest.mark.parametrize("game", built_in())
def test_any_text_is_a_position_or_gets_one_line(game):
    chosen = [small(game)[0], small(game)[-1]]
    shown = [v.show(position) for v in chosen for position in positions(v, 20)]

    @QUICK
    @example(("", 0))
    @given(st.tuples(st.one_of(ANY_TEXT, st.sampled_from(shown).flatmap(mangled)), st.sampled_from([0, 1])))
    def fuzz(drawn):
        text, which = drawn
        v = chosen[which]
        try:
            position = v.parse(text)
        except PositionError as error:
            assert one_line(error), str(error)
            return
        assert v.parse(v.show(position)) == position
        assert v.turn(position) in (0, 1)
        if v.primitive(position) == UNDECIDED:
            assert list(v.generate_moves(position))

    fuzz()


@pytest.mark.slow
@pytest.mark.parametrize("game", built_in())
def test_any_text_is_a_move_or_gets_one_line(game):
    begun = [(v, p) for v in small(game) for p in positions(v, 5) if v.primitive(p) == UNDECIDED]
    names = sorted({v.move_name(p, move) for v, p in begun for move in v.generate_moves(p)})

    @QUICK
    @given(st.sampled_from(begun), st.one_of(ANY_TEXT, st.sampled_from(names), st.sampled_from(names).flatmap(mangled)))
    def fuzz(where, text):
        v, position = where
        try:
            move = v.parse_move(position, text)
        except MoveError as error:
            assert one_line(error), str(error)
            return
        assert move in list(v.generate_moves(position))

    fuzz()


@pytest.mark.parametrize("game", built_in())
def test_any_options_are_a_variant_or_get_one_line(game):
    names = [option.name for option in load(game).options] or ["none"]
    pairs = st.lists(
        st.tuples(st.sampled_from([*names, "rowz"]), st.one_of(ANY_TEXT, st.integers(-3, 6).map(str))), max_size=3
    )
    written = pairs.map(lambda found: ",".join("=".join(pair) for pair in found))

    @QUICK
    @given(st.one_of(written, ANY_TEXT))
    def fuzz(text):
        try:
            found = variants(f"{game}:{text}")
        except GamesmanError as error:
            assert one_line(error), str(error)
            return
        for v in found[:3]:
            assert variant(v.name).rules == v.rules
            assert v.parse(v.show(v.start())) == v.start()

    fuzz()
