"""The place in a game's own file that an exception came from is found here: the line, and what is looked up there."""

import linecache
from pathlib import Path
from types import CodeType, ModuleType

from gamesman.errors import did_you_mean, shorten

LONGEST = 60  # characters of an expression that is shown


def raised(error: BaseException, module: ModuleType) -> str:
    """Say what an exception out of a game is, and on which line it came: of the game, or of a file beside it.

    >>> raised(KeyError("a"), ModuleType("game"))
    "KeyError: 'a'"
    """
    what = ": ".join(filter(None, [type(error).__name__, shorten(str(error), 200)]))
    return what + _hint(error) + _place(error, module)


def _place(error: BaseException, module: ModuleType) -> str:
    path = Path(getattr(module, "__file__", None) or "").resolve()
    said, step = "", error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        file = Path(code.co_filename)
        if file.is_absolute() and file.resolve().parent == path.parent:
            beside = "" if file.resolve() == path else f" of {file.name}"
            said = f" on line {step.tb_lineno}{beside}"
            if isinstance(error, LookupError):
                said += _expression(code, step.tb_lasti)
        step = step.tb_next
    return said


def _expression(code: CodeType, instruction: int) -> str:
    """Return what an instruction comes from in the source, if that is on one line."""
    line, last, begin, end = list(code.co_positions())[instruction // 2]
    if line is None or line != last or begin is None or end is None:
        return ""
    text = linecache.getline(code.co_filename, line).encode()[begin:end].decode(errors="replace")
    return f", {text}" if text and len(text) <= LONGEST else ""


def _hint(error: BaseException) -> str:
    """Return the name that may have been meant, where one is not there."""
    if not isinstance(error, AttributeError) or error.obj is None or "did you mean" in str(error):
        return ""
    return did_you_mean(error.name or "", [name for name in dir(error.obj) if not name.startswith("_")])
