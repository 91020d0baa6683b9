"""What scripts/check refuses of the files themselves."""

import importlib.util
import shutil
import subprocess
import sys

import pytest
from support import ROOT

# An import that goes the wrong way, where it stands, and the contract that it breaks.
WRONG = [
    ("gamesman/analysis/walk.py", "from gamesman.db.reader import Reader", "only through a port"),
    ("gamesman/play/players.py", "from gamesman.cli.display import table", "Imports go down"),
    ("gamesman/search/plain.py", "from gamesman.solver.levels import Levels", "Imports go down"),
    ("gamesman/machine/workers.py", "from gamesman.model.variant import Variant", "Imports go down"),
    ("db/rows.py", "from gamesman.solver.solve import solve", "A database knows neither"),
    ("games/konane.py", "from gamesman.model.variant import Variant", "A game imports public words"),
    ("gamesman/cli/commands/stats.py", "from gamesman.cli.commands.solve import command", "A command knows no other"),
    ("gamesman/cli/session.py", "from gamesman.db import open_store", "open a database through app"),
    ("gamesman/cli/display.py", "from gamesman.games import konane", "reached by loading them"),
]


def check_files():
    spec = importlib.util.spec_from_file_location("check_files", ROOT / "scripts" / "check_files.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_empty_files_are_refused_but_for_those_that_say_something_by_being_there(tmp_path):
    for name in ("d.txt", "__init__.py", "py.typed", "blank.md"):
        (tmp_path / name).write_text(" \n" if name == "blank.md" else "")
    (tmp_path / "full.txt").write_text("x\n")
    found = list(check_files().faults(sorted(tmp_path.iterdir())))
    assert [fault.partition(": ")[0] for fault in found] == [str(tmp_path / "blank.md"), str(tmp_path / "d.txt")]
    assert found[0].endswith("expected something in it, got an empty file; write it or delete it")


def test_code_of_more_lines_than_one_reads_is_refused(tmp_path):
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "long.py").write_text("x\n" * 401)
    (folder / "answers.csv").write_text("x\n" * 401)
    (folder / "long.js").write_text("x\n" * 401)
    (folder / "just_right.py").write_text("x\n" * 400)
    found = list(check_files().faults(sorted(folder.iterdir())))
    said = "expected at most 400 lines of code, got 401; split it by its ideas"
    assert found == [f"{folder / 'long.js'}: {said}", f"{folder / 'long.py'}: {said}"]


def test_two_files_of_tests_of_one_name_are_refused(tmp_path):
    files = [tmp_path / folder / "test_it.py" for folder in ("model", "solver")]
    for file in files:
        file.parent.mkdir()
        file.write_text("x\n")
    (found,) = check_files().faults(files)
    assert found.startswith(f"{files[1]}: expected a name of its own, got that of {files[0]}")


def test_an_import_inside_a_function_says_why_it_stands_there():
    said = "def late():\n    {}\n    import os\n\n    from sys import (\n        path,\n    )\n    import ast\n"
    unexplained = check_files().unexplained_imports
    assert list(unexplained(said.format("# lazy: start-up time"))) == []
    assert list(unexplained(said.format("# what the system is asked"))) == [3, 5, 8]
    assert list(unexplained("def late():\n    # lazy: slow\n    import sys\n    x = 1\n    import ast\n")) == [5]


def lint_imports(folder):
    program = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"
    options = ["--config", str(ROOT / "setup.cfg"), "--no-logo", "--no-cache"]
    done = subprocess.run([sys.executable, "-c", program, *options], cwd=folder, capture_output=True, text=True)
    return done.returncode, " ".join(done.stdout.split())


@pytest.fixture
def copied(tmp_path):
    for name in ("gamesman", "games", "db"):
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.mark.slow
def test_imports_go_one_way(copied):
    assert lint_imports(copied)[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize(("file", "line", "contract"), WRONG, ids=[f"{file}: {line}" for file, line, _ in WRONG])
def test_an_import_that_goes_the_other_way_is_refused(copied, file, line, contract):
    # Inside a function, and only for the types: both count.
    hidden = f"\ndef late():\n    from typing import TYPE_CHECKING\n    if TYPE_CHECKING:\n        {line}\n"
    with (copied / file).open("a") as code:
        code.write(hidden)
    code, said = lint_imports(copied)
    assert code == 1
    assert any(contract in part.rpartition(" KEPT")[2] for part in said.split(" BROKEN")[:-1])


@pytest.mark.parametrize(
    "line", ["import db", "from db.store import Store", "import games.konane", "from games import konane"]
)
def test_no_file_imports_our_packages_by_a_second_name(line):
    command = [sys.executable, "-m", "ruff", "check", "--select", "TID251", "--stdin-filename", "tests/x.py", "-"]
    done = subprocess.run(command, cwd=ROOT, input=f"{line}\n", capture_output=True, text=True)
    assert (done.returncode, "TID251" in done.stdout) == (1, True)
