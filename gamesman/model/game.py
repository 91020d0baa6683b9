"""A game is found here, and what it offers: one of ours, one that is installed, or a file of the user's.

A game is one module of plain functions. REQUIRED:

    __doc__                              the rules for a person; the first line is the game's one-line description
    options                              a list of gamesman.options kinds (Number, Switch, Choice, Text)
    setup(options) -> rules              a NamedTuple of ints and of tuples of ints (tables), for one variant
    start(rules) -> position             a position is a tuple of ints
    hash(rules, position) -> key         one to one with an integer, 0 <= key < 2**63 where the variant can be solved
    unhash(rules, key) -> position
    turn(rules, position) -> 0 or 1      whose move it is; after a move it may be the same player's
    primitive(rules, position)           WIN, LOSE or TIE for the player to move, or UNDECIDED
    generate_moves(rules, position)      yields every legal move of an undecided position, as an int
    do_move(rules, position, move) -> position
    show(rules, position) -> text        the position as text, exactly as `parse` reads it
    parse(rules, text) -> position       raises PositionError
    move_name(rules, position, move)     the move as text

OPTIONAL, and what is lost without it:

    players                   letter -> name of the two players; without it they are 1 and 2
    plural = "d"              the letters of players whose names are plural: the hounds win, the hare wins
    parse_move(rules, position, text)    raises MoveError; without it the text is looked up among the names of the legal
                                         moves, and a wrong move is not told why it is wrong
    draw(rules, position)     the board for a person; without it, the position's text
    tier(rules, position)     an int that never rises along a move; without it all positions are held in memory at once
    undo_moves(rules, position)   yields the positions of the same tier from which a move leads here, once for each such
                                  move, for undecided or primitive positions alike; a position yielded that is not
                                  reachable is ignored; without it a tier with cycles needs its edges in memory
    key_bound(rules)          an integer above every key; without it a variant that is too large is found out late
    tier_keys(rules, tier) -> (first, count)   where the keys of a tier are consecutive and well filled: makes arrays
                              possible; a count of 0, or without it, positions are found by hashing
    symmetries(rules, position)   yields the positions that are the same game turned or mirrored, always as many and in
                                  the same order; without it each of them is solved and stored by itself
    evaluate(rules, position)     an estimate for the player to move, larger is better, well inside +-1,000,000;
                                  without it search only knows what it can see to the end
    mobility(rules, position) how much the player to move can do, 0 or more: prove searches first where he can do least;
                              without it, where he has the fewest moves
    ends(rules, position, move)   the cells of a move, as numbers of layout.board(rules): none of a pass, one or more
    tier_name(rules, tier)    a tier for a person
    shapes                    letter -> how a piece looks in a browser, like {"W": "flag"}: see gamesman.web.picture
    piles(rules, position)    how many things are in each pile, for a game without a board: a browser draws them
    layout                    what a position is made of (gamesman.layout): the functions that follow from it need not
                              be written
    largest = "rows=5,cols=5" options of the largest variant that was solved, named where a larger one is refused
    endgames = "..."          the module whose functions number all positions of the low tiers, see model/endgames.py
    data_files                the names of files beside the game that its rules are read from, like ["openings.txt"]:
                              with one of them changed it is another game; without it what the rules and the functions
                              have come to is compared, and that is enough where nothing else is read in a function
    no_repetition = True      in a game no position may come back that has been before, and a player left without a move
                              by that has lost: playing and searching keep to it, stored values leave it out; without
                              it positions may come back
    no_return = True          no position can come back, although the tier does not fall with every move, as where a
                              player passes; without it, where it does not fall, `prove` finds only wins and losses
                              within a number of moves
"""

import ast
import importlib
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from gamesman.errors import BrokenGame, UnknownGame, did_you_mean, shorten
from gamesman.machine.files import FILE, kind
from gamesman.model.meaning import digest, source
from gamesman.model.paths import shown_path
from gamesman.model.wording import agreeing
from gamesman.options import Choice, Number, Option, Switch, Text

REQUIRED = "setup start hash unhash turn primitive generate_moves do_move show parse move_name".split()
OPTIONAL = (
    "parse_move draw tier undo_moves key_bound tier_keys evaluate mobility symmetries ends tier_name piles".split()
)
DECIDING = "hash unhash turn primitive generate_moves do_move tier undo_moves tier_keys".split()
YIELDING = "generate_moves undo_moves symmetries".split()
ENTRY_POINTS = "gamesman.games"
# How a piece may look in a browser.
SHAPES = ("disc", "ring", "cross", "block", "joined", "flag", "right", "up", "left", "down")


@dataclass(frozen=True)
class Game:
    """Holds a game that has everything required of it."""

    name: str
    module: ModuleType
    options: list[Option]
    players: dict[str, str]
    path: Path
    functions: dict[str, Callable[..., Any]] = field(repr=False)
    data: dict[str, bytes] = field(default_factory=dict, repr=False)  # digests of the files that it says it reads

    @property
    def title(self) -> str:
        return self.rules_text.splitlines()[0].strip()

    @property
    def rules_text(self) -> str:
        return (self.module.__doc__ or "").strip() or self.name

    @cached_property
    def meaning(self) -> str:
        """Return a digest of what decides the positions, their keys and their values, but for the rules of a variant.

        Symmetries decide which position of a class is stored. Of a game without them nothing is said of that.
        """
        deciding = [(name, self.functions.get(name)) for name in DECIDING]
        if "symmetries" in self.functions:
            deciding.append(("symmetries", self.functions["symmetries"]))
        return digest(deciding, show=source)

    def smaller_than(self, name: str) -> str:
        """Write what to add where a variant is too large: the largest one that was solved, if the game names it."""
        largest = f"{self.name}:{getattr(self.module, 'largest', '')}"
        return "" if largest in (f"{self.name}:", name) else f"; the largest that was solved is {largest}"

    @property
    def is_apart(self) -> Callable[[Any, Any], bool]:
        """Return what tells whether no cell of a position holds two pieces; of a game without a layout it says so."""
        found: Callable[[Any, Any], bool] = getattr(getattr(self.module, "layout", None), "is_apart", always_apart)
        return found

    @property
    def is_ours(self) -> bool:
        """Tell whether it came with gamesman; others are the user's own, or another package's."""
        return self.module.__name__.startswith("gamesman.games.")

    def is_plural(self, player: int) -> bool:
        """Tell whether the name of a player, who is given by number, is plural."""
        plural = getattr(self.module, "plural", "")
        return not callable(plural) and list(self.players)[player] in plural

    def does(self, player: int, verb: str) -> str:
        """Return what a player does, given as of one: wins, and win where the name is plural."""
        return agreeing(verb, self.is_plural(player))

    @property
    def no_repetition(self) -> bool:
        """Tell whether no position may come back in a game."""
        return bool(getattr(self.module, "no_repetition", False))

    @property
    def no_return(self) -> bool:
        """Tell whether the game says that no position can come back, whatever the tier does."""
        return bool(getattr(self.module, "no_return", False))


def no_tier(rules: Any, position: Any) -> int:
    """Return the tier of every position of a game that has no function `tier`."""
    return 0


def always_apart(rules: Any, position: Any) -> bool:
    """Tell that no cell holds two pieces, of a game that does not say what its cells hold."""
    return True


def load(name: str) -> Game:
    """Load the game of that name: one of ours, one installed, or a Python file. Raises UnknownGame or BrokenGame.

    >>> load("konane").players
    {'w': 'White', 'b': 'Black'}
    >>> load("konan")
    Traceback (most recent call last):
    ...
    gamesman.errors.UnknownGame: no such game: konan (did you mean konane?); run: gamesman games
    """
    if name.endswith(".py") or "/" in name or "\\" in name:
        module = _import_file(name)
        return _checked(shown_path(Path(name)), module)
    if name in built_in():
        return _checked(name, importlib.import_module(f"gamesman.games.{name}"))
    installed = _installed()
    if name in installed:
        try:
            module = installed[name].load()
        except (Exception, SystemExit) as error:
            what = f"{type(error).__name__}: {shorten(str(error))}"
            raise BrokenGame(f"{name} is installed but cannot be imported: {what}") from error
        return _checked(name, module)
    hint = did_you_mean(name, [*built_in(), *installed])
    if not hint and os.path.isfile(name + ".py"):
        hint = f" (did you mean ./{name}.py?)"
    if "=" in name:
        hint = "; options follow the name of a game and a colon, as in konane:rows=4"
    raise UnknownGame(f"no such game: {shorten(name) or 'nothing'}{hint}; run: gamesman games")


def built_in() -> list[str]:
    # lazy: start-up time
    from gamesman import games

    return sorted(m.name for m in pkgutil.iter_modules(games.__path__) if not m.name.startswith("_"))


def known() -> Iterator[str]:
    """Yield the names of all games there are, ours first."""
    yield from built_in()
    yield from sorted(set(_installed()) - set(built_in()))


def _installed() -> dict[str, Any]:
    # lazy: start-up time
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


def _import_file(name: str) -> ModuleType:
    path = Path(name)
    try:
        name.encode()
    except UnicodeEncodeError:  # it is written into databases, which hold text
        raise UnknownGame(f"a game file must have a name in UTF-8, got {shorten(ascii(name))}; rename it") from None
    try:
        if kind(path) not in (None, FILE):
            raise UnknownGame(f"expected a game file, got {kind(path)}: {shorten(name)}")
        text = path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError | ValueError):
            raise UnknownGame(f"no such game file: {shorten(name)}") from None
        raise UnknownGame(f"{shorten(name)} cannot be read: {error.strerror}") from None
    if path.suffix != ".py":
        raise BrokenGame(f"{shorten(name)} is no Python file: its name must end in .py")
    path = path.resolve()  # the current folder may change before it is asked for
    # The module's name follows from its content, so that compiled code kept on disk never meets another source.
    module_name = f"gamesman_file_{sha256(str(path).encode() + bytes(1) + text).hexdigest()[:16]}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    module = ModuleType(module_name)
    module.__file__ = str(path)
    sys.modules[module_name] = module
    try:
        with _helpers_from(path.parent):
            # Not by way of a .pyc, which would be taken for fresh if the file changes twice in a second.
            exec(compile(text, str(path), "exec"), vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        where = _line_in(path, error)
        raise BrokenGame(
            f"{name} cannot be loaded: {where}{type(error).__name__}: {shorten(str(error), 200)}"
        ) from error
    return module


_helpers: dict[str, Path] = {}  # module -> the folder of the game that imported it


@contextmanager
def _helpers_from(folder: Path) -> Iterator[None]:
    """Let imports find what is beside a game, and not a helper of the same name that a game elsewhere has imported."""
    for name, home in list(_helpers.items()):
        own = folder / name.partition(".")[0]
        if home != folder and (own.is_dir() or own.with_suffix(".py").is_file()):
            sys.modules.pop(name, None)
            del _helpers[name]
    before = set(sys.modules)
    writes_no_bytecode = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = writes_no_bytecode
        for name in set(sys.modules) - before:
            path = Path(getattr(sys.modules[name], "__file__", None) or "/")
            if folder in path.parents and "site-packages" not in path.parts:
                _helpers[name] = folder


def _line_in(path: Path, error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: " if error.lineno else ""
    lines = []
    frame = error.__traceback__
    while frame is not None:
        if os.path.abspath(frame.tb_frame.f_code.co_filename) == os.path.abspath(path):
            lines.append(frame.tb_lineno)
        frame = frame.tb_next
    return f"line {lines[-1]}: " if lines else ""


def _checked(name: str, module: ModuleType) -> Game:
    if not isinstance(module, ModuleType):
        raise BrokenGame(f"{name} must be a module of functions, got {shorten(repr(module))}")
    layout = getattr(module, "layout", None)
    if layout is not None and hasattr(layout, "functions"):
        try:
            filled = layout.functions(module)
        except ValueError as error:
            raise BrokenGame(f"{name}: layout: {error}") from error
        for function in filled:
            setattr(module, function, filled[function])
    missing = [f for f in REQUIRED if not callable(getattr(module, f, None))]
    if missing:
        others = [other for other in vars(module) if callable(getattr(module, other)) and other not in REQUIRED]
        lacks = ", ".join(one + did_you_mean(one, others) for one in missing)
        raise BrokenGame(f"{name} lacks {lacks}; see: CONTRIBUTING.md, Writing a game")
    options = getattr(module, "options", None)
    if not isinstance(options, list) or not all(isinstance(o, Number | Switch | Choice | Text) for o in options):
        raise BrokenGame(f"{name} lacks options: a list of Number, Switch, Choice and Text, which may be empty")
    names = [option.name for option in options]
    for option_name in names:
        if not option_name.isidentifier() or names.count(option_name) > 1:
            said = shorten(repr(option_name))
            raise BrokenGame(f"{name}: options must have names like Python's, each another one, got {said}")
    players = getattr(module, "players", {"1": "Player 1", "2": "Player 2"})
    if not isinstance(players, dict) or len(players) != 2:
        raise BrokenGame(f"{name}: players must name two players, like {{'w': 'White', 'b': 'Black'}}, got {players!r}")
    functions = {f: getattr(module, f) for f in [*REQUIRED, *OPTIONAL] if callable(getattr(module, f, None))}
    return Game(name, module, options, players, Path(module.__file__ or ""), functions, _data(name, module))


def _data(name: str, module: ModuleType) -> dict[str, bytes]:
    """Return a digest of each file that a game says it reads, by the file's name."""
    names = getattr(module, "data_files", [])
    if not isinstance(names, list | tuple) or not all(isinstance(file, str) for file in names):
        raise BrokenGame(f"{name}: data_files must be a list of file names, got {shorten(repr(names))}")
    found = {}
    for file in sorted(set(names)):
        try:
            content = (Path(module.__file__ or "").resolve().parent / file).read_bytes()
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise BrokenGame(f"{name}: {shorten(file)}, which data_files names, cannot be read: {why}") from None
        found[file] = sha256(content).digest()
    return found


def source_files(module: ModuleType) -> list[Path]:
    """Find the game's file and those that it imports, directly or not, from beside it or from its own package.

    Imports are read from the source, because what is imported may be no more than a number.
    """
    path = Path(os.path.abspath(module.__file__ or ""))  # not resolved: our games are in a folder that a link leads to
    root = path.parents[module.__name__.count(".")]
    found = [path]
    for path in found:
        for name in _imports(path, path.relative_to(root).parts[:-1]):
            beside = root.joinpath(*name)
            for candidate in (beside.with_suffix(".py"), beside / "__init__.py"):
                if _may_be_theirs(name) and candidate not in found and candidate.is_file():
                    found.append(candidate)
    return [found[0], *sorted(found[1:])]


def _may_be_theirs(name: tuple[str, ...]) -> bool:
    """Tell whether a module may belong to a game, and is not of the framework."""
    return name[0] != "gamesman" or (name[1:2] == ("games",) and len(name) > 2)


def _imports(path: Path, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the dotted names that may be modules imported by a file in that package."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield tuple(alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            name = above + tuple(node.module.split(".") if node.module else ())
            if name:
                yield name
            for alias in node.names:
                yield (*name, alias.name)
