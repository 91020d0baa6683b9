"""All positions of a solved variant as one file, .parquet or .csv: key, position, value, remoteness, tier.

Texts are what takes time: the game's own `show` makes each, 3 to 6 microseconds. They are made block by block in
processes of their own, a few blocks ahead, and come back in order: memory stays flat however many positions there are.
"""

import contextlib
import csv
import importlib
import io
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from gamesman.db.lock import FileLock
from gamesman.errors import CallError, InUse, MissingExtra, StorageFailed, shorten
from gamesman.machine.files import FILE, kind
from gamesman.model.ports import SolvedPositions
from gamesman.model.progress import Progress, Silent
from gamesman.model.variant import Variant, variant
from gamesman.values import DRAW, MAX_REMOTENESS, NAMES, REMOTENESS_BITS

COLUMNS = ("key", "position", "value", "remoteness", "tier")
# Below so many positions the texts are made before other processes would be up.
FEW = 200_000
# Positions a row group of a Parquet file has at least, where a tier is not smaller.
GROUP = 1 << 18
# What the name of a file ends in while it is written; it is locked so long.
UNFINISHED = ".gamesman-part"


class Chunk(NamedTuple):
    """Some positions of one tier."""

    tier: int
    keys: np.ndarray
    values: np.ndarray
    remotenesses: np.ndarray  # 0 where the value is a draw


class Output(Protocol):
    """A file being written."""

    @property
    def prepare(self) -> Callable[[Chunk], Any]:
        """Makes of a chunk what `write` takes with it, in this process or another."""

    def write(self, chunk: Chunk, prepared: Any) -> None: ...

    def close(self) -> None: ...


def export(
    stored: SolvedPositions,
    path: Path,
    has_positions: bool = True,
    processes: int = 1,
    progress: Progress | None = None,
    *,
    is_classes: bool = False,
) -> int:
    """Write all positions, or one of each class, in ascending order of tier and key; how many there are.

    The file has its name only when it is complete. Raises CallError for another kind of file, MissingExtra.
    """
    progress = progress or Silent()
    kinds: dict[str, Callable[[Path, Variant, bool], Output]] = {".parquet": ParquetOutput, ".csv": CsvOutput}
    output_kind = kinds.get(path.suffix.lower())
    if output_kind is None:
        raise CallError(f"expected a file ending in .parquet or .csv, got {shorten(str(path)) or 'nothing'}")
    total = sum(tier.classes if is_classes else tier.positions for tier in stored.summary.tiers)
    try:
        _refuse_other(path)
        _sweep(path.parent)
        with _unfinished(path) as unfinished:
            output = output_kind(unfinished, stored.variant, has_positions)
            try:
                progress.start("exporting", total)
                is_shared = processes > 1 and has_positions and total >= FEW
                with _texts(stored.variant, processes) if is_shared else contextlib.nullcontext(_here) as prepare:
                    for chunk, prepared in prepare(output.prepare, _chunks(stored, is_classes)):
                        output.write(chunk, prepared)
                        progress.advance(len(chunk.keys))
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
    """Raise CallError for what is there and no file: it would be replaced by one."""
    try:
        found = kind(path, is_followed=False)
    except ValueError as error:  # a zero byte
        raise CallError(f"expected a file, got {shorten(str(path))}: {error}") from None
    if found not in (None, FILE):
        raise CallError(f"expected a file, got {found}: {shorten(str(path))}; give another name")


@contextlib.contextmanager
def _unfinished(path: Path) -> Iterator[Path]:
    """The file that is written until it takes its name; nobody else writes it, and it is gone afterwards."""
    found = path.with_name(path.name + UNFINISHED)
    lock = FileLock(found)
    if not lock.acquire():
        raise InUse(f"{path} is being written by another process; give another file, or wait for it")
    try:
        yield found
    finally:
        lock.release()


def _sweep(folder: Path) -> None:
    """Remove what exports have left unfinished whose process is gone: their locks are free."""
    with contextlib.suppress(PermissionError):  # somebody else's, whose business they are
        for name in os.listdir(folder):
            if name.endswith(UNFINISHED) and kind(folder / name, is_followed=False) == FILE:
                lock = FileLock(folder / name)
                if lock.acquire():
                    lock.release()


def _file_errors() -> tuple[type[BaseException], ...]:
    """What pyarrow says of a full disk, beside OSError."""
    try:
        return (importlib.import_module("pyarrow").ArrowException,)
    except ImportError:
        return ()


class CsvOutput:
    def __init__(self, path: Path, variant: Variant, has_positions: bool):
        self._file = path.open("w", encoding="utf-8", newline="")
        columns = COLUMNS if has_positions else tuple(c for c in COLUMNS if c != "position")
        csv.writer(self._file, lineterminator="\n").writerow(columns)
        self.prepare: Callable[[Chunk], Any] = partial(csv_lines, variant if has_positions else None)

    def write(self, chunk: Chunk, prepared: str) -> None:
        self._file.write(prepared)

    def close(self) -> None:
        self._file.close()


def csv_lines(variant: Variant | None, chunk: Chunk) -> str:
    """The lines of a chunk; with positions if there is a variant to show them."""
    keys, values = chunk.keys.tolist(), chunk.values.tolist()
    names = map(NAMES.__getitem__, values)
    remotenesses = ["" if v == DRAW else r for v, r in zip(values, chunk.remotenesses.tolist(), strict=True)]
    tiers = [chunk.tier] * len(keys)
    columns: list[Iterable[Any]] = [keys, names, remotenesses, tiers]
    if variant is not None:
        columns.insert(1, position_texts(variant, chunk))
    lines = io.StringIO(newline="")
    csv.writer(lines, lineterminator="\n").writerows(zip(*columns, strict=True))
    return lines.getvalue()


class ParquetOutput:
    def __init__(self, path: Path, variant: Variant, has_positions: bool):
        try:
            self._pa = importlib.import_module("pyarrow")
            parquet = importlib.import_module("pyarrow.parquet")
        except ImportError as error:
            raise MissingExtra("a .parquet file needs pyarrow; run: pip install 'gamesman[parquet]'") from error
        pa = self._pa
        types = {"key": pa.int64(), "value": pa.string(), "remoteness": pa.int16(), "tier": pa.int64()}
        types["position"] = pa.string()
        names = [name for name in COLUMNS if has_positions or name != "position"]
        self._schema = pa.schema([(name, types[name]) for name in names])
        self._names = pa.array(NAMES)
        self._waiting: list[Any] = []
        self._writer = parquet.ParquetWriter(path, self._schema, compression="zstd")
        self.prepare: Callable[[Chunk], Any] = partial(position_texts, variant) if has_positions else _nothing

    def write(self, chunk: Chunk, prepared: list[str] | None) -> None:
        pa = self._pa
        columns = [
            pa.array(chunk.keys),
            self._names.take(pa.array(chunk.values)),
            pa.array(chunk.remotenesses.astype(np.int16), mask=chunk.values == DRAW),
            pa.array(np.full(len(chunk.keys), chunk.tier, np.int64)),
        ]
        if prepared is not None:
            columns.insert(1, pa.array(prepared, pa.string()))
        self._waiting.append(pa.record_batch(columns, schema=self._schema))
        if sum(batch.num_rows for batch in self._waiting) >= GROUP:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(self._pa.Table.from_batches(self._waiting, self._schema), row_group_size=GROUP)
        self._waiting = []

    def close(self) -> None:
        self._flush()
        self._writer.close()


def position_texts(variant: Variant, chunk: Chunk) -> list[str]:
    show, unhash = variant.show, variant.unhash
    return [show(unhash(key)) for key in chunk.keys.tolist()]


def _nothing(chunk: Chunk) -> None:
    return None


def _chunks(stored: SolvedPositions, is_classes: bool) -> Iterator[Chunk]:
    for tier, keys, records in stored.parts(is_classes=is_classes):
        values = (records >> REMOTENESS_BITS).astype(np.int8)
        yield Chunk(tier, keys, values, np.where(values == DRAW, 0, records & MAX_REMOTENESS))


def _here(prepare: Callable[[Chunk], Any], chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Any]]:
    for chunk in chunks:
        yield chunk, prepare(chunk)


@contextlib.contextmanager
def _texts(of: Variant, processes: int) -> Iterator[Callable[..., Iterator[tuple[Chunk, Any]]]]:
    """Like _here, in other processes, which load the game themselves: functions over rules cannot be sent."""
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin, (of.name,))

    def prepare(make: Any, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Any]]:
        ahead: deque[tuple[Chunk, Any]] = deque()
        for chunk in chunks:
            ahead.append((chunk, pool.submit(_make, make.func, chunk)))
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
    import signal

    # Ctrl-C reaches every process; the one that was called ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    global _variant
    _variant = variant(name)


def _end_with_parent() -> None:
    """End this process with the one that started it, however that ends: nobody else would."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _make(make: Callable[[Variant, Chunk], Any], chunk: Chunk) -> Any:
    return make(_variant, chunk)
