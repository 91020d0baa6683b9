"""The site of the documentation: what programs write of it is whole, and it asks nothing of other hosts."""

import json
import re
import shutil
import subprocess

import pytest
from click.testing import CliRunner
from support.programs import script
from support.storing import store_solution
from support.transcripts import ROOT

import gamesman
from gamesman import errors
from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.model import game
from gamesman.model.variant import variants

STATISTICS = (ROOT / "docs" / "statistics.md").read_text()


def sections(page):
    """The sections of a page by their titles."""
    _, *parts = re.split(r"^## (.*)\n", page, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_the_page_of_commands_has_each_with_its_options_and_examples():
    found = sections(script("docs_pages").commands())
    ctx = cli.make_context("gamesman", ["games"])
    assert list(found) == cli.list_commands(ctx)
    for name, text in found.items():
        command = cli.get_command(ctx, name)
        shown = [option for option in command.params if option.param_type_name == "option" and not option.hidden]
        assert all(f"`{option.opts[0]}" in text for option in shown)
        assert all(example in text for example in command.examples)
        assert command.help.splitlines()[0] in text.replace("\\", "")


def test_the_page_of_games_has_each_with_its_rules_and_options():
    found = sections(script("docs_pages").games())
    assert list(found) == game.built_in()
    for name, text in found.items():
        assert game.load(name).rules_text in text
        assert all(f"| `{option.name}` |" in text for option in game.load(name).options)


def test_the_python_reference_has_what_can_be_imported_and_what_that_returns():
    page = script("docs_pages").api()
    found = sections(page)
    assert {f"gamesman.{name}" for name in gamesman.__all__} <= set(found)
    assert {"Solved", "Answer", "Arrays", "PositionAnswer", "MoveAnswer", "LineAnswer", "Summary"} <= set(found)
    signature = "probe(position: str | Position | np.ndarray) -> Answer | Worths"
    assert f"### Solved.probe\n\n```text\n{signature}\n```" in found["Solved"]
    assert "remoteness: int | None" in found["Answer"]
    tree = found["Errors"]
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and kind.__module__ == errors.__name__]
    assert len(kinds) > 20 and all(kind.__name__ in tree for kind in kinds)


def test_writing_a_game_is_the_section_of_contributing():
    page = script("docs_pages").writing_a_game()
    assert page.startswith("# Writing a game\n") and "\n## What compiled code can do\n" in page
    assert "How to work here" not in page
    assert page.count("```python\n") == (ROOT / "CONTRIBUTING.md").read_text().count("```python\n")


def fields_of(answer):
    """The names of all fields in an answer but those that are values, remotenesses or measures' names."""
    if isinstance(answer, list):
        return {name for each in answer for name in fields_of(each)}
    if not isinstance(answer, dict):
        return set()
    return set(answer) | {name for each in answer.values() for name in fields_of(each)}


def test_statistics_are_described_field_by_field(database):
    for v in variants("konane:misere=*"):
        store_solution(open_store(database), v.name)
    said = set(re.findall(r"`(\w+)`", STATISTICS))
    for words in (["stats", "konane"], ["compare", "konane:misere=*"], ["solve", "konane"]):
        result = CliRunner().invoke(cli, [*words, "--json"])
        names = {name for name in fields_of(json.loads(result.stdout)) if not name.isdecimal()}
        # The answer's own frame, and what a tier and a change are called, are said in words.
        assert names - said <= {"variants", "note", "tier", "share", "value", "shared"}, words


def test_the_limits_that_statistics_gives_are_those_of_the_program():
    from gamesman.analysis.statistics import MEASURES

    table = STATISTICS.split("### Small, medium, large")[1]
    rows = re.findall(r"^\| ([^|]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", table, re.MULTILINE)
    said = {name: tuple(map(float, limits)) for name, *limits in rows}
    assert said == {measure.title.replace(" distance", ""): measure.limits for measure in MEASURES}


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://elsewhere.org/x.js"></script>',
        "<link rel=stylesheet href=//elsewhere.org/x.css>",
        '<img alt="x" src="http://elsewhere.org/x.png">',
        "@import 'https://elsewhere.org/x.css'",
        "p { background: url(https://elsewhere.org/x.png) }",
    ],
)
def test_what_a_page_would_fetch_from_elsewhere_is_found(text, tmp_path):
    (tmp_path / "x.css").write_text("p { background: url(../x.png) }")
    (tmp_path / "y.html").write_text(
        '<a href="https://elsewhere.org">x</a><img src="x.png"><script src="/x.js"></script>'
    )
    assert script("docs_pages").fetched(tmp_path) == []
    (tmp_path / "z.html").write_text(text)
    (found,) = script("docs_pages").fetched(tmp_path)
    assert found.startswith("z.html: ") and "//elsewhere.org/x." in found


@pytest.mark.slow
def test_a_link_that_leads_nowhere_stops_the_building_of_the_site(tmp_path):
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    settings = (ROOT / "mkdocs.yml").read_text().replace("scripts/docs_pages.py", str(ROOT / "scripts/docs_pages.py"))
    (tmp_path / "mkdocs.yml").write_text(settings)
    command = [ROOT / "scripts" / "docs", "build", "--strict", "--config-file", tmp_path / "mkdocs.yml"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).returncode == 0
    assert {f"{name.removesuffix('.md')}.html" for name in script("docs_pages").PAGES} <= {
        path.name for path in (tmp_path / "build" / "site").iterdir()
    }
    with (tmp_path / "docs" / "tutorial.md").open("a") as page:
        page.write("\n[one](nowhere.md) [two](commands.md#nowhere)\n")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "'nowhere.md'" in done.stderr and "#nowhere" in done.stderr


def test_what_architecture_says_where_to_find_is_there():
    table = sections((ROOT / "docs" / "architecture.md").read_text())["Where to find"]
    rows = re.findall(r"^\| .* \| `(\S+)` \| (.*) \|$", table, flags=re.MULTILINE)
    assert len(rows) == table.count("\n| ") - 1 > 8
    for file, names in rows:
        text = (ROOT / file).read_text()
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"^ *(def|class) {name}\b", text, flags=re.MULTILINE), (file, name)
