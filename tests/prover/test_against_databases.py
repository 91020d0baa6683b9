"""What is proved is what solving says, of starts and of positions within games, with a certificate that holds.

A sample is drawn by default; GAMESMAN_PROOFS=1000 draws as many, and GAMESMAN_SEED=2 others.
"""

import itertools
import os
import random
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from support.small_variants import stars

from gamesman.app.solving import solve
from gamesman.db import open_store
from gamesman.model.variant import variants
from gamesman.prover import certificate
from gamesman.prover.prover import Prover
from gamesman.search.returns import can_come_back
from gamesman.values import LOSE, NAMES, UNDECIDED, WIN

pytestmark = pytest.mark.slow
PROOFS = int(os.environ.get("GAMESMAN_PROOFS", "60"))
SEED = int(os.environ.get("GAMESMAN_SEED", "1"))
# Each with every switch and choice.
BOARDS = {
    "chomp": ["rows=1..4,cols=1..5"],
    "connect4": ["rows=2..4,cols=2..4,line=2", "rows=3..4,cols=3..4,line=3"],
    "dodgem": ["size=2..3"],
    "konane": [
        "rows=2..4,cols=2..5",
        "rows=5,cols=3..4",
        "rows=3,cols=5,removed=a1,a2",
        'start=(b "" ww-b bw-w)',
        "start=(w a2 wb-w wb-w -bwb)",
    ],
    "tapatan": [""],
    "tictactoe": ["rows=1..3,cols=2..4,line=2", "rows=3,cols=3..4"],
}
# These are compiled for nothing else among the tests of proofs, and are drawn from where many are.
MORE = {
    "abalone": ["rows=3,cols=3..4,captures=1..3", "rows=3..4,cols=4,captures=1"],
    "clobber": ["rows=1..3,cols=1..5"],
    "ctf": ["size=2..4", "start=-bb-wBW-w,first=b"],
    "domineering": ["rows=1..4,cols=1..4"],
    "hare_and_hounds": [""],
    "hex_abalone": ["edge=2..3,captures=1"],
    "l_game": [""],
    "mu_torere": [""],
    "othello": ["rows=2..4,cols=2..3"],
    "quixo": ["size=2..3"],
    "teeko": ["size=3,pieces=2..3"],
    "ten_to_zero": ["total=1..12,most=1..3"],
}
MOST_MOVES = 7  # to a win or loss that is proved where positions come back
TABLE = 2 << 20


class Lower:
    """Has of what is stored the tiers up to one."""

    def __init__(self, stored, up_to):
        self._stored, self._up_to = stored, up_to
        self.variant, self.symmetry, self.positions = stored.variant, stored.symmetry, stored.positions
        self.summary = SimpleNamespace(tiers=[tier for tier in stored.summary.tiers if tier.number <= up_to])

    def get(self, position):
        return self._stored.get(position) if self.variant.tier(position) <= self._up_to else None

    def probe_many(self, positions):
        return self._stored.probe_many(positions)


def boards(game, sizes):
    """Return the variants of a game that are drawn from, each once."""
    found = {}
    for size in sizes:
        given = {piece.partition("=")[0] for piece in size.split(",")}
        rest = [star for star in stars(game) if star.partition("=")[0] not in given]
        found |= {board.name: board for board in variants(f"{game}:{','.join(filter(None, [size, *rest]))}")}
    return list(found.values())


def to_be_proved(stored, chance, count):
    """Draw positions that are not over, the start among them where it can be proved."""
    board, positions = stored.variant, [stored.variant.start()]
    keys = np.concatenate([part.keys for part in stored.positions(is_classes=True)])
    positions += [board.unhash(int(key)) for key in chance.sample([*keys], min(20 * count, len(keys)))]
    for position in dict.fromkeys(positions):
        value, remoteness = stored.get(position)
        if board.primitive(position) == UNDECIDED and (remoteness or 0) <= MOST_MOVES + 100 * falls(board):
            yield position, value, remoteness


def falls(board):
    return board.game.no_return or not can_come_back(board) and not board.game.no_repetition


def agree(stored, chance, count, path, seen):
    """Prove positions of a variant one after the other with one prover, and check what is claimed of each."""
    board = stored.variant
    help = Lower(stored, chance.choice(stored.tiers)) if chance.random() < 0.3 else None
    prover = Prover(board, help, table_bytes=TABLE, threads=chance.choice([1, 1, 2]))
    for position, value, remoteness in itertools.islice(to_be_proved(stored, chance, count), count):
        where = f"{board.name} {board.show(position)} {help and help._up_to}"
        is_sure = value in (WIN, LOSE) or falls(board)
        proof = certificate.prove(prover, position, None if is_sure else 0.05, path)
        wanted = [NAMES[value]] if is_sure else [None, "not win", NAMES[value]]
        assert proof.value in wanted and proof.depth in (0, remoteness), where
        seen[board.game.name, NAMES[value], proof.source] += 1
        if proof.value is None:
            continue
        checked = certificate.check(path)
        assert (checked.value, checked.position, checked.depth) == (proof.value, position, proof.depth), where
        if proof.move is not None:
            child = board.do_move(position, proof.move)
            assert turned(board, position, child, stored.get(child)[0]) == value, where


def turned(board, position, child, value):
    """Return a child's value from the view of who is to move at the position."""
    if board.turn(child) == board.turn(position):
        return value
    return {WIN: LOSE, LOSE: WIN}.get(value, value)


def test_proofs_agree_with_what_is_stored_and_their_certificates_hold(database, tmp_path):
    """The variants are drawn from one game after the other, all of them before one comes again."""
    games = BOARDS if PROOFS < 500 else BOARDS | MORE
    chance, seen = random.Random(SEED), Counter()
    drawn = {game: boards(game, sizes) for game, sizes in games.items()}
    for found in drawn.values():
        chance.shuffle(found)
    rounds = [board for boards_ in itertools.zip_longest(*drawn.values()) for board in boards_ if board is not None]
    per_board = 3 + PROOFS // len(rounds)
    for board in rounds:
        solve(board, threads=1)
        with open_store(database).open(board) as stored:
            agree(stored, chance, per_board, str(tmp_path / "proof"), seen)
        if sum(seen.values()) >= PROOFS:
            break
    print(len(rounds), dict(seen))
    assert {game for game, _, _ in seen} == set(games)
    assert {value for _, value, source in seen if source == "search"} >= {"win", "lose", "tie"}
    assert sum(seen.values()) >= PROOFS
