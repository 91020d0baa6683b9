"""All rows of answers.csv and random graphs through shards of a few keys, by threads and by two processes of Dask.

    GAMESMAN_HOSTILE_ROUNDS=10 scripts/test tests/solver/test_shards.py

takes all of them, and many graphs; by default a few small ones have to do.
"""

import contextlib
import csv
import random
from functools import partial

import pytest
from support import SUPPORT
from support.chance import rounds
from support.graphs import make_variant, random_graph
from support.storing import stored_rows
from support.turning import KINDS as TURNED
from support.turning import turned_variant

from gamesman import app
from gamesman.machine.crew import crew
from gamesman.model.progress import Silent
from gamesman.model.variant import variant
from gamesman.solver.disk import beyond
from gamesman.solver.disk.beyond import Beyond
from gamesman.solver.disk.strategy import Disk

pytestmark = pytest.mark.slow

IS_WHOLE = rounds(1) > 1
ROWS = list(csv.DictReader((SUPPORT / "answers.csv").read_text().splitlines()))
if not IS_WHOLE:
    ROWS = [row for row in ROWS if row["variant"].startswith("konane") and int(row["positions"]) < 100]
PLAIN = ("plain", "tiers", "undo", "dense")
KINDS = (*PLAIN, *TURNED) if IS_WHOLE else ("graph_game_turned", "graph_game_turned_undo")
GRAPHS = range(rounds(3))
SHARDS = 60  # a variant is about so many


@pytest.fixture(scope="module")
def two():
    """Two processes."""
    with crew(2, None) as found:
        yield found


@pytest.fixture(params=["threads", "processes"])
def shared(request, monkeypatch):
    """Return what solves a variant shard by shard and says what it is, and into how many shards a tier was cut.

    Processes solve whole what has moves within a tier, one of them all of it.
    """
    run, most, whole = Disk._run, [1], list[str]()

    def counted(disk, steps, heard, *keys):
        most[0] = max([most[0], *(step.shards for step in steps)])
        run(disk, steps, heard, *keys)

    monkeypatch.setattr(Disk, "_run", counted)
    monkeypatch.setattr(beyond, "LEAST_KEYS", 1)
    made = None
    if request.param == "processes":
        made = partial(contextlib.nullcontext, request.getfixturevalue("two"))
    else:
        monkeypatch.setattr(Beyond, "is_begun", lambda self: True)

    def solve(v, place, positions):
        most[0], whole[:] = 1, []
        with monkeypatch.context() as patched:
            for name in ("MOST_KEYS", "KEYS_OF_WORKER"):
                patched.setattr(beyond, name, max(1, positions // SHARDS))
            given = {"threads": 2, "is_verified": False, "progress": Silent, "tell": whole.append}
            ((_, (_, summary)),) = app.solve_each([v], made, db=str(place), **given)
        return summary, most[0], bool(whole)

    return solve


def solved_in_memory(v, place):
    app.solve(v, db=str(place), threads=1, is_verified=False)
    return stored_rows(place)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["variant"])
def test_a_row_of_the_answers_is_found_in_shards(row, shared, tmp_path):
    v = variant(row["variant"])
    wanted = solved_in_memory(v, tmp_path / "memory")
    summary, shards, is_whole = shared(v, tmp_path / "shards", int(row["positions"]))
    found = summary.as_json()
    flat = {**found, **found["counts"], "variant": v.name, "start": found["position"]}
    assert {column: "" if flat[column] is None else str(flat[column]) for column in row} == row
    assert stored_rows(tmp_path / "shards") == wanted
    assert shards > 1 or is_whole or int(row["positions"]) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_random_graphs_are_the_same_in_shards(kind, shared, tmp_path):
    most, are_whole = 1, True
    for seed in GRAPHS:
        if kind in PLAIN:
            v = make_variant(*random_graph(seed, nodes=60), kind=kind)
        else:
            v = turned_variant(random.Random(seed), kind, nodes=60)[0]
        wanted = solved_in_memory(v, tmp_path / f"memory-{seed}")
        _, shards, is_whole = shared(v, tmp_path / f"shards-{seed}", 5 * SHARDS)
        assert stored_rows(tmp_path / f"shards-{seed}") == wanted
        most, are_whole = max(most, shards), are_whole and is_whole
    assert most > 1 or are_whole
