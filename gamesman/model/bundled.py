"""It is known here what bundled games have meant so far, so that what was stored before still opens.

A game that is written otherwise, with the same positions under the same keys and the same values, has another meaning
in the sense of meaning.py, but what was solved before is as good as ever. Only we can know that, and only of our
own games. So bundled.json lists, for each, the meanings that come to the same: a test fails when the present one is not
among them, and says what to do. One that has other symmetries than another comes to the same only where no solution of
that other is stored up to its own: where it had none.

A new option may need a new field of the rules. It goes to their end and has a default, which stands for what was so
before: rules that have it come to the same as those without the field.

The first stored solutions name the text of a game's source and its options instead of what it means. Those texts are in
bundled_sources.json.xz.
"""

import hashlib
import json
from collections import namedtuple
from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

FIRST_DIGITS = 32  # digits of the first fingerprints, which have one part


def are_the_same(game: str, meaning: str, other: str) -> bool:
    """Tell whether two meanings of a game come to the same positions, keys and values."""
    known = _meanings().get(game, [])
    return meaning == other or (meaning in known and other in known)


def as_earlier(rules: Any) -> Iterator[Any]:
    """Yield rules as they are, and then without the last of their fields, as long as that has its default.

    >>> from typing import NamedTuple
    >>> class Rules(NamedTuple):
    ...     size: int
    ...     stuck: int = 0
    >>> [tuple(rules) for rules in as_earlier(Rules(4))], [tuple(rules) for rules in as_earlier(Rules(4, 1))]
    ([(4, 0), (4,)], [(4, 1)])
    """
    yield rules
    fields, defaults = list(rules._fields), rules._field_defaults
    while fields and fields[-1] in defaults and getattr(rules, fields[-1]) == defaults[fields[-1]]:
        fields.pop()
        yield namedtuple("Rules", fields)(*rules[: len(fields)])


def is_of_earlier_source(
    game: str, meaning: str, options: dict[str, Any], fingerprint: str, unsaid: Collection[str] = ()
) -> bool:
    """Tell whether a fingerprint is one of the first ones, made of a source that meant what the game means now.

    The options `unsaid` have their defaults; of these an earlier source may not have known some.
    """
    if len(fingerprint) != FIRST_DIGITS or meaning not in _meanings().get(game, []):
        return False
    for source in _sources().get(game, []):
        known = {name: value for name, value in options.items() if name not in unsaid or f'"{name}"' in source}
        if first_fingerprint(source, known) == fingerprint:
            return True
    return False


def first_fingerprint(source: str, options: dict[str, Any]) -> str:
    """Make the fingerprint that variants had first."""
    return hashlib.sha256(json.dumps([source, options], sort_keys=True).encode()).hexdigest()[:FIRST_DIGITS]


@cache
def _meanings() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(_content("bundled.json"))
    return found


@cache
def _sources() -> dict[str, list[str]]:
    # lazy: start-up time
    import lzma

    found: dict[str, list[str]] = json.loads(lzma.decompress(_content("bundled_sources.json.xz")))
    return found


def _content(file: str) -> bytes:
    """Read a file that is installed beside this one."""
    # lazy: start-up time
    from importlib.resources import files

    return (files("gamesman.model") / file).read_bytes()
