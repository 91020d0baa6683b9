"""The pages of the documentation that say what the program itself says: written anew whenever the site is built.

mkdocs.yml names this file as a hook. `PAGES` has what is written; links to them are checked like those to any page.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

import gamesman
from gamesman import errors
from gamesman.cli.main import cli
from gamesman.model import game

ROOT = Path(__file__).parents[1]

# What a browser fetches by itself when it shows a page, as against a link that a reader follows.
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*\b(?:src|srcset|data)=["']?((?:https?:)?//[^"'\s>]+)
    |<link\b(?![^>]*rel=["']?canonical)[^>]*\bhref=["']?((?:https?:)?//[^"'\s>]+)
    |(?:url\(|@import\s)["']?((?:https?:)?//[^"')\s]+)""",
    re.VERBOSE,
)


def commands() -> str:
    """Return the page of all commands, from what their --help is made of."""
    ctx = click.Context(cli, info_name="gamesman")
    parts = ["# Commands", _prose(inspect.cleandoc(cli.help or ""))]
    for name in cli.list_commands(ctx):
        command = cli.get_command(ctx, name)
        assert command is not None
        parts += _command(command, click.Context(command, info_name=name, parent=ctx))
    return "\n\n".join(parts) + "\n"


def _command(command: click.Command, ctx: click.Context) -> Iterator[str]:
    yield f"## {command.name}"
    yield _block(" ".join([ctx.command_path, *command.collect_usage_pieces(ctx)]))
    yield _prose(inspect.cleandoc(command.help or ""))
    records = [record for option in command.get_params(ctx) if (record := option.get_help_record(ctx))]
    rows = [f"| `{names}` | {_escape(said)} |" for names, said in records if said]
    yield "\n".join(["| option | |", "|---|---|", *rows])
    yield _block("\n".join(getattr(command, "examples", [])))


def games() -> str:
    """Return the page of all games: their rules, as `gamesman info` has them, and their options."""
    parts = ["# Games", "The rules of each game as its file has them; `gamesman info GAME` shows them, too."]
    for name in game.built_in():
        found = game.load(name)
        rows = [f"| `{option.name}` | {_escape(option.help)} |" for option in found.options]
        parts += [f"## {name}", _block(found.rules_text), "\n".join(["| option | |", "|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"


def api() -> str:
    """Return the page of the Python interface: the functions, what they return, and the tree of errors."""
    functions = [getattr(gamesman, name) for name in gamesman.__all__]
    parts = ["# Python reference", "What can be imported from `gamesman`; [Python](python.md) shows it in use."]
    for function in functions:
        parts += [f"## gamesman.{function.__name__}", *_signed(function)]
    for kind in _classes(functions):
        parts += [f"## {kind.__name__}", _prose(inspect.getdoc(kind) or ""), *_fields(kind)]
        for name, member in vars(kind).items():
            if not name.startswith("_") and _is_described(member):
                parts += [f"### {kind.__name__}.{name}", *_signed(member)]
    parts += ["## Errors", _prose("All are in `gamesman.errors`."), _block(inspect.getdoc(errors) or "")]
    return "\n\n".join(parts) + "\n"


def _classes(functions: list[Any]) -> list[type]:
    """Return the classes of the package that the functions return, and those that the methods of these return."""
    found: list[type] = []
    waiting = list(functions)
    while waiting:
        of = waiting.pop(0)
        space = inspect.getmodule(of).__dict__  # type: ignore[union-attr]
        for name in re.findall(r"[A-Z]\w+", str(inspect.signature(of).return_annotation)):
            kind = space.get(name)
            if inspect.isclass(kind) and kind.__module__.startswith("gamesman") and kind not in found:
                found.append(kind)
                waiting += [member for member in map(_function, vars(kind).values()) if inspect.isfunction(member)]
    return found


def _fields(kind: type) -> Iterator[str]:
    """Return what a class that holds data holds, as one block, if it does."""
    found = inspect.get_annotations(kind)
    if found:
        yield _block("\n".join(f"{name}: {_type(annotation)}" for name, annotation in found.items()))


def _type(annotation: Any) -> str:
    """Return an annotation as one would write it, without the modules that its names are in.

    >>> _type(Iterator[str]), _type("np.ndarray")
    ('Iterator[str]', 'np.ndarray')
    """
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:gamesman|typing|collections)\.(?:\w+\.)*", "", text).replace("'", "")


def _is_described(member: Any) -> bool:
    """Whether a member is a method or a property that says what it does."""
    function = _function(member)
    return inspect.isfunction(function) and bool(function.__doc__)


def _function(member: Any) -> Any:
    return member.fget if isinstance(member, property) else member


def _signed(member: Any) -> Iterator[str]:
    """Return a function's signature, or a property's type, and what its docstring says."""
    function = _function(member)
    signature = inspect.signature(function)
    if isinstance(member, property):
        yield _block(f"{function.__name__}: {_type(signature.return_annotation)}")
    else:
        shown = [_parameter(each) for name, each in signature.parameters.items() if name != "self"]
        yield _block(f"{function.__name__}({', '.join(shown)}) -> {_type(signature.return_annotation)}")
    yield _prose(inspect.getdoc(function) or "")


def _parameter(each: inspect.Parameter) -> str:
    stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
    default = "" if each.default is each.empty else f" = {each.default!r}"
    return f"{stars}{each.name}: {_type(each.annotation)}{default}"


def writing_a_game() -> str:
    """Return what CONTRIBUTING.md says of writing a game, as a page of its own."""
    (section,) = re.findall(r"^## (Writing a game\n.*?)(?=^## |\Z)", _text("CONTRIBUTING.md"), re.DOTALL | re.MULTILINE)
    return "# " + re.sub(r"^##(#+ )", r"#\1", section, flags=re.MULTILINE)


def changes() -> str:
    """Return the changelog."""
    return _text("CHANGELOG.md")


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _block(text: str) -> str:
    return f"```text\n{text}\n```"


def _prose(text: str) -> str:
    """Paragraphs as Markdown; what is set off by its margin is left as it is written."""
    parts = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(_block(part) if part.startswith((" ", "\b")) else _escape(part) for part in parts)


def _escape(text: str) -> str:
    r"""Escape what Markdown would take for its own, but for code between backquotes.

    >>> print(_escape("misere=*, a_b, `a_b`"))
    misere=\*, a\_b, `a_b`
    """
    parts = text.split("`")
    return "`".join(part if i % 2 else re.sub(r"([*_<>\[\]|\\])", r"\\\1", part) for i, part in enumerate(parts))


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands,
    "games.md": games,
    "api.md": api,
    "writing-a-game.md": writing_a_game,
    "changes.md": changes,
}


def on_files(files: Any, config: Any) -> Any:
    """Add the written pages to the site."""
    from mkdocs.structure.files import File

    for name, write in PAGES.items():
        files.append(File.generated(config, name, content=write()))
    return files


def on_post_build(config: Any) -> None:
    """Refuse a site whose pages would fetch something from another host."""
    from mkdocs.exceptions import PluginError

    found = fetched(Path(config["site_dir"]))
    if found:
        raise PluginError("expected pages that fetch nothing from elsewhere, got " + ", ".join(found))


def fetched(site: Path) -> list[str]:
    """Return what the pages of a site fetch from other hosts, each with the file that does it."""
    return sorted(
        {
            f"{path.relative_to(site)}: {''.join(match)}"
            for path in site.rglob("*")
            if path.suffix in (".html", ".css")
            for match in FETCHED.findall(path.read_text(encoding="utf-8"))
        }
    )
