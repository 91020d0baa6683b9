"""What takes many batches of steps, each of which goes on from the one before, is noted stage by stage.

The note of a stage names all files that the next batch needs. Once there is one of the next stage, those that it does
not name are removed: so a solve that is killed goes on from the latest.
"""

from collections.abc import Iterable
from typing import Any

from gamesman.solver.disk.folder import WorkFolder


class Stages:
    """Keeps the latest stage of one thing that is done to a tier."""

    def __init__(self, folder: WorkFolder, number: int, what: str):
        self._folder, self._prefix = folder, f"tier-{number}.{what}-"
        self.stage, self.found = -1, dict[str, Any]()
        for name in sorted(self._names(), key=self._stage_of, reverse=True):
            if self.stage < 0 and (found := folder.read(name)) is not None:
                self.stage, self.found = self._stage_of(name), found

    def _names(self) -> Iterable[str]:
        return self._folder.names(self._prefix, ".json")

    def _stage_of(self, name: str) -> int:
        return int(name.removeprefix(self._prefix).removesuffix(".json"))

    def advance(self, found: dict[str, Any], done: Iterable[str] = ()) -> None:
        """Note the next stage, and remove what it does not name of the files of this one, with notes of steps done."""
        before = self.found.get("files", {})
        self._folder.note(f"{self._prefix}{self.stage + 1}.json", found)
        self._drop(*done, *(before.keys() - found["files"].keys()))
        self.stage, self.found = self.stage + 1, found

    def _drop(self, *names: str) -> None:
        for name in (*names, f"{self._prefix}{self.stage}.json"):
            self._folder.drop(name)

    def end(self, kept: Iterable[str] = ()) -> None:
        """Remove the latest stage, with its files but for some."""
        if self.stage >= 0:
            self._drop(*(self.found["files"].keys() - {*kept}))
        self.stage, self.found = -1, {}


def stage_note(number: int, what: str, stage: int) -> str:
    """Return the name of the note of a stage."""
    return f"tier-{number}.{what}-{stage}.json"
