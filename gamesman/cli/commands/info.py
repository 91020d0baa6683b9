"""`gamesman info GAME` shows the rules of a game, its options, its notation and an example."""

from typing import TYPE_CHECKING, Any

import click

from gamesman.cli.arguments import OneVariant, json_option, names_option
from gamesman.cli.main import Command
from gamesman.model.made import is_obeyed

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


@click.command(
    "info", cls=Command, is_brief=True, examples=["gamesman info konane", "gamesman info konane:rows=4,cols=5 --json"]
)
@click.argument("variant", type=OneVariant(), metavar="GAME")
@names_option
@json_option
def command(variant: "Variant", is_named: bool, is_json: bool) -> None:
    """Show a game's rules, options, notation and an example position.

    Of a variant (GAME:OPTION=VALUE,...) the start is the example, and the ranges are those that hold there.

    JSON: {"name", "variant", "title", "rules", "players", "options": [{"name", "kind", "range", "default", "value",
    "help"}], "position", "turn", "board", "moves"}.
    """
    # lazy: start-up time
    import json

    from gamesman.model.description import described

    try:
        fields = described(variant)
    except Exception:
        # lazy: start-up time
        from gamesman.app.checking import check_foreign

        check_foreign(variant)  # a file of the user's that is at fault is told so
        raise
    if is_named and not is_json:
        fields["board"] = variant.draw(variant.start(), is_named)
    click.echo(json.dumps(fields) if is_json else _page(fields))


def _page(fields: dict[str, Any]) -> str:
    # lazy: start-up time
    from gamesman.cli.display import columns, filled, listed, wrapped

    parts = [f"{fields['name']}\n\n{filled(fields['rules'])}"]
    if fields["options"]:
        rows = [["  option", "range", "default", ""]]
        for option in fields["options"]:
            rows.append(["  " + option["name"], option["range"], str(option["default"]), option["help"]])
        parts.append(columns(rows))
    player = fields["players"][fields["turn"]]
    parts.append(wrapped(f"The start of {fields['variant']}: {fields['position']}"))
    if fields["board"] != fields["position"]:
        parts.append(fields["board"])
    moves = fields["moves"][:12] + ["..."] * (len(fields["moves"]) > 12)
    parts.append(listed(moves, f"{player} to move: ") if moves else f"{player} to move, but the game is over")
    # The texts of a user's file are shown before it is checked, and on a terminal other letters may do anything.
    return "".join("?" if is_obeyed(c) and c != "\n" else c for c in "\n\n".join(parts))
