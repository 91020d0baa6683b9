"""`gamesman info GAME` shows the rules of a game, its options, its notation and an example."""

from typing import TYPE_CHECKING, Any

import click

from gamesman.cli.arguments import OneVariant, json_option
from gamesman.cli.main import Command

if TYPE_CHECKING:
    from gamesman.model.variant import Variant
    from gamesman.options import Option, Options


@click.command(
    "info", cls=Command, is_brief=True, examples=["gamesman info konane", "gamesman info konane:rows=4,cols=5 --json"]
)
@click.argument("variant", type=OneVariant(), metavar="GAME")
@json_option
def command(variant: "Variant", is_json: bool) -> None:
    """Show a game's rules, options, notation and an example position.

    Of a variant (GAME:OPTION=VALUE,...) the start is the example, and the ranges are those that hold there.

    JSON: {"name", "variant", "title", "rules", "players", "options": [{"name", "kind", "range", "default", "value",
    "help"}], "position", "turn", "board", "moves"}.
    """
    # lazy: start-up time
    import json

    fields = described(variant)
    click.echo(json.dumps(fields) if is_json else _page(fields))


def described(variant: "Variant") -> dict[str, Any]:
    """Return the fields of `info --json`."""
    # lazy: start-up time
    from gamesman.options import Options
    from gamesman.values import UNDECIDED

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


def _option(kind: "Option", defaults: "Options", options: "Options") -> dict[str, Any]:
    return {
        "name": kind.name,
        "kind": type(kind).__name__.lower(),
        "range": _range(kind, options),
        "default": _value(kind, defaults),
        "value": _value(kind, options),
        "help": kind.help,
    }


def _value(kind: "Option", options: "Options") -> Any:
    """Return the value of an option as it is written on the command line; a number stays a number."""
    # lazy: start-up time
    from gamesman.options import Switch

    value = getattr(options, kind.name)
    return ("yes" if value else "no") if isinstance(kind, Switch) else value


def _range(kind: "Option", options: "Options") -> str:
    """Say what an option may be; a bound that depends on other options is what it is for those given."""
    # lazy: start-up time
    from gamesman.options import Number

    if not isinstance(kind, Number):
        return kind.range_text()
    low, high = kind.bounds(options)
    here = " here" if callable(kind.low) or callable(kind.high) else ""
    return f"{low} or more{here}" if high is None else f"{low} to {high}{here}"


def _page(fields: dict[str, Any]) -> str:
    # lazy: start-up time
    from gamesman.cli.display import table

    parts = [f"{fields['name']}\n\n{fields['rules']}"]
    if fields["options"]:
        rows = [["  option", "range", "default", ""]]
        for option in fields["options"]:
            rows.append(["  " + option["name"], option["range"], str(option["default"]), option["help"]])
        parts.append(table(rows))
    player = fields["players"][fields["turn"]]
    parts.append(f"The start of {fields['variant']}: {fields['position']}")
    if fields["board"] != fields["position"]:
        parts.append(fields["board"])
    shown = ", ".join(fields["moves"][:12]) + (", ..." if len(fields["moves"]) > 12 else "")
    parts.append(f"{player} to move: {shown}" if shown else f"{player} to move, but the game is over")
    return "\n\n".join(parts)
