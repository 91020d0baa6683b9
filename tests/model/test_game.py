"""A game is built in, installed, or a file; and one that cannot be used is told by its own name and line."""

from pathlib import Path

import pytest
from support import SUPPORT

from gamesman.errors import BrokenGame, UnknownGame
from gamesman.model.game import built_in, known, load, source_files
from gamesman.model.variant import variant

STAIRS = (SUPPORT / "stairs.py").read_text()


def written(folder: Path, name: str, text: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return str(folder / name)


def test_the_games_that_come_with_it_are_there():
    assert (
        built_in()
        == """abalone chomp clobber connect4 ctf dodgem domineering hare_and_hounds hex_abalone konane
        l_game mu_torere othello quixo tapatan teeko ten_to_zero tictactoe""".split()
    )


def test_a_file_is_a_game(tmp_path):
    game = load(written(tmp_path, "stairs.py", STAIRS))
    assert game.title.startswith("Stairs: ")
    assert game.players == {"1": "Player 1", "2": "Player 2"}
    assert "undo_moves" in game.functions


def test_a_file_with_colons_in_its_path_is_a_game(tmp_path):
    path = written(tmp_path / "a:b", "c:d.py", STAIRS)
    assert variant(f"{path}:floors=2").name == f"{path}:floors=2"


@pytest.mark.parametrize(
    "name", ["nowhere.py", "./nowhere", "/", ".", "no/where.py:rows=3", "\0.py", "x" * 5000 + ".py"]
)
def test_a_file_that_is_not_there_is_told(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownGame) as raised:
        load(name)
    assert "\n" not in str(raised.value)


def test_a_name_without_py_is_told_where_there_is_such_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "stairs.py", STAIRS)
    with pytest.raises(UnknownGame, match=r"did you mean \./stairs\.py\?"):
        load("stairs")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("options = [\n", "line 1: SyntaxError"),
        ("\n\nimport nowhere_at_all\n", "line 3: ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("x = 1\nx = x / 0\n", "line 2: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "line 1: SystemExit: 3"),
        ("from gamesman.options import Nummer", "line 1: ImportError: cannot import name 'Nummer'"),
        ("\0", "cannot be loaded: "),
        ("x = 'é'".encode("latin-1"), "cannot be loaded: "),
        ("", "lacks setup, start, hash, unhash, turn, primitive, generate_moves, do_move, show, parse, move_name"),
        (STAIRS + "\n\nturn = 3\n", "lacks turn; see: CONTRIBUTING.md"),
        (STAIRS + "\n\noptions = {'rows': 3}\n", "lacks options: a list of Number, Switch, Choice and Text"),
        (
            STAIRS + "\n\noptions = [options[0], options[0]]\n",
            "options must have names like Python's, each another one, got 'floors'",
        ),
        (STAIRS + "\n\noptions = [Number('a=b', default=1)]\n", "each another one, got 'a=b'"),
        (b"x = 1\0", "cannot be loaded: SyntaxError"),
        (STAIRS + "\n\noptions = ['rows']\n", "lacks options: a list of Number, Switch, Choice and Text"),
        (STAIRS + "\n\nplayers = ['w', 'b']\n", "players must name two players"),
        (STAIRS + "\n\nplayers = {'w': 'White'}\n", "players must name two players"),
    ],
)
def test_a_file_that_is_no_game_is_told_what_is_wrong_and_where(tmp_path, text, said):
    path = tmp_path / "game.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BrokenGame) as raised:
        load(str(path))
    assert said in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_setup_that_fails_is_told_by_its_variant(tmp_path):
    path = written(tmp_path, "game.py", STAIRS.replace("return Rules(o.floors, o.width)", "return Rules(o.floor)"))
    with pytest.raises(
        BrokenGame, match=r"game\.py: setup failed: AttributeError: no such option: floor .*floors.* on line \d+$"
    ):
        variant(path)


@pytest.mark.parametrize(
    ("default", "said"),
    [
        ("lambda o: o.rows", "AttributeError: no such option: rows on line"),
        ("lambda o: o.floors", "RecursionError"),
        ("lambda: 3", "TypeError"),
    ],
)
def test_a_default_that_cannot_be_worked_out_is_a_fault_of_the_game(tmp_path, default, said):
    source = f"{STAIRS}\n\noptions = [Number('floors', default={default}), Number('width', default=4)]\n"
    with pytest.raises(BrokenGame, match=rf"game\.py: options failed: {said}"):
        variant(written(tmp_path, "game.py", source))


def test_a_file_that_ends_otherwise_is_refused(tmp_path):
    with pytest.raises(BrokenGame, match=r"must end in \.py$"):
        load(written(tmp_path, "game.txt", STAIRS))


def test_a_file_is_read_anew_when_it_has_changed(tmp_path):
    path = written(tmp_path, "game.py", STAIRS)
    before = variant(path)
    assert load(path).module is before.game.module
    written(tmp_path, "game.py", STAIRS.replace("rules.floors, 0, 0", "rules.floors, 1, 0"))
    assert variant(path).start() == (3, 1, 0)
    assert before.start() == (3, 0, 0)


def test_nothing_is_written_beside_a_game(tmp_path):
    written(tmp_path, "worth.py", "FACTOR = 2\n")
    load(written(tmp_path, "game.py", STAIRS.replace("from typing", "from worth import FACTOR\nfrom typing")))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.py", "worth.py"]


def source_of(game) -> str:
    return "".join(path.read_text() for path in source_files(game.module))


def importing(line: str) -> str:
    return STAIRS.replace("from typing", f"{line}\nfrom typing").replace("return -position[0]", "return worth.FACTOR")


def test_each_game_gets_the_helper_beside_it_whatever_others_have_imported(tmp_path):
    found = []
    for number in (1, 2, 3):
        written(tmp_path / str(number), "worth.py", f"FACTOR = {number}\n")
        v = variant(written(tmp_path / str(number), "game.py", importing("import worth")))
        found.append(v.game.functions["evaluate"](v.rules, v.start()))
        assert f"FACTOR = {number}" in source_of(v.game)
    assert found == [1, 2, 3]


@pytest.mark.parametrize(
    "line",
    ["import worth", "from worth import FACTOR; import worth", "import deep.worth as worth", "from deep import worth"],
)
def test_the_source_of_a_game_has_all_that_it_imports_from_beside_it(tmp_path, line):
    folder = tmp_path / line.replace(" ", "_")
    for name in ("worth.py", "deep/worth.py", "deep/__init__.py", "aside.py"):
        path = folder / name
        written(path.parent, path.name, f"FACTOR = 1  # {name}\n")
    game = load(written(folder, "game.py", importing(line)))
    assert f"# {'deep/' * ('deep' in line)}worth.py" in source_of(game)
    assert "# aside.py" not in source_of(game)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install another package that offers games: what pip leaves of it in site-packages."""

    def install(entry, text):
        written(tmp_path, "their_game.py", text)
        info = tmp_path / "theirs-1.0.dist-info"
        written(info, "METADATA", "Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
        written(info, "entry_points.txt", f"[gamesman.games]\n{entry}\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(__import__("sys").modules, "their_game", raising=False)

    return install


def test_a_game_of_another_package_is_known_by_its_name(installed):
    installed("stairs = their_game", STAIRS)
    assert "stairs" in known()
    assert load("stairs").title.startswith("Stairs: ")
    assert variant("stairs:floors=2").name == "stairs:floors=2"
    with pytest.raises(UnknownGame, match="did you mean stairs"):
        load("stair")


def test_a_game_of_another_package_does_not_replace_ours(installed):
    installed("konane = their_game", STAIRS)
    assert load("konane").title.startswith("Konane")
    assert list(known()).count("konane") == 1


@pytest.mark.parametrize("text", ["import nowhere_at_all", "x = 1 / 0", "raise SystemExit(2)"])
def test_a_game_of_another_package_that_cannot_be_imported_is_told(installed, text):
    installed("stairs = their_game", text)
    with pytest.raises(BrokenGame, match=r"^stairs is installed but cannot be imported: "):
        load("stairs")


def test_a_game_of_another_package_is_a_module(installed):
    installed("stairs = their_game:start", STAIRS)
    with pytest.raises(BrokenGame, match=r"^stairs must be a module of functions, got <function start"):
        load("stairs")
