"""What is said where something is refused."""

import pytest

from gamesman.errors import GamesmanError


def refusal(kind, call, *arguments):
    """Return the message of the error of a kind that a call raises."""
    with pytest.raises(kind) as error:
        call(*arguments)
    return str(error.value)


def assert_read_or_refused(v, text):
    """Check that any text is read as a position and as a move, or refused in one line."""
    for read in (v.parse, lambda move: v.parse_move(v.start(), move)):
        try:
            read(text)
        except GamesmanError as error:
            assert "\n" not in str(error)
