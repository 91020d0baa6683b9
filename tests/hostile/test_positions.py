"""Positions that cannot be reached get no answer, whatever their keys: pieces recoloured, moved, or set at random."""

import contextlib
import random

import pytest
from click.testing import CliRunner
from support.chance import chance, rounds
from support.small_variants import small
from support.storing import feed, store_solution

from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.errors import GamesmanError, NotReachable, PositionError, TooLarge
from gamesman.model.answers import line, query
from gamesman.model.game import built_in
from gamesman.model.variant import variant
from gamesman.solver import reference

# Small enough for the reference solver to be asked about every variant.
MOST_POSITIONS = 6_000
MORE_POSITIONS = {"l_game": 40_000}  # it has no smaller board

# Games that read next to nothing that cannot be reached: on their small boards nearly all that is well formed can be.
NARROW = {"connect4", "hare_and_hounds", "l_game", "mu_torere", "tapatan", "ten_to_zero", "tictactoe"}
RECOLOURED = {
    "konane:rows=4,cols=5": 500,
    "konane:rows=4,misere,any_piece": 100,
    "abalone:rows=3,cols=3,captures=1": 100,
    "ctf:size=3": 100,
}
KEYS = '(w "" bbbb bbb- b-bb)'  # has the key of (w "" wbwb bwb- w-wb), the start of Konane


def store(database, v, solution):
    with open_store(database).writer(v) as writer:
        feed(writer, v, solution)


def solutions(game):
    """The small variants of a game that the reference solver is done with soon."""
    for v in small(game):
        with contextlib.suppress(TooLarge):
            yield v, reference.solve(v, MORE_POSITIONS.get(game, MOST_POSITIONS))


def mangled(text, draw, changes):
    """A position's text with some of its letters changed for others that stand in it, or for digits near its own."""
    letters = sorted(set(text) - set('()" '))
    characters = list(text)
    for _ in range(changes):
        at = draw.choice([i for i, c in enumerate(characters) if c not in '()" '])
        own = characters[at]
        choice = "0123456789" if own.isdigit() else [c for c in [*letters, "-"] if c != own and not c.isdigit()]
        characters[at] = draw.choice(choice or [own])
    return "".join(characters)


def parsed(v, texts):
    for text in texts:
        try:
            yield v.parse(text)
        except PositionError:
            continue


def recoloured(v, positions, draw, count):
    """So many positions in which one piece has the other's colour."""
    found = []
    other = dict(zip(v.game.players, reversed(v.game.players), strict=True))
    other |= {a.upper(): b.upper() for a, b in other.items()}
    for _ in range(100 * count):
        text = v.show(draw.choice(positions))
        at = [i for i, c in enumerate(text) if c in other and i > 2]
        if at:
            i = draw.choice(at)
            found += parsed(v, [text[:i] + other[text[i]] + text[i + 1 :]])
        if len(found) == count:
            break
    return found


def held(v, solution, stored, position):
    """Whether a position has an answer, all of it that of the reference solver; else it is NotReachable everywhere."""
    there = solution.values.get(position)
    assert stored.get(position) == there, v.show(position)
    assert stored.get_many([position, v.start(), position]) == [there, solution.values[v.start()], there]
    if there is not None:
        assert query(v, stored, position) == query(v, solution, position)
        return True
    for ask in (stored.probe, lambda p: stored.probe_many([v.start(), p]), solution.probe):
        with pytest.raises(NotReachable, match="cannot be reached from the start of"):
            ask(position)
    for ask in (query, line):
        with pytest.raises(NotReachable) as said:
            ask(v, stored, position)
        assert v.show(position) in str(said.value)
        assert "; to solve from there: gamesman solve " in str(said.value) or " gamesman search " in str(said.value)
    return False


@pytest.mark.parametrize("game", built_in())
def test_any_position_that_parses_has_its_own_answer_or_none(game, database):
    answered = []
    for v, solution in solutions(game):
        store(database, v, solution)
        draw, positions = chance("mangled", v.name), list(solution.values)
        changes = [draw.choice((1, 1, 2, 3, 9)) for _ in range(rounds(20))]
        texts = [mangled(v.show(draw.choice(positions)), draw, count) for count in changes]
        with open_store(database).open(v) as stored:
            for position in [*parsed(v, texts), *draw.sample(positions, min(len(positions), 10))]:
                answered.append(held(v, solution, stored, position))
    assert True in answered
    assert False in answered or game in NARROW


@pytest.mark.parametrize("name", RECOLOURED)
def test_no_recoloured_position_has_the_answer_of_another(name, database):
    v = variant(name)
    solution = store_solution(open_store(database), name)
    drawn = recoloured(v, list(solution.values), chance("recoloured", name), rounds(RECOLOURED[name]))
    assert len(drawn) > RECOLOURED[name] // 2
    with open_store(database).open(v) as stored:
        answered = sum(held(v, solution, stored, position) for position in drawn)
    assert answered < len(drawn)


def test_every_command_says_which_position_cannot_be_reached(database):
    store_solution(open_store(database), "konane")
    there = f"gamesman solve 'konane:start={KEYS}'"
    said = f"{KEYS} cannot be reached from the start of konane; to solve from there: {there}"
    for command in (["query"], ["line"], ["query", "--reference"], ["line", "--reference"]):
        result = CliRunner().invoke(cli, [command[0], "konane", KEYS, *command[1:]])
        assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"{said}\n")
    result = CliRunner().invoke(cli, ["query", "konane", "-", "--db", database], input=f"{KEYS}\n")
    assert (result.exit_code, result.stderr) == (1, f"{said} --db {database}\n")


def test_search_and_play_go_on_without_the_database(database):
    store_solution(open_store(database), "konane")
    result = CliRunner().invoke(cli, ["search", "konane", KEYS, "--depth", "3"])
    assert result.exit_code == 0
    assert "White has lost" in result.stdout
    begun = '(w "" wbbb bwb- w-wb)'
    result = CliRunner().invoke(cli, ["search", "konane", begun, "--depth", "1"])
    assert result.exit_code == 0
    assert "the database does not have the position, for it cannot be reached from the start" in result.stdout
    typed = "hint\nvalues\nhistory\nb2-d2\nhint\nvalues\nhistory\nquit\n"
    result = CliRunner().invoke(cli, ["play", "konane", begun, "--side", "both"], input=typed)
    assert result.exit_code == 0, result.output
    assert "cannot be reached" not in result.output


OFF_BOARD = ["konane:rows=4", "abalone:rows=3,cols=3,captures=1", "quixo:size=3", "teeko:size=3,pieces=2"]


@pytest.mark.parametrize("name", OFF_BOARD)
def test_no_position_with_a_piece_off_the_board_has_the_answer_of_its_image(name, database):
    """A mirror that takes a piece where there is no cell for another would make one position out of two."""
    v = variant(name)
    start, cells = v.start(), v.rules.cells
    solution = store_solution(open_store(database), name)
    some = random.Random(1).sample(list(solution.values), 40)
    with open_store(database).open(v) as stored:
        for position in [start, *some]:
            for far in (cells, cells + 1, 31, 32, 40, 63, 64):
                for i in range(len(start)):
                    for word in (position[i] | 1 << far, position[i] - (1 << far), far, -far):
                        wrong = (*position[:i], word, *position[i + 1 :])
                        assert stored.get(wrong) == solution.values.get(wrong), wrong
            assert stored.get(list(position)) == stored.get(position) == solution.values[position]
            assert stored.get((*position, 0)) is stored.get(position[:-1]) is None


FAULTY = {
    "hash raises": ("return left * 2 + who", "return {0: 0, 1: 1}[who] + left * 2 if left < 6 else [][left]"),
    "hash is no number": ("return left * 2 + who", 'return left * 2 + who if left < 6 else "six"'),
    "hash is a fraction": ("return left * 2 + who", "return left * 2 + who if left < 6 else 6 / 2"),
    "the key is another's": ("return left * 2 + who", "return left % 6 * 2 + who"),
    "the key is below 0": ("return left * 2 + who", "return left * 2 + who if left < 6 else -7"),
    "the key is above all": ("return left * 2 + who", "return left * 2 + who if left < 6 else 1 << 63 | left"),
    "unhash raises": ("return key // 2, key % 2", "return (key // 2, key % 2) if key < 12 else [][key]"),
    "unhash is no position": ("return key // 2, key % 2", "return (key // 2, key % 2) if key < 12 else key"),
}
TAKE = '''
"""Take one or two; who takes the last one wins."""
from typing import NamedTuple
from gamesman.values import LOSE, UNDECIDED
options = []
class Rules(NamedTuple):
    total: int
def setup(o): return Rules(5)
def start(rules): return rules.total, 0
def hash(rules, position):
    left, who = position
    return left * 2 + who
def unhash(rules, key):
    return key // 2, key % 2
def turn(rules, position): return position[1]
def primitive(rules, position): return LOSE if position[0] == 0 else UNDECIDED
def generate_moves(rules, position):
    for taken in range(1, min(2, position[0]) + 1):
        yield taken
def do_move(rules, position, move): return position[0] - move, 1 - position[1]
def show(rules, position): return f"({position[1]} {position[0]})"
def parse(rules, text):
    who, left = text.strip("()").split()
    return int(left), int(who)
def move_name(rules, position, move): return str(move)
'''


@pytest.mark.parametrize("fault", FAULTY)
def test_a_game_that_cannot_number_what_cannot_be_reached_gives_no_answer(fault, tmp_path, database):
    (tmp_path / "take.py").write_text(TAKE.replace(*FAULTY[fault]))
    name = f"{tmp_path}/take.py"
    solution = store_solution(open_store(database), name)
    v = variant(name)
    with open_store(database).open(v) as stored:
        for left in range(6, 20):
            assert not held(v, solution, stored, (left, left % 2))
        for position in solution.values:
            assert held(v, solution, stored, position)
        for nonsense in ((), (1,), (1, 2, 3), ("a", "b"), None, 7, "text", [5]):
            assert stored.get(nonsense) is None
            with pytest.raises(GamesmanError, match="cannot be reached"):
                stored.probe(nonsense)
        assert stored.get([5, 0]) == stored.get((5, 0)) == solution.values[5, 0]
