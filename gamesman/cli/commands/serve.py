"""`gamesman serve [GAME-FILE...]` serves pages and an HTTP API: games to play and to understand in a browser."""

import os

import click

from gamesman.cli.arguments import Size, WholeNumber, db_option
from gamesman.cli.main import Command

MOST_PORT = (1 << 16) - 1


@click.command(
    "serve",
    cls=Command,
    examples=[
        "gamesman serve --open",
        "gamesman serve ./mygame.py",
        "gamesman serve --host 0.0.0.0 --port 80 --db solved/ --root-path /games",
    ],
)
@click.argument("files", nargs=-1, metavar="[GAME-FILE...]")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve at; 0.0.0.0: all networks.")
@click.option("--port", type=WholeNumber(low=0), default=8000, show_default=True, help="0: any that is free.")
@click.option("--open", "is_opening", is_flag=True, help="Open it in the browser.")
@click.option(
    "--solve/--no-solve",
    "is_solving",
    default=None,
    help="Let visitors solve variants [default: only where nobody but this machine can connect].",
)
@click.option("--root-path", default="", metavar="PATH", help="The prefix under which a proxy serves it, like /games.")
@click.option("--memory", type=Size(), help="Memory that a solve may use, like 2G [default: half of what is free].")
@db_option
def command(
    files: tuple[str, ...],
    host: str,
    port: int,
    is_opening: bool,
    is_solving: bool | None,
    root_path: str,
    memory: int | None,
    db: str | None,
) -> None:
    """Serve games to play and to understand in a browser, and an HTTP API.

    All installed games are served, and the files named here: each by its name without .py. Ctrl-C ends it.
    """
    # lazy: start-up time
    from gamesman import app
    from gamesman.errors import CallError, MissingExtra, shorten
    from gamesman.model.advice import hide_password
    from gamesman.model.game import load
    from gamesman.model.wording import count

    if port > MOST_PORT:
        raise CallError(f"--port must be 0 to {MOST_PORT}, got {port}")
    place = os.environ.get("GAMESMAN_DB", "") if db is None else db
    if "://" in place or db == "" or os.path.isfile(place):
        app.list(db=db)  # reads the address, and nothing yet
    for file in files:
        if not file.endswith(".py"):
            raise CallError(f"expected a game file like ./mygame.py, got {shorten(file) or 'nothing'}")
        load(file)
    if root_path and not (root_path.startswith("/") and root_path.isprintable() and not set(root_path) & set("?#%\\ ")):
        raise CallError(f"--root-path must be a path like /games, got {shorten(root_path)}")
    try:
        # lazy: start-up time
        from gamesman.web import running
        from gamesman.web.settings import Settings
    except ImportError as error:
        if error.name not in ("uvicorn", "starlette", "anyio"):
            raise
        raise MissingExtra(
            f"serve needs {error.name}, which is not installed; run: pip install 'gamesman[web]'"
        ) from error
    listening = running.listen(host, port)
    is_local = running.is_loopback(listening)
    root = root_path.rstrip("/")
    address = running.address_of(listening, root)
    settings = Settings(
        db=db,
        files=files,
        is_solving=is_local and not root if is_solving is None else is_solving,
        is_asked_to_solve=bool(is_solving),
        is_local=is_local and not root,
        root_path=root,
        memory=memory,
    )

    def say() -> None:
        where = "" if db is None else f", solved ones from {hide_password(db)}"
        own = f", {', '.join(files)} among them" if files else ""
        click.echo(f"serving {count(_games(files), 'game')}{own}{where}, at {address} (Ctrl-C ends it)")
        if is_opening:
            # lazy: start-up time
            import webbrowser

            webbrowser.open(address)

    with listening:
        running.run(settings, listening, say)


def _games(files: tuple[str, ...]) -> int:
    # lazy: start-up time
    from gamesman.model.game import known

    return len(set(known())) + len(set(files))
