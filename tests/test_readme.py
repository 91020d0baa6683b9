"""What README and the pages it leads to say is so: their commands are run, their links lead somewhere."""

import doctest
import re
import subprocess

import pytest
from support.programs import script
from support.transcripts import ROOT, Shell, blocks, steps

from gamesman.cli.main import cli
from gamesman.model import game
from gamesman.model.variant import variant, variants

README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text()
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = {path.name: path for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS]}


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


# What server.md shows is asked of a server that runs: tests/web/test_server_docs.py does.
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PAGES.keys() - {"server.md"}))
def test_the_consoles_of_a_page_print_what_it_shows(name, shell):
    if name == "CONTRIBUTING.md":
        (shell.folder / "mygame.py").write_text(blocks(CONTRIBUTING, "python")[0])
    for step in steps(PAGES[name].read_text()):
        shell.follow(step)


def test_readme_and_contributing_have_consoles_to_run():
    assert len(steps(README)) > 10
    assert len(steps(CONTRIBUTING)) > 1


def test_what_readme_shows_of_python_is_so():
    flags = doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False, optionflags=flags)
    assert (result.failed, result.attempted) == (0, 2)


def test_the_rules_that_readme_shows_are_those_of_the_game_it_names():
    (shown,) = [block for block in blocks(README, "python") if ">>>" not in block]
    assert shown in (ROOT / "games" / "ten_to_zero.py").read_text()


def test_the_two_commands_are_there_and_ci_runs_the_tests():
    two, *_ = blocks(README, "sh")
    commands = [line.split("#")[0].split() for line in two.splitlines()]
    assert [command[0] for command in commands] == ["scripts/gamesman", "scripts/test"]
    for name, *_ in commands:
        assert subprocess.run(["test", "-x", ROOT / name], check=False).returncode == 0, name
    assert "\nscripts/test\n" in (ROOT / ".ci" / "run").read_text()


def test_readme_names_every_command():
    ctx = cli.make_context("gamesman", ["games"])
    table = README.split("## Commands")[1].split("## ")[0]
    assert re.findall(r"^\| `(\w+)", table, re.MULTILINE) == cli.list_commands(ctx)


def test_readme_has_every_game_with_its_options_and_defaults():
    table = README.split("## Games and variants")[1].split("## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)`[^|]*\|(.*)\|$", table, re.MULTILINE))
    assert set(rows) == set(game.built_in())
    for name, row in rows.items():
        options = game.load(name).options
        assert re.findall(r"`(\w+)=", row) == [option.name for option in options], name
        # What is given a value there is given its default, and so is not in the canonical name.
        shown = ",".join(re.findall(r"`(\w+=\w+)`", row))
        assert variant(f"{name}:{shown}").name == name


def test_the_name_that_stands_for_many_stands_for_as_many_as_readme_says():
    (name,) = re.findall(r"`'([^']*)'` is twelve", README)
    assert len(variants(name)) == 12


@pytest.mark.parametrize("name", PAGES)
def test_links_and_files_that_a_page_names_are_there(name):
    text = PAGES[name].read_text()
    for link in re.findall(r"\]\(([^)]*)\)", text):
        file = PAGES[name].parent / link.partition("#")[0]
        # The pages that are written when the site is built are tests/test_docs.py's concern.
        is_written = file.parent == ROOT / "docs" and file.name in script("docs_pages").PAGES
        assert link.startswith("https://") or is_written or file.exists(), link
    for file in re.findall(r"`((?:scripts|games|tests|gamesman|db|docs)/[\w./]+)", text):
        assert (ROOT / file).exists(), file


@pytest.mark.parametrize("section", ["bench", "tournament"])
def test_measured_sections_can_be_found_by_their_marks(section):
    assert len(re.findall(rf"^<!-- {section}: .*? -->\n(?:.*\n)*?<!-- /{section} -->$", BENCHMARKS, re.MULTILINE)) == 1


def test_the_figures_of_readme_are_those_that_were_measured():
    section = README.split("## What solving costs")[1].split("## ")[0]
    lines = re.findall(r"^- .*(?:\n  .*)*", section, re.MULTILINE)
    assert len(lines) == 5
    measured = set(re.findall(r"[\d,.]*\d", BENCHMARKS))
    for line in lines:
        figures = re.findall(r"(?<![=:\w])[\d,.]*\d", line)
        assert figures and set(figures) <= measured, line
