"""A variant is a game with all its options decided; one text, GAME[:OPTION=VALUE,...], names it everywhere."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any

from gamesman.errors import BrokenGame, GamesmanError, MoveError, OptionError, PositionError, shorten
from gamesman.model import bundled
from gamesman.model import game as games
from gamesman.model.game import Game, no_tier
from gamesman.model.meaning import digest
from gamesman.model.place import raised
from gamesman.model.symmetry import Symmetry
from gamesman.model.symmetry import find as find_symmetry
from gamesman.model.unread import reads
from gamesman.options import Number, Option, Options, Text, resolve, written
from gamesman.values import UNDECIDED

Position = tuple[int, ...]

# The option that every game has: it names the endgames of a variant, see gamesman.model.endgames.
UP_TO = "up_to"

# More variants than this from one text are a mistake: the text says so instead of the program working for ever.
MOST_VARIANTS = 10_000
MOST_MOVES = 4096  # whose names are kept


@dataclass(frozen=True)
class Variant:
    """Is a game and its rules for one choice of options; it has the game's functions with the rules filled in.

    >>> v = variant("konane:cols=4,rows=4")
    >>> v.name
    'konane:rows=4'
    >>> v.show(v.start())
    '(w "" bwbw wbwb b--w wbwb)'
    >>> sorted(v.move_name(v.start(), m) for m in v.generate_moves(v.start()))
    ['b4-b2']
    """

    game: Game
    options: Options
    name: str
    rules: Any = field(repr=False)

    @cached_property
    def fingerprint(self) -> str:
        """Return what a stored solution must agree with: what the game means, and what its rules have come to.

        It is taken from the functions that were loaded and the rules that `setup` returned, so that nothing they depend
        on is left out; see meaning.py. Two variants that have the same one have the same positions and values.
        """
        return f"{self.game.meaning}-{digest(self.rules, self.start(), self.game.data)}"

    def is_solved_by(self, fingerprint: str, start: str | None) -> bool:
        """Tell whether a solution with that fingerprint, of a variant of this name, is one of this variant.

        `start` is the text of the position that the solution begins with, if that is known.
        """
        if fingerprint == self.fingerprint:
            return True
        if self.game.name not in games.built_in():
            return False
        meaning, _, rules = fingerprint.partition("-")
        if rules:
            mine = (digest(earlier, self.start(), self.game.data) for earlier in bundled.as_earlier(self.rules))
            return rules in mine and bundled.are_the_same(self.game.name, self.game.meaning, meaning)
        # The first fingerprints know the options, and not what rules are made of them: that could have changed.
        values = {kind.name: getattr(self.options, kind.name) for kind in self.game.options}
        unsaid = values.keys() - {text.partition("=")[0] for text in written(self.game.options, self.options)}
        is_earlier = bundled.is_of_earlier_source(self.game.name, self.game.meaning, values, fingerprint, unsaid)
        return is_earlier and start == self.show(self.start())

    @property
    def is_partial(self) -> bool:
        """Tell whether these are only the endgames of a variant, see gamesman.model.endgames."""
        return False

    @cached_property
    def symmetry(self) -> Symmetry | None:
        """Return the symmetries that leave the start as it is, or None."""
        return find_symmetry(self)

    def has(self, function: str) -> bool:
        return function in self.game.functions

    def _bound(self, function: str) -> Callable[..., Any]:
        """Return a function with the rules filled in; a layout's may have been written for these very rules."""
        found = self.game.functions[function]
        of_rules: Callable[[Any], Callable[..., Any]] = getattr(found, "of_rules", partial(partial, found))
        return of_rules(self.rules)

    @cached_property
    def hash(self) -> Callable[[Position], int]:
        return self._bound("hash")

    @cached_property
    def unhash(self) -> Callable[[int], Position]:
        return self._bound("unhash")

    @cached_property
    def turn(self) -> Callable[[Position], int]:
        return self._bound("turn")

    @cached_property
    def primitive(self) -> Callable[[Position], int]:
        return self._bound("primitive")

    @cached_property
    def generate_moves(self) -> Callable[[Position], Iterator[int]]:
        return self._bound("generate_moves")

    @cached_property
    def do_move(self) -> Callable[[Position, int], Position]:
        return self._bound("do_move")

    @cached_property
    def undo_moves(self) -> Callable[[Position], Iterator[Position]]:
        return self._bound("undo_moves")

    @cached_property
    def show(self) -> Callable[[Position], str]:
        return self._bound("show")

    @cached_property
    def unshow(self) -> Callable[[str], Position | None]:
        """Return what reads a text that `show` writes, in less time than `parse`; None for any other text.

        Whether the position can arise is not asked.
        """
        back: Callable[[str], Position | None] = getattr(self.show, "back", lambda text: None)
        return back

    @cached_property
    def move_name(self) -> Callable[[Position, int], str]:
        # The name that a layout gives a move is made of its cells.
        decides = "ends" if hasattr(self.game.functions["move_name"], "of_layout") else "move_name"
        return self._by_move("move_name", decides)

    @cached_property
    def ends(self) -> Callable[[Position, int], Sequence[int]] | None:
        """Return what tells the cells of a move, or None where the game does not tell."""
        return self._by_move("ends", "ends") if self.has("ends") else None

    def _by_move(self, function: str, decides: str) -> Callable[[Position, int], Any]:
        """Return a function of a position and a move; what it returns is kept where the position is never looked at.

        Then it has `of_move`, a function of the move alone.
        """
        bound = self._bound(function)
        if reads(self.game.functions[decides], 1):
            return bound
        kept = lru_cache(MOST_MOVES)(partial(bound, ()))  # whatever the position

        def by_move(position: Position, move: int) -> Any:
            return kept(move)

        by_move.of_move = kept  # type: ignore[attr-defined]
        return by_move

    def start(self) -> Position:
        position: Position = self.game.functions["start"](self.rules)
        return position

    @cached_property
    def tier(self) -> Callable[[Position], int]:
        """Return the tier of a position; 0 for all where the game has no tiers."""
        return self._bound("tier") if self.has("tier") else partial(no_tier, self.rules)

    def key_bound(self) -> int | None:
        """Return an integer above every key, or None where the game does not tell."""
        bound: int | None = self.game.functions["key_bound"](self.rules) if self.has("key_bound") else None
        return bound

    def tier_keys(self, tier: int) -> tuple[int, int]:
        """Return the first key of a tier and how many there are; 0 and 0 where they do not follow one another."""
        keys: tuple[int, int] = self.game.functions["tier_keys"](self.rules, tier) if self.has("tier_keys") else (0, 0)
        return keys

    def tier_name(self, tier: int) -> str:
        """Return a tier for a person: its number, where the game has no name for it."""
        if not self.has("tier_name"):
            return str(tier)
        with _blamed(self.name, f"tier_name of tier {tier}", self.game):
            return str(self.game.functions["tier_name"](self.rules, tier))

    def parse(self, text: str) -> Position:
        """Return the position that a text stands for. Raises PositionError, whatever the text and the game."""
        try:
            position: Position = self._read("parse", PositionError, text)
        except PositionError as error:
            option = text.partition("=")[0].strip()
            if "=" not in text or option not in {kind.name for kind in self.game.options}:
                raise
            colon = "," if ":" in self.name else ":"
            raise PositionError(
                f"{error}; options follow the game: {self.name}{colon}{shorten(text.strip())}"
            ) from error
        return position

    def parse_move(self, position: Position, text: str) -> int:
        """Return the legal move that a text names. Raises MoveError, saying why it is illegal where the game can."""
        legal = self.generate_moves(position) if self.primitive(position) == UNDECIDED else ()
        if self.has("parse_move"):
            move: int = self._read("parse_move", MoveError, position, text)
            if move in legal:
                return move
            raise MoveError(f"{shorten(text)} is not legal in {self.show(position)}")
        moves = {self.move_name(position, move): move for move in legal}
        if text.strip() in moves:
            return moves[text.strip()]
        if not moves:
            raise MoveError(f"the game is over in {self.show(position)}: there is no move {shorten(text)}")
        raise MoveError(f"expected one of {shorten(', '.join(moves), 200)}, got {shorten(text) or 'nothing'}")

    def draw(self, position: Position, is_named: bool = False) -> str:
        """Draw the board for a person; `is_named` where its cells are to have their names, if the game has a layout."""
        layout = getattr(self.game.module, "layout", None)
        if is_named and layout is not None:
            board = layout.board(self.rules)
            named: str = board.draw_names(layout.letters(board, position))
            return named
        return self.game.functions["draw"](self.rules, position) if self.has("draw") else self.show(position)

    def letter(self, position: Position) -> str:
        """Return the letter of the player to move."""
        return self._letters[self.turn(position)]

    @cached_property
    def _letters(self) -> list[str]:
        return list(self.game.players)

    def player(self, position: Position) -> str:
        """Return the name of the player to move."""
        return list(self.game.players.values())[self.turn(position)]

    def _read(self, function: str, kind: type[GamesmanError], *arguments: Any) -> Any:
        try:
            return self.game.functions[function](self.rules, *arguments)
        except GamesmanError:
            raise
        except Exception as error:  # a user's own parser stumbles over a text it did not expect
            text = shorten(arguments[-1])
            raise kind(f"cannot read {text or 'nothing'}: {type(error).__name__}: {shorten(str(error))}") from error


def variant(text: str) -> Variant:
    """Return the variant that a text names. Raises OptionError, UnknownGame or BrokenGame.

    >>> variant("konane:rows=0")
    Traceback (most recent call last):
    ...
    gamesman.errors.OptionError: rows must be 1 or more, got 0
    """
    name, rest = _split_game(text)
    found = games.load(name)
    items = _items(found.options, rest)
    for kind in found.options:
        value = items.get(kind.name) or ""
        if not isinstance(kind, Text) and (value == "*" or "|" in value or ".." in value):
            raise OptionError(f"{kind.name} must be one value here, for one variant, got {shorten(value)}")
    return build(found, items)


def variants(text: str, most: int = MOST_VARIANTS) -> list[Variant]:
    """Return the variants that a text with ranges, lists and stars stands for: all combinations, `most` or fewer.

    >>> [v.name for v in variants("konane:rows=3..4,misere=*")]
    ['konane', 'konane:misere', 'konane:rows=4', 'konane:rows=4,misere']
    """
    name, rest = _split_game(text)
    found = games.load(name)
    kinds = {kind.name: kind for kind in found.options}
    items = _items(found.options, rest)
    choices = [_spread(kinds[option], value) if option in kinds else [value] for option, value in items.items()]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > most:
        raise OptionError(f"expected at most {most} variants, got {count}: {shorten(text)}")
    every = (_one_of(found, dict(zip(items, values, strict=True)), count) for values in itertools.product(*choices))
    return list({v.name: v for v in every}.values())


def _one_of(game: Game, items: Mapping[str, str | None], count: int) -> Variant:
    """Return one of several variants; an error says which one it is about."""
    try:
        return build(game, items)
    except OptionError as error:
        if count == 1:
            raise
        given = ",".join(name if value is None else f"{name}={value}" for name, value in items.items())
        raise OptionError(f"{game.name}:{given}: {error}") from None


def build(game: Game, items: Mapping[str, str | None]) -> Variant:
    """Build the variant of a game with the options given as texts, or the variant of its endgames up to a tier."""
    if UP_TO in items and all(kind.name != UP_TO for kind in game.options):
        # lazy: start-up time, and it imports this module
        from gamesman.model.endgames import endgames

        return endgames(build(game, {name: value for name, value in items.items() if name != UP_TO}), items[UP_TO])
    with _blamed(game.name, "options", game):
        options = resolve(game.options, items)
        name = ":".join(filter(None, [game.name, ",".join(written(game.options, options))]))
    with _blamed(name, "setup", game):
        rules = game.functions["setup"](options)
    if not isinstance(rules, tuple) or not hasattr(rules, "_fields"):
        raise BrokenGame(f"{name}: setup must return a NamedTuple, got {type(rules).__name__}: {shorten(repr(rules))}")
    return Variant(game, options, name, rules)


@contextmanager
def _blamed(name: str, part: str, game: Game) -> Iterator[None]:
    """Raise what a game's own code raises inside, if it is no error of ours, as a fault of that part of the game."""
    try:
        yield
    except Exception as error:
        # A cell or a position that is refused is the user's only where an option is a text.
        is_texts = isinstance(error, PositionError) and any(isinstance(kind, Text) for kind in game.options)
        if is_texts or (isinstance(error, GamesmanError) and not isinstance(error, PositionError)):
            raise
        raise BrokenGame(f"{name}: {part} failed: {raised(error, game.module)}") from error


def _split_game(text: str) -> tuple[str, str]:
    """Split a text into the game and its options; a path may have colons before its .py.

    >>> _split_game("./a:b.py:size=3")
    ('./a:b.py', 'size=3')
    """
    text = text.strip()
    cut = text.find(".py:")
    if cut >= 0:
        return text[: cut + 3], text[cut + 4 :]
    name, _, rest = text.partition(":")
    return name.rstrip(), rest


def _items(kinds: list[Option], text: str) -> dict[str, str | None]:
    """Return the value of each option as text; None for a switch that stands alone.

    A piece after a comma that names no option belongs to the text before it: removed=b2,c2.
    """
    items: dict[str, str | None] = {}
    if not text.strip():
        return items
    names = {kind.name for kind in kinds}
    texts = {kind.name for kind in kinds if isinstance(kind, Text)}
    last = ""
    for piece in _pieces(text):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if last in texts and not equals and name not in names and items[last] is not None:
            items[last] = f"{items[last]},{piece.strip()}"
            continue
        if not name:
            raise OptionError(f"expected OPTION=VALUE, got {shorten(piece) or 'nothing'} in {shorten(text)}")
        if name in items:
            raise OptionError(f"{name} is given twice in {shorten(text)}")
        items[name] = value if equals else None
        last = name
    return items


def _pieces(text: str) -> Iterator[str]:
    """Split at the commas outside parentheses and quotes."""
    depth, start, quoted = 0, 0, False
    for i, c in enumerate(text):
        quoted ^= c == '"'
        depth += (c == "(") - (c == ")")
        if c == "," and depth <= 0 and not quoted:
            yield text[start:i]
            start = i + 1
    yield text[start:]


def _spread(kind: Option, value: str | None) -> list[str | None]:
    """Return the values that a range, a list or a star stands for."""
    if value is None:
        return [None]
    if value == "*":
        return list(kind.every())
    spread: list[str | None] = []
    for part in value.split("|"):
        low, dots, high = part.partition("..")
        if not dots or not isinstance(kind, Number):
            spread.append(part)
            continue
        first, last = kind.read(low.strip()), kind.read(high.strip())
        if first > last:
            raise OptionError(f"{kind.name} must be a range like 3..5, got {shorten(part)}")
        if last - first >= MOST_VARIANTS:
            raise OptionError(f"expected at most {MOST_VARIANTS} variants, got {kind.name}={shorten(part)}")
        spread.extend(str(n) for n in range(first, last + 1))
    return spread
