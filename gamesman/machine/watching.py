"""A parent process watches over game files of the user's: should one crash or end the program, it is left to say so.

The program goes on in the child, as if there were no parent. The parent passes signals on and waits. It is made before
anything is imported, which takes a millisecond, and only where the command line names a game file.
"""

import contextlib
import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Sequence

from gamesman.machine import signals
from gamesman.machine.signals import NAMES

CRASHES = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT")
BROKEN = 2  # the exit code where a game cannot be used


def game_file(words: Sequence[str]) -> str:
    """Return the first of the words that names a game file, with its options, or "".

    >>> game_file(["solve", "--quiet", "./mygame.py:size=3"]), game_file(["solve", "konane"])
    ('./mygame.py:size=3', '')
    """
    return next((word for word in words if re.search(r"\w\.py(:|$)", word) and not word.startswith("-")), "")


def in_child(game: str) -> int | None:
    """Go on in a child process. Returns None there, and in the parent the exit code, when the child has ended."""
    if not hasattr(os, "fork"):
        return None
    heeded = [getattr(signal, name) for name in NAMES]
    heeded = [number for number in heeded if signal.getsignal(number) != signal.SIG_IGN]
    signal.pthread_sigmask(signal.SIG_BLOCK, heeded)
    try:
        reading, writing = os.pipe()
        told, telling = os.pipe()
        child = os.fork()
    except OSError:  # no more processes are allowed: then without a parent
        signal.pthread_sigmask(signal.SIG_UNBLOCK, heeded)
        return None
    if child == 0:
        os.close(writing)
        os.close(told)
        signals.parent = telling
        threading.Thread(target=_end_with_parent, args=(reading,), name="gamesman-parent", daemon=True).start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, heeded)
        return None
    os.close(reading)
    os.close(telling)
    for number in heeded:
        signal.signal(number, lambda number, frame: _pass_on(child, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, heeded)
    status = os.waitpid(child, 0)[1]
    return _ended(status, game, is_meant=_is_told(told))


def _pass_on(child: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, number)


def _end_with_parent(reading: int) -> None:
    """Wait, on a thread of the child, until the parent ends, which closes its end of the pipe; then end, too."""
    os.read(reading, 1)
    os._exit(1)


def _is_told(told: int) -> bool:
    """Tell whether the child has said that it ends of its own accord."""
    os.set_blocking(told, False)  # a process that it has started may go on and hold the other end
    try:
        return bool(os.read(told, 1))
    except BlockingIOError:
        return False


def _ended(status: int, game: str, *, is_meant: bool) -> int:
    """Return the exit code for what has become of the child, and tell of a crash, or of a game that has ended it."""
    if os.WIFEXITED(status) and not is_meant:
        _say(f"{game}: the game has ended the program, with status {os.WEXITSTATUS(status)}; take os._exit out of it")
        return BROKEN
    if not os.WIFSIGNALED(status):
        return os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    name = signal.Signals(number).name
    if name in CRASHES:
        said = f"{game}: compiled code has crashed ({name}), most likely at an index far out of a table"
        advice = shlex.join(["gamesman", "check", game])
        _say(f"{said}; run: {advice}" if "check" not in sys.argv[1:2] else said)
        return BROKEN
    if name == "SIGKILL":
        _say(f"{game}: the process was killed (SIGKILL), by the system if memory was short; give less --memory SIZE")
        return 1
    if name not in NAMES:
        _say(f"{game}: the program was ended by {name}, which gamesman does not send; take it out of the game")
    return 128 + number


def _say(line: str) -> None:
    start = "\n" if os.isatty(2) else ""  # below the bar
    with contextlib.suppress(OSError):
        os.write(2, f"{start}{line}\n".encode(errors="backslashreplace"))
