"""What the network is told of a user's files: their names, and nothing of where they are."""

import pytest

from gamesman.web.catalogue import Catalogue


@pytest.mark.parametrize("path", ["/game.py", "/home/me/game.py"])
def test_only_the_folders_of_files_are_left_out(path):
    said = f"{path}: expected 4/5 of a/b"
    assert Catalogue([path], []).told(said) == "game.py: expected 4/5 of a/b"
