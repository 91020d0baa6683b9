"""The garbage collector is told here how long to wait before it looks for objects that refer only to each other.

What a start of the program makes is modules and classes, which stay. Looking through them time and again finds nothing
and takes a twentieth of a short command's time.
"""

import gc

_USUAL = gc.get_threshold()
_AT_START = 200_000  # objects; a command that is over sooner never waits for the collector


def put_off() -> None:
    """Let the collector wait until far more objects than usual are there."""
    gc.set_threshold(_AT_START)


def take_up() -> None:
    """Let the collector look as often as it usually does."""
    gc.set_threshold(*_USUAL)


def give_up() -> None:
    """Let the collector rest for good: the process ends, and the interpreter would look once more before."""
    gc.disable()
