"""Solving tiers with cycles in files: the same to the byte as in memory, through shards so tiny that all are split."""

import random
from collections import Counter

import pytest
from support import SUPPORT
from support.collecting import Classes
from support.turning import turned_variant

from gamesman.model.variant import variant
from gamesman.solver import reference
from gamesman.solver.disk import backwards, beyond, blocks, folder, levels, opening
from gamesman.solver.disk.beyond import Beyond
from gamesman.solver.disk.mail import Box
from gamesman.solver.disk.rounds import Rounds
from gamesman.solver.disk.steps import Bench
from gamesman.solver.solve import solve


def counted(summary):
    return [(tier.number, tier.histogram, tier.primitives, tier.moves, tier.classes) for tier in summary.tiers]


@pytest.fixture
def tiny(monkeypatch):
    """Solve in files whatever is solved, a few keys at a time; count the steps of each kind."""
    kinds, perform, spill = Counter(), Bench.perform, Box.spill

    def performed(bench, step):
        kinds[step.kind] += 1
        return perform(bench, step)

    def spilt(box):
        kinds["spill"] += 1
        return spill(box)

    monkeypatch.setattr(Beyond, "is_begun", lambda self: True)
    monkeypatch.setattr(beyond, "MOST_KEYS", 5)
    monkeypatch.setattr(beyond, "LEAST_KEYS", 1)
    monkeypatch.setattr(Bench, "perform", performed)
    monkeypatch.setattr(Box, "spill", spilt)
    return kinds


def hold_nothing(monkeypatch):
    """Write down all that is known at each level."""
    for name in ("HELD", "POSTED", "NOTED"):
        monkeypatch.setattr(levels, name, 0.0)


GRAPHS = 16
KINDS = ("graph_game_turned", "graph_game_turned_undo")


@pytest.mark.slow
@pytest.mark.parametrize("is_loose", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_random_graphs_with_symmetries_are_as_in_the_reference(kind, is_loose, tiny, tmp_path, monkeypatch):
    """Ties, draws, a player who moves twice, undo_moves or not; beside large keys is no room for whose they are."""
    if is_loose:
        monkeypatch.setattr(opening, "shift_for", lambda bound: 0)
    for seed in range(GRAPHS):
        v, work = turned_variant(random.Random(seed), kind, nodes=60)[0], tmp_path / "work"
        wanted, sink = reference.solve(v), Classes()
        with monkeypatch.context() as patched:
            if seed % 3 == 0:
                hold_nothing(patched)
            summary = solve(v, sink, threads=1 + seed % 2, work=work)
        classes = sink.values(v)
        orbits = {position: v.symmetry.orbit(position) if v.symmetry else [position] for position in classes}
        assert {image: classes[one] for one, orbit in orbits.items() for image in orbit} == wanted.values
        assert (summary.value, summary.remoteness) == (wanted.summary.value, wanted.summary.remoteness)
        assert [each[:4] for each in counted(summary)] == [each[:4] for each in counted(wanted.summary)]
        assert not work.exists()
    is_linked = kind == "graph_game_turned"
    assert tiny["close"] and tiny["begin"] and tiny["spill"] and bool(tiny["link"]) == is_linked


@pytest.mark.slow
def test_a_tier_has_few_more_shards_than_it_fills(tmp_path, monkeypatch):
    """Each round sends something to all shards: cut for every such round, they would be ever more and smaller."""
    v, wanted, sink, shards = variant(f"{SUPPORT / 'web.py'}:nodes=600"), Classes(), Classes(), []
    whole, end = solve(v, wanted, threads=1), Rounds.end
    for name, value in (("MOST_KEYS", 50), ("LEAST_KEYS", 1)):
        monkeypatch.setattr(beyond, name, value)
    monkeypatch.setattr(Beyond, "is_begun", lambda self: True)
    monkeypatch.setattr(Rounds, "end", lambda rounds, note: (shards.append(len(note["files"])), end(rounds, note)))
    assert counted(solve(v, sink, threads=2, work=tmp_path / "work")) == counted(whole)
    assert sink.joined() == wanted.joined()
    assert len(shards) == 1 and shards[0] <= 3 * whole.positions / 50, (shards, whole.positions)


class Stopped(Exception):
    pass


@pytest.mark.slow
@pytest.mark.parametrize("is_noted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_solve_stopped_at_any_step_goes_on_with_the_next(kind, is_noted, tiny, tmp_path, monkeypatch):
    v, whole, work = turned_variant(random.Random(34), kind, nodes=60)[0], Classes(), tmp_path / "work"
    wanted = counted(solve(v, whole, threads=1, work=work))
    dice, left, write = random.Random(3), [0], blocks.write
    if is_noted:
        hold_nothing(monkeypatch)

    def stopping(path, chunks):
        left[0] -= 1
        if left[0] < 0:
            raise Stopped
        return write(path, chunks)

    for module in (blocks, folder, backwards, levels):
        monkeypatch.setattr(module, "write", stopping)
    stops, kept = 0, None
    while True:
        sink, left[0] = Classes(kept), dice.randint(8, 30) + stops  # in the end enough for any level
        try:
            found = counted(solve(v, sink, threads=1, work=work))
            break
        except Stopped:
            stops, kept = stops + 1, sink if dice.random() < 0.5 else None
    assert stops > 3 and found == wanted and sink.joined() == whole.joined()
    assert not work.exists()
