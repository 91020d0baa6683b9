"""A certificate is a file from which anybody can check a proof: the strategy of who wins, or of both who hold a tie.

    gamesman certificate 1                            a line that says what it is
    {"variant": …, "position": …, "value": …, …}      a line of JSON: what is claimed
    …                                                 the moves, two bytes each, compressed by zlib
    …                                                 the SHA-256 of all before, 32 bytes

The moves are numbers in the order of `generate_moves`, in the order in which gamesman.prover.strategy walks. No
position is in the file: they follow from the moves. What is checked is the claim, not where the file has come from; so
a file that passes is a proof, whoever made it.
"""

import contextlib
import hashlib
import json
import os
import time
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from gamesman.errors import CallError, Damaged, GamesmanError, NotVerified, OtherRules, StorageFailed, shorten
from gamesman.machine.files import NEW, may_replace, remove_file
from gamesman.machine.memory import peak
from gamesman.model.progress import Progress, Silent
from gamesman.model.variant import Position, Variant, variant
from gamesman.model.wording import count
from gamesman.prover.proof import Proof, claims
from gamesman.prover.prover import Prover, Returns
from gamesman.prover.strategy import Walk, Walked

HEAD = b"gamesman certificate 1\n"
MOST_HEADER = 1 << 20
DIGEST = 32
READ = 1 << 16
VALUES = ("win", "lose", "tie", "not win")


class Checked(NamedTuple):
    """Says what a certificate has shown."""

    variant: Variant
    position: Position
    value: str
    depth: int
    move: int | None
    positions: int
    moves: int
    seconds: float
    cpu_seconds: float

    def as_json(self) -> dict[str, Any]:
        """Return the fields of `verify --json`."""
        board, position = self.variant, self.position
        return {
            "variant": board.name,
            "status": "verified",
            "position": board.show(position),
            "turn": board.letter(position),
            "value": self.value,
            "move": None if self.move is None else board.move_name(position, self.move),
            "depth": self.depth or None,
            "positions": self.positions,
            "moves": self.moves,
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "peak_memory": peak(),
        }


class Writer:
    """Writes the parts of a certificate, and the digest of them all."""

    def __init__(self, file: IO[bytes]):
        self._file = file
        self._digest = hashlib.sha256()
        self._packer = zlib.compressobj(9)
        self.is_whole = False

    def write_plain(self, data: bytes) -> None:
        self._digest.update(data)
        self._file.write(data)

    def write(self, data: bytes) -> None:
        self.write_plain(self._packer.compress(data))

    def end(self) -> None:
        self.write_plain(self._packer.flush())
        self._file.write(self._digest.digest())
        self.is_whole = True


@contextlib.contextmanager
def opened(path: str) -> Iterator[Writer]:
    """Open a file to write a certificate to; it takes its place whole, or not at all. Raises StorageFailed."""
    place = Path(os.path.realpath(path))
    new = place.with_name(f"{place.name}.{os.getpid()}{NEW}")
    try:
        may_replace(place)
        with new.open("xb") as file:
            writer = Writer(file)
            yield writer
        if writer.is_whole:
            new.replace(place)
    except OSError as error:
        raise StorageFailed(f"{shorten(path)} cannot be written: {error.strerror}; give another place") from None
    finally:
        with contextlib.suppress(OSError):
            remove_file(new)


def prove(prover: Prover, position: Position, seconds: float | None, path: str) -> Proof:
    """Prove what a position is worth and write the certificate, whose place is tried before; return the proof."""
    try:
        return _prove(prover, position, seconds, path)
    except (Returns, NotVerified):
        if prover.stored is None or prover.counts_moves:
            raise
        # What is stored may have said who wins where only the number of moves shows that the game ends.
        prover.counts_moves = True
        return _prove(prover, position, seconds, path)


def _prove(prover: Prover, position: Position, seconds: float | None, path: str) -> Proof:
    with opened(path) as out:
        proof = prover.prove(position, seconds, is_strategy=True)
        if proof.value is None:
            return proof
        covered = write(out, prover, proof)
    return replace(proof, certificate=path, covered=covered, bytes=os.path.getsize(path))


def write(out: Writer, prover: Prover, proof: Proof) -> int:
    """Write the certificate of a proof that the prover has just found; return how many positions it covers."""
    board = prover.variant
    is_tiered = not proof.depth and not board.game.no_return
    header = {
        "variant": board.name,
        "rules": board.fingerprint,
        "position": board.show(proof.position),
        "value": proof.value,
        "layers": "tiers" if is_tiered else "moves",
        "depth": proof.depth or None,
    }
    out.write_plain(HEAD + json.dumps(header).encode() + b"\n")
    prover.progress.start("writing the certificate")
    walk = Walk(board, is_tiered=is_tiered, progress=prover.progress)
    positions = 0
    try:
        for claim in proof.claims(board):
            asked = prover.asked_for(claim, proof.depth)

            def chooses(layer: int, rows: np.ndarray, claim: Any = claim, asked: Any = asked) -> np.ndarray:
                found = prover.choices(rows, claim, asked, proof.depth + layer if proof.depth else 0)
                out.write(found.astype("<u2").tobytes())
                return found

            positions += walk.go(proof.position, claim, chooses).positions
        out.end()
    finally:
        prover.progress.finish()
    return positions


def check(path: str, progress: Progress | None = None) -> Checked:
    """Check a certificate: all replies to all moves of its strategy. Raises Damaged, OtherRules, NotVerified."""
    progress = progress or Silent()
    try:
        with open(path, "rb") as file:
            return _checked(path, file, progress)
    except OSError as error:
        raise CallError(f"{shorten(path)} cannot be read: {error.strerror}") from None
    finally:
        progress.finish()


def _checked(path: str, file: IO[bytes], progress: Progress) -> Checked:
    name = shorten(path)
    began, worked = time.perf_counter(), time.process_time()
    progress.start(f"reading {name}", 0)
    size = _whole_size(name, file)
    file.seek(len(HEAD))
    board, position, header = _read_header(name, file.readline(MOST_HEADER))
    moves = _Reader(name, file, size)
    progress.start(f"verifying {name}")
    walk = Walk(board, is_tiered=header["layers"] == "tiers", progress=progress)
    walked: list[Walked] = []
    first = None
    for claim in claims(header["value"], board.turn(position)):
        walked.append(walk.go(position, claim, lambda layer, rows: moves.read(len(rows))))
        if board.turn(position) == claim.player and walked[-1].first >= 0:
            first = list(board.generate_moves(position))[walked[-1].first]
    moves.end()
    if header["depth"]:
        _check_depth(name, header["depth"], walked)
    counted = sum(one.positions for one in walked), sum(one.moves for one in walked)
    took = time.perf_counter() - began, time.process_time() - worked
    return Checked(board, position, header["value"], header["depth"] or 0, first, *counted, *took)


def _whole_size(name: str, file: IO[bytes]) -> int:
    """Return where the digest begins, if it is that of all before. Raises Damaged."""
    size = os.fstat(file.fileno()).st_size - DIGEST
    if file.read(len(HEAD)) != HEAD:
        raise Damaged(f"{name} is no certificate; expected a file that gamesman prove --certificate has written")
    digest, left = hashlib.sha256(HEAD), size - len(HEAD)
    while left > 0:
        part = file.read(min(left, READ))
        if not part:
            break
        digest.update(part)
        left -= len(part)
    if left or file.read() != digest.digest():
        raise Damaged(f"{name} is damaged: its checksum is not that of its content; write it again with prove")
    return size


def _read_header(name: str, line: bytes) -> tuple[Variant, Position, dict[str, Any]]:
    """Return what a certificate is about. Raises Damaged, OtherRules, and what the variant or the position raises."""
    try:
        header = json.loads(line)
        board_name, text, rules = header["variant"], header["position"], header["rules"]
        is_known = header["value"] in VALUES and header["layers"] in ("tiers", "moves")
        if not is_known or not all(isinstance(word, str) for word in (board_name, text, rules)):
            raise ValueError
        if header["depth"] is not None and (type(header["depth"]) is not int or header["layers"] == "tiers"):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Damaged(f"{name} does not say what it claims; write it again with prove") from None
    try:
        board = variant(board_name)
        position = board.parse(text)
    except GamesmanError as error:
        raise Damaged(f"{name} is about {shorten(board_name)}: {error}") from None
    if board.fingerprint != rules:
        raise OtherRules(f"{name} was written under other rules than {board.name} has now; write it again with prove")
    return board, position, header


def _check_depth(name: str, depth: int, walked: list[Walked]) -> None:
    """Raise NotVerified where a game may last longer than is claimed: each layer but the first is one move."""
    longest = max(one.layers for one in walked) - 1
    if longest > depth:
        raise NotVerified(f"{name}: the game may last {count(longest, 'move')}, and it claims {depth}")


class _Reader:
    """Reads the moves, as many at a time as are wanted."""

    def __init__(self, name: str, file: IO[bytes], size: int):
        self._name = name
        self._file = file
        self._left = size - file.tell()
        self._unpacker = zlib.decompressobj()
        self._have = b""

    def read(self, count: int) -> np.ndarray:
        """Return so many moves. Raises NotVerified where there are not as many."""
        while len(self._have) < 2 * count:
            more = self._more()
            if not more:
                raise NotVerified(f"{self._name}: the strategy ends before the game does")
            self._have += more
        taken, self._have = self._have[: 2 * count], self._have[2 * count :]
        return np.frombuffer(taken, "<u2").astype(np.int64)

    def end(self) -> None:
        """Raise NotVerified where moves are left over."""
        if self._have or self._more() or self._unpacker.unused_data or self._left:
            raise NotVerified(f"{self._name}: the strategy has moves for positions that it does not lead to")

    def _more(self) -> bytes:
        """Return the next bytes unpacked, none at the end."""
        while not self._unpacker.eof:
            packed = self._unpacker.unconsumed_tail
            if not packed:
                packed = self._file.read(min(self._left, READ))
                self._left -= len(packed)
                if not packed:
                    break
            try:
                found = self._unpacker.decompress(packed, READ)
            except zlib.error:
                raise Damaged(f"{self._name} is damaged: its moves cannot be unpacked; write it again") from None
            if found:
                return found
        return b""
