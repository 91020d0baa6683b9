"""All positions of a solved variant are written as one file, .parquet or .csv: key, position, value, remoteness, tier.

Most of the time goes into texts: the game's own `show` makes each, in 3 to 6 microseconds. They are made block by block
in other processes, a few blocks ahead, and come back in order: memory stays flat however many positions there are.
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
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from gamesman.db.lock import FileLock
from gamesman.errors import CallError, InUse, MissingExtra, StorageFailed, shorten
from gamesman.machine.files import FILE, kind
from gamesman.model.ports import Positions, SolvedPositions
from gamesman.model.progress import Progress, Silent
from gamesman.model.variant import Variant, variant
from gamesman.values import NAMES

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
                is_shared = processes > 1 and has_positions and total >= FEW_POSITIONS
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
    try:
        yield found
    finally:
        lock.release()


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

    def __init__(self, path: Path, variant: Variant, has_positions: bool):
        self._file = path.open("w", encoding="utf-8", newline="")
        columns = COLUMNS if has_positions else tuple(c for c in COLUMNS if c != "position")
        csv.writer(self._file, lineterminator="\n").writerow(columns)
        self.prepare: Callable[[Positions], Any] = partial(csv_lines, variant if has_positions else None)

    def write(self, part: Positions, prepared: str) -> None:
        """Write the lines of positions."""
        self._file.write(prepared)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def csv_lines(variant: Variant | None, part: Positions) -> str:
    """Return the lines of positions, with their texts if a variant is given to show them."""
    keys = part.keys.tolist()
    names = map(NAMES.__getitem__, part.values().tolist())
    remotenesses = ["" if r < 0 else r for r in part.remotenesses(draw=-1).tolist()]
    columns: list[Iterable[Any]] = [keys, names, remotenesses, [part.tier] * len(keys)]
    if variant is not None:
        columns.insert(1, position_texts(variant, part))
    lines = io.StringIO(newline="")
    csv.writer(lines, lineterminator="\n").writerows(zip(*columns, strict=True))
    return lines.getvalue()


class ParquetOutput:
    """Writes a .parquet file."""

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
        self.prepare: Callable[[Positions], Any] = partial(position_texts, variant) if has_positions else _nothing

    def write(self, part: Positions, prepared: list[str] | None) -> None:
        """Keep the columns of positions, until there are enough for a row group."""
        pa = self._pa
        remotenesses = part.remotenesses(draw=-1)
        columns = [
            pa.array(part.keys),
            self._names.take(pa.array(part.values())),
            pa.array(remotenesses, mask=remotenesses < 0),
            pa.array(np.full(len(part.keys), part.tier, np.int64)),
        ]
        if prepared is not None:
            columns.insert(1, pa.array(prepared, pa.string()))
        self._waiting.append(pa.record_batch(columns, schema=self._schema))
        if sum(batch.num_rows for batch in self._waiting) >= GROUP_POSITIONS:
            self._flush()

    def _flush(self) -> None:
        """Write what is kept as row groups."""
        self._writer.write_table(
            self._pa.Table.from_batches(self._waiting, self._schema), row_group_size=GROUP_POSITIONS
        )
        self._waiting = []

    def close(self) -> None:
        """Write what is kept, and close the file."""
        self._flush()
        self._writer.close()


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
