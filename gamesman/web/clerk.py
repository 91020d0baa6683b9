"""The process that gamesman.web.desk asks works positions out here: `python -m gamesman.web.clerk [DB]`."""

import os
import sys

from gamesman.errors import GamesmanError
from gamesman.web.problems import log
from gamesman.web.stored import Store

READ_BYTES = 1 << 16


def main() -> None:
    """Answer line by line until there are no more: the server has ended."""
    asked, answers = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # what a game prints goes to the log
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    store = Store(sys.argv[1] if len(sys.argv) > 1 else None)
    left = b""
    while data := os.read(asked, READ_BYTES):
        *lines, left = (left + data).split(b"\n")
        # Together, for each time that the server is told costs it as much as half an answer.
        _write(answers, b"".join([answer(store, line.decode()) + b"\n" for line in lines]))


def answer(store: Store, line: str) -> bytes:
    """Return the JSON that answers a line, empty where it cannot be answered: the server then says why."""
    own, _, position = line.partition("\t")
    try:
        return store.open(own, own, own).position_json(position)
    except GamesmanError:
        return b""
    except Exception as error:  # a game's own code
        log(error)
        return b""


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


if __name__ == "__main__":
    main()
