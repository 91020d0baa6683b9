"""A certificate is checked against every reply; what is damaged or forged is refused with one line."""

import hashlib
import json
import zlib

import pytest
from support import SUPPORT

from gamesman.errors import BrokenGame, Damaged, GamesmanError, NotVerified, OtherRules, StorageFailed
from gamesman.model.variant import variant
from gamesman.prover import certificate
from gamesman.prover.prover import Prover

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("proofs") / "konane.proof"
    board = variant("konane:rows=4,cols=5")
    certificate.prove(Prover(board, table_bytes=2 << 20), board.start(), None, str(path))
    return path


def parts(path):
    """The header of a certificate and its moves."""
    content = path.read_bytes()
    head, header, packed = content[:-32].split(b"\n", 2)
    return head, json.loads(header), zlib.decompress(packed)


def forged(path, header, moves, more=b""):
    """A certificate with other content, whose checksum is right."""
    content = certificate.HEAD + json.dumps(header).encode() + b"\n" + zlib.compress(moves) + more
    path.write_bytes(content + hashlib.sha256(content).digest())
    return str(path)


def test_a_certificate_says_what_was_proved(written):
    found = certificate.check(str(written)).as_json()
    assert (found["status"], found["value"], found["turn"]) == ("verified", "lose", "w")
    assert found["positions"] > 10


def test_every_damaged_byte_is_noticed(written, tmp_path):
    content = written.read_bytes()
    path = tmp_path / "damaged"
    for i in range(0, len(content), max(1, len(content) // 60)):
        path.write_bytes(content[:i] + bytes([content[i] ^ 1]) + content[i + 1 :])
        with pytest.raises(Damaged):
            certificate.check(str(path))
    for cut in (0, 5, 30, len(content) - 1):
        path.write_bytes(content[:cut])
        with pytest.raises(Damaged):
            certificate.check(str(path))


def test_a_forged_strategy_is_refused(written, tmp_path):
    _, header, moves = parts(written)
    path = tmp_path / "forged"
    assert certificate.check(forged(path, header, moves)).value == "lose"
    refused = 0
    for i in range(0, len(moves), 2):
        other = moves[:i] + bytes([moves[i] ^ 1]) + moves[i + 1 :]
        try:
            certificate.check(forged(path, header, other))  # there may be two moves that win
        except NotVerified:
            refused += 1
    assert refused
    for wrong in (moves[:-2], moves + b"\0\0", b"", moves[:2] + b"\xff\xff" + moves[4:]):
        with pytest.raises(NotVerified):
            certificate.check(forged(path, header, wrong))
    with pytest.raises(NotVerified):
        certificate.check(forged(path, header, moves, b"more"))


def test_a_forged_claim_is_refused(written, tmp_path):
    _, header, moves = parts(written)
    path = tmp_path / "forged"
    for change in [
        {"value": "win"},
        {"value": "tie"},
        {"value": "draw"},
        {"value": ["lose"]},
        {"depth": "7"},
        {"depth": 7},
        {"layers": "none"},
        {"position": "nonsense"},
        {"variant": "konane:rows=4,cols=6"},
        {"variant": "nonsense"},
        {"rules": "other"},
    ]:
        with pytest.raises(GamesmanError) as refused:
            certificate.check(forged(path, {**header, **change}, moves))
        assert "\n" not in str(refused.value), change
    with pytest.raises(OtherRules):
        certificate.check(forged(path, {**header, "rules": "other"}, moves))
    with pytest.raises(Damaged):
        certificate.check(forged(path, [1], moves))
    content = certificate.HEAD + b"[" * 100_000 + b"\n"
    path.write_bytes(content + hashlib.sha256(content).digest())
    with pytest.raises(Damaged):
        certificate.check(str(path))


def test_a_win_is_not_claimed_sooner_than_it_is_shown(tmp_path):
    board = variant("abalone:rows=3,cols=3,captures=1")
    path = tmp_path / "proof"
    proof = certificate.prove(Prover(board, table_bytes=2 << 20), board.start(), None, str(path))
    _, header, moves = parts(path)
    assert header["depth"] == proof.depth > 1
    assert certificate.check(forged(path, {**header, "depth": proof.depth + 1}, moves)).depth == proof.depth + 1
    for wrong in (proof.depth - 1, -1):
        with pytest.raises(NotVerified):
            certificate.check(forged(path, {**header, "depth": wrong}, moves))


def test_nothing_is_written_where_it_cannot_be_or_nothing_is_proved(tmp_path):
    board = variant("konane:rows=6,cols=6")
    prover = Prover(board, table_bytes=2 << 20)
    path = tmp_path / "proof"
    path.write_text("mine")
    assert certificate.prove(prover, board.start(), 0.01, str(path)).value is None
    assert path.read_text() == "mine" and [*tmp_path.iterdir()] == [path]
    for place in (tmp_path / "none" / "proof", tmp_path):
        with pytest.raises(StorageFailed):
            certificate.prove(prover, board.start(), 0.01, str(place))


def test_a_position_that_is_over_has_a_certificate_too(tmp_path):
    board = variant("konane:rows=1,cols=3")
    path = str(tmp_path / "proof")
    proof = certificate.prove(Prover(board), board.start(), None, path)
    checked = certificate.check(path)
    assert (proof.source, checked.value, checked.positions) == ("rules", "lose", 1)


def test_a_move_that_ends_the_game_need_not_lower_the_tier(tmp_path):
    """Bottom, whose cars are off the board, has won whatever Left moves."""
    board = variant("dodgem")
    position = board.parse("(x x-- --- -x-)")
    proof = certificate.prove(Prover(board, table_bytes=2 << 20), position, None, str(tmp_path / "proof"))
    checked = certificate.check(str(tmp_path / "proof"))
    assert (proof.value, proof.depth) == (checked.value, checked.depth) == ("lose", 0)


def test_a_certificate_of_a_game_that_cannot_be_compiled_says_so(tmp_path):
    game, path = tmp_path / "listing.py", tmp_path / "proof"
    source = (SUPPORT / "ring.py").read_text()
    game.write_text(source.replace("for step in range(1, 4):", "for step in sorted({1: 1, 2: 2}.items()):"))
    board = variant(f"{game}:fields=9")
    header = {"variant": board.name, "rules": board.fingerprint, "position": board.show(board.start())}
    with pytest.raises(BrokenGame, match="generate_moves, line .* cannot be compiled"):
        certificate.check(forged(path, {**header, "value": "win", "layers": "moves", "depth": None}, b"\0\0"))
