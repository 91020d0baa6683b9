"""All positions of a solved variant are written as one file, .parquet or .csv: key, position, value, remoteness, tier.

Texts take the time. Of a game that has them from its layout they are written as arrays, many at a time. Where the game
writes them itself its own `show` makes each, in 3 to 6 microseconds: block by block in other processes, a few blocks
ahead, and they come back in order. Memory stays flat however many positions there are.
"""

import contextlib
import csv
import importlib
import io
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from functools import cache, partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from gamesman.compiler.unfolding import unfolder
from gamesman.db.lock import FileLock
from gamesman.errors import CallError, InUse, MissingExtra, StorageFailed, shorten
from gamesman.machine import signals
from gamesman.machine.files import FILE, kind
from gamesman.model.ports import Positions, SolvedPositions
from gamesman.model.progress import Progress, Silent
from gamesman.model.texts import joined, writer
from gamesman.model.variant import Variant, variant
from gamesman.values import NAMES

# Writes the texts of keys, a row of bytes each.
Rows = Callable[[np.ndarray], np.ndarray]

COLUMNS = ("key", "position", "value", "remoteness", "tier")
# The texts of fewer positions are made before other processes would be up.
FEW_POSITIONS = 200_000
# How many positions a row group of a Parquet file has at least, all but the last.
GROUP_POSITIONS = 1 << 18
# The ending of a file's name while it is written; so long it is locked.
UNFINISHED = ".gamesman-part"


class Output(Protocol):
    """Writes a file of positions."""

    @property
    def prepare(self) -> Callable[[Positions], Any]:
        """Return the function that makes of positions what `write` needs beside them, in this process or another."""

    def write(self, part: Positions, prepared: Any) -> None:
        """Write positions, with what `prepare` has made of them."""

    def close(self) -> None:
        """Write what is still to be written, and close the file."""


def export(
    stored: SolvedPositions,
    path: Path,
    has_positions: bool = True,
    processes: int = 1,
    progress: Progress | None = None,
    *,
    is_classes: bool = False,
) -> int:
    """Write all positions, or one of each class, in ascending order of tier and key; return how many there are.

    The file has its name only when it is complete. Raises CallError for another kind of file, MissingExtra.
    """
    progress = progress or Silent()
    kinds: dict[str, Callable[[Path, Variant, bool, int], Output]] = {".parquet": ParquetOutput, ".csv": CsvOutput}
    output_kind = kinds.get(path.suffix.lower())
    if output_kind is None:
        raise CallError(f"expected a file ending in .parquet or .csv, got {shorten(str(path)) or 'nothing'}")
    total = sum(tier.classes if is_classes else tier.positions for tier in stored.summary.tiers)
    try:
        _refuse_other(path)
        _sweep(path.parent)
        with _unfinished(path) as unfinished:
            output = output_kind(unfinished, stored.variant, has_positions, total)
            try:
                progress.start("exporting", total)
                by_hand = has_positions and writer(stored.variant) is None
                is_shared = processes > 1 and by_hand and total >= FEW_POSITIONS
                with _processes(stored.variant, processes) if is_shared else nullcontext(_prepare_here) as prepare:
                    for part, prepared in prepare(output.prepare, stored.positions(is_classes=is_classes)):
                        output.write(part, prepared)
                        progress.advance(len(part.keys))
                output.close()
            except BaseException:
                with contextlib.suppress(Exception):  # what cannot be written cannot be closed, either
                    output.close()
                raise
            finally:
                progress.finish()
            _refuse_other(path)
            unfinished.replace(path)
    except BrokenProcessPool as error:
        raise StorageFailed(f"cannot write {path}: a process at work on it was ended; give fewer --threads") from error
    except Exception as error:
        if not isinstance(error, (OSError, *_file_errors())):
            raise
        why = shorten(getattr(error, "strerror", None) or str(error), 200)
        raise StorageFailed(f"cannot write {path}: {why}; give another file or make room") from error
    return total


def _refuse_other(path: Path) -> None:
    """Raise CallError where there is anything but a file, which would be replaced by one."""
    try:
        found = kind(path, is_followed=False)
    except ValueError as error:  # a zero byte
        raise CallError(f"expected a file, got {shorten(str(path))}: {error}") from None
    if found not in (None, FILE):
        raise CallError(f"expected a file, got {found}: {shorten(str(path))}; give another name")


@contextlib.contextmanager
def _unfinished(path: Path) -> Iterator[Path]:
    """Yield the path to write to until the file gets its name; it is locked against others, and removed afterwards."""
    found = path.with_name(path.name + UNFINISHED)
    lock = FileLock(found)
    if not lock.acquire():
        raise InUse(f"{path} is being written by another process; give another file, or wait for it")
    signals.temporary.add(found)
    try:
        yield found
    finally:
        lock.release()
        signals.temporary.discard(found)


def _sweep(folder: Path) -> None:
    """Remove the unfinished files of exports that were killed: their locks are free."""
    with contextlib.suppress(PermissionError):  # another user's files are left alone
        for name in os.listdir(folder):
            if name.endswith(UNFINISHED) and kind(folder / name, is_followed=False) == FILE:
                lock = FileLock(folder / name)
                if lock.acquire():
                    lock.release()


def _file_errors() -> tuple[type[BaseException], ...]:
    """Return the errors that pyarrow raises on a full disk, beside OSError."""
    try:
        return (importlib.import_module("pyarrow").ArrowException,)
    except ImportError:
        return ()


class CsvOutput:
    """Writes a .csv file."""

    def __init__(self, path: Path, variant: Variant, has_positions: bool, total: int):
        self._file = path.open("wb")
        columns = COLUMNS if has_positions else tuple(c for c in COLUMNS if c != "position")
        self._file.write(f"{','.join(columns)}\n".encode())
        rows = row_maker(variant, total, is_csv=True) if has_positions else None
        if rows is None and has_positions:
            self.prepare: Callable[[Positions], Any] = partial(csv_lines, variant)
        else:
            self.prepare = partial(csv_bytes, rows)

    def write(self, part: Positions, prepared: bytes) -> None:
        """Write the lines of positions."""
        self._file.write(prepared)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def csv_bytes(rows: Rows | None, part: Positions) -> bytes:
    """Return the lines of positions, with their texts if something is given that writes them."""
    columns = [_digits(part.keys), *([] if rows is None else [rows(part.keys)]), _worth()[part.records]]
    comma = np.full((len(part.keys), 1), ord(","), np.uint8)
    tier = np.frombuffer(f"{part.tier}\n".encode(), np.uint8)
    every = [piece for column in columns for piece in (column, comma)]
    lines, _ = joined(np.hstack([*every, np.broadcast_to(tier, (len(part.keys), len(tier)))]))
    return lines


@cache
def _worth() -> np.ndarray:
    """Return the value and the remoteness of every record as CSV has them, a row of bytes each."""
    every = np.arange(1 << 16, dtype=np.uint16)
    whole = Positions(0, every, every)
    pairs = zip(whole.values().tolist(), whole.remotenesses(draw=-1).tolist(), strict=True)
    texts = np.array([f"{NAMES[value]},{'' if r < 0 else r}".encode() for value, r in pairs])
    return texts.view(np.uint8).reshape(len(texts), -1)


def _digits(numbers: np.ndarray) -> np.ndarray:
    """Write numbers, 0 or more, as rows of bytes; 0 stands before those that have fewer digits.

    >>> _digits(np.array([7, 120])).tolist() == [[0, 0, ord("7")], [*b"120"]]
    True
    """
    width = len(str(int(numbers.max(initial=0))))
    found = np.empty((len(numbers), width), np.uint8)
    left = numbers
    for at in range(width - 1, -1, -1):
        higher = left // 10
        found[:, at] = (left - 10 * higher) + ord("0")
        if at < width - 1:
            found[left == 0, at] = 0
        left = higher
    return found


def row_maker(variant: Variant, total: int, *, is_csv: bool = False) -> Rows | None:
    """Return what writes the texts of keys as rows of bytes, or None where the game writes each by itself.

    There are `total` to be written in all.
    """
    found = writer(variant)
    if found is None:
        return None
    unfold = unfolder(variant, total)
    return lambda keys: found.rows(*unfold(keys), is_csv=is_csv)


def csv_lines(variant: Variant, part: Positions) -> bytes:
    """Return the lines of positions, with their texts as the game shows them."""
    keys = part.keys.tolist()
    names = map(NAMES.__getitem__, part.values().tolist())
    remotenesses = ["" if r < 0 else r for r in part.remotenesses(draw=-1).tolist()]
    columns = [keys, position_texts(variant, part), names, remotenesses, [part.tier] * len(keys)]
    lines = io.StringIO(newline="")
    csv.writer(lines, lineterminator="\n").writerows(zip(*columns, strict=True))
    return lines.getvalue().encode()


class Batches:
    """Makes pyarrow's batches of positions, all with the same columns. Raises MissingExtra."""

    def __init__(self, variant: Variant, has_positions: bool, total: int):
        try:
            self._pa = pa = importlib.import_module("pyarrow")
        except ImportError as error:
            raise MissingExtra("a .parquet file needs pyarrow; run: pip install 'gamesman[parquet]'") from error
        types = {"key": pa.int64(), "value": pa.string(), "remoteness": pa.int16(), "tier": pa.int64()}
        types["position"] = pa.string()
        names = [name for name in COLUMNS if has_positions or name != "position"]
        self.schema = pa.schema([(name, types[name]) for name in names])
        self._names = pa.array(NAMES)
        rows = row_maker(variant, total) if has_positions else None
        self.prepare: Callable[[Positions], Any] = partial(position_texts, variant) if has_positions else _nothing
        if rows is not None:
            self.prepare = lambda part: joined(rows(part.keys))

    def make(self, part: Positions, prepared: "list[str] | tuple[bytes, np.ndarray] | None") -> Any:
        """Return the batch of positions, with their texts if `prepare` has made any."""
        pa = self._pa
        remotenesses = part.remotenesses(draw=-1)
        columns = [
            pa.array(part.keys),
            self._names.take(pa.array(part.values())),
            pa.array(remotenesses, mask=remotenesses < 0),
            pa.array(np.full(len(part.keys), part.tier, np.int64)),
        ]
        if isinstance(prepared, tuple):
            columns.insert(1, string_array(pa, *prepared))
        elif prepared is not None:
            columns.insert(1, pa.array(prepared, pa.string()))
        return pa.record_batch(columns, schema=self.schema)

    def table(self, batches: list[Any]) -> Any:
        """Return a table of batches."""
        return self._pa.Table.from_batches(batches, self.schema)


class ParquetOutput:
    """Writes a .parquet file."""

    def __init__(self, path: Path, variant: Variant, has_positions: bool, total: int):
        self._batches = Batches(variant, has_positions, total)
        parquet = importlib.import_module("pyarrow.parquet")
        self._waiting: list[Any] = []
        self._writer = parquet.ParquetWriter(path, self._batches.schema, compression="zstd")
        self.prepare = self._batches.prepare

    def write(self, part: Positions, prepared: Any) -> None:
        """Keep the columns of positions, until there are enough for a row group."""
        self._waiting.append(self._batches.make(part, prepared))
        if sum(batch.num_rows for batch in self._waiting) >= GROUP_POSITIONS:
            self._flush()

    def _flush(self) -> None:
        """Write what is kept as row groups."""
        self._writer.write_table(self._batches.table(self._waiting), row_group_size=GROUP_POSITIONS)
        self._waiting = []

    def close(self) -> None:
        """Write what is kept, and close the file."""
        self._flush()
        self._writer.close()


def table(stored: SolvedPositions, has_positions: bool = True, *, is_classes: bool = False) -> Any:
    """Return all positions as a pyarrow table, with the columns of a file. Raises MissingExtra."""
    batches = Batches(stored.variant, has_positions, stored.summary.as_json()["positions"])
    parts = stored.positions(is_classes=is_classes)
    return batches.table([batches.make(part, batches.prepare(part)) for part in parts])


def string_array(pa: Any, texts: bytes, lengths: np.ndarray) -> Any:
    """Return the array of strings that stand one after the other in some bytes; `pa` is pyarrow."""
    ends = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=ends[1:])
    return pa.Array.from_buffers(pa.string(), len(lengths), [None, pa.py_buffer(ends), pa.py_buffer(texts)])


def position_texts(variant: Variant, part: Positions) -> list[str]:
    """Return the texts of positions."""
    show, unhash = variant.show, variant.unhash
    return [show(unhash(key)) for key in part.keys.tolist()]


def _nothing(part: Positions) -> None:
    """Return None: a file without texts needs nothing beside the positions."""
    return None


def _prepare_here(prepare: Callable[[Positions], Any], parts: Iterable[Positions]) -> Iterator[tuple[Positions, Any]]:
    """Yield positions, and what `prepare` makes of them."""
    for part in parts:
        yield part, prepare(part)


@contextlib.contextmanager
def _processes(of: Variant, processes: int) -> Iterator[Callable[..., Iterator[tuple[Positions, Any]]]]:
    """Yield a function like `_prepare_here` that works in other processes.

    They load the game themselves, because functions over rules cannot be sent to them.
    """
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin, (of.name,))

    def prepare(make: Any, parts: Iterable[Positions]) -> Iterator[tuple[Positions, Any]]:
        ahead: deque[tuple[Positions, Any]] = deque()
        for part in parts:
            ahead.append((part, pool.submit(_make, make.func, part)))
            if len(ahead) > 4 * processes:
                first, made = ahead.popleft()
                yield first, made.result()
        for first, made in ahead:
            yield first, made.result()

    try:
        yield prepare
    finally:
        pool.shutdown(cancel_futures=True)


_variant: Variant


def _begin(name: str) -> None:
    """Load the game, when a process begins."""
    # Ctrl-C reaches every process, and the one that was called ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    global _variant
    _variant = variant(name)


def _end_with_parent() -> None:
    """End this process as soon as the one that started it has ended, even by a kill."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _make(make: Callable[[Variant, Positions], Any], part: Positions) -> Any:
    """Return what `make` makes of positions, in a process that has loaded the game."""
    return make(_variant, part)
