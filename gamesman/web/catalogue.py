"""Which games the network may name: those installed, and the files given at the start, each by a name that is no path.

>>> games = Catalogue(["./solved/my game.py"], ["konane"])
>>> games.names
['konane', 'my_game']
>>> games.own("my_game:size=4"), games.shown("./solved/my game.py:size=4")
('./solved/my game.py:size=4', 'my_game:size=4')
>>> games.own("./solved/my game.py")
Traceback (most recent call last):
...
gamesman.errors.UnknownGame: no such game: ./solved/my game.py
"""

import os
import re
from collections.abc import Iterable, Sequence

from gamesman.errors import OptionError, UnknownGame, did_you_mean, shorten
from gamesman.model.game import known
from gamesman.model.paths import split_file
from gamesman.model.variant import UP_TO, Variant
from gamesman.model.variant import variant as read_variant
from gamesman.web.settings import LONGEST_VARIANT

# What names the endgames of a variant, which have no start that a page could begin at.
ENDGAMES = re.compile(rf"[:,]\s*{UP_TO}\s*(=|,|$)")


class Catalogue:
    """Translates between the names that the network uses and our own."""

    def __init__(self, files: Sequence[str] = (), installed: Iterable[str] | None = None):
        self.installed = list(known() if installed is None else installed)
        self.files: dict[str, str] = {}  # the path, by the name that it goes by
        for path in dict.fromkeys(files):
            self.files[self._name_for(path)] = path

    def _name_for(self, path: str) -> str:
        """Return the file's name without its ending, in letters that need no escape; with a number if it is taken."""
        stem = os.path.basename(path).removesuffix(".py")
        name = re.sub(r"[^A-Za-z0-9_-]", "_", stem) or "game"
        taken = {*self.installed, *self.files}
        return next(n for n in (name, *(f"{name}-{i}" for i in range(2, len(taken) + 3))) if n not in taken)

    @property
    def names(self) -> list[str]:
        return [*self.installed, *self.files]

    def own(self, text: str) -> str:
        """Return a variant from the network by our own name. Raises UnknownGame, OptionError."""
        if len(text) > LONGEST_VARIANT:
            raise OptionError(f"expected a variant in at most {LONGEST_VARIANT} letters, got {len(text)}")
        if ENDGAMES.search(text):
            raise OptionError(f"expected a whole variant, got endgames alone: {shorten(text)}")
        name, colon, options = text.strip().partition(":")
        name = name.rstrip()
        if name in self.files:
            return self.files[name] + colon + options
        if name in self.installed:
            return name + colon + options
        raise UnknownGame(f"no such game: {shorten(name) or 'nothing'}{did_you_mean(name, self.names)}")

    def shown(self, own: str) -> str | None:
        """Return the network's name of a variant of ours, or None where the network may not name it.

        A variant that is stored has its file's whole path in its name.
        """
        path, options = split_file(own)
        if ENDGAMES.search(options):
            return None
        if not path:
            return own if own.partition(":")[0] in self.installed else None
        for name, file in self.files.items():
            if path == file or os.path.abspath(path) == os.path.abspath(file):
                return name + options
        return None

    def told(self, text: str) -> str:
        """Return a text for the network, like an error's, with files by their names alone, and those beside them."""
        for path in self.files.values():
            for form in (os.path.abspath(path), path, os.path.relpath(path)):
                text = text.replace(form, os.path.basename(path))
            folder = os.path.dirname(os.path.abspath(path))
            if folder != os.path.dirname(folder):  # not the root, whose name is in all others
                text = text.replace(os.path.join(folder, ""), "")
        return text


class Named:
    """Has variants by the names that the network knows, and where solved ones are: what all tasks of workers need."""

    def __init__(self, catalogue: Catalogue, db: str | None):
        self.catalogue = catalogue
        self.db = db

    def _variant(self, text: str) -> Variant:
        return read_variant(self.catalogue.own(text))

    def _shown(self, name: str) -> str:
        return self.catalogue.shown(name) or name
