"""What all requests share: the games that may be named, what is solved and open, the workers."""

import asyncio
import json
import os
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from gamesman.errors import BrokenGame, CallError, GamesmanError
from gamesman.model.advice import asking
from gamesman.model.blame import blame, is_of_game
from gamesman.web.catalogue import Catalogue
from gamesman.web.pool import Pool
from gamesman.web.problems import log
from gamesman.web.settings import LONGEST_POSITION, LONGEST_VARIANT, Settings
from gamesman.web.solves import Solves
from gamesman.web.stored import LOOKS_SECONDS, Answer, Opened, Store

QUICK_SECONDS = 3.0  # for what takes a few milliseconds, unless somebody means harm


class Site:
    """Answers what is asked of solved variants, and asks the workers all else."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.catalogue = Catalogue(settings.files)
        self.store = Store(settings.db)
        # Who asks for what takes a moment does not wait for those whose questions take long.
        self.quick = Pool(settings, settings.workers)
        self.slow = Pool(settings, settings.workers)
        self.solves = Solves(settings)
        # A server's database may keep us waiting. A file is read sooner than a thread could be asked to.
        place = settings.db or os.environ.get("GAMESMAN_DB", "")
        self._thread = ThreadPoolExecutor(1) if "://" in place else None
        self._looking: asyncio.Task[None] | None = None

    async def warm(self) -> None:
        """Start a worker, and beside it load what reads databases: who asks first need not wait for both in turn."""
        await self.quick.warm()
        asyncio.get_running_loop().run_in_executor(None, import_module, "gamesman.db.store")
        if self._thread is not None:
            self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """Ask a server again and again whether what is open is still stored; of a file that is seen at once."""
        while True:
            await asyncio.sleep(LOOKS_SECONDS)
            try:
                await self.read(self.store.look)
            except Exception as error:  # it is asked again
                log(error)

    async def opened(self, text: str) -> Opened:
        """Return the solved variant that a text of the network names. Raises Asked with what a worker says else."""
        found = self.store.get(text)
        if found is None:
            names = json.loads(await self.ask("opens", variant=text))
            found = await self.read(self.store.open, text, names["own"], names["variant"])
        return found

    async def answer(self, opened: Opened, position: str | None) -> Answer:
        """Return the answer to a position of a solved variant."""
        found = self.store.ready(opened, position)
        if found is not None:
            return found
        answered: Answer = await self.read(self.store.answer, opened, position)
        return answered

    async def read(self, function: Any, *arguments: Any) -> Any:
        """Call a function that reads a database and asks a game, where it keeps nobody waiting. Raises BrokenGame."""

        def read() -> Any:
            try:
                with asking(self.settings.db if self.settings.is_local else None):
                    return function(*arguments)
            except GamesmanError:
                raise
            except Exception as error:
                if is_of_game(error):
                    raise BrokenGame(blame(error)) from error
                raise

        if self._thread is None:
            return read()
        return await asyncio.get_running_loop().run_in_executor(self._thread, read)

    async def ask(self, task: str, seconds: float = QUICK_SECONDS, **asked: Any) -> bytes:
        """Return the JSON that answers a worker's task. Raises Asked, Refused, CallError."""
        for name, longest in ("variant", LONGEST_VARIANT), ("p", LONGEST_POSITION):
            if len(asked.get(name) or "") > longest:
                raise CallError(f"expected {name} in at most {longest} letters, got {len(asked[name])}")
        pool = self.quick if seconds <= QUICK_SECONDS else self.slow
        return await pool.ask(task, seconds=seconds, **asked)

    async def close(self) -> None:
        """Close the databases and end the workers."""
        if self._looking is not None:
            self._looking.cancel()
        await self.solves.close()
        self.store.close()
        await self.quick.close()
        await self.slow.close()
        if self._thread is not None:
            self._thread.shutdown(wait=False)
