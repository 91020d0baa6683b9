"""What holds of all tests: nothing of the user's own is touched, and a failing random example fails again."""

import os
import signal

import hypothesis
import pytest

hypothesis.settings.register_profile("gamesman", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("gamesman")

# Where the tests are run in the background Ctrl-C may be ignored, and the programs they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: left out by scripts/test --quick")
    # Compiled code is kept from one run to the next, and apart from the user's.
    os.environ["GAMESMAN_CACHE"] = str(config.cache.mkdir("gamesman"))  # type: ignore[union-attr]


@pytest.fixture(autouse=True)
def database(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty folder for the databases of one test, where every command looks for them."""
    folder = str(tmp_path_factory.mktemp("db"))
    monkeypatch.setenv("GAMESMAN_DB", folder)
    return folder
