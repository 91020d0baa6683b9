"""Each command is a module of its name in here, with a click command called `command`.

    @click.command("games", cls=Command, examples=["gamesman games"])
    @json_option
    def command(is_json: bool) -> None: ...

A module imports what it needs inside its functions: the help of all commands is shown by importing all of them, and a
query must not pay for the solver.
"""
