"""The program as it is installed, run from a folder where files have the names of its own modules."""

import ast
import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, SUPPORT

pytestmark = pytest.mark.slow

FOLDERS = ("gamesman", "games", "db")
STAIRS = SUPPORT / "stairs.py"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder where pip has installed a copy of this checkout, without what it depends on."""
    source = tmp_path_factory.mktemp("source")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.cfg", "pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, source)
    (source / "README.md").write_text("# gamesman\n")
    site = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*command, "--target", site, source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return site


@pytest.fixture
def run(site, tmp_path):
    """Run the installed program in a folder of the user's that has a file for each of many names."""
    folder = tmp_path / "mine"
    for name in [
        "db",
        "click",
        "numpy",
        "numba",
        "sqlalchemy",
        "tqdm",
        "zstandard",
        "json",
        "typing",
        "games/__init__",
        "cli",
    ]:
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"raise SystemExit('{name} is the one in the current folder')\n")
    shutil.copy(STAIRS, folder / "mygame.py")

    def run(*command):
        environment = {**os.environ, "PYTHONPATH": str(site), "GAMESMAN_DB": str(tmp_path / "db")}
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)

    return run


def programs(site):
    return {"gamesman": [str(site / "bin" / "gamesman")], "python -m gamesman": [sys.executable, "-m", "gamesman"]}


@pytest.mark.parametrize("how", ["gamesman", "python -m gamesman"])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--version"], "0.1.0"),
        (["games"], "konane"),
        (["info", "konane"], "jump over the other's pieces"),
        (["solve", "konane", "--reference", "--json"], '"positions": 17'),
        (["solve", "konane", "--json"], '"positions": 17'),
        (["solve", "./mygame.py", "--json"], '"positions": 16'),
        (["info", "./mygame.py"], "Stairs"),
    ],
)
def test_files_in_the_current_folder_are_not_taken_for_ours(run, site, how, arguments, said):
    done = run(*programs(site)[how], *arguments)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("is_mine_first", [True, False], ids=["mine first", "ours first"])
def test_packages_of_the_users_called_db_and_games_do_no_harm_and_take_none(site, tmp_path, is_mine_first):
    mine = tmp_path / "mine"
    for name in ("db", "games"):
        (mine / name).mkdir(parents=True)
        (mine / name / "__init__.py").write_text(f"whose = 'my {name}'\n")
    (mine / "empty" / "db").mkdir(parents=True)  # a folder alone is a package, too
    code = (
        "import gamesman, db, games\n"
        "with gamesman.solve('konane', threads=1) as solved:\n"
        "    print(solved.probe(solved.start).value, len(solved.moves()), db.whose, games.whose)\n"
    )
    path = [mine, site] if is_mine_first else [site, mine]
    more = {"PYTHONPATH": os.pathsep.join(map(str, path)), "GAMESMAN_DB": str(tmp_path / "solved")}
    for folder in (tmp_path, mine, mine / "empty"):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, env={**os.environ, **more}
        )
        assert (done.stderr, done.stdout) == ("", "lose 1 my db my games\n"), folder


def test_what_is_installed_is_the_packages_and_nothing_else(site):
    def files(folder):
        every = [
            Path(here, name) for here, _, names in os.walk(folder / "gamesman", followlinks=True) for name in names
        ]
        kinds = (".py", ".html", ".typed")
        return {path.relative_to(folder) for path in every if path.suffix in kinds}

    assert files(site) == files(ROOT)
    assert {path.name for path in site.iterdir() if not path.name.endswith(".dist-info")} == {"gamesman", "bin"}


def test_every_package_says_that_it_has_types(site):
    assert all((site / name / "py.typed").exists() for name in ("gamesman", "gamesman/games", "gamesman/db"))


def test_the_license_comes_with_it(site):
    assert next(site.glob("gamesman-*.dist-info")).joinpath("METADATA").read_text().count("License") >= 1
    assert list(site.glob("gamesman-*.dist-info/**/LICENSE"))


def test_every_package_that_is_imported_is_asked_for():
    config = configparser.ConfigParser(interpolation=None)
    config.read(ROOT / "setup.cfg")
    asked = config["options"]["install_requires"] + "".join(config["options.extras_require"].values())
    names = {re.split(r"[^\w-]", line.strip())[0].lower() for line in asked.splitlines()}
    names |= {"llvmlite", "compression", "gamesman"}  # numba's own, of the version it pins; Python's own since 3.14
    imported = {}
    for path in [path for name in FOLDERS for path in (ROOT / name).rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0]: path for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported[node.module.partition(".")[0]] = path
    missing = {name: path for name, path in imported.items() if name.lower() not in names | sys.stdlib_module_names}
    assert not missing


def test_the_pages_are_installed(site):
    for folder in ("static", "templates"):
        wanted = {file.name for file in (ROOT / "gamesman" / "web" / folder).iterdir()}
        assert wanted and {file.name for file in (site / "gamesman" / "web" / folder).iterdir()} == wanted
