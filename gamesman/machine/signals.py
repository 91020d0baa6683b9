"""Ctrl-C, SIGTERM and SIGHUP end the program with one line, within two seconds.

They raise KeyboardInterrupt in the main thread, as soon as it runs Python. While that thread waits for compiled code
that does not return, a thread of our own says the line and ends the process. That harms no database, as a kill does
not; files that are temporary are removed first.
"""

import contextlib
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

GRACE = 1.5  # seconds from the first signal to the end of the process, at most
PROMPT = 0.2  # seconds within which the main thread has ended it, unless it waits for compiled code
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
TRIES = 10  # to remove a folder in which threads that go on make files

parent: int | None = None  # where a parent that watches reads that this process ends of its own accord
temporary: set[Path] = set()  # files and folders of this process that nobody needs when it has ended

_is_ending = threading.Event()
_last_word = threading.Lock()
_returning: set[int] = set()  # the signals that end nothing for now
_tasks: list[tuple[str, Callable[[], str], Callable[[float], str] | None]] = []
_phase = ""
_locate: Callable[[BaseException], str] | None = None


def watch() -> None:
    """Let these signals end this process from now on, but those that it was started to ignore, as by nohup."""
    heeded = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    heeded = [number for number in heeded if signal.getsignal(number) != signal.SIG_IGN]
    for number in heeded:
        signal.signal(number, _interrupt)
    sys.unraisablehook = _unraisable
    with contextlib.suppress(OSError, RuntimeError):  # where no file or thread is allowed, do without the thread
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        threading.Thread(target=_wait, args=(reading, heeded), name="gamesman-signals", daemon=True).start()


def pass_over() -> None:
    """Let these signals interrupt nothing more: what is to be said has been said, and the process is about to end.

    The interpreter would write a traceback of what it is at, and end with another exit code.
    """
    _is_ending.set()
    _tell_parent()
    for number in [getattr(signal, name) for name in NAMES if hasattr(signal, name)]:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def heeded_by(end: Callable[[], object]) -> Iterator[None]:
    """Let these signals call `end` instead, for what goes on inside: a server that closes what it has open."""
    numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    numbers = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    waking = signal.set_wakeup_fd(-1)
    before = {number: signal.signal(number, lambda number, frame: end()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)


@contextlib.contextmanager
def noted(end: Callable[[], object]) -> Iterator[None]:
    """Do the same in a process whose signals are watched; what only imports gamesman has its own way with them."""
    is_main = threading.current_thread() is threading.main_thread()
    with heeded_by(end) if is_main and signal.getsignal(signal.SIGINT) is _interrupt else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def returning() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt inside as often as it comes, and end nothing by itself.

    That is for who is at a prompt, to which it brings him back.
    """
    before = signal.getsignal(signal.SIGINT)
    if before == signal.SIG_IGN:
        yield
        return
    _returning.add(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _returning.discard(signal.SIGINT)


def is_ending() -> bool:
    """Return whether a signal to end has come, which is then the cause of whatever goes wrong."""
    return _is_ending.is_set()


def may_speak() -> bool:
    """Return True to the first that asks after a signal, who has to say that the run was interrupted."""
    return not is_ending() or _last_word.acquire(blocking=False)


def locate_with(locate: Callable[[BaseException], str]) -> None:
    """Let `locate` say, from the exception, where a task was interrupted."""
    global _locate
    _locate = locate


def at(phase: str) -> None:
    """Note which phase the task is in."""
    global _phase
    _phase = phase


@contextlib.contextmanager
def task(name: str, outcome: Callable[[], str], seek: Callable[[float], str] | None = None) -> Iterator[None]:
    """Name what is done inside: if it is interrupted its name is said, and what `outcome` says there is then.

    While compiled code does not return `seek` is given seconds in which to find out why, and says so, or "".
    """
    _tasks.append((name, outcome, seek))
    at("")
    try:
        yield
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt(_described(_locate(error) if _locate else "")) from error
    finally:
        _tasks.pop()


def _described(where: str = "") -> str:
    """Return what the task is, where it is and what there is of it now."""
    if not _tasks:
        return where
    name, outcome, _ = _tasks[-1]
    return "; ".join(filter(None, [", ".join(filter(None, [f"while {name}", where])), outcome()]))


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt once: a second Ctrl-C must not interrupt what is done after the first."""
    if not _is_ending.is_set():
        _is_ending.set()
        raise KeyboardInterrupt


def _unraisable(what: "sys.UnraisableHookArgs") -> None:
    """Say nothing of an interruption of code that cannot pass an exception on, as a C library's cannot."""
    if not (is_ending() and isinstance(what.exc_value, KeyboardInterrupt)):
        sys.__unraisablehook__(what)


def _wait(reading: int, heeded: list[int]) -> None:
    """Wait, on a thread, for the first signal; give the main thread a while to end the process, then end it."""
    while not set(os.read(reading, 64)) & (set(heeded) - _returning):
        pass
    deadline = time.monotonic() + GRACE
    time.sleep(PROMPT)
    found = _sought(GRACE - PROMPT)
    time.sleep(max(0.0, deadline - time.monotonic()))
    if may_speak():
        where = f"in compiled code ({_phase})" if _phase else ""
        where += f", where {found}" if where and found else ""
        with contextlib.suppress(OSError):
            start = "\n" if os.isatty(2) else ""  # below the bar
            os.write(2, f"{start}interrupted {_described(where)}".rstrip().encode(errors="backslashreplace") + b"\n")
    _remove_temporary()
    _tell_parent()
    os._exit(1)


def _tell_parent() -> None:
    if parent is not None:
        with contextlib.suppress(OSError):
            os.write(parent, b".")


def _remove_temporary() -> None:
    """Remove what is temporary; what cannot be removed is swept by the next process, as after a kill."""
    for path in list(temporary):
        for _ in range(TRIES):
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
                break


def _sought(seconds: float) -> str:
    """Have it found out why compiled code does not return, whatever that meets."""
    seek = _tasks[-1][2] if _tasks and _phase else None
    with contextlib.suppress(Exception):
        return seek(seconds) if seek is not None else ""
    return ""
