"""What is stored of a variant helps to prove positions of which nothing is, and changes no answer."""

import random
from types import SimpleNamespace

import pytest
from support.storing import store_solution

from gamesman.db import open_store
from gamesman.model.random_play import random_positions
from gamesman.model.variant import variant
from gamesman.prover import certificate, leaves
from gamesman.prover.prover import Prover
from gamesman.values import LOSE, NAMES, WIN

pytestmark = pytest.mark.slow
TABLE = 2 << 20


class Lower:
    """Has of a stored variant the tiers up to one."""

    def __init__(self, stored, up_to):
        self._stored, self._up_to = stored, up_to
        self.variant, self.symmetry, self.positions = stored.variant, stored.symmetry, stored.positions
        self.summary = SimpleNamespace(tiers=[tier for tier in stored.summary.tiers if tier.number <= up_to])

    def get(self, position):
        return self._stored.get(position) if self.variant.tier(position) <= self._up_to else None


@pytest.fixture
def stored(request, database):
    store = open_store(database)
    store_solution(store, request.param)
    with store.open(variant(request.param)) as reader:
        yield reader


def proved(board, stored, tmp_path):
    """Prove the start and check the certificate; return the proof."""
    prover = Prover(board, stored, table_bytes=TABLE)
    proof = certificate.prove(prover, board.start(), None, str(tmp_path / "proof"))
    checked = certificate.check(str(tmp_path / "proof"))
    assert (checked.value, checked.position) == (proof.value, board.start())
    return proof


@pytest.mark.parametrize(
    "stored",
    ["konane:rows=4,cols=5", "konane:rows=4,any_piece,misere", "tictactoe"],
    indirect=True,
)
def test_low_tiers_that_are_stored_save_nodes_and_change_no_answer(stored, tmp_path):
    board = stored.variant
    value = NAMES[stored.get(board.start())[0]]
    without = proved(board, None, tmp_path)
    found = [proved(board, Lower(stored, up_to), tmp_path) for up_to in (stored.tiers[-4], stored.tiers[-1])]
    assert [proof.value for proof in (without, *found)] == [value] * 3
    assert without.nodes > found[0].nodes >= found[1].nodes == (value == "tie") + 1


@pytest.mark.parametrize("stored", ["tapatan"], indirect=True)
def test_where_positions_come_back_what_is_stored_counts_by_its_remoteness(stored, tmp_path):
    board = stored.variant
    positions = random.Random(3).sample([*random_positions(board, 300)], 40)
    certain = counted = 0
    for position in positions:
        value, remoteness = stored.get(position)
        if value not in (WIN, LOSE) or remoteness == 0:
            continue
        certain += 1
        prover = Prover(board, stored, table_bytes=TABLE)
        proof = certificate.prove(prover, position, None, str(tmp_path / "proof"))
        # Where all that is met lowers the tier it is proved outright.
        assert proof.value == NAMES[value] and proof.depth in (0, remoteness)
        assert certificate.check(str(tmp_path / "proof")).depth == proof.depth
        counted += proof.depth > 0
    assert certain > counted > 0


@pytest.mark.parametrize("stored", ["konane:rows=3,cols=5", "tictactoe"], indirect=True)
def test_as_many_tiers_are_loaded_as_there_is_room_for_and_need_be(stored):
    board = stored.variant
    loaded = [leaves.load(stored, board.start(), 1 << n) for n in range(5, 20)]
    sizes = [len(found.tiers) for found in loaded if found is not None]
    assert sizes == sorted(sizes) and len(set(sizes)) > 2 and sizes[-1] == len(stored.tiers)
    low = board.unhash(int(next(stored.positions(stored.tiers[1])).keys[0]))
    assert list(leaves.load(stored, low, 1 << 30).tiers) == stored.tiers[:2]
    assert leaves.load(stored, board.start(), 0) is None
