"""What scripts/check refuses of the files themselves."""

import importlib.util

from support.transcripts import ROOT


def check_files():
    spec = importlib.util.spec_from_file_location("check_files", ROOT / "scripts" / "check_files.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_empty_files_are_refused_but_for_those_that_say_something_by_being_there(tmp_path):
    for name in ("d.txt", "__init__.py", "py.typed", "blank.md"):
        (tmp_path / name).write_text(" \n" if name == "blank.md" else "")
    (tmp_path / "full.txt").write_text("x\n")
    found = list(check_files().faults(sorted(tmp_path.iterdir())))
    assert [fault.partition(": ")[0] for fault in found] == [str(tmp_path / "blank.md"), str(tmp_path / "d.txt")]
    assert found[0].endswith("expected something in it, got an empty file; write it or delete it")


def test_code_of_more_lines_than_one_reads_is_refused(tmp_path):
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "long.py").write_text("x\n" * 401)
    (folder / "answers.csv").write_text("x\n" * 401)
    (folder / "just_right.py").write_text("x\n" * 400)
    (found,) = check_files().faults(sorted(folder.iterdir()))
    assert found == f"{folder / 'long.py'}: expected at most 400 lines of code, got 401; split it by its ideas"
