"""Console blocks of a page, run as a reader would run them: what they print must be what the page says.

A line that begins with `$ ` is a command, the lines after it are what it prints. `…` in a line stands for anything, and
a line that is nothing else for any number of lines. What is typed at a prompt, `White> b2-d2`, is typed when it is run.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PROMPT = re.compile(r"^\w+> (.+)$", re.MULTILINE)


class Step(NamedTuple):
    command: str
    output: str


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced blocks of a page in a language.

    >>> blocks("```sh\\nls\\n```", "sh")
    ['ls\\n']
    """
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def steps(page: str) -> list[Step]:
    """Return the commands of all console blocks of a page.

    >>> steps("```console\\n$ echo a\\na\\n$ true\\n```")
    [Step(command='echo a', output='a\\n'), Step(command='true', output='')]
    """
    found = []
    for block in blocks(page, "console"):
        before, *parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
        assert not before, f"a console block begins with a command, got {before}"
        found += [Step(*part.partition("\n")[::2]) for part in parts]
    return found


def is_as_shown(output: str, shown: str) -> bool:
    """Tell whether an output is what a page shows, which may leave out parts.

    >>> is_as_shown("took 3 s\\na\\nb\\nc\\n", "took …\\n…\\nc\\n"), is_as_shown("a\\nb\\n", "a…\\n")
    (True, False)
    """
    pattern = ""
    for line in shown.splitlines():
        pattern += r"(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"[ ]*\n"
    return re.fullmatch(pattern, output) is not None


class Shell:
    """Runs commands in a folder that looks like a checkout, with databases of its own."""

    def __init__(self, folder: Path):
        self.folder = folder
        program = folder / "scripts" / "gamesman"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m gamesman "$@"\n')
        program.chmod(0o755)
        (folder / "games").symlink_to(ROOT / "games")
        self.environment = {
            **os.environ,
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "GAMESMAN_DB": str(folder / "solved"),
            "TERM": "dumb",
        }

    def run(self, command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command; its errors are among its output, as in a terminal."""
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            input=typed,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )

    def follow(self, step: Step) -> None:
        """Run a step of a page and hold it to what the page shows."""
        typed = "".join(f"{line}\n" for line in PROMPT.findall(step.output))
        output = self.run(step.command, typed).stdout
        assert is_as_shown(output, step.output), f"$ {step.command}\n{output}\nbut the page shows\n\n{step.output}"
