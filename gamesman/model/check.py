"""A game is checked here before it is trusted: its functions must agree with each other on positions played out.

Every fault found is a BrokenGame of one line that names the function and the position. The check runs the game's plain
Python; that compiled code agrees with it is checked by gamesman/compiler/agreement.py.
"""

import random
from collections import Counter, deque
from collections.abc import Collection, Iterator
from itertools import chain

from gamesman.errors import BrokenGame, shorten
from gamesman.model.asking import Asking
from gamesman.model.beside import check_beside
from gamesman.model.made import got, times, unfit_rules
from gamesman.model.overlooked import overlooked
from gamesman.model.unsteady import varying
from gamesman.model.variant import Position, Variant
from gamesman.values import KEY_LIMIT, LOSE, TIE, UNDECIDED, WIN

# Comparing undo_moves with do_move looks two moves around a position, so not every position of a large sample is.
UNDO_SHARE = 10
# Where there are more moves than this from the start fewer positions are looked at: each takes longer.
USUAL_MOVES = 50
FEWEST = 20


def check(variant: Variant, limit: int = 1000, *, is_complete: bool = True) -> int:
    """Check a game on up to `limit` positions, fewer on a large board; return how many they were. Raises BrokenGame.

    Unless `is_complete` is not wanted, nothing may be missing from the file, or misspelt, either.

    >>> from gamesman.model.variant import variant
    >>> check(variant("konane"))
    17
    """
    if is_complete:
        for said in chain(overlooked(variant.game), varying(variant)):
            raise BrokenGame(said)
    return Check(variant).run(limit)


class Check(Asking):
    """Asks the functions of one variant, and raises BrokenGame where two of them disagree."""

    def __init__(self, variant: Variant):
        super().__init__(variant)
        self.key_bound: int | None = None
        self.positions: dict[int, Position] = {}  # by key
        self.named: set[int] = set()  # tiers whose names have been looked at
        self.image_count: int | None = None
        self.fixing: list[int] = []  # the numbers of the images that leave the start as it is

    def run(self, limit: int) -> int:
        self.begin()
        count, start = 0, self.variant.start()
        limit = min(limit, max(FEWEST, USUAL_MOVES * limit // max(1, len(self.moves(start)))))
        for position, moves in self.sample(start, limit):
            self.position(position, moves)
            if count < limit // UNDO_SHARE or count % UNDO_SHARE == 0:
                self.undo_moves(position, moves)
                self.symmetries(position, moves)
            count += 1
        return count

    def begin(self) -> None:
        """Check what must hold of the rules and of the start."""
        self.rules()
        start = self.ask("start", None)
        if not isinstance(start, tuple) or not start:
            self.fail("start", None, f"must return a position, a tuple of ints, got {got(start)}")
        layout = getattr(self.variant.game.module, "layout", None)
        self.width = len(getattr(layout, "fields", start))
        self.is_position("start", None, start)
        self.is_placed("start", start)
        self.turn(start)
        self.key_bound = self.ask("key_bound", None) if self.variant.has("key_bound") else None
        if self.key_bound is not None:
            self.is_int("key_bound", None, self.key_bound)
        self.hash(start)
        if self.variant.has("symmetries"):
            self.images(start)

    def at(self, key: int) -> None:
        """Check what must hold of the position that is met by its key, of its moves, and of where they lead."""
        position = self.ask("unhash", None, key)
        self.is_position("unhash", None, position)
        if (again := self.ask("hash", position)) != key:
            self.fail("unhash", position, f"must give back the position of key {key}, got one of key {got(again)}")
        self.hash(position)
        moves = self.moves(position)
        for move, child in moves.items():
            self.led = self.leads(position, move)
            self.turn(child)
            self.is_primitive(child)
            if self.variant.has("tier_keys"):
                self.tier_keys(child, {})
            if (number := self.variant.hash(child)) >= KEY_LIMIT:
                self.fail("hash", child, f"must be below 2**63 for the variant to be solved, got {got(number)}")
        self.led = ""
        self.undo_moves(position, moves)
        self.symmetries(position, moves)

    def sample(self, start: Position, limit: int) -> Iterator[tuple[Position, dict[int, Position]]]:
        """Yield half of the positions in the order of their distance from the start, the others from random games.

        With each come its moves and where they lead; a primitive position has none.
        """
        seen = {start}
        waiting = deque([start])
        while waiting and len(seen) - len(waiting) < limit // 2:
            position = waiting.popleft()
            moves = self.moves(position)
            yield position, moves
            new = [child for child in dict.fromkeys(moves.values()) if child not in seen]
            seen.update(new)
            waiting.extend(new)
        if not waiting:
            return
        checked = seen.difference(waiting)
        dice = random.Random(limit)
        position = start
        for _ in range(10 * limit):
            if len(checked) >= limit:
                return
            moves = self.moves(position)
            if position not in checked:
                checked.add(position)
                yield position, moves
            position = dice.choice(list(moves.values())) if moves else start

    def position(self, position: Position, moves: dict[int, Position]) -> None:
        """Check what must hold of a position by itself and of the names of its moves."""
        variant = self.variant
        if variant.has("tier_keys"):
            self.tier_keys(position, moves)
        self.texts(position, moves)

    def texts(self, position: Position, moves: Collection[int]) -> None:
        """Check that what is written of a position and of its moves can be read again."""
        check_beside(self, position, moves)
        text = self.text("show", position)
        if (again := self.ask("parse", position, text, position_given=False)) != position:
            self.fail("parse", position, f"must read what show writes, {shorten(text)}, got {got(again)}")
        if self.variant.has("draw"):
            board = self.ask("draw", position)
            if not isinstance(board, str):
                self.fail("draw", position, f"must return text, got {got(board)}")
            self.can_show("draw", position, board.replace("\n", ""))
        named: dict[str, int] = {}
        for move in moves:
            name = self.text("move_name", position, move)
            if (other := named.setdefault(name, move)) != move:
                self.fail("move_name", position, f"must tell moves apart, got {shorten(name)} for {other} and {move}")
        for name, move in named.items() if self.variant.has("parse_move") else ():
            if (again := self.ask("parse_move", position, name)) != move:
                self.fail("parse_move", position, f"must read {shorten(name)} as move {move}, got {got(again)}")

    def moves(self, position: Position) -> dict[int, Position]:
        """Check the moves of a position. Returns where each leads; nothing for a primitive position."""
        self.turn(position)
        if self.is_primitive(position):
            return {}
        moves: dict[int, Position] = {}
        tier = self.tier(position)
        for move in self.every("generate_moves", position):
            self.is_int("generate_moves", position, move)
            if move in moves:
                self.fail("generate_moves", position, f"must yield each move once, got {move} twice")
            child = self.ask("do_move", position, move)
            self.is_position("do_move", position, child)
            self.led = self.leads(position, move)
            self.is_placed("do_move", child)
            self.turn(child)
            self.hash(child)
            lower = self.tier(child)
            self.led = ""
            moves[move] = child
            if lower > tier:
                self.fail("tier", position, f"must never rise, got {tier}, then {lower} at {self.show(child)}")
        if not moves:
            self.fail("generate_moves", position, "must yield a move where primitive says UNDECIDED, got none")
        return moves

    def alone(self, position: Position) -> None:
        """Check what each function says of a position by itself, so that no other is blamed for it."""
        self.hash(position)
        self.turn(position)
        self.is_primitive(position)
        self.tier(position)

    def turn(self, position: Position) -> None:
        turn = self.ask("turn", position)
        if type(turn) is not int or turn not in (0, 1):
            self.fail("turn", position, f"must return 0 or 1, got {got(turn)}")

    def is_primitive(self, position: Position) -> bool:
        value = self.ask("primitive", position)
        if type(value) is not int or value not in (LOSE, TIE, WIN, UNDECIDED):
            self.fail("primitive", position, f"must return WIN, LOSE, TIE or UNDECIDED, got {got(value)}")
        return value != UNDECIDED

    def hash(self, position: Position) -> None:
        key = self.ask("hash", position)
        self.is_int("hash", position, key)
        if key < 0 or (self.key_bound is not None and key >= self.key_bound):
            bound = "" if self.key_bound is None else f" and less than key_bound, {got(self.key_bound)}"
            self.fail("hash", position, f"must be 0 or more{bound}, got {got(key)}")
        if self.positions.setdefault(key, position) != position:
            self.fail(
                "hash", position, f"must differ from that of {self.show(self.positions[key])}, got {got(key)} for both"
            )
        if (again := self.ask("unhash", position, key, position_given=False)) != position:
            self.fail("unhash", position, f"must give back the position of key {got(key)}, got {got(again)}")
        self.is_position("unhash", position, again)

    def tier(self, position: Position) -> int:
        if not self.variant.has("tier"):
            return 0
        tier: int = self.ask("tier", position)
        self.is_int("tier", position, tier)
        if tier < 0:
            self.fail("tier", position, f"must be 0 or more, got {got(tier)}")
        return tier

    def tier_keys(self, position: Position, moves: dict[int, Position]) -> None:
        tier, key = self.tier(position), self.variant.hash(position)
        keys = self.ask("tier_keys", position, tier, position_given=False)
        if not isinstance(keys, tuple) or len(keys) != 2 or any(type(n) is not int for n in keys):
            self.fail("tier_keys", position, f"must return the first key and the count of tier {tier}, got {got(keys)}")
        first, count = keys
        if not count:
            return
        last = first + count - 1
        if not first <= key <= last:
            self.fail("tier_keys", position, f"must cover key {got(key)} of tier {tier}, got {first} to {last}")
        if first < 0 or (self.key_bound is not None and last >= self.key_bound):
            bound = f"keys from 0 to less than key_bound, {got(self.key_bound)}"
            self.fail("tier_keys", position, f"must give tier {tier} {bound}, got {first} to {last}")
        for child in moves.values():
            if self.tier(child) != tier and first <= self.variant.hash(child) <= last:
                text = f"{self.show(child)} of tier {self.tier(child)}"
                self.fail("tier_keys", position, f"must give tier {tier} no key of {text}, got {first} to {last}")

    def undo_moves(self, position: Position, moves: dict[int, Position]) -> None:
        """Check that undo_moves yields exactly the positions of the tier with a move to here, once for each such move.

        Both ways: what it yields must have those moves, and a position's moves must be found again where they lead.
        """
        if not self.variant.has("undo_moves"):
            return
        for parent, count in self.undone(position).items():
            self.parent(position, parent)
            there = sum(child == position for child in self.moves(parent).values())
            if there != count:
                self.fail(
                    "undo_moves", position, f"must yield {self.show(parent)} {times(there)}, got it {times(count)}"
                )
        for child, there in Counter(moves.values()).items():
            if self.tier(child) == self.tier(position) and (count := self.undone(child)[position]) != there:
                self.fail(
                    "undo_moves", child, f"must yield {self.show(position)} {times(there)}, got it {times(count)}"
                )

    def parent(self, position: Position, parent: Position) -> None:
        """Check what must hold of a position by itself that undo_moves yields."""
        here = self.tier(position)
        self.led = f", which undo_moves yields at {self.show(position)}"
        self.is_placed("undo_moves", parent)
        is_over, there = self.is_primitive(parent), self.tier(parent)
        if not is_over and there == here:
            self.alone(parent)
        self.led = ""
        if is_over:
            self.fail("undo_moves", position, f"must yield undecided positions, got {self.show(parent)}")
        if there != here:
            self.fail("undo_moves", position, f"must yield positions of the same tier, got {self.show(parent)}")

    def undone(self, position: Position) -> Counter[Position]:
        parents = self.every("undo_moves", position)
        for parent in parents:
            self.is_position("undo_moves", position, parent)
        return Counter(parents)

    def symmetries(self, position: Position, moves: dict[int, Position]) -> None:
        """Check that images are the same game, that they are a group, and that their moves lead to images of moves.

        That is asked of those that leave the start as it is: others are not used.
        """
        if not self.variant.has("symmetries"):
            return
        images = self.images(position)
        for i in self.fixing:
            image = images[i]
            self.is_placed("symmetries", image)
            self.alone(image)
            text = self.show(image)
            for function in ("turn", "primitive", "tier"):
                if function != "tier" or self.variant.has("tier"):
                    here, there = self.ask(function, position), self.ask(function, image)
                    if here != there:
                        self.fail("symmetries", position, f"must keep {function}, got {there}, not {here}, for {text}")
            its = self.images(image)
            if {image, *(its[j] for j in self.fixing)} != {position, *(images[j] for j in self.fixing)}:
                self.fail("symmetries", position, f"must yield the images of its images, too, got others for {text}")
            there_lead = Counter(self.moves(image).values())
            if Counter(self.images(child)[i] for child in moves.values()) != there_lead:
                self.fail("symmetries", position, f"must take moves to moves, got other moves for {text}")

    def images(self, position: Position) -> list[Position]:
        """Return what symmetries yields, checked to be always as many as at the start."""
        images = self.every("symmetries", position)
        for image in images:
            self.is_position("symmetries", position, image)
        if self.image_count is None:
            self.image_count = len(images)
            self.fixing = [i for i, image in enumerate(images) if image == position]
        if len(images) != self.image_count:
            self.fail("symmetries", position, f"must always yield as many, got {len(images)}, not {self.image_count}")
        return images

    def rules(self) -> None:
        for said in unfit_rules(self.variant.rules, self.variant.game.module):
            self.fail("setup", None, said)
