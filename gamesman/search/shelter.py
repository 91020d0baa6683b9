"""Here a player looks for positions in which he can stay for ever without losing, however far the end is.

Such positions are a *shelter*: of each in which he is to move one that follows is among them, and of each other all
that follow, or they are over and not lost for him. Who is in one cannot be beaten. No depth is needed to see it, and
no depth is enough without: a player who moves to and fro, where the other can do nothing about it, looks to a search
like one who may lose later. So ties are certain as soon as they are seen, and not when all else has come back.

A shelter is looked for from one position on, by moves that look good:

- What is met is *open* at first. Where he is to move one move is chosen, else all are followed; then it is *closed*.
- Where he has lost, or all his moves are to what is lost, or one of the other's is, a position is *lost* for certain.
  Where that was his choice he chooses again.
- When nothing is open any more, all that is closed is a shelter: it is *held*.

What is held or lost is so in every game, and known to all that is asked later. What is neither when too much would be
to look at, or there is no more room, is *fresh* again: met, and no more.

What looks good is what leads to as few new positions as possible: in 30 of 40 tied positions of hexagonal Abalone of
edge 3 both players were held so within 300,000 looks at moves, in 24 within a million by the estimate and what had been
met alone.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from gamesman.compiler.compile import inlined, native_rules
from gamesman.compiler.refusal import compiling
from gamesman.compiler.rows import Shape, compiled_functions, putter, rows_of, scrambler, shape_of, taker, words_of
from gamesman.model.variant import Position, Variant
from gamesman.values import LOSE, UNDECIDED, WIN

FRESH, OPEN, CLOSED, HELD, LOST = range(5)
COUNT, LINKS, OPENED, TOUCHED, LOOKED, FULL = range(6)
NOTHING, ALL = -1, -2  # no choice is needed, or none is made, since all moves are followed
ROOM = 1 << 18  # positions
LINKS_EACH = 16  # for which there is room
# To the estimate of a move is added what it leads to: a position met before, and replies that lead to new ones.
MET, NEW = 1000, -200
WORST, SAFE = -(1 << 60), 1 << 60

_kernels: dict[tuple[ModuleType, Shape], Callable[..., int]] = {}


class Ground(NamedTuple):
    """Holds the positions that have been met, by numbers, and the links back from each to those before it."""

    positions: Any
    status: Any
    choice: Any  # the position that is chosen, or NOTHING, or ALL
    link: Any  # the first link back from a position, or -1
    slots: Any  # the positions by their fingerprints, -1 in the empty ones
    before: Any  # of a link, the position that it leads back to
    later: Any  # and the next link, or -1
    open: Any  # those that are open, and some that have been
    fallen: Any
    touched: Any  # those that have been opened since the question
    state: Any


class Shelter:
    """Tells of positions whether a player is sure not to lose them. Raises TooLarge, BrokenGame."""

    def __init__(self, variant: Variant, who: int):
        words = words_of(variant)
        self._shape = shape_of(variant, words)
        self._rules = native_rules(variant.rules, words)
        self._who = who
        kind = variant.game.module, self._shape
        if kind not in _kernels:
            _kernels[kind] = _compiled(variant, self._shape)
        self._explore = _kernels[kind]
        self._clear()
        with compiling(variant.game):
            self.holds(variant.start(), 0)

    def holds(self, position: Position, looks: int) -> bool | None:
        """Tell whether he does not lose a position that is not over; None where so many looks at moves do not tell."""
        if self._ground.state[COUNT] > ROOM // 2:
            self._clear()
        status = self._explore(self._rules, self._ground, rows_of([position], self._shape), self._who, looks)
        self.looked = int(self._ground.state[LOOKED])
        return None if status == OPEN else status == HELD

    def _clear(self) -> None:
        def numbers(count: int) -> np.ndarray:
            return np.zeros(count, np.int32)

        self._ground = Ground(
            positions=np.zeros((ROOM, sum(self._shape)), np.int64),
            status=np.zeros(ROOM, np.int8),
            slots=np.full(2 * ROOM, -1, np.int32),
            before=numbers(LINKS_EACH * ROOM),
            later=numbers(LINKS_EACH * ROOM),
            state=np.zeros(6, np.int64),
            **{name: numbers(ROOM) for name in ("choice", "link", "open", "fallen", "touched")},
        )


def _compiled(variant: Variant, shape: Shape) -> Callable[..., int]:
    compiler, functions = compiled_functions(variant, shape)
    return compiler.kernel(build(functions, taker(shape), putter(shape), scrambler(shape)))


def build(functions: dict[str, Any], take: Any, put: Any, fingerprint: Any) -> Callable[..., int]:
    """Make the function that looks for a shelter and return it: `explore`, the last one in here."""
    turn, primitive, do_move = functions["turn"], functions["primitive"], functions["do_move"]
    generate_moves, evaluate = functions["generate_moves"], functions["evaluate"]

    @inlined
    def find(ground, position):
        """Return the slot of a position, or the empty one where it belongs."""
        slots = ground.slots
        slot = fingerprint(position) & len(slots) - 1
        while slots[slot] >= 0 and take(ground.positions, slots[slot]) != position:
            slot = slot + 1 & len(slots) - 1
        return slot

    @inlined
    def status_of(ground, position):
        """Return what is known of a position; one that has not been met is fresh."""
        number = ground.slots[find(ground, position)]
        return FRESH if number < 0 else ground.status[number]

    @inlined
    def opened(ground, number):
        state = ground.state
        ground.status[number] = OPEN
        ground.open[state[OPENED]] = number
        state[OPENED] += 1

    @inlined
    def entered(ground, position):
        """Return the number of a position, which is open if it was fresh."""
        slot, state = find(ground, position), ground.state
        number = ground.slots[slot]
        if number < 0:
            number = state[COUNT]
            state[COUNT] += 1
            ground.slots[slot] = number
            put(ground.positions, number, position)
            ground.status[number] = FRESH
        if ground.status[number] == FRESH:
            ground.link[number] = -1
            ground.touched[state[TOUCHED]] = number
            state[TOUCHED] += 1
            opened(ground, number)
        return number

    @inlined
    def link_back(ground, number, before):
        link = ground.state[LINKS]
        ground.before[link] = before
        ground.later[link] = ground.link[number]
        ground.link[number] = link
        ground.state[LINKS] += 1

    @inlined
    def fall(ground, number):
        """Let a position be lost, and all that is lost by that; open those where the player must choose again."""
        status, fallen = ground.status, ground.fallen
        status[number] = LOST
        fallen[0] = number
        n = 1
        while n:
            n -= 1
            number = fallen[n]
            link = ground.link[number]
            while link >= 0:
                before = ground.before[link]
                link = ground.later[link]
                if status[before] != CLOSED:
                    continue
                if ground.choice[before] == ALL:
                    status[before] = LOST
                    fallen[n] = before
                    n += 1
                elif ground.choice[before] == number:
                    opened(ground, before)

    @inlined
    def is_lost(rules, position, over, who):
        """Tell whether a position that is over, with a value, is lost for the player."""
        return over == LOSE and turn(rules, position) == who or over == WIN and turn(rules, position) != who

    @inlined
    def replies(rules, ground, position, who):
        """Return how many moves of the other lead to what is new, or -1 if one leads to what is lost."""
        n = 0
        for move in generate_moves(rules, position):
            child = do_move(rules, position, move)
            over = primitive(rules, child)
            ground.state[LOOKED] += 1
            if over != UNDECIDED:
                if is_lost(rules, child, over, who):
                    return -1
                continue
            status = status_of(ground, child)
            if status == LOST:
                return -1
            if status == FRESH:
                n += 1
        return n

    @inlined
    def worth(rules, ground, child, who):
        """Return how good a move to a position looks, WORST if it loses, SAFE if nothing more is to be shown."""
        over = primitive(rules, child)
        ground.state[LOOKED] += 1
        if over != UNDECIDED:
            return WORST if is_lost(rules, child, over, who) else SAFE
        status = status_of(ground, child)
        if status == LOST or status == HELD:
            return WORST if status == LOST else SAFE
        is_own = turn(rules, child) == who
        looks = evaluate(rules, child) if is_own else -evaluate(rules, child)
        if status != FRESH:
            looks += MET
        if not is_own and status != CLOSED:
            n = replies(rules, ground, child, who)
            return WORST if n < 0 else looks + NEW * n
        return looks

    @inlined
    def choose(rules, ground, number, position, who):
        """Close a position in which the player is to move, by the move that looks best, or let it be lost."""
        best, chosen = WORST, position
        for move in generate_moves(rules, position):
            child = do_move(rules, position, move)
            looks = worth(rules, ground, child, who)
            if looks > best:
                best = looks
                chosen = child
            if best == SAFE:
                break
        if best == WORST:
            fall(ground, number)
            return
        ground.status[number] = CLOSED
        ground.choice[number] = NOTHING
        if best != SAFE:
            there = entered(ground, chosen)
            ground.choice[number] = there
            link_back(ground, there, number)

    @inlined
    def follow(rules, ground, number, position, who):
        """Close a position in which the other is to move, by all moves, or let it be lost; note if there is no room."""
        state = ground.state
        if replies(rules, ground, position, who) < 0:
            fall(ground, number)
            return
        ground.status[number] = CLOSED
        ground.choice[number] = ALL
        for move in generate_moves(rules, position):
            child = do_move(rules, position, move)
            if primitive(rules, child) != UNDECIDED:
                continue
            if state[COUNT] == len(ground.status) or state[LINKS] == len(ground.before):
                state[FULL] = 1
                return
            there = entered(ground, child)
            if ground.status[there] != HELD:
                link_back(ground, there, number)

    def explore(rules: Any, ground: Ground, asked: Any, who: int, most: int) -> int:
        """Return HELD or LOST for the position asked about, or OPEN where so many looks at moves do not tell."""
        status, state = ground.status, ground.state
        state[LINKS] = state[OPENED] = state[TOUCHED] = state[LOOKED] = state[FULL] = 0
        root = entered(ground, take(asked, 0))
        while state[OPENED] and status[root] < HELD and state[LOOKED] < most and not state[FULL]:
            if state[COUNT] == len(status) or state[LINKS] == len(ground.before):
                break
            state[OPENED] -= 1
            number = ground.open[state[OPENED]]
            if status[number] != OPEN:
                continue
            position = take(ground.positions, number)
            if turn(rules, position) == who:
                choose(rules, ground, number, position, who)
            else:
                follow(rules, ground, number, position, who)
        is_whole = state[OPENED] == 0 and not state[FULL]
        for i in range(state[TOUCHED]):
            number = ground.touched[i]
            if status[number] < HELD:
                status[number] = HELD if is_whole else FRESH
        return status[root] if status[root] >= HELD else OPEN

    return explore
