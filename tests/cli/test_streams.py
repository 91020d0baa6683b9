"""Standard output is for answers: what a game prints goes to standard error."""

import json

from click.testing import CliRunner
from support import SUPPORT

from gamesman.cli.main import cli

GRAPH = SUPPORT / "graph_game.py"


def test_what_a_game_prints_does_not_mix_with_the_answer(tmp_path):
    source = GRAPH.read_text()
    inside = "def start(rules):\n"
    assert inside in source
    file = tmp_path / "mine.py"
    file.write_text(source.replace(inside, f"{inside}    print('noise')\n") + "\nprint('loaded')\n")
    result = CliRunner().invoke(cli, ["query", str(file), "--reference", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["position"] and len(result.stdout.splitlines()) == 1
    assert "loaded\n" in result.stderr and "noise\n" in result.stderr
