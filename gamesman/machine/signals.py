"""Being told to end: Ctrl-C, SIGTERM and SIGHUP all end the program with one line, within two seconds.

They raise KeyboardInterrupt in the main thread, between two of its Python instructions. While that thread waits for
compiled code that does not return there is no such place: then a thread of our own says the line and ends the process.
A database is not harmed by that, as it is not by a kill; what stays in temporary folders the next solve removes.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

GRACE = 1.5  # seconds from the first signal to the end of the process, at most
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

_is_ending = threading.Event()
_last_word = threading.Lock()
_tasks: list[tuple[str, Callable[[], str]]] = []
_phase = ""
_locate: Callable[[BaseException], str] | None = None


def watch() -> None:
    """From now on these signals end this process; those it was started to ignore, as nohup does, it ignores."""
    heeded = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    heeded = [number for number in heeded if signal.getsignal(number) != signal.SIG_IGN]
    for number in heeded:
        signal.signal(number, _interrupt)
    sys.unraisablehook = _unraisable
    with contextlib.suppress(OSError, RuntimeError):  # few files or threads are allowed: then without the thread
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        threading.Thread(target=_wait, args=(reading, heeded), name="gamesman-signals", daemon=True).start()


def is_ending() -> bool:
    """Whether a signal to end has come: whatever goes wrong after it is its doing."""
    return _is_ending.is_set()


def may_speak() -> bool:
    """Whether nobody has said yet that the run was interrupted; the first who asks has to."""
    return not is_ending() or _last_word.acquire(blocking=False)


def locate_with(locate: Callable[[BaseException], str]) -> None:
    """Say of an interrupted task, from now on, where it was interrupted: what `locate` makes of the exception."""
    global _locate
    _locate = locate


def at(phase: str) -> None:
    """Note what phase the task at hand is in."""
    global _phase
    _phase = phase


@contextlib.contextmanager
def task(name: str, outcome: Callable[[], str]) -> Iterator[None]:
    """Something long: if it is interrupted that is said with its name, and `outcome` says what there is now."""
    _tasks.append((name, outcome))
    at("")
    try:
        yield
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt(_described(_locate(error) if _locate else "")) from error
    finally:
        _tasks.pop()


def _described(where: str = "") -> str:
    """What the task was, where it was and what there is now."""
    if not _tasks:
        return where
    name, outcome = _tasks[-1]
    return "; ".join(filter(None, [", ".join(filter(None, [f"while {name}", where])), outcome()]))


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt once: a second Ctrl-C must not cut off what the first has brought about."""
    if not _is_ending.is_set():
        _is_ending.set()
        raise KeyboardInterrupt


def _unraisable(what: "sys.UnraisableHookArgs") -> None:
    """Say nothing of the interruption where it falls into code that can pass no exception on, as a C library's."""
    if not (is_ending() and isinstance(what.exc_value, KeyboardInterrupt)):
        sys.__unraisablehook__(what)


def _wait(reading: int, heeded: list[int]) -> None:
    """The thread: when the first signal has come, give the main thread a while, then end the process."""
    while not set(os.read(reading, 64)) & set(heeded):
        pass
    time.sleep(GRACE)
    if may_speak():
        where = f"in compiled code ({_phase})" if _phase else ""
        with contextlib.suppress(OSError):
            start = "\n" if os.isatty(2) else ""  # below the bar
            os.write(2, f"{start}interrupted {_described(where)}".rstrip().encode(errors="backslashreplace") + b"\n")
    os._exit(1)
