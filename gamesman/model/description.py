"""A variant is described here for a person or a program: its rules, options, notation and start."""

from typing import Any

from gamesman.errors import GamesmanError, shorten
from gamesman.model.game import load
from gamesman.model.variant import Variant
from gamesman.options import Number, Option, Options, Switch
from gamesman.values import UNDECIDED


def described(variant: Variant) -> dict[str, Any]:
    """Return the fields of `info --json`."""
    game, start = variant.game, variant.start()
    defaults = Options(game.options, {})
    moves = variant.generate_moves(start) if variant.primitive(start) == UNDECIDED else []
    return {
        "name": game.name,
        "variant": variant.name,
        "title": game.title,
        "rules": game.rules_text,
        "players": game.players,
        "options": [_option(kind, defaults, variant.options) for kind in game.options],
        "position": variant.show(start),
        "turn": variant.letter(start),
        "board": variant.draw(start),
        "moves": [variant.move_name(start, move) for move in moves],
    }


def _option(kind: Option, defaults: Options, options: Options) -> dict[str, Any]:
    return {
        "name": kind.name,
        "kind": type(kind).__name__.lower(),
        "range": _range(kind, options),
        "default": _value(kind, defaults),
        "value": _value(kind, options),
        "help": kind.help,
    }


def _value(kind: Option, options: Options) -> Any:
    """Return the value of an option as it is written on the command line; a number stays a number."""
    value = getattr(options, kind.name)
    return ("yes" if value else "no") if isinstance(kind, Switch) else value


def _range(kind: Option, options: Options) -> str:
    """Say what an option may be; a bound that depends on other options is what it is for those given."""
    if not isinstance(kind, Number):
        return kind.range_text()
    low, high = kind.bounds(options)
    here = " here" if callable(kind.low) or callable(kind.high) else ""
    return f"{low} or more{here}" if high is None else f"{low} to {high}{here}"


def titled(name: str) -> dict[str, str]:
    """Return the title of a game, or what is wrong with it: one that somebody else installed must not end a list."""
    try:
        return {"title": load(name).title}
    except GamesmanError as error:
        return {"error": str(error)}
    except (Exception, SystemExit) as error:
        return {"error": f"{type(error).__name__}: {shorten(str(error))}"}
