"""What random games say of tiers that nobody has enumerated, held against tiers that are known."""

import numpy as np
import pytest

from gamesman.compiler.compile import Compiler, native_rules
from gamesman.model.variant import variant
from gamesman.solver import estimate, need
from gamesman.solver.estimate import Sampler, Seen
from gamesman.solver.solve import solve


def sampler(v):
    compiler = Compiler(v.game)
    return Sampler(compiler.kernel, compiler.functions, native_rules(v.rules))


def sizes_of(v):
    return {tier.number: tier.positions for tier in solve(v).tiers}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["konane:rows=4,cols=5", "tictactoe", "ctf:size=3", "ctf:start=-bb-wBW-w"])
def test_no_tier_has_less_positions_than_are_sure(name):
    v = variant(name)
    wanted = sizes_of(v)
    seen, ways = sampler(v).play(np.array([v.hash(v.start())]), 4000, 60.0)
    assert seen.keys() <= wanted.keys() and seen[v.tier(v.start())].passed == 4000
    assert all(each.least <= wanted[number] for number, each in seen.items())
    assert estimate.pooled(seen.values()) <= sum(wanted.values())
    assert all(below < above for above, below in ways)


@pytest.mark.slow
def test_tiers_that_are_known_tell_how_large_the_others_are():
    """Konane on 5 by 5 cells, of which the first half of the tiers is known."""
    v = variant("konane:rows=5,cols=5")
    wanted = sizes_of(v)
    known = {number: wanted[number] for number in sorted(wanted, reverse=True)[:19]}
    from_start, _ = sampler(v).play(np.array([v.hash(v.start())]), 20_000, 60.0)
    found = estimate.sizes(from_start, {}, known)
    low, likely = (sum(getattr(size, what) for size in found.values()) for what in ("low", "likely"))
    total = sum(wanted.values())
    assert low <= total
    assert total / 3 < likely < total * 3


def test_games_that_spread_evenly_say_how_many_positions_there_are():
    """n games over N positions meet in n*n/2N of the pairs."""
    assert Seen.of(1000, 500, 0.0).even == pytest.approx(999)
    assert Seen.of(1000, 500, 0.0).least < 999
    assert Seen.of(1, 0, 0.0).least == 0


def test_games_that_spread_unevenly_say_it_too_in_one_batch_or_in_several():
    """The chances of 100,000 positions are lognormal: games that spread evenly over them would be 30,000 at most."""
    dice = np.random.default_rng(1)
    chances = dice.lognormal(0, 1.1, 100_000)

    def seen(games):
        times = dice.multinomial(games, chances / chances.sum())
        return Seen.of(games, int((times * (times - 1) // 2).sum()), 9.0, int(np.count_nonzero(times)))

    for each in (seen(100_000), sum((seen(20_000) for _ in range(4)), seen(20_000))):
        assert each.even < 35_000 and each.passed == 100_000
        assert estimate.sizes({}, {7: each}, {})[7].likely == pytest.approx(100_000, rel=0.15)


def test_memory_that_is_kept_is_more_than_what_is_needed():
    counts, ways = dict.fromkeys(range(4), 1_000_000), {(n + 1, n) for n in range(3)}
    assert need.enumerating(counts, ways) < need.keeping(counts, ways) < 3 * need.enumerating(counts, ways)
    cycles = ways | {(n, n) for n in range(4)}
    links = need.links(2.0, set())
    assert need.solving(counts, cycles, links=links) > need.solving(counts, cycles) == need.solving(counts, ways)


def test_what_is_needed_is_counted_tier_by_tier():
    """Two tiers, the upper one leading to the lower: both are there when the upper one is solved."""
    counts, ways = {1: 1_000_000, 0: 1_000_000}, {(1, 0)}
    records = (need.KEYS + need.RECORD) * 1_000_000
    assert need.solving(counts, ways, is_stored=False) == 2 * records
    assert need.solving(counts, ways) == 2 * records + need.SORTED * 1_000_000
    assert need.solving(counts, set(), is_stored=False) == records
    assert need.enumerating(counts, ways) >= 2 * need.table(1_000_000)
    assert need.enumerating(counts, ways, at_least=True) <= need.enumerating(counts, ways)
    assert need.least_table(3_000_000) <= need.table(3_000_000)
