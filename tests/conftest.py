"""What holds of all tests: nothing of the user's own is touched, and a failing random example fails again."""

import os
import shutil
import signal
from pathlib import Path

import hypothesis
import pytest
from support.postgres_server import place, server  # noqa: F401 (a PostgreSQL server, for tests that ask for it)

import gamesman

hypothesis.settings.register_profile("gamesman", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("gamesman")

# Where the tests are run in the background Ctrl-C or a hang-up may be ignored, and what they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


# Games that tests solve, with helpers beside them that are found only where the file of a game is loaded; and the files
# called like this one, of which no more than one could be looked through for examples.
collect_ignore_glob = ["support/*_game_*.py", "*conftest.py"]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: left out by scripts/test --quick")
    # Compiled code is kept from one run to the next, and apart from the user's; beside what pytest keeps, if it does.
    # The library that reads lines sets these where pytest loads it; what programs print would be broken at 80 letters.
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
        os.unsetenv(name)
    os.environ["GAMESMAN_CACHE"] = str(config.rootpath / ".pytest_cache" / "d" / "gamesman")


@pytest.fixture(autouse=True)
def database(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty folder for the databases of one test, where every command looks for them."""
    folder = str(tmp_path_factory.mktemp("db"))
    monkeypatch.setenv("GAMESMAN_DB", folder)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return the folder of a copy of the program, which a test may change and nobody else does."""
    package = Path(gamesman.__file__).parent
    shutil.copytree(package, tmp_path / "root" / "gamesman", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "root"
