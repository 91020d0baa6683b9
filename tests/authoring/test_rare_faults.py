"""A mistake at one position that no sample meets is found while solving, or by the proof that follows."""

import pytest
from support import SUPPORT
from support.storing import store_solution

from gamesman import app
from gamesman.analysis import legible
from gamesman.analysis.verify import Verification
from gamesman.db import open_store
from gamesman.errors import BrokenGame, NotVerified
from gamesman.model.beginning import first_file
from gamesman.model.check import check
from gamesman.model.variant import variant
from gamesman.solver import reference
from gamesman.solver.solve import solve

GAME = str(SUPPORT / "faulty.py")

# What is wrong, and what is said where positions are found by hashing, and where they are in arrays.
LED = r", where move (down leads from \(6 55 1\)|right leads from \(5 54 1\))$"
FOUND_WHILE_SOLVING = {
    "stuck": r"generate_moves must yield a move where primitive says UNDECIDED, got none, at \(5 55 0\)",
    "primitive": r"primitive must return WIN, LOSE, TIE or UNDECIDED, got 7, at \(5 55 0\)" + LED,
    "draw": r"primitive must return WIN, LOSE, TIE or UNDECIDED, got 1, at \(5 55 0\)" + LED,
    "turn": r"turn must return 0 or 1, got 2, at \(5 55 0\)" + LED,
    "below": r"turn must return 0 or 1, got -1, at \(5 55 0\)" + LED,
    "rises": r"tier must never rise, got 5, then 6 at \(6 55 1\), at \(5 55 0\)",
    "sinks": r"got -9, at \(-1 55 1\), where move down leads from \(5 55 0\)",
    "negative": r"hash must be 0 or more and less than key_bound, 12120, got -1, at \(5 55 0\)" + LED,
    "beyond": r"hash must be 0 or more and less than key_bound, 12120, got 12127, at \(5 55 0\)" + LED,
    "high": r"hash must be 0 or more and less than key_bound, 12120, got 12123, at \(5 55 0\)" + LED,
}
# A key of another tier is one that the solver knows; what is solved is then not what the moves say.
FOUND_BY_PROOF = {
    "other": r"unhash must give back the position of key 830, got \(6, 55, 0\), at \(5 55 0\), where",
    "leaves": r"unhash must give back the position of key 831, got \(6, 55, 1\), at \(5 115 1\), where move right",
    "collision": r"unhash must give back the position of key 712, got \(5, 56, 0\), at \(5 55 0\), where",
    "lifts": r"tier must never rise, got [56], then 7 at \(5 55 0\), at \((5 54 1|6 55 1)\)",
    "raises": r"do_move must not fail, got ValueError: rare on line \d+, at \(5 55 0\)",
    "unhash": r"unhash must give back the position of key 710, got \(5, 54, 0\), at \(5 55 0\), where",
    "undo_less": r"undo_moves must yield \(5 54 1\) once, got it 0 times, at \(5 55 0\); nothing was kept",
    "undo_more": r"undo_moves must yield \(5 53 0\) 0 times, got it once, at \(5 55 0\); nothing was kept",
    # What is read there may be no step at all: then the solver meets it first, or what it leads to.
    "near": r"do_move must not fail, got IndexError: .*rules.steps\[step \+ 7\], at \(5 55 0\)"
    r"(; nothing was kept|, where move |$)|keep to whole numbers below 2\*\*63, and indexes in their tables",
    "twice": r"generate_moves must yield each move once, got 0 twice, at \(5 55 0\); nothing was kept",
    "wraps": r"do_move says 591 interpreted and 589 compiled, at \(5 55 0\);"
    r"|position \(4 54 1\) cannot be reached from the start",
    "divides": r"do_move must not fail, got ZeroDivisionError: .* on line \d+, at \(5 55 0\); nothing was kept",
}
# The values are right; it is what is written that nobody could read.
FOUND_BY_READING = {
    "show": r"show must not fail, got IndexError: .* on line \d+, .*, at \(5, 55, 0\)",
    "parse": r"parse must read what show writes, \(5 55 0\), got \(5, 56, 0\), at \(5 55 0\)",
    "board": r"draw must return text, got 7, at \(5 55 0\)",
    "names": r"move_name must tell moves apart, got down for 1 and 0, at \(5 55 0\)",
    "reads": r"parse_move must read right as move 1, got False, at \(5 55 0\)",
    "estimate": r"evaluate must be well inside \+-1,000,000, got 1,099,511,627,776, at \(5 55 0\)",
}


def faulty(fault, kind=""):
    return variant(f"{GAME}:fault={fault}{kind}")


@pytest.mark.parametrize("fault", [*FOUND_WHILE_SOLVING, *FOUND_BY_PROOF, *FOUND_BY_READING])
def test_a_sample_does_not_meet_the_fault(fault):
    assert check(faulty(fault)) == 1000


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", ",dense"], ids=["hashed", "in arrays"])
@pytest.mark.parametrize("fault", FOUND_WHILE_SOLVING)
def test_what_cannot_be_is_found_while_solving_with_the_move_that_leads_there(fault, kind):
    with pytest.raises(BrokenGame, match=FOUND_WHILE_SOLVING[fault]) as caught:
        solve(faulty(fault, kind))
    assert str(caught.value).startswith(f"{faulty(fault, kind).name}: ")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", ",dense"], ids=["hashed", "in arrays"])
@pytest.mark.parametrize("fault", FOUND_BY_PROOF)
def test_what_is_solved_wrongly_is_found_by_the_proof_and_not_kept(fault, kind, database):
    game = faulty(fault, kind)
    with pytest.raises(BrokenGame, match=FOUND_BY_PROOF[fault]) as caught:
        app.solve(game)
    assert str(caught.value).startswith(f"{game.name}: ")
    # Where the solver met it first there are tiers that it had finished.
    assert "solved" not in {entry.status for entry in open_store(database).list()}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FOUND_BY_READING)
def test_what_cannot_be_read_again_is_found_by_reading_and_the_values_are_kept(fault, database):
    game = faulty(fault)
    said = f"{FOUND_BY_READING[fault]}; what is stored is verified$"
    with pytest.raises(BrokenGame, match=said):
        app.solve(game)
    assert [entry.status for entry in open_store(database).list()] == ["solved"]
    with pytest.raises(BrokenGame, match=said):
        app.verify(game)
    assert app.solve(game)[0] == "already solved"  # as its text is no part of what it means


@pytest.mark.slow
def test_it_is_said_how_much_was_read_again(monkeypatch):
    told = []
    game = faulty("none")
    app.solve(game, tell=told.append)
    fields = app.verify(game)
    assert (told, fields["texts"]) == ([], fields["positions"])
    with monkeypatch.context() as patch:
        patch.setattr(legible, "read_again", lambda *settings: 1)
        app.solve(game, tell=told.append, is_restart=True)
    said = f"what it writes of 1 of {fields['positions']:,} positions was read again"
    said += f", un-moves of {fields['positions']:,} positions compared with moves"
    assert told == [f"{game.name} is verified; {said}"]
    with app.open(game) as stored:
        assert legible.read_again(stored, 0) == 1
        monkeypatch.setattr(legible, "MOST_DRAWN", 500)
        assert 300 < legible.read_again(stored, 60) < 700


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["near", "divides", "wraps"])
def test_compiled_the_proof_tests_indexes_divisions_and_numbers_beyond_a_word(fault, monkeypatch, database):
    monkeypatch.setattr("gamesman.analysis.walk.MOST_INTERPRETED", 0)
    with pytest.raises(BrokenGame, match=FOUND_BY_PROOF[fault]):
        app.solve(faulty(fault))


@pytest.mark.slow
def test_a_number_beyond_a_word_that_is_cut_off_by_a_mask_is_no_fault(monkeypatch):
    monkeypatch.setattr("gamesman.analysis.walk.MOST_INTERPRETED", 0)
    checked, check_one = [], Verification._check_against_python

    def note(self, key):
        checked.append(key)
        check_one(self, key)

    monkeypatch.setattr(Verification, "_check_against_python", note)
    assert app.solve(faulty("masked"))[0] == "solved"
    assert checked == [faulty("masked").hash((5, 55, 0))]


def test_two_pieces_on_a_cell_are_found_by_the_proof(tmp_path, database):
    """No key is out of bounds, or another's: a key has room for that."""
    text = first_file("mine", "2x2").replace("return white | 1 << move, black, 1", "return white | 1 << move, move, 1")
    (tmp_path / "mine.py").write_text(text)
    game = variant(f"{tmp_path}/mine.py")
    store_solution(open_store(database), game.name)
    said = r"do_move must put each piece on a cell of its own, got w and b both on a1, at \(9, 3, 1\), where move "
    with open_store(database).open(game) as stored, pytest.raises(NotVerified, match=said):
        Verification(stored).run()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", ",dense"], ids=["hashed", "in arrays"])
def test_without_a_proof_a_wrong_solution_is_kept_and_refused_by_verify(kind):
    game = faulty("undo_less", kind)
    assert app.solve(game, is_verified=False)[0] == "solved"
    with pytest.raises(
        NotVerified, match=r"undo_moves must yield \(5 54 1\) once, got it 0 times, at \(5 55 0\); run: "
    ):
        app.verify(game)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", ",dense"], ids=["hashed", "in arrays"])
def test_a_game_without_a_fault_is_solved_proved_and_kept(kind):
    game = faulty("none", kind)
    assert [app.solve(game)[0] for _ in range(2)] == ["solved", "already solved"]


@pytest.mark.parametrize("fault", ["stuck", "primitive", "draw"])
def test_the_reference_solver_finds_what_it_would_count_wrongly(fault):
    with pytest.raises(BrokenGame, match=FOUND_WHILE_SOLVING[fault].partition(", where")[0]):
        reference.solve(faulty(fault))
