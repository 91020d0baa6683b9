"""A session is a game played in the terminal: it reads what is typed, lets programs move, and shows the board."""

import random
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from gamesman.cli.display import colour, move_table, table, worth
from gamesman.errors import CallError, GamesmanError, MoveError, NotReachable, NotSolved, shorten
from gamesman.model.progress import watched
from gamesman.model.wording import count
from gamesman.play.players import Program, Strength
from gamesman.play.record import GameRecord, read_game, write_game
from gamesman.play.review import ReviewedMove, review
from gamesman.play.standing import ranked_legal
from gamesman.search.searcher import Searcher
from gamesman.values import NAMES, negate

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

# What moves are worth where nothing is stored is searched so many moves ahead, as far as the seconds reach.
VALUES_DEPTH = 4
VALUES_SECONDS = 10
HINT = Strength("time", 1)

HELP = """A move, or one of these:
  moves          the legal moves
  show           the position and its board
  hint           a good move, and what it is worth
  values         what every move is worth
  history        the moves so far, and where the game is solved, who went wrong where
  undo [N]       take back your last N moves
  strength HOW   let the program play perfect, depth=N, time=S, mistakes=RATE or random
  side SIDE      change sides: 1, 2, both or none
  save FILE      load FILE
  resign         quit"""


class _Quit(Exception):
    pass


class Session:
    """Plays a game between people, who type, and programs, one for each player."""

    def __init__(
        self,
        game: GameRecord,
        stored: "SolvedPositions | None",
        strength: str | None,
        other: str | None,
        seed: int | None,
        save_to: str | None,
    ):
        self.game = game
        self.variant = game.variant
        self.stored = stored
        self._searcher = Searcher(game.variant)
        self._searcher.progress = watched()
        self._chance = random.Random(seed)
        self._save_to = save_to
        default = "perfect" if stored is not None and stored.get(game.position) is not None else "time=1"
        how = Strength.read(strength or default)
        self._first = self.variant.turn(game.positions[0])
        self._programs = {self._first: self._program(how)}
        self._programs[1 - self._first] = self._program(Strength.read(other)) if other else self._programs[self._first]
        self._people = {0, 1}
        self._commands: dict[str, Callable[[str], None]] = {
            "help": self._help,
            "?": self._help,
            "moves": self._moves,
            "show": self._show,
            "board": self._show,
            "hint": self._hint,
            "values": self._values,
            "history": self._history,
            "undo": self._undo,
            "strength": self._strength,
            "side": self._side,
            "save": self._save,
            "load": self._load,
            "resign": self._resign,
            "quit": self._quit,
            "exit": self._quit,
        }

    def play(self, side: str | None) -> None:
        """Play to the end, or until there is nothing more to read."""
        try:
            if side is None and self.game.end is None:
                self._ask_side()
            elif side is not None:
                self._people = self._read_side(side)
            self._show("")
            while self.game.end is None:
                if self.game.turn in self._people:
                    self._person()
                else:
                    self._program_moves()
            self._say_end()
        except _Quit:
            click.echo("The game is left unfinished.")

    def _program(self, how: Strength) -> Program:
        return Program(self.variant, how, self.stored, self._chance, self._searcher)

    def _name(self, turn: int) -> str:
        return list(self.variant.game.players.values())[turn]

    def _ask(self, prompt: str) -> str:
        """Return a line that the person types; one from a pipe is shown, so that what comes out can be read."""
        if sys.stdin.isatty():
            with suppress(ImportError):
                # lazy: not every system has it; lines can be edited, and earlier ones called back
                import readline  # noqa: F401
        try:
            line = input(prompt)
        except EOFError:
            click.echo()
            raise _Quit from None
        if not sys.stdin.isatty():
            click.echo(line)
        return line.strip()

    def _ask_side(self) -> None:
        first, second = self._name(self._first), self._name(1 - self._first)
        while True:
            answer = self._ask(f"Be player 1 ({first}, moves first) or player 2 ({second})? [1, 2, both, none] ")
            try:
                self._people = self._read_side(answer)
                return
            except CallError as error:
                click.echo(str(error))

    def _read_side(self, text: str) -> set[int]:
        word = text.strip().lower()
        letters = list(self.variant.game.players)
        known = {"1": {self._first}, "2": {1 - self._first}, "both": {0, 1}, "none": set()}
        for turn, letter in enumerate(letters):
            known.setdefault(letter.lower(), {turn})
            known.setdefault(self._name(turn).lower(), {turn})
        if word not in known:
            raise CallError(f"expected 1, 2, {', '.join(letters)}, both or none, got {shorten(text) or 'nothing'}")
        return known[word]

    def _person(self) -> None:
        line = self._ask(f"{self._name(self.game.turn)}> ")
        if not line:
            return
        word, _, rest = line.partition(" ")
        try:
            if word in self._commands:
                self._commands[word](rest.strip())
            else:
                self._make(self.game.read_move(line))
                if self._people == {0, 1} or self.game.end is not None:
                    self._show("")
        except GamesmanError as error:
            click.echo(str(error))

    def _program_moves(self) -> None:
        who = self.game.turn
        choice = self._programs[who].choose(self.game)
        name = self.variant.move_name(self.game.position, choice.move)
        self._make(choice.move)
        click.echo(f"{self._name(who)} plays {name}   ({choice.remark})")
        self._show("")

    def _make(self, move: int) -> None:
        self.game.play(move)
        if self._save_to is not None:
            write_game(self.game, self._save_to)

    def _say_end(self) -> None:
        end = self.game.end
        assert end is not None
        said = end.reason
        if end.winner is not None and "has won" not in said:
            said += f": {self._name(end.winner)} has won"
        click.echo(f"After {count(len(self.game.moves), 'move')}: {said}.")
        if self.stored is not None and self.game.moves:
            try:
                wrong = [step for step in review(self.game, self.stored) if step.comment]
            except NotReachable:
                return
            click.echo(f"Who went wrong where:\n{_review_table(wrong)}" if wrong else "Nobody went wrong.")

    def _help(self, rest: str) -> None:
        click.echo(HELP)

    def _moves(self, rest: str) -> None:
        position = self.game.position
        click.echo(", ".join(self.variant.move_name(position, move) for move in self.game.legal_moves()))

    def _show(self, rest: str) -> None:
        position = self.game.position
        click.echo(f"\n{self.variant.show(position)}\n")
        if self.variant.has("draw"):
            click.echo(f"{self.variant.draw(position)}\n")

    def _hint(self, rest: str) -> None:
        try:
            program = self._program(Strength("perfect"))
        except NotSolved:
            program = self._program(HINT)
        choice = program.choose(self.game)
        click.echo(f"{self.variant.move_name(self.game.position, choice.move)}   ({choice.remark})")

    def _values(self, rest: str) -> None:
        position, legal = self.game.position, set(self.game.legal_moves())
        if self.stored is not None and self.stored.get(position) is not None:
            moves = ranked_legal(self.variant, self.stored, position, self.game.past)
            best = moves[0]
            ahead = None if best.remoteness is None else best.remoteness + 1
            click.echo(worth(self.variant, position, best.value, ahead))
            click.echo(move_table(moves, best.value))
            if self.game.forbids_repetition and any(not move.is_sure or move.value == "draw" for move in moves):
                click.echo("Draws, and values that may not stand, leave out that no board may come back.")
            return
        rows = []
        for move in legal:
            child = self.variant.do_move(position, move)
            found = self._searcher.search(child, VALUES_DEPTH - 1, VALUES_SECONDS / len(legal), self.game.past)
            is_same = self.variant.turn(child) == self.game.turn
            score = found.score if is_same else -found.score
            said = f"{score:+d}"
            if found.value is not None:
                value = found.value if is_same else negate(found.value)
                said = colour(NAMES[value], NAMES[value])
                said += "" if found.remoteness is None else f" in {found.remoteness + 1}"
            rows.append((score, [self.variant.move_name(position, move), said]))
        rows.sort(key=lambda row: (-row[0], row[1]))
        click.echo(table([["move", f"seen {VALUES_DEPTH} moves ahead at most"], *(row for _, row in rows)]))

    def _history(self, rest: str) -> None:
        if not self.game.moves:
            click.echo("No move has been made.")
        elif self.stored is not None and self.stored.get(self.game.positions[0]) is not None:
            click.echo(_review_table(review(self.game, self.stored)))
        else:
            players = [self.variant.player(position) for position in self.game.positions]
            rows = [[f"{i}.", players[i - 1], name] for i, name in enumerate(self.game.names(), 1)]
            click.echo(table(rows, right=[0]))

    def _undo(self, rest: str) -> None:
        if not (rest or "1").isdigit() or not 1 <= int(rest or 1) <= 9999:
            raise CallError(f"expected undo, or undo N to take back N of your moves, got undo {shorten(rest)}")
        turns = map(self.variant.turn, self.game.positions[:-1])
        own = [number for number, turn in enumerate(turns) if turn in self._people]
        if not own:
            raise MoveError("there is no move of yours to take back")
        moves = len(self.game.moves) - own[-min(int(rest or 1), len(own))]
        for _ in range(moves):
            self.game.undo()
        click.echo(f"{count(moves, 'move')} taken back.")
        self._show("")

    def _strength(self, rest: str) -> None:
        program = self._program(Strength.read(rest))
        self._programs = {0: program, 1: program}
        click.echo(f"The program plays {program.strength}.")

    def _side(self, rest: str) -> None:
        self._people = self._read_side(rest)

    def _save(self, rest: str) -> None:
        if not rest:
            raise CallError("expected save FILE, got no file")
        write_game(self.game, rest)
        click.echo(f"Saved in {rest}.")

    def _load(self, rest: str) -> None:
        if not rest:
            raise CallError("expected load FILE, got no file")
        self.game = read_game(self.variant, rest)
        click.echo(f"{count(len(self.game.moves), 'move')} loaded.")
        self._show("")

    def _resign(self, rest: str) -> None:
        self.game.resigned = self.game.turn

    def _quit(self, rest: str) -> None:
        raise _Quit


def _review_table(steps: list[ReviewedMove]) -> str:
    rows = [["", "player", "move", "value", "in", ""]]
    for step in steps:
        ahead = "-" if step.remoteness is None else str(step.remoteness)
        rows.append([f"{step.number}.", step.player, step.name, colour(step.value, step.value), ahead, step.comment])
    return table(rows, right=[0, 4])
