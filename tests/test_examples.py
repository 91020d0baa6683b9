"""The examples run, and what they find is what their prose says."""

import runpy

import pytest
from support.transcripts import ROOT

pytestmark = pytest.mark.slow

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.fixture
def run(capsys):
    """Run an example; its names and what it has printed."""

    def run(name):
        names = runpy.run_path(str(ROOT / "examples" / f"{name}.py"))
        return names, capsys.readouterr().out

    return run


def test_every_example_is_run_here_and_begins_with_prose():
    assert [path.stem for path in EXAMPLES] == ["compare_a_family", "solve_and_query", "write_a_game"]
    for path in EXAMPLES:
        text = path.read_text()
        assert text.startswith("# %% [markdown]\n# # "), path
        assert text.count("\n# %%\n") >= 4, path


def test_solving_and_querying_finds_the_mistake_at_the_edge(run):
    names, out = run("solve_and_query")
    assert names["best_line"] == ["c1", "a1", "a2", "c3"]
    assert names["answers"] == dict.fromkeys(["a1", "a3", "c1", "c3"], "tie") | dict.fromkeys(
        ["a2", "b1", "b3", "c2"], "lose"
    )
    assert names["counts"].tolist() == [1574, 0, 1068, 2836]
    assert (names["longest"], len(names["hardest"])) == (5, len("(o --- -x- ---)"))
    assert "worth Answer(value='tie', remoteness=9)" in out


def test_a_family_is_compared_rule_by_rule(run):
    names, out = run("compare_a_family")
    assert len(names["found"]["variants"]) == 8
    distances = [pair["effects"]["total_variation"]["value"] for pair in names["pairs"]]
    assert len(distances) == 28 and distances == sorted(distances, reverse=True)
    assert out.count("keep their value") == 4
    assert "konane:rows=4: of 1,279 positions 35.3% keep their value" in out


def test_the_game_that_is_written_is_right(run):
    names, out = run("write_a_game")
    for (rows, cols, _), (value, _) in names["reference"].values.items():
        assert (value == 0) == (rows == cols)
    assert (names["best"].name, names["best"].value) == ("4x4", "win")
    assert "positions checked" in out
    assert "3 rows by 1 to 5: win win lose win never\n" in out
