"""What must hold of the tracked files themselves: none is empty by mistake, code is short enough to be read, no two
files of tests have one name, and an import inside a function says why it stands there.

Run by scripts/check in the root of a checkout; prints a line for each fault and exits with 1 if there are any.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

# Files that say what they say by being there.
MAY_BE_EMPTY = {"__init__.py", "py.typed"}

MOST_LINES = 400
CODE = {".py", ".sh", ".c", ".h", ".js", ".css"}
FOLDERS = {"db", "examples", "games", "gamesman", "scripts", "tests"}
PROGRAM = {"db", "games", "gamesman"}
LAZY = "# lazy: "


def faults(files: Iterable[Path]) -> Iterator[str]:
    """Yield what is wrong with files, each in one line."""
    tests: dict[str, Path] = {}
    for file in files:
        if file.is_symlink() or not file.is_file():
            continue  # the file it leads to is tracked itself, or it has just been deleted
        content = file.read_bytes()
        if not content.strip() and file.name not in MAY_BE_EMPTY:
            yield f"{file}: expected something in it, got an empty file; write it or delete it"
        lines = content.count(b"\n")
        if file.suffix in CODE and FOLDERS & set(file.parts) and lines > MOST_LINES:
            yield f"{file}: expected at most {MOST_LINES} lines of code, got {lines}; split it by its ideas"
        if file.name.startswith("test_") and tests.setdefault(file.name, file) != file:
            yield f"{file}: expected a name of its own, got that of {tests[file.name]}; pytest takes them for one"
        if file.suffix == ".py" and file.parts[0] in PROGRAM:
            for line in unexplained_imports(content.decode()):
                yield f"{file}:{line}: expected `{LAZY}start-up time`, or another reason, above an import in a function"


def unexplained_imports(source: str) -> Iterator[int]:
    """Yield the lines of a source where imports begin inside a function and no comment above them says why."""
    lines = source.splitlines()
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    imports = {node for each in functions for node in ast.walk(each) if isinstance(node, ast.Import | ast.ImportFrom)}
    explained: set[int] = set()  # the last lines of imports that are
    for node in sorted(imports, key=lambda node: node.lineno):
        above = next(number for number in range(node.lineno - 1, 0, -1) if lines[number - 1].strip())
        if above in explained or lines[above - 1].strip().startswith(LAZY):
            explained.add(node.end_lineno or node.lineno)
        else:
            yield node.lineno


def tracked() -> list[Path]:
    """Return the files that git knows, those to be committed included."""
    said = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    return [Path(name) for name in said.split("\0") if name]


if __name__ == "__main__":
    found = list(faults(tracked()))
    print(*found, sep="\n", file=sys.stderr, end="\n" if found else "")
    sys.exit(bool(found))
