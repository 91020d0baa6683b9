"""A session is a game played in the terminal: it reads what is typed, lets programs move, and shows the board."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gamesman.cli.asked import HELP_SIDE, as_written, help_page
from gamesman.cli.display import colour, listed, move_table, table, worth, wrapped
from gamesman.cli.terminal import Left, Terminal
from gamesman.errors import CallError, GamesmanError, MoveError, NotReachable, NotSolved, shorten
from gamesman.machine.files import remove_file
from gamesman.model.advice import command
from gamesman.model.progress import watched
from gamesman.model.wording import count
from gamesman.play.players import Program, Strength
from gamesman.play.record import GameRecord, check_place, read_game, write_game
from gamesman.play.review import ReviewedMove, review
from gamesman.play.standing import ranked_legal
from gamesman.search.searcher import Searcher
from gamesman.values import NAMES, negate

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions
    from gamesman.model.tables import Tables

# What moves are worth where nothing is stored is searched so many moves ahead, as far as the seconds reach.
VALUES_DEPTH = 4
VALUES_SECONDS = 10
HINT = Strength("time", 1)


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
        kept: Path | None = None,
        is_named: bool = False,
        tables: "Tables | None" = None,
    ):
        if save_to is not None:
            check_place(save_to)
        self.game = game
        self._terminal = Terminal()
        self._kept = kept
        self._is_named = is_named
        self._is_shown = False  # whether the board has been
        self._is_paused = False  # whether the program waits, for its thinking was interrupted
        self.variant = game.variant
        self.stored = stored
        self._searcher = Searcher(game.variant, tables=tables)
        self._searcher.progress = watched()
        self._chance = random.Random(seed)
        self._save_to = save_to
        default = "perfect" if stored is not None and stored.get(game.position) is not None else "time=1"
        how = Strength.read(strength or default)
        self._first = self.variant.turn(game.positions[0])
        self._programs = {self._first: self._program(how)}
        self._programs[1 - self._first] = self._program(Strength.read(other)) if other else self._programs[self._first]
        if strength is None and other is None:
            for player, its in (game.programs or {}).items():
                self._programs[player] = self._program(Strength.read(its))
        self._people = {0, 1}
        self._commands: dict[str, Callable[[str], None]] = {
            "help": self._help,
            "?": self._help,
            "moves": self._moves,
            "show": self._show,
            "board": self._show,
            "names": self._names,
            "clock": self._clock,
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
            "q": self._quit,
        }

    def play(self, side: str | None, is_resumed: bool = False) -> None:
        """Play to the end, or until there is nothing more to read; a game that is left is kept, or kept no longer."""
        try:
            with self._terminal.heeding():
                self._play(side, is_resumed)
            if is_resumed and self._kept is not None:
                remove_file(self._kept)
        except Left:
            self._keep()
            click.echo("The game is left unfinished.")
        except KeyboardInterrupt:
            self._keep()
            raise

    def _play(self, side: str | None, is_resumed: bool) -> None:
        if self.game.end is not None and not self.game.moves:
            self._say_over_before()
            return
        if not is_resumed and self._kept is not None and self._kept.exists() and self._terminal.is_watched:
            click.echo(f"A game that you left is kept; go on with it: {self._resuming()}")
        if side is not None:
            self._people = self._read_side(side)
        elif self.game.programs is not None:
            self._people -= self.game.programs.keys()
        elif self.game.end is None:
            self._again(self._ask_side)
        self._again(self._go_on)
        self._say_end()

    def _go_on(self) -> None:
        if not self._is_shown:
            self._is_shown = True
            self._show("")
        if self.game.clock.limit is not None and self._people != {0, 1}:
            self._searcher.tree(hurried=True)  # what is compiled first is not in the program's time
            self._searcher.progress.finish()
        while self.game.end is None:
            self._step()

    def _again(self, step: Callable[[], None]) -> None:
        """Do a step until it is done; after a Ctrl-C there is a prompt, and the program waits till it is to go on."""
        while True:
            try:
                return step()
            except KeyboardInterrupt:
                self._terminal.interrupted("Ctrl-C once more, or quit, ends; help lists what can be typed.")
                self._is_paused = True

    def _step(self) -> None:
        who = self.game.turn
        self._is_paused = self._is_paused and who not in self._people
        with self.game.clock.running(who):
            if who in self._people or self._is_paused:
                self._person(who)
            else:
                self._program_moves()

    def _keep(self) -> None:
        """Keep the game if somebody at a terminal leaves it before its end."""
        if self._kept is None or not self.game.moves or self.game.end is not None or not self._terminal.is_watched:
            return
        if self._is_shown:  # who plays has been settled
            strengths = {player: str(program.strength) for player, program in self._programs.items()}
            self.game.programs = {player: strengths[player] for player in {0, 1} - self._people}
        try:
            self._kept.parent.mkdir(parents=True, exist_ok=True)
            write_game(self.game, str(self._kept))
        except (OSError, CallError) as error:
            click.echo(f"The game is not kept: {error}", err=True)
            return
        click.echo(f"The game is kept; go on with it: {self._resuming()}")

    def _resuming(self) -> str:
        return command("play", self.variant.name, options=["--resume"])

    def _program(self, how: Strength) -> Program:
        return Program(self.variant, how, self.stored, self._chance, self._searcher)

    def _name(self, turn: int) -> str:
        return list(self.variant.game.players.values())[turn]

    def _ask_side(self) -> None:
        first, second = self._name(self._first), self._name(1 - self._first)
        moves = self.variant.game.does(self._first, "moves")
        while True:
            answer = self._terminal.ask(
                f"Be player 1 ({first}, {moves} first) or player 2 ({second})? [1, 2, both, none] "
            )
            try:
                if answer.lower() in ("quit", "exit", "q"):
                    raise Left
                if answer.lower() in ("help", "?"):
                    click.echo(HELP_SIDE)
                    continue
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

    def _person(self, who: int) -> None:
        name, clock = self._name(who), self.game.clock
        prompt = f"{name} is the program's, Enter lets it think" if self._is_paused else name
        line = self._terminal.ask(f"{prompt} ({clock.text(who)})> " if clock.limit else f"{prompt}> ")
        if clock.has_run_out(who):
            self.game.late = who
            return
        if not line:
            self._is_paused = False
            return
        word, _, rest = line.partition(" ")
        try:
            if word.lower() in self._commands:
                self._commands[word.lower()](rest.strip())
            elif self._is_paused:
                raise MoveError(f"it is the program's turn: expected Enter, or a word of help, got {shorten(line)}")
            else:
                self._make(self.game.read_move(as_written(line, self._names_of_moves())))
                if self.game.turn in self._people or self.game.end is not None:
                    self._show("")
        except GamesmanError as error:
            click.echo(wrapped(str(error)))

    def _names_of_moves(self) -> list[str]:
        return [self.variant.move_name(self.game.position, move) for move in self.game.legal_moves()]

    def _program_moves(self) -> None:
        who = self.game.turn
        choice = self._programs[who].choose(self.game)
        if self.game.clock.has_run_out(who):
            self.game.late = who
            return
        name = self.variant.move_name(self.game.position, choice.move)
        self._make(choice.move)
        click.echo(f"{self._name(who)} {self.variant.game.does(who, 'plays')} {name}   ({choice.remark})")
        self._show("")

    def _make(self, move: int) -> None:
        self.game.play(move)
        if self._save_to is not None:
            write_game(self.game, self._save_to)

    def _say_end(self) -> None:
        end = self.game.end
        assert end is not None
        said = end.reason
        if end.winner is not None and not said.endswith(" won"):
            said += f": {self._name(end.winner)} {self.variant.game.does(end.winner, 'has')} won"
        click.echo(f"After {count(len(self.game.moves), 'move')}: {said}.")
        if self.stored is not None and self.game.moves:
            try:
                wrong = [step for step in review(self.game, self.stored) if step.comment]
            except NotReachable:
                return
            click.echo(f"Who went wrong where:\n{_review_table(wrong)}" if wrong else "Nobody went wrong.")

    def _say_over_before(self) -> None:
        """Say of a game in which nothing can be played why, and where other sizes are found."""
        end, variant = self.game.end, self.variant
        assert end is not None
        self._show("")
        if self.game.position == variant.start():
            click.echo(f"{variant.name} is over before the first move: {end.reason}.")
            click.echo(f"Other sizes and starts: {command('info', variant.game.name)}")
        else:
            click.echo(f"The game is over there: {end.reason}.")

    def _help(self, rest: str) -> None:
        click.echo(help_page(self._names_of_moves(), self.variant.game.rules_text))

    def _moves(self, rest: str) -> None:
        self._terminal.page(listed(self._names_of_moves()))

    def _show(self, rest: str) -> None:
        position = self.game.position
        click.echo(f"\n{self.variant.show(position)}\n")
        if self.variant.has("draw"):
            click.echo(f"{self.variant.draw(position, self._is_named)}\n")

    def _names(self, rest: str) -> None:
        self._is_named = not self._is_named
        self._show("")

    def _clock(self, rest: str) -> None:
        click.echo(", ".join(f"{self._name(who)} {self.game.clock.text(who)}" for who in (0, 1)))

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
            text = f"{worth(self.variant, position, best.value, ahead)}\n{move_table(moves, best.value)}"
            if self.game.forbids_repetition and any(not move.is_sure or move.value == "draw" for move in moves):
                text += "\nDraws, and values that may not stand, leave out that no board may come back."
            self._terminal.page(text)
            return
        rows = []
        for move in legal:
            child = self.variant.do_move(position, move)
            if child in self.game.past:
                rows.append((0, [self.variant.move_name(position, move), "comes back, as a draw"]))
                continue
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
        head = ["move", f"seen {VALUES_DEPTH} moves ahead at most"]
        self._terminal.page(table([head, *(row for _, row in rows)]))

    def _history(self, rest: str) -> None:
        if not self.game.moves:
            click.echo("No move has been made.")
        elif self.stored is not None and self.stored.get(self.game.positions[0]) is not None:
            self._terminal.page(_review_table(review(self.game, self.stored)))
        else:
            players = [self.variant.player(position) for position in self.game.positions]
            rows = [[f"{i}.", players[i - 1], name] for i, name in enumerate(self.game.names(), 1)]
            self._terminal.page(table(rows, right=[0]))

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
        program = self._program(Strength.read(rest.lower()))
        self._programs = {0: program, 1: program}
        click.echo(f"The program plays {program.strength}.")

    def _side(self, rest: str) -> None:
        self._people = self._read_side(rest)
        whose = " and ".join(self._name(who) for who in (self._first, 1 - self._first) if who in self._people)
        click.echo(f"You are {whose or 'neither'} now.")

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
        raise Left


def _review_table(steps: list[ReviewedMove]) -> str:
    rows = [["", "player", "move", "value", "in", ""]]
    for step in steps:
        ahead = "-" if step.remoteness is None else str(step.remoteness)
        rows.append([f"{step.number}.", step.player, step.name, colour(step.value, step.value), ahead, step.comment])
    return table(rows, right=[0, 4])
