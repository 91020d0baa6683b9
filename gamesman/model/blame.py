"""An unexpected exception is blamed here on the user's game file or on gamesman itself, with the place."""

import os
import sys
from types import FrameType

from gamesman.errors import shorten

# What games call on: a game that hands them nonsense is at fault, not they.
FOR_GAMES = ("gamesman.notation", "gamesman.bits", "gamesman.values")
INTERRUPTS = "gamesman.machine.signals"  # where KeyboardInterrupt is raised, in the midst of anything
OURS = "gamesman"


def blame(error: BaseException) -> str:
    """Return one line on an unexpected exception, which names the function and the line.

    >>> blame(KeyError("a"))
    "this is a bug in gamesman: KeyError: 'a'"
    """
    what = type(error).__name__
    if str(error):
        what += f": {shorten(str(error), 200)}"
    culprit = _culprit(error)
    if culprit is None:
        return f"this is a bug in gamesman: {what}"
    frame, line = culprit
    path, function = frame.f_code.co_filename, frame.f_code.co_name
    if _is_game_file(frame):
        return f"{function} failed in {shorten(_relative(path), 200)}, line {line}: {what}"
    return f"this is a bug in gamesman: {what} ({_module(frame)}, {function}, line {line})"


def where(error: BaseException) -> str:
    """Say in which function of a user's game an interruption came, and what is noted; "" if it came elsewhere."""
    culprit = _culprit(error)
    if culprit is None or not _is_game_file(culprit[0]):
        return ""
    frame, line = culprit
    place = f"in {frame.f_code.co_name} ({shorten(_relative(frame.f_code.co_filename), 200)}, line {line})"
    return ", ".join([place, *getattr(error, "__notes__", [])])


def is_of_game(error: BaseException) -> bool:
    """Tell whether an exception comes out of a game file of the user's."""
    culprit = _culprit(error)
    return culprit is not None and _is_game_file(culprit[0])


def _culprit(error: BaseException) -> tuple[FrameType, int] | None:
    """Return the innermost frame that is ours or a game's, and its line, or None."""
    found = None
    step = error.__traceback__
    while step is not None:
        if (_module(step.tb_frame).split(".")[0] == OURS or _is_game_file(step.tb_frame)) and not (
            found is not None and _module(step.tb_frame) in (*FOR_GAMES, INTERRUPTS)
        ):
            found = step.tb_frame, step.tb_lineno
        step = step.tb_next
    return found


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _is_game_file(frame: FrameType) -> bool:
    """Tell whether the frame is in a game that is not ours, or in a module beside one."""
    name = _module(frame)
    if name.startswith("gamesman_file_"):
        return True
    if name.split(".")[0] == OURS or not os.path.isabs(frame.f_code.co_filename):
        return False
    return os.path.dirname(os.path.realpath(frame.f_code.co_filename)) in _homes()


def _homes() -> set[str]:
    """Return the folders of the game files and installed games that have been loaded."""
    # lazy: start-up time
    from importlib.metadata import entry_points

    from gamesman.model.game import ENTRY_POINTS

    installed = {entry.value.split(":")[0].strip() for entry in entry_points(group=ENTRY_POINTS)}
    loaded = (m for name, m in list(sys.modules.items()) if name in installed or name.startswith("gamesman_file_"))
    return {os.path.dirname(os.path.realpath(path)) for m in loaded if (path := getattr(m, "__file__", None))}


def _relative(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
