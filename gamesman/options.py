"""A game declares its options here: of some kind, with a range and a default; each can be read and written.

    options = [
        Number("rows", default=4, low=3, help="rows of the board"),
        Number("captures", default=2, low=1, high=lambda o: o.rows + o.cols - 3, help="captures that win"),
        Choice("corner", choices=("axis", "any", "none"), help="who is safe in a corner"),
        Switch("misere", help="the first to capture loses"),
        Text("start", help="a position to start from"),
    ]

A default or a bound may be a function of the other options (`o.rows`), whatever the order they are declared in.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gamesman.errors import OptionError, did_you_mean, shorten

# A number with no upper limit is still refused above this, so that a typing error is not a frozen machine.
NUMBER_LIMIT = 10_000


class Options:
    """Has the values of a game's options as attributes; those not given are found when they are first asked for."""

    def __init__(self, kinds: Sequence["Option"], given: Mapping[str, Any]):
        kept = {"_kinds": {kind.name: kind for kind in kinds}, "_given": dict(given)}
        self.__dict__.update(kept, **given)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._kinds:
            hint = "" if name.startswith("_") else did_you_mean(name, self._kinds)
            raise AttributeError(f"no such option: {name}{hint}")
        kind = self._kinds[name]
        value = kind.default(self) if callable(kind.default) else kind.default
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"an option keeps the value that was given; {name} cannot be changed")

    def is_given(self, name: str) -> bool:
        """Tell whether the option was given by the user and not filled in, for a default that depends on it."""
        return name in self._given


@dataclass(frozen=True, kw_only=True)
class _Kind:
    help: str = ""


@dataclass(frozen=True)
class Number(_Kind):
    """Takes a whole number from `low` to `high`; no `high` is no limit."""

    name: str
    default: int | Callable[[Options], int]
    low: int | Callable[[Options], int] = 1
    high: int | Callable[[Options], int] | None = None

    def bounds(self, options: Options) -> tuple[int, int | None]:
        low = self.low(options) if callable(self.low) else self.low
        high = self.high(options) if callable(self.high) else self.high
        return low, high

    def read(self, text: str | None) -> int:
        if text is None or not text.isascii() or not text.removeprefix("-").isdecimal():
            raise OptionError(f"{self.name} must be a whole number, got {_got(text)}")
        if len(text) > 18:
            raise OptionError(f"{self.name} must be a whole number of at most 18 digits, got {_got(text)}")
        return int(text)

    def check(self, value: int, options: Options) -> None:
        if type(value) is not int:
            raise OptionError(f"{self.name} must be a whole number, got {shorten(repr(value))}")
        low, high = self.bounds(options)
        if high is not None and not low <= value <= high:
            raise OptionError(f"{self.name} must be {low} to {high}, got {value}")
        if value < low:
            raise OptionError(f"{self.name} must be {low} or more, got {value}")
        if high is None and value > NUMBER_LIMIT:
            raise OptionError(f"{self.name} must be {NUMBER_LIMIT} or less, got {value}")

    def write(self, value: int) -> str:
        return f"{self.name}={value}"

    def every(self) -> Iterator[str]:
        raise OptionError(f"{self.name}=* has no end; give a range like {self.name}=3..5")

    def range_text(self) -> str:
        low = "…" if callable(self.low) else str(self.low)
        if self.high is None:
            return f"{low} or more"
        return f"{low} to …" if callable(self.high) else f"{low} to {self.high}"


@dataclass(frozen=True)
class Switch(_Kind):
    """Is off unless it is named: `misere`, `misere=yes`, `misere=no`."""

    name: str
    default: bool | Callable[[Options], bool] = False

    def read(self, text: str | None) -> bool:
        if text is None or text == "yes":
            return True
        if text == "no":
            return False
        raise OptionError(f"{self.name} must be yes or no, got {_got(text)}")

    def check(self, value: bool, options: Options) -> None:
        if value not in (True, False):
            raise OptionError(f"{self.name} must be True or False, got {shorten(repr(value))}")

    def write(self, value: bool) -> str:
        return self.name if value else f"{self.name}=no"

    def every(self) -> Iterator[str]:
        return iter(("no", "yes"))

    def range_text(self) -> str:
        return "yes or no"


@dataclass(frozen=True)
class Choice(_Kind):
    """Takes one of a few words; the first is the default unless another is named."""

    name: str
    choices: tuple[str, ...]
    default: str | Callable[[Options], str] = ""

    def __post_init__(self) -> None:
        if not self.choices:
            raise ValueError(f"{self.name} must have choices, got {self.choices!r}")
        if self.default == "":
            object.__setattr__(self, "default", self.choices[0])

    def read(self, text: str | None) -> str:
        if text not in self.choices:
            hint = did_you_mean(text or "", self.choices)
            raise OptionError(f"{self.name} must be {_either(self.choices)}, got {_got(text)}{hint}")
        return text

    def check(self, value: str, options: Options) -> None:
        if value not in self.choices:
            raise OptionError(f"{self.name} must be {_either(self.choices)}, got {shorten(repr(value))}")

    def write(self, value: str) -> str:
        return f"{self.name}={value}"

    def every(self) -> Iterator[str]:
        return iter(self.choices)

    def range_text(self) -> str:
        return _either(self.choices)


@dataclass(frozen=True)
class Text(_Kind):
    """Takes any text, which the game checks; `normal` may bring it to one form, given the text and the options.

    Commas are part of it inside parentheses or quotes, or where what follows them names no option.
    """

    name: str
    default: str | Callable[[Options], str] = ""
    normal: Callable[[str, Options], str] | None = None
    form: str = "text"

    def read(self, text: str | None) -> str:
        if not text or not text.strip():
            raise OptionError(f"{self.name} must be {self.form}, got nothing")
        return text.strip()

    def check(self, value: str, options: Options) -> None:
        pass

    def write(self, value: str) -> str:
        return f"{self.name}={value}"

    def every(self) -> Iterator[str]:
        raise OptionError(f"{self.name}=* has no end; name the texts one by one")

    def range_text(self) -> str:
        return self.form


Option = Number | Switch | Choice | Text


def resolve(kinds: Sequence[Option], given: Mapping[str, str | None]) -> Options:
    """Read options from texts, check them against their ranges, and fill in the defaults. Raises OptionError.

    >>> resolve([Number("rows", 4, low=3)], {"rows": "5"}).rows
    5
    """
    by_name = {kind.name: kind for kind in kinds}
    values: dict[str, Any] = {}
    for name, text in given.items():
        if name not in by_name:
            known = ", ".join(by_name) or "none"
            raise OptionError(f"no such option: {_got(name)}{did_you_mean(name, by_name)}; options: {known}")
        values[name] = by_name[name].read(text)
    options = Options(kinds, values)
    for kind in kinds:
        if isinstance(kind, Text) and kind.normal and kind.name in values:
            options.__dict__[kind.name] = kind.normal(values[kind.name], options)
        value = getattr(options, kind.name)
        try:
            kind.check(value, options)
        except OptionError as error:
            if kind.name in values:
                raise
            raise OptionError(f"{error} by default") from None
    return options


def written(kinds: Sequence[Option], options: Options) -> list[str]:
    """Write the fewest options that mean the same, in the order in which the game declares them.

    Options are left out from the last to the first as long as no value changes, so that the result depends on the
    values alone and not on which of them were given.
    """
    values = {kind.name: getattr(options, kind.name) for kind in kinds}
    kept = dict(values)
    for kind in reversed(kinds):
        fewer = {name: value for name, value in kept.items() if name != kind.name}
        filled = Options(kinds, fewer)
        if all(getattr(filled, name) == value for name, value in values.items()):
            kept = fewer
    return [kind.write(kept[kind.name]) for kind in kinds if kind.name in kept]


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def _got(text: str | None) -> str:
    return "nothing" if text is None or not text.strip() else shorten(text)
