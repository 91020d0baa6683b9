"""Stairs that are right but for one position far from the start, where the function named by an option is not.

    (floor step who)     a step to the right, or down; who is to move when it is down has lost

A thousand positions tried out do not meet it, so it is for the solver, or for the proof afterwards, to find.
"""

from typing import NamedTuple

from gamesman.errors import PositionError
from gamesman.options import Choice, Number, Switch
from gamesman.values import LOSE, UNDECIDED

FAULTS = (
    "none stuck primitive draw turn below rises sinks negative beyond high other leaves collision unhash "
    "lifts raises undo_less undo_more index loop near divides twice wraps masked "
    "show parse board names reads estimate endless".split()
)
(
    NONE, STUCK, PRIMITIVE, DRAWN, TURN, BELOW, RISES, SINKS, NEGATIVE, BEYOND, HIGH, OTHER, LEAVES, COLLISION, UNHASH,
    LIFTS, RAISES, UNDO_LESS, UNDO_MORE, INDEX, LOOP, NEAR, DIVIDES, TWICE, WRAPS, MASKED,
    SHOW, PARSE, BOARD, NAMES, READS, ESTIMATE, ENDLESS,
) = range(len(FAULTS))  # fmt: skip

options = [
    Choice("fault", choices=tuple(FAULTS), help="what is wrong"),
    Switch("dense", help="positions in arrays"),
    Number("floors", default=100, high=1000, help="floors above the ground"),
]
WIDTH = 60
FLOOR, STEP, WHO = 5, 55, 0  # the position that is wrong


class Rules(NamedTuple):
    fault: int
    dense: int
    floors: int
    steps: tuple[int, ...]


def setup(o):
    return Rules(FAULTS.index(o.fault), o.dense, o.floors, tuple(range(WIDTH)))


def start(rules):
    return rules.floors, 0, 0


def is_there(rules, position, fault):
    floor, step, who = position
    return rules.fault == fault and floor == FLOOR and step == STEP and who == WHO


def hash(rules, position):
    floor, step, who = position
    key = (floor * WIDTH + step) * 2 + who
    if is_there(rules, position, NEGATIVE):
        return -1
    if is_there(rules, position, BEYOND):
        return key_bound(rules) + 7
    if is_there(rules, position, HIGH):
        return key_bound(rules) + 3
    if is_there(rules, position, OTHER):
        return key + 2 * WIDTH
    if is_there(rules, position, COLLISION):
        return key + 2
    return key


def unhash(rules, key):
    if rules.fault == UNHASH and key == (FLOOR * WIDTH + STEP) * 2 + WHO:
        return FLOOR, STEP - 1, WHO
    if rules.fault == HIGH and key == key_bound(rules) + 3:
        return FLOOR, STEP, WHO
    return key // 2 // WIDTH, key // 2 % WIDTH, key % 2


def key_bound(rules):
    return (rules.floors + 1) * WIDTH * 2


def turn(rules, position):
    if is_there(rules, position, TURN):
        return 2
    if is_there(rules, position, BELOW):
        return -1
    return position[2]


def tier(rules, position):
    return position[0] + 2 * is_there(rules, position, LIFTS)


def tier_keys(rules, tier):
    return tier * WIDTH * 2, WIDTH * 2 if rules.dense else 0


def primitive(rules, position):
    if is_there(rules, position, PRIMITIVE):
        return 7
    if is_there(rules, position, DRAWN):
        return 1
    return UNDECIDED if position[0] else LOSE


def generate_moves(rules, position):
    floor, step, who = position
    if is_there(rules, position, STUCK):
        return
    while is_there(rules, position, LOOP) and step >= 0:
        step ^= 1
    if step < WIDTH - 1:
        yield 1
    if is_there(rules, position, TWICE):
        yield 0
    yield 0


def do_move(rules, position, move):
    floor, step, who = position
    if is_there(rules, position, RISES) and move == 0:
        return floor + 1, step, 1 - who
    if is_there(rules, position, RAISES):
        raise ValueError("rare")
    if is_there(rules, position, SINKS) and move == 0:
        return -1, step, 1 - who
    if is_there(rules, position, LEAVES) and move == 1:
        return floor, step + WIDTH, 1 - who
    if is_there(rules, position, INDEX):
        step = rules.steps[step + (1 << 40)]
    if is_there(rules, position, NEAR) and move == 0:
        step = rules.steps[step + 7]
    if is_there(rules, position, DIVIDES) and move == 0:
        step //= rules.fault - DIVIDES
    if is_there(rules, position, WRAPS) and move == 0:
        step += (step + 9 << 58 >> 60 >> 4) - 1  # nothing, but for what a machine word has no room for
    if is_there(rules, position, MASKED):
        step += step + 9 << 58 & 1
    if move == 0:
        return floor - 1, step, 1 - who
    return floor, step + move, 1 - who


def undo_moves(rules, position):
    floor, step, who = position
    while is_there(rules, position, ENDLESS) and step >= 0:
        step ^= 1
    if floor:
        if step > 0 and not is_there(rules, position, UNDO_LESS):
            yield floor, step - 1, 1 - who
        if is_there(rules, position, UNDO_MORE):
            yield floor, step - 2, who


def show(rules, position):
    if is_there(rules, position, SHOW):
        return ["a", "list"][len(position)]
    return f"({' '.join(map(str, position))})"


def parse(rules, text):
    try:
        floor, step, who = map(int, text.strip("()").split())
    except ValueError:
        raise PositionError(f"expected three numbers, got {text!r}") from None
    if is_there(rules, (floor, step, who), PARSE):
        step += 1
    return floor, step, who


def draw(rules, position):
    return 7 if is_there(rules, position, BOARD) else show(rules, position)


def move_name(rules, position, move):
    return "down" if is_there(rules, position, NAMES) else ("down", "right")[move]


def parse_move(rules, position, text):
    return text != "right" if is_there(rules, position, READS) else int(text == "right")


def evaluate(rules, position):
    return 1 << 40 if is_there(rules, position, ESTIMATE) else 0
