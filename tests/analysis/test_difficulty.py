"""Traps, chains of only-moves, games and first plies, found again with plain moves from the reference solver."""

import json
from functools import cache
from math import log10

import pytest
from click.testing import CliRunner
from support.storing import store_solution

from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.model.variant import variant
from gamesman.values import LOSE, NAMES, UNDECIDED, WIN, negate


def by_hand(v, values):
    """Each position's moves as what they are worth and where they lead."""
    found = {}
    for position in values:
        moves = [] if v.primitive(position) != UNDECIDED else list(v.generate_moves(position))
        children = [v.do_move(position, move) for move in moves]
        found[position] = [
            (values[c][0] if v.turn(c) == v.turn(position) else negate(values[c][0]), c) for c in children
        ]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["konane:rows=4", "tictactoe", "dodgem:size=2", "abalone:rows=3,cols=3,captures=1"])
def test_what_is_said_of_moves_is_what_every_position_says(name, database):
    v, solution = variant(name), store_solution(open_store(database), name)
    found = json.loads(CliRunner().invoke(cli, ["stats", name, "--json"]).stdout)
    values, moves = solution.values, by_hand(v, solution.values)
    kept = sum(own == values[p][0] for p in values for own, _ in moves[p])
    assert found["keeping"]["share"] == pytest.approx(kept / found["moves"], rel=1e-12)
    traps = [p for p in values if len(moves[p]) > 1 and sum(own != LOSE for own, _ in moves[p]) == 1]
    assert found["traps"]["positions"] == len(traps)
    assert found["most_moves"]["moves"] == max(map(len, moves.values()))
    assert len(moves[v.parse(found["most_moves"]["position"])]) == found["most_moves"]["moves"]
    for value, examples in found["examples"].items():
        for remoteness, text in examples.items() if value != "draw" else [(None, examples)] if examples else []:
            expected = NAMES.index(value), None if remoteness is None else int(remoteness)
            assert values[v.parse(text)] == expected
    assert {int(r) for r in found["examples"]["win"]} == {r for value, r in values.values() if value == WIN}

    @cache
    def chain(position):
        value = values[position][0]
        keeping = [child for own, child in moves[position] if own == value]
        if value == LOSE:
            return max((chain(child) for child in keeping), default=0)
        return chain(keeping[0]) + (len(moves[position]) > 1) if len(keeping) == 1 else 0

    chains = [chain(p) for p in values if values[p][0] == WIN]
    for entry in found["hardest"]:
        assert entry["positions"] == chains.count(entry["only_moves"])
        assert chain(v.parse(entry["position"])) == entry["only_moves"]
    assert [e["only_moves"] for e in found["hardest"]] == sorted({*chains} - {0}, reverse=True)[:5]


@pytest.mark.slow
def test_games_of_tic_tac_toe_are_as_many_as_everybody_counts(database):
    solution = store_solution(open_store(database), "tictactoe")
    found = json.loads(CliRunner().invoke(cli, ["stats", "tictactoe", "--json"]).stdout)
    size = found["complexity"]
    assert (size["log10_games"], size["log10_tree"]) == pytest.approx((log10(255_168), log10(549_946)), rel=1e-12)
    assert [row["sequences"] for row in size["by_depth"]][:4] == [1, 9, 72, 504]
    assert [len(row["moves"]) for row in found["opening"]] == [0] + [1] * 3 + [2] * 12
    v = variant("tictactoe")
    for row in found["opening"]:
        position = v.start()
        for name in row["moves"]:
            position = v.do_move(position, v.parse_move(position, name))
        assert v.show(position) == row["position"]
        assert solution.values[position] == (NAMES.index(row["value"]), row["remoteness"])
