"""A broken game is refused, and told which function is at fault and where: one fault a time in a game that is right."""

import pytest
from support import SUPPORT

from gamesman.errors import BrokenGame
from gamesman.model.check import check
from gamesman.model.game import built_in
from gamesman.model.variant import variant

STAIRS = (SUPPORT / "stairs.py").read_text()

# A function that is broken, what replaces it, and what the message must say besides the function.
FAULTS = [
    ("setup", "return [o.floors]", "NamedTuple"),
    ("setup", "return Rules(o.floors, 'four')", "width"),
    ("setup", "return Rules(o.floors, ((1, 2), (3,)))", "width"),
    ("start", "return [rules.floors, 0, 0]", "tuple of ints"),
    ("start", "return rules.floors, 0, 0.0", "tuple of 3 ints"),
    ("start", "return 1 // 0", "ZeroDivisionError"),
    ("key_bound", "return 1e9", "int"),
    ("key_bound", "return 8", "hash must be 0 or more and less than key_bound, 8, got 24, at (3 0 0)"),
    ("hash", "return -1", "key_bound, 32, got -1, at (3 0 0)"),
    ("hash", "return float(position[1])", "must return an int, got 0.0 (float), at (3 0 0)"),
    ("hash", "return 24", "must differ from that of (3 0 0), got 24 for both, at (3 1 1)"),
    (
        "hash",
        "return position[1] * 2 + position[2]",
        "unhash must give back the position of key 0, got (0, 0, 0), at (3 0 0)",
    ),
    (
        "hash",
        "return 24 if position[2] == 0 else 24 // 0",
        "got ZeroDivisionError: integer division or modulo by zero on line LINE, at (3 1 1), where move right",
    ),
    ("unhash", "return 0, 0, 0", "(3 0 0)"),
    ("unhash", "return float(key // 2 // rules.width), key // 2 % rules.width, key % 2", "tuple of 3 ints"),
    ("turn", "return position[2] + 1", "must return 0 or 1, got 2, at (3 1 1)"),
    ("turn", "return position[2] == 1", "must return 0 or 1, got False, at (3 0 0)"),
    ("primitive", "return None", "must return WIN, LOSE, TIE or UNDECIDED, got None, at (3 0 0)"),
    ("primitive", "return 1 if position[0] == 2 else -1", "got 1, at (2 0 1)"),
    ("primitive", "return position[3]", "IndexError"),
    ("primitive", "raise MemoryError", "must not fail, got MemoryError on line LINE, at (3 0 0)"),
    ("primitive", "raise SystemExit(3)", "must not fail, got SystemExit: 3 on line LINE, at (3 0 0)"),
    ("generate_moves", "return [0]", "must yield, not return, got [0]"),
    ("generate_moves", "yield 0\n    yield 0", "got 0 twice, at (3 0 0)"),
    ("generate_moves", "yield '0'", "must yield an int, got '0', at (3 0 0)"),
    ("generate_moves", "yield 0\n    raise ValueError('no more')", "got ValueError: no more on line LINE, at (3 0 0)"),
    ("generate_moves", "while True:\n        yield 0", "must come to an end"),
    ("generate_moves", "yield from ()", "must yield a move where primitive says UNDECIDED, got none, at (3 0 0)"),
    ("do_move", "return position[0] - 1, position[1]", "tuple of 3 ints, got (2, 0), at (3 0 0)"),
    ("do_move", "return position[0] - 1, position[1], position[2] == 0", "tuple of 3 ints, got (2, 0, True)"),
    ("do_move", "return [position[0] - 1, position[1], 1 - position[2]]", "tuple of 3 ints"),
    ("do_move", "raise KeyError(move)", "KeyError"),
    ("tier", "return 3 - position[0]", "must never rise, got 0, then 1 at (2 0 1), at (3 0 0)"),
    ("tier", "return position[0] - 3", "must be 0 or more, got -1, at (2 0 1), where move down leads from (3 0 0)"),
    ("tier", "return position[0] / 2", "must return an int, got 1.5 (float), at (3 0 0)"),
    ("tier_keys", "return 0, 8", "must cover key 24 of tier 3, got 0 to 7, at (3 0 0)"),
    ("tier_keys", "return 0", "first key and the count"),
    ("tier_keys", "return tier * rules.width * 2, 99", "less than key_bound, 32, got 24 to 122, at (3 0 0)"),
    ("tier_keys", "return -8, 40", "keys from 0 to less than key_bound, 32, got -8 to 31, at (3 0 0)"),
    ("tier_keys", "return 0, 32", "must give tier 3 no key of (2 0 1) of tier 2, got 0 to 31, at (3 0 0)"),
    ("undo_moves", "yield from ()", "must yield (3 0 0) once, got it 0 times, at (3 1 1)"),
    ("undo_moves", "return []", "must yield, not return"),
    ("undo_moves", "yield position[0], position[1], 1 - position[2]", "got it once, at (3 0 0)"),
    ("undo_moves", "yield position[0] + 1, position[1], 1 - position[2]", "of the same tier, got (4 0 1), at (3 0 0)"),
    ("undo_moves", "yield 0, position[1], 1 - position[2]", "undecided positions, got (0 0 1), at (3 0 0)"),
    ("undo_moves", "yield position[:2]", "tuple of 3 ints, got (3, 0), at (3 0 0)"),
    ("show", "return ''", "one line of text, got '', at (3, 0, 0)"),
    ("show", "return 'a\\nb'", "one line of text"),
    ("show", "return '(3 \\x1b[2J)'", r"letters that can be printed, got '\x1b', at ("),
    ("show", "return '3' * 200_000", "131,072 letters at most, got 200,000, at 3"),
    ("show", "return position[9]", "IndexError: tuple index out of range on line LINE, position[9], at (3, 0, 0)"),
    ("parse", "return 0, 0, 0", "must read what show writes, (3 0 0), got (0, 0, 0)"),
    ("parse", "raise PositionError('never')", "never, at (3 0 0)"),
    ("draw", "return None", "must return text, got None, at (3 0 0)"),
    ("draw", "return 'a\\n\\a'", r"letters that can be printed, got '\x07', at (3 0 0)"),
    ("move_name", "return '\\u202e'", r"letters that can be printed, got '\u202e', at (3 0 0)"),
    ("move_name", "return 'go'", "must tell moves apart, got go for 1 and 0, at (3 0 0)"),
    ("move_name", "return move", "one line of text, got 1, at (3 0 0)"),
    ("parse_move", "return 0", "must read right as move 1, got 0, at (3 0 0)"),
    ("parse_move", "raise MoveError('cannot')", "cannot, at (3 0 0)"),
    ("evaluate", "return 0.5", "must return an int, got 0.5 (float), at (3 0 0)"),
    ("evaluate", "return 1_000_000", "got 1,000,000, at (3 0 0)"),
    ("mobility", "return None", "must return an int, got None, at (3 0 0)"),
    ("mobility", "return -1", "must be 0 or more and well below 1,000,000, got -1, at (3 0 0)"),
]
ARGUMENTS = {
    "setup": "o",
    "start": "rules",
    "key_bound": "rules",
    "unhash": "rules, key",
    "tier_keys": "rules, tier",
    "do_move": "rules, position, move",
    "move_name": "rules, position, move",
    "parse": "rules, text",
    "parse_move": "rules, position, text",
}


def broken(folder, function, body):
    path = folder / "broken.py"
    path.write_text(f"{STAIRS}\n\ndef {function}({ARGUMENTS.get(function, 'rules, position')}):\n    {body}\n")
    return variant(str(path))


@pytest.mark.parametrize(("function", "body", "said"), FAULTS)
def test_a_fault_is_told_with_its_function_and_position(tmp_path, function, body, said):
    with pytest.raises(BrokenGame) as raised:
        check(broken(tmp_path, function, body))
    message = str(raised.value)
    assert "\n" not in message
    assert message.startswith(f"{tmp_path}/broken.py: ")
    assert function in message
    assert said.replace("LINE", str(len((STAIRS + body).splitlines()) + 3)) in message


def test_every_function_of_a_game_is_broken_here_once():
    assert {function for function, _, _ in FAULTS} == set(variant(str(SUPPORT / "stairs.py")).game.functions)


def test_a_fault_far_from_the_start_is_found_by_games_played_at_random(tmp_path):
    path = tmp_path / "deep.py"
    wrong = "    return -1 if position[0] == 1 else (position[0] * rules.width + position[1]) * 2 + position[2]\n"
    path.write_text(f"{STAIRS}\n\ndef hash(rules, position):\n{wrong}")
    with pytest.raises(BrokenGame, match=r"hash must be 0 or more .*, got -1, at \(1 \d+ \d\), where move"):
        check(variant(f"{path}:floors=30,width=40"))


def test_a_move_that_counts_twice_must_be_undone_twice(tmp_path):
    path = tmp_path / "twice.py"
    moves = "\n\ndef generate_moves(rules, position):\n    yield 0\n    yield 1\n"
    there = "\n\ndef do_move(rules, position, move):\n    return 3, position[1] * 0 + 1, 1 - position[2]\n"
    name = "\n\ndef move_name(rules, position, move):\n    return str(move)\n\n\nparse_move = None\n"
    undo = "\n\ndef undo_moves(rules, position):\n    if position[1] == 1:\n        for step in range(rules.width):\n"
    yields = "            yield 3, step, 1 - position[2]\n"
    path.write_text(STAIRS + moves + there + name + undo + yields)
    with pytest.raises(BrokenGame, match=r"undo_moves must yield \(3 \d \d\) 2 times, got it once, at \(3 1 \d\)"):
        check(variant(str(path)))
    path.write_text(STAIRS + moves + there + name + undo + yields + yields)
    assert check(variant(str(path))) == 3


@pytest.mark.parametrize("limit", [1, 10, 1000])
def test_a_game_that_is_right_passes(limit):
    assert 1 <= check(variant(str(SUPPORT / "stairs.py")), limit) <= limit


@pytest.mark.slow
@pytest.mark.parametrize("name", built_in())
def test_every_game_that_comes_with_gamesman_passes(name):
    assert check(variant(name), 200) >= 1
