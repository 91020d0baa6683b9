"""Help is true and whole: every command and option there must be is there, and every example runs."""

import contextlib
import re
import shlex

import pytest
from click.testing import CliRunner
from support.storing import store_solution
from support.transcripts import Shell

from gamesman.cli.main import cli
from gamesman.compiler.cache import CodeFolder, cache_folder
from gamesman.db import open_store
from gamesman.errors import CallError
from gamesman.model.variant import variants

pytestmark = pytest.mark.slow

# What scripts may rely on: of each command, the options that mean something to it.
PROMISED = {
    "games": "--json",
    "info": "--json",
    "solve": "--restart --no-verify --work --estimate --workers --cluster --db --threads --memory --json --quiet",
    "query": "--winning --db --memory --json --quiet",
    "line": "--db --memory --json --quiet",
    "stats": "--plot --play --workers --estimate --playouts --depth --seed --db --memory --json --quiet",
    "compare": "--solve --workers --plot --html --csv --estimate --playouts --db --threads --memory --json --quiet",
    "verify": "--workers --db --threads --memory --json --quiet",
    "export": "--db --threads --json --quiet",
    "list": "--db --json",
    "delete": "--db --json",
    "search": "--depth --time --history --db --json --quiet",
    "prove": "--json --quiet",
    "play": "--db",
    "puzzles": "--win --tie --only-move --seed --html --db --json --quiet",
    "serve": "--host --port --open --solve --root-path --db --memory",
    "new": "--board",
    "check": "--positions --json --quiet",
    "cache": "--json",
}
# They solve for themselves, or answer without.
NEED_NOTHING_SOLVED = {"games", "info", "solve", "search", "prove", "play", "new", "check", "cache"}


def command(name):
    return cli.get_command(cli.make_context("gamesman", ["games"]), name)


def commands():
    return cli.list_commands(cli.make_context("gamesman", ["games"]))


EXAMPLES = [(name, example) for name in commands() for example in command(name).examples]
EXAMPLES = [(name, example) for name, example in EXAMPLES if name != "serve"]  # which does not end


def help_of(*words):
    result = CliRunner().invoke(cli, [*words, "--help"])
    assert result.exit_code == 0
    return result.stdout


def test_the_commands_are_those_promised_in_this_order():
    assert commands() == list(PROMISED)
    listed = help_of().split("Commands:\n")[1]
    assert re.findall(r"^  (\w+) ", listed, re.MULTILINE) == list(PROMISED)
    assert "..." not in listed  # no summary is cut short


@pytest.mark.parametrize("name", PROMISED)
def test_help_has_the_options_promised_each_with_what_it_does(name):
    text = help_of(name)
    for option in [*PROMISED[name].split(), "--help"]:
        assert re.search(rf"^  (-h, )?{option}\b.*\n?.*  \w", text, re.MULTILINE), option
    shown = [option for option in command(name).params if not getattr(option, "hidden", True)]
    assert all(option.help for option in shown)


@pytest.mark.parametrize("name", PROMISED)
def test_every_command_takes_what_a_script_may_say_to_all(name):
    words = ["--db", "x", "--threads", "1", "--memory", "1G", "--quiet"]
    assert command(name).make_parser(cli.make_context("gamesman", ["games"])).parse_args(words)


@pytest.mark.parametrize("name", PROMISED)
def test_help_fits_a_terminal_of_80_columns_but_for_examples(name):
    before, _, examples = help_of(name).partition("Example")
    assert max(map(len, before.splitlines())) <= 80
    assert f"gamesman {name}" in examples


@pytest.mark.parametrize("name, example", EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_every_example_runs(name, example, tmp_path, monkeypatch):
    if name == "cache":  # one of its own to clear
        monkeypatch.setenv("GAMESMAN_CACHE", str(tmp_path / "cache"))
        CodeFolder(cache_folder() / f"konane-{'0' * 24}").write("kernel.nbc", b"code")
    shell = Shell(tmp_path)
    words = shlex.split(example)
    if name not in NEED_NOTHING_SOLVED and not {"--reference", "--solve", "--estimate"} & set(words):
        place = words[words.index("--db") + 1] if "--db" in words else "solved"
        store_all([*words, "konane"], tmp_path / place)
    if words[-1].endswith(".proof") and name == "verify":
        assert shell.run(f"gamesman prove konane --no-db --certificate {words[-1]}").returncode == 0
    result = shell.run(example)
    assert result.returncode == 0, result.stdout
    assert result.stdout


def store_all(words, place):
    """Store the variants among the words of a call."""
    names = set()
    for word in words:
        with contextlib.suppress(CallError):
            names |= {variant.name for variant in variants(word)}
    for name in names:
        store_solution(open_store(str(place)), name)
