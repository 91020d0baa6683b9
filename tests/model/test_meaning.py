"""The meaning of functions: it changes with what they do and what they refer to, and with nothing else."""

import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from gamesman.model import meaning, syntax
from gamesman.model.meaning import digest, instructions, source

BOTH = pytest.mark.parametrize("show", [instructions, source])

GAME = '''
from helper import step
import constants

TABLE = (1, 2, (3, 4))

class Pair(NamedTuple):
    a: int
    b: int

def asked(n):
    """What it does."""
    return step(n) + constants.FACTOR + TABLE[2][1] + inner(n)(1) + Pair(1, 2).a

def inner(n):
    return lambda m: m + n * 2
'''
HELPER = "DEEP = 7\n\ndef step(n, by=1):\n    return n + DEEP * by\n\ndef unused():\n    return 1\n"


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Return the meaning of a function that refers to others, after some texts in it have been replaced by others."""

    def load(show, *changes, name="asked"):
        texts = {
            "game": f"from typing import NamedTuple\n{GAME}",
            "helper": HELPER,
            "constants": "FACTOR = 3\nOTHER = 1\n",
        }
        for old, new in changes:
            assert any(old in text for text in texts.values()), old
            texts = {file: text.replace(old, new) for file, text in texts.items()}
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        found = {}
        for file in ("helper", "constants", "game"):
            (folder / f"{file}.py").write_text(texts[file])
            module = type(sys)(f"{folder.name}.{file}")
            with monkeypatch.context() as patch:
                for other, loaded in found.items():
                    patch.setitem(sys.modules, other, loaded)
                exec(compile(texts[file], str(folder / f"{file}.py"), "exec"), vars(module))
            found[file] = module
        return digest(getattr(found["game"], name), show=show)

    return load


@BOTH
def test_where_code_stands_and_what_is_written_about_it_is_no_part_of_it(load, show):
    same = [
        [("TABLE =", "# a comment\n\nTABLE =")],
        [("What it does.", "It does something.")],
        [("    return 1\n", "    return 2\n")],  # nobody calls it
        [("OTHER = 1", "OTHER = 2")],
        [("DEEP = 7", "DEEP = 3 + 4")],
        [("    return n + DEEP", "\n    return (n  +  DEEP"), ("by\n", "by)\n")],
    ]
    assert {load(show, *changes) for changes in same} == {load(show)}


def test_annotations_are_no_part_of_the_source(load):
    assert load(source, ("step(n, by=1)", "step(n: int, by: int = 1) -> int")) == load(source)


@BOTH
@pytest.mark.parametrize(
    "change",
    [
        ("step(n) +", "step(n) -"),
        ("DEEP = 7", "DEEP = 8"),
        ("DEEP = 7", "DEEP = 7.0"),
        ("DEEP = 7", "DEEP = True"),
        ("by=1", "by=2"),
        ("n + DEEP", "n - DEEP"),
        ("FACTOR = 3", "FACTOR = 4"),
        ("(3, 4)", "(3, 5)"),
        ("(3, 4)", "(3, 4, 5)"),
        ("n * 2", "n * 3"),
        ("    a: int\n    b: int", "    b: int\n    a: int"),
        ("from helper import step", "from helper import unused as step"),
    ],
)
def test_every_change_of_what_it_comes_to_is_seen(load, show, change):
    assert load(show, change) != load(show)


def test_a_source_that_has_changed_since_it_was_loaded_is_not_taken_for_what_was_loaded(tmp_path):
    path, names = tmp_path / "game.py", {}
    path.write_text("def asked(n):\n    return n + 1\n")
    exec(compile(path.read_text(), str(path), "exec"), names)
    before = digest(names["asked"], show=source)
    path.write_text("def asked(n):\n    return n + 2\n")
    assert digest(names["asked"], show=source) not in (before, digest(names["asked"]))
    path.write_text("def asked(n):\n    return n + 1  # again\n")
    assert digest(names["asked"], show=source) == before


def test_a_function_is_read_from_its_own_lines_whatever_has_become_of_the_others(tmp_path):
    text = "def kept(n):\n    return n + 1\n\n# next\n\ndef other(n):\n    return 1\n"
    (tmp_path / "a.py").write_text(text)
    module = type(sys)("a")
    exec(compile(text, str(tmp_path / "a.py"), "exec"), vars(module))
    before = digest(module.kept, show=source)
    assert before != digest(module.kept, show=instructions)
    (tmp_path / "a.py").write_text(text.replace("return 1", "return ("))
    assert digest(module.kept, show=source) == before


@pytest.mark.parametrize(
    "text",
    [
        "@str\n@len\ndef own(n):\n    return 1\n",
        "def own(n):\n    return (\n1\n)\n",
        'def own(n):\n    return """\nx\n"""\n',
        "async def own(n):\n    return 1\n",
        "from __future__ import annotations\ndef own(n):\n    return 1\n",
        "def own(n): return 1\ndef other(n): return 2\n",
    ],
    ids=range(6),
)
def test_the_lines_of_a_function_alone_say_what_the_whole_file_says(text, monkeypatch, tmp_path):
    (tmp_path / "a.py").write_text(text)
    names: dict = {"len": lambda f: f, "str": lambda f: f}
    exec(compile(text, str(tmp_path / "a.py"), "exec", dont_inherit=True), names)
    alone = syntax.tree_of(names["own"])
    monkeypatch.setattr(syntax, "_alone", lambda *_: None)
    assert alone == syntax.tree_of(names["own"]) is not None


def test_compiled_functions_are_what_they_are_compiled_from_and_how():
    def one(n):
        return n + 1

    def other(n):
        return n + 2

    made = [njit(one), njit(other), njit(error_model="numpy")(one)]

    def calling(function):
        return lambda n: function(n)

    assert len({digest(calling(function)) for function in made}) == 3
    assert digest(calling(njit(one))) == digest(calling(made[0]))


def test_functions_that_call_each_other_have_an_end(load):
    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 1)

    assert digest(even) != digest(odd)


class Rules(NamedTuple):
    rows: int
    table: tuple[tuple[int, ...], ...] = ((1, 2), (3,))


def test_values_that_differ_have_digests_that_differ():
    class Other(NamedTuple):
        cols: int
        table: tuple[tuple[int, ...], ...] = ((1, 2), (3,))

    values = [1, True, 1.0, "1", b"1", None, (1,), (), ((),), [1, 2], Rules(1), Rules(2), Other(1), {1: 2}, {1: 3}, {1}]
    values += [Rules(1, ((1,), (2, 3))), Rules(1, ((1, 2, 3),)), "a", ("a", "b"), ("ab",), 2**70, -(2**70), 1 << 62]
    values += [np.int64(1), np.uint64(1), np.array([1, 2]), np.array([[1, 2]]), np.array([1, 2], np.int8)]
    assert len({digest(value) for value in values}) == len(values)
    assert digest(1, 2) != digest((1, 2)) != digest((1,), 2)
    assert digest({1, 2, 3}, {"a": 1, "b": 2}) == digest({3, 2, 1}, {"b": 2, "a": 1})


def test_the_digest_is_the_same_in_another_process():
    program = (
        "from gamesman.model import meaning; from gamesman.model.variant import variant; v = variant('konane');"
        "print([meaning.digest(*v.game.functions.values(), v.rules, show=s)"
        " for s in (meaning.instructions, meaning.source)])"
    )
    said = {subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout for _ in range(2)}
    assert len(said) == 1
    assert len(said.pop()) > 60


def test_a_file_of_a_users_own_is_read_whatever_it_is_called(tmp_path, monkeypatch):
    """Even like one that comes with Python."""
    names = {"__name__": "colorsys"}
    for number in (1, 2):
        exec(compile(f"def hue():\n    return {number}\n", str(tmp_path / "colorsys.py"), "exec"), names)
        names[number] = meaning.digest((names["hue"],))
    assert names[1] != names[2]
