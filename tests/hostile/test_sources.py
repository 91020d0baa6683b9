"""Other rules are another game, wherever they come from: neither compiled code nor a database is taken for theirs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.chance import chance, rounds

ROOT = Path(__file__).parents[2]
TEN = (ROOT / "games" / "ten_to_zero.py").read_text()
LIMIT = "range(1, min(rules.most, position[0]) + 1)"

# How a game comes by the most that may be taken: at its top, and in its moves or its rules.
WAYS = {
    "a number": ("MOST = {n}", "MOST"),
    "a data file": ("from pathlib import Path\nMOST = int((Path(__file__).parent / 'most').read_text())", "MOST"),
    "importlib": ("import importlib\nMOST = importlib.import_module('_'.join(['their', 'most'])).MOST", "MOST"),
    "the environment": ("import os\nMOST = int(os.environ['MOST'])", "MOST"),
    "PYTHONPATH": ("from their_most import MOST", "MOST"),
    "a module's attribute": ("import their_most", "their_most.MOST"),
    "a function elsewhere": ("from their_most import most", "most()"),
    "a file in setup": ("from pathlib import Path", "rules.most"),
    "the environment in setup": ("import os", "rules.most"),
    "a function that is made": (
        "from their_most import MOST\ndef make(n):\n    return lambda: n\nmost = make(MOST)",
        "1 * most()",
    ),
}
IN_SETUP = {
    "a file in setup": "int((Path(__file__).parent / 'most').read_text())",
    "the environment in setup": "int(os.environ['MOST'])",
}


def write(folder, way, number):
    """A game of one of these ways, in which so many may be taken."""
    top, most = WAYS[way]
    text = TEN.replace(LIMIT, f"range(1, min({most}, position[0]) + 1)")
    text = text.replace("Rules(o.total, o.most)", f"Rules(o.total, {IN_SETUP.get(way, 'o.most')})")
    text = text.replace("from collections", top.format(n=number) + "\nfrom collections", 1)
    (folder / "game.py").write_text(text)
    (folder / "most").write_text(str(number))
    (folder / "elsewhere").mkdir(exist_ok=True)
    (folder / "elsewhere" / "their_most.py").write_text(f"MOST = {number}\n\n\ndef most():\n    return {number}\n")
    path = os.pathsep.join([str(ROOT), str(folder / "elsewhere")])
    settings = {"MOST": str(number), "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    return {**os.environ, **settings, "GAMESMAN_CACHE": str(folder / "cache"), "GAMESMAN_DB": str(folder / "db")}


def run(folder, environment, *words):
    command = [sys.executable, "-m", "gamesman", *words]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)


KEYS = """
import sys
from gamesman.compiler.compile import Compiler
from gamesman.model.variant import variant
v = variant(sys.argv[1])
print(v.fingerprint, Compiler(v.game).key)
"""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("number", range(rounds(1)))
def test_other_rules_have_other_keys_and_the_same_ones_the_same(tmp_path, way, number):
    first, second = chance("keys", way, number).sample(range(1, 7), 2)
    found = []
    for most in (first, second, first):
        environment = write(tmp_path, way, most)
        command = [sys.executable, "-c", KEYS, "./game.py"]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found.append(done.stdout.split())
    (one, code), (other, other_code), (again, _) = found
    assert one != other
    assert one == again
    assert (code == other_code) == (way in IN_SETUP)  # what setup returns is given to the code, and no part of it


@pytest.mark.parametrize("way", ["a data file", "the environment in setup"] if rounds(1) == 1 else WAYS)
@pytest.mark.parametrize("number", range(rounds(1)))
def test_other_rules_are_noticed_and_solved_anew(tmp_path, way, number):
    random = chance("sources", way, number)
    first, second = random.sample(range(1, 7), 2)
    name = f"./game.py:total={random.randint(6, 12)}"
    environment = write(tmp_path, way, first)
    before = run(tmp_path, environment, "solve", name, "--json", "--threads", "1")
    assert before.returncode == 0, before.stderr
    environment = write(tmp_path, way, second)
    stale = run(tmp_path, environment, "query", name, "--json")
    assert stale.returncode == 1
    assert "was solved with other rules" in stale.stderr
    right = run(tmp_path, environment, "query", name, "--json", "--reference")
    again = run(tmp_path, environment, "solve", name, "--json", "--threads", "1", "--restart")
    assert again.returncode == 0, again.stderr
    solved = json.loads(again.stdout)
    assert {key: solved[key] for key in ("value", "remoteness")}.items() <= json.loads(right.stdout).items()
    assert run(tmp_path, environment, "query", name, "--json").stdout == right.stdout
    environment = write(tmp_path, way, first)
    assert "was solved with other rules" in run(tmp_path, environment, "query", name).stderr
