"""A copy of the program for tests that change it."""

import shutil
from pathlib import Path

import pytest

import gamesman

ROOT = Path(gamesman.__file__).parents[1]


@pytest.fixture
def root(tmp_path):
    """Return the folder of a copy of the program, which a test may change and nobody else does."""
    shutil.copytree(ROOT / "gamesman", tmp_path / "root" / "gamesman", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "root"
