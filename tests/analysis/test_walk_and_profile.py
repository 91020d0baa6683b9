"""Effect sizes and averages against their definitions, written out over every position or every pair of them."""

from collections import Counter
from fractions import Fraction
from itertools import product
from statistics import fmean
from statistics import median as plain_median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamesman.analysis.statistics import (
    CLIFFS_DELTA,
    CRAMERS_V,
    KOLMOGOROV_SMIRNOV,
    MEASURES,
    NEVER,
    NO_P_VALUES,
    TOTAL_VARIATION,
    cliffs_delta,
    cramers_v,
    effect,
    in_words,
    kolmogorov_smirnov,
    mean,
    median,
    total_variation,
)

populations = st.lists(st.one_of(st.integers(0, 9), st.just(NEVER)), min_size=1, max_size=25)
numbers_ = st.lists(st.integers(0, 9), min_size=1, max_size=25)


@given(populations, populations)
def test_cliffs_delta_compares_every_pair(first, second):
    signs = [(b > a) - (b < a) for a, b in product(first, second)]
    assert cliffs_delta(Counter(first), Counter(second)) == pytest.approx(fmean(signs))


@given(populations, populations)
def test_kolmogorov_smirnov_is_the_largest_gap_between_cumulative_shares(first, second):
    gaps = [
        abs(Fraction(sum(a <= r for a in first), len(first)) - Fraction(sum(b <= r for b in second), len(second)))
        for r in (*range(10), NEVER)
    ]
    assert kolmogorov_smirnov(Counter(first), Counter(second)) == pytest.approx(float(max(gaps)))


@given(populations, populations)
def test_total_variation_is_the_largest_difference_any_set_of_values_can_have(first, second):
    there = set(first) | set(second)
    differences = [Fraction(first.count(k), len(first)) - Fraction(second.count(k), len(second)) for k in there]
    largest = sum(d for d in differences if d > 0)
    assert total_variation(Counter(first), Counter(second)) == pytest.approx(float(largest))


@given(populations, populations)
def test_cramers_v_squared_is_the_mean_square_contingency(first, second):
    """phi squared = sum of n_ij^2 / (n_i n_j), less 1."""
    squares = sum(
        Fraction(row.count(k) ** 2, len(row) * (first.count(k) + second.count(k)))
        for row in (first, second)
        for k in set(first + second)
    )
    assert cramers_v(Counter(first), Counter(second)) ** 2 == pytest.approx(float(squares - 1), abs=1e-12)


@given(numbers_)
def test_mean_and_median_are_those_of_the_numbers_written_out(numbers):
    assert mean(Counter(numbers)) == pytest.approx(fmean(numbers))
    assert median(Counter(numbers)) == plain_median(numbers)


@given(populations)
def test_a_median_may_be_never(numbers):
    assert median(Counter(numbers)) == plain_median(numbers)


@given(populations)
def test_a_population_does_not_differ_from_itself(numbers):
    found = Counter(numbers)
    assert [effect(measure, found, found) for measure in MEASURES] == [{"value": 0, "size": "negligible"}] * 4


def test_numbers_that_stand_for_no_position_change_nothing():
    first, second = {1: 3, 2: 1}, {2: 5, 4: 1}
    for measure in MEASURES:
        assert effect(measure, {**first, 3: 0}, {**second, 0: 0, 9: 0}) == effect(measure, first, second)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_of_nothing_there_is_no_effect(measure):
    assert effect(measure, {}, {1: 2}) == effect(measure, {1: 2}, {1: 0}) == {"value": None, "size": None}


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_words_change_at_the_limits(measure):
    small, medium, large = measure.limits
    assert [in_words(measure, limit) for limit in measure.limits] == ["small", "medium", "large"]
    below = [in_words(measure, limit - 1e-9) for limit in measure.limits]
    assert below == ["negligible", "small", "medium"]
    assert in_words(measure, -large) == "large"


def test_opposite_populations_are_as_far_apart_as_can_be():
    first, second = {0: 7}, {3: 9}
    assert [effect(m, first, second)["value"] for m in (CRAMERS_V, TOTAL_VARIATION, KOLMOGOROV_SMIRNOV)] == [1, 1, 1]
    assert [effect(CLIFFS_DELTA, *pair)["value"] for pair in ((first, second), (second, first))] == [1, -1]


def test_the_words_on_p_values_give_the_reason():
    assert "every position" in NO_P_VALUES and "not a sample" in NO_P_VALUES
