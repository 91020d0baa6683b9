"""The kernel made here plays games out at random. It is written for compiled code and gives the same interpreted."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gamesman.values import TIE, UNDECIDED, WIN

# How a game went: who has won, or that it was cut off, or that a position came back which ends it as a draw: only where
# a player searches.
FIRST, SECOND, NOBODY, CUT, RETURNED = range(5)
# How a call can fail, instead of saying how many games it has played: the list of moves is too short; no move is left.
FULL, STUCK = -1, -2

# Two generators together, each with products that fit a machine word: P. L'Ecuyer, Communications of the ACM 31 (1988).
MODULI = 2147483563, 2147483399
FACTORS = 40014, 40692


def playout_kernels(
    kernel: Callable[[Any], Any],
    functions: dict[str, Any],
    take: Callable[..., Any],
    put: Callable[..., Any],
    word: Callable[[Any], Any],
) -> dict[str, Any]:
    """Make the kernel of a game's functions, and of those that take positions from rows and put them there.

    `word` makes a move that is a wide integer a word.
    """
    primitive, turn, do_move = functions["primitive"], functions["turn"], functions["do_move"]
    generate_moves = functions["generate_moves"]
    one, other = MODULI
    by_one, by_other = FACTORS

    def play_out(
        rules: Any, rows: Any, first: int, most_moves: int, moves: np.ndarray, random: np.ndarray, seeds: np.ndarray,
        outcomes: np.ndarray, lengths: np.ndarray, choices: np.ndarray, offered: np.ndarray,
    ) -> int:  # fmt: skip
        """Play a game from rows[0] for each of `outcomes`; return how many, or how it failed.

        `random` is the state of the generators, and each of `seeds` what it was before a game. After `most_moves` a
        game is cut off. Of each the moves are counted, those made where there were two or more, and how many there
        were to choose from; the position that the last one ends with stays in rows[1].
        """
        for game in range(outcomes.shape[0]):
            seeds[game, 0] = random[0]
            seeds[game, 1] = random[1]
            put(rows, 1, take(rows, 0))
            length = 0
            chosen = 0
            all_offered = 0
            outcome = CUT
            while True:
                position = take(rows, 1)
                value = primitive(rules, position)
                if value != UNDECIDED:
                    if value == TIE:
                        outcome = NOBODY
                    elif (value == WIN) == (turn(rules, position) == first):
                        outcome = FIRST
                    else:
                        outcome = SECOND
                    break
                if length == most_moves:
                    break
                count = 0
                for move in generate_moves(rules, position):
                    if count == moves.shape[0]:
                        return FULL
                    moves[count] = word(move)
                    count += 1
                if count == 0:
                    return STUCK
                random[0] = random[0] * by_one % one
                random[1] = random[1] * by_other % other
                drawn = (random[0] - random[1] + one - 1) % (one - 1)
                put(rows, 1, do_move(rules, position, moves[drawn * count // (one - 1)]))
                length += 1
                chosen += count > 1
                all_offered += count
            outcomes[game] = outcome
            lengths[game] = length
            choices[game] = chosen
            offered[game] = all_offered
        return int(outcomes.shape[0])

    return {"play_out": kernel(play_out)}
