"""The command line is run here: a group of commands, each a module of gamesman/cli/commands, and what ends a run.

Whatever goes wrong ends here: as one line on standard error and an exit code, never as a traceback unless with --debug.

    GamesmanError             its own line and exit code
    a wrong call (click's)    what is wrong and where to read on          exit code 2
    Ctrl-C, SIGTERM, SIGHUP   interrupted                                 exit code 1
    the reader went away      nothing                                     exit code 1
    anything else             whose mistake it is, and where              exit code 1
"""

import errno
import os
import pkgutil
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from gamesman import __version__
from gamesman.cli import commands, streams
from gamesman.cli.arguments import Size, WholeNumber
from gamesman.errors import GamesmanError, did_you_mean, shorten
from gamesman.machine import collection, signals
from gamesman.model.advice import asking
from gamesman.model.blame import blame, is_of_game, where
from gamesman.model.progress import Bars

# The order of the help; a command not named here comes after them.
ORDER = (
    "games info solve query line stats compare verify export list delete search prove play puzzles serve new"
    " check cache"
).split()

COMMON: dict[str, dict[str, Any]] = {
    "--db": {},
    "--threads": {"type": WholeNumber()},
    "--memory": {"type": Size()},
    "--quiet": {"is_flag": True},
}

SEE_TRACEBACK = "; run with --debug for the traceback"


class Command(click.Command):
    """Is a command whose help ends with examples; tests run them as they stand.

    It takes the common options even where they have nothing to do, so that a script may say the same to all commands.
    A brief one is over before garbage could add up, and starts quicker for not looking for any.
    """

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), is_brief: bool = False, **settings: Any):
        super().__init__(*arguments, **settings)
        self.is_brief = is_brief
        self.examples = list(examples)
        known = {name for parameter in self.params for name in parameter.opts}
        for name, kind in COMMON.items():
            if name not in known:
                self.params.append(click.Option([name], **kind, hidden=True, expose_value=False))

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the first sentence of the help, whole."""
        return super().get_short_help_str(1000)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # so that it can name the command whose help to read
            raise

    def invoke(self, ctx: click.Context) -> Any:
        if not self.is_brief:
            collection.take_up()
        with asking(ctx.params.get("db")):
            return super().invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        if self.examples:
            with formatter.section("Examples" if len(self.examples) > 1 else "Example"):
                for example in self.examples:
                    formatter.write(" " * formatter.current_indent + example + "\n")


class Group(click.Group):
    """Finds the commands that there are modules for; each is imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = [module.name for module in pkgutil.iter_modules(commands.__path__) if not module.name.startswith("_")]
        return sorted(names, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"gamesman.cli.commands.{name}").command
        return command

    def options_of_commands(self, ctx: click.Context) -> set[str]:
        """Return the names of all options that any command has."""
        commands = (self.get_command(ctx, name) for name in self.list_commands(ctx))
        return {name for command in commands if command is not None for name in _options(command, ctx)}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            # lazy: start-up time
            from gamesman.model.game import built_in

            is_game = name.partition(":")[0] in built_in()
            hint = f"; run: gamesman play {shorten(name)}" if is_game else did_you_mean(name, self.list_commands(ctx))
            raise click.UsageError(f"no such command: {shorten(name) or 'nothing'}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, standalone_mode: bool = True, **settings: Any
    ) -> int:
        """Run a command line; return its exit code, or exit with it in standalone mode."""
        words, is_debug = _without_debug(sys.argv[1:] if args is None else args)
        with streams.for_answers():
            code = self._run(words, is_debug)
        if standalone_mode:
            sys.exit(code)
        return code

    def _run(self, words: list[str], is_debug: bool) -> int:
        signals.locate_with(where)
        try:
            code = self._call(words)
            if sys.stdout is not None:
                sys.stdout.flush()
            return code
        except BrokenPipeError:
            streams.give_up(sys.stdout)
            return 1
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            line, code = _ending(error)
            Bars.finish_all()
            if is_debug:
                # lazy: start-up time
                import traceback

                streams.say_last("".join(traceback.format_exception(error)).rstrip())
                line = line.removesuffix(SEE_TRACEBACK)
            if signals.may_speak():
                streams.say_last(line)
            if isinstance(error, OSError) and _is_about_output(error):
                streams.give_up(sys.stdout)
            return code

    def _call(self, words: list[str]) -> int:
        try:
            with self.make_context("gamesman", words) as ctx:
                if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
                    ctx.color = False
                self.invoke(ctx)
            return 0
        except click.exceptions.Exit as end:
            return end.exit_code


@click.group(cls=Group, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gamesman", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error; works anywhere.")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Strong solutions of abstract two-player games.

    GAME[:OPTION=VALUE,...] names a variant: konane, konane:rows=4,cols=5,misere, ./mygame.py:size=4.

    To begin: gamesman solve konane, then gamesman query konane. Each COMMAND has --help with examples.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _without_debug(words: Sequence[str]) -> tuple[list[str], bool]:
    """Return the words without --debug, and whether it was among them; after -- it is a word like any other.

    >>> _without_debug(["query", "--debug", "konane", "--", "--debug"])
    (['query', 'konane', '--', '--debug'], True)
    """
    cut = words.index("--") if "--" in words else len(words)
    kept = [word for word in words[:cut] if word != "--debug"]
    return [*kept, *words[cut:]], len(kept) < cut


def _ending(error: BaseException) -> tuple[str, int]:
    """Return the line and the exit code that an error ends the program with."""
    if isinstance(error, click.Abort | KeyboardInterrupt | EOFError):
        return _one_line(" ".join(["interrupted", *map(str, error.args or [where(error)])]).rstrip()), 1
    if signals.is_ending():  # an import that is interrupted fails with whatever it fails with
        return "interrupted", 1
    if isinstance(error, GamesmanError):
        return _one_line(str(error)), error.exit_code
    if isinstance(error, click.ClickException):
        return _wrong_call(error), 2
    if isinstance(error, MemoryError):
        return "not enough memory; give --memory SIZE to be told before, or solve a smaller variant", 1
    if isinstance(error, OSError) and not error.filename and _is_about_output(error):
        why = "standard output is closed" if error.errno == errno.EBADF else error.strerror
        return f"cannot write the answer: {why}", 1
    if isinstance(error, OSError | ImportError) and not is_of_game(error):
        return _one_line(_failure(error)), 1
    return f"{blame(error)}{SEE_TRACEBACK}", 1


def _failure(error: OSError | ImportError) -> str:
    """Say what the system has refused, and of which file; a limit of its own is nobody's mistake."""
    if isinstance(error, ImportError):
        return f"cannot go on: {error}; is gamesman installed whole? run: pip install --force-reinstall gamesman"
    name = f": {error.filename}" if error.filename else ""
    said = f"cannot go on: {error.strerror or type(error).__name__}{name}; see to that, and give the same command again"
    if error.errno in (errno.EMFILE, errno.ENFILE):
        said = f"too many open files{name}; allow more: ulimit -n 1024"
    return said


def _is_about_output(error: OSError) -> bool:
    return error.errno in (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.EBADF)


def _wrong_call(error: click.ClickException) -> str:
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    see = f"; see: {ctx.command_path if ctx else 'gamesman'} --help"
    if isinstance(error, click.NoSuchOption):
        if ctx and isinstance(ctx.command, Group) and error.option_name in ctx.command.options_of_commands(ctx):
            return f"{error.option_name} goes after the command: gamesman COMMAND {error.option_name}{see}"
        known = {name.lstrip("-"): name for name in (_options(ctx.command, ctx) if ctx else [])}
        hint = did_you_mean(error.option_name.lstrip("-"), known, "--")
        return f"no such option: {shorten(error.option_name)}{hint}{see}"
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return f"expected {error.param.metavar or error.param.opts[0]}, got nothing{see}"
    if isinstance(error, click.BadOptionUsage) and "requires an argument" in error.message:
        return f"expected a value after {error.option_name}, got nothing{see}"
    if extra := re.match(r"Got unexpected extra arguments? \((.*)\)", error.message, re.DOTALL):
        return f"expected nothing more, got {shorten(extra[1]) or 'nothing'}{see}"
    message = _one_line(error.format_message()).rstrip(".")
    return message[:1].lower() + message[1:] + see


def _options(command: click.Command, ctx: click.Context) -> list[str]:
    return [name for parameter in command.get_params(ctx) for name in parameter.opts]


def _one_line(text: str) -> str:
    return shorten(text, 1000)
