"""A real browser on our own server: pages are opened, clicked and looked at, and what goes wrong in them is told."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 240  # seconds, on a machine that has much else to do
FLAGS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
FLAGS += " --disable-component-update --disable-sync --disable-dev-shm-usage --window-size=1280,900"


def find_programs() -> tuple[str, str] | None:
    """Return Chromium and its driver, of the same version as Debian's packages are; None where they are not."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def find_axe() -> Path | None:
    """Return axe-core as npm installs it where `.ci/run` wants it."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    found = cache / "gamesman-tests" / "node_modules" / "axe-core" / "axe.min.js"
    return found if found.is_file() else None


@contextmanager
def server(folder: Path, *words: str) -> Iterator[str]:
    """Run `gamesman serve` on a free port, with its database and compiled code in a folder; give its address.

    Nothing has been compiled there, so that a solve takes long enough to be watched and cancelled.
    """
    db, environment = str(folder / "db"), {**os.environ, "GAMESMAN_CACHE": str(folder / "cache")}
    command = [sys.executable, "-m", "gamesman", "serve", "--port", "0", "--db", db, *words]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert running.stdout is not None
        said = running.stdout.readline()
        yield "http://" + said.partition("http://")[2].split()[0].rstrip("/")
    finally:
        running.terminate()
        running.communicate(timeout=PATIENCE)


class Browser:
    """Drives one Chromium. `address` is the server's."""

    def __init__(self, address: str, profile: str):
        programs = find_programs()
        assert programs is not None
        options = webdriver.ChromeOptions()
        options.binary_location = programs[0]
        for flag in [*FLAGS.split(), f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.address = address
        self.driver = webdriver.Chrome(options=options, service=Service(programs[1]))
        self.look()

    def look(self, width: int = 1280, height: int = 900, *, is_dark: bool = False, is_moving: bool = False) -> None:
        """Take a size of window and a scheme of colours."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"},
            {"name": "prefers-reduced-motion", "value": "no-preference" if is_moving else "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, path: str, **query: str | list[str]) -> None:
        """Open a page of ours."""
        words = f"?{urlencode(query, doseq=True)}" if query else ""
        self.driver.get(f"{self.address}{path}{words}")

    def until(self, holds: Callable[[], Any], said: str = "") -> Any:
        """Wait until something holds, and return it. Fails with what the page says."""

        def tried(_: Any) -> Any:
            try:
                return holds()
            except Exception as error:
                if type(error).__name__ == "StaleElementReferenceException":
                    return False
                raise

        try:
            return WebDriverWait(self.driver, PATIENCE, 0.03).until(tried)
        except Exception:
            page = self.driver.find_element(By.TAG_NAME, "main").text
            raise AssertionError(f"not so: {said}\n{self.driver.current_url}\n{page}\n{self.faults()}") from None

    def ready(self) -> None:
        """Wait until the play page has all it wants, and a person may move or the game is over."""
        self.until(lambda: self.driver.execute_script("return document.body.dataset.busy") == "no", "the page is ready")

    def at(self, selector: str) -> WebElement:
        """Return the one element of a selector, once it is there."""
        found: WebElement = self.until(lambda: self.all(selector)[:1], selector)[0]
        return found

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector: str) -> None:
        def clicked() -> bool:
            self.script("arguments[0].scrollIntoView({block: 'center'})", self.at(selector))
            self.at(selector).click()
            return True

        self.until(clicked, f"{selector} is clicked")

    def text(self, selector: str) -> str:
        found: list[str] = self.until(lambda: [element.text for element in self.all(selector)[:1]], selector)
        return found[0]

    def script(self, text: str, *arguments: Any) -> Any:
        return self.driver.execute_script(text, *arguments)

    def choose(self, selector: str, value: str) -> None:
        """Choose an option of a list, or fill in a field, as a person does."""
        change = "arguments[0].value = arguments[1]; for (const kind of ['input', 'change']) "
        change += "arguments[0].dispatchEvent(new Event(kind, {bubbles: true}))"
        self.script(change, self.at(selector), value)

    def details(self, name: str) -> None:
        """Open one of the tools of the play page."""
        if not self.script("return document.getElementById(arguments[0]).open", name):
            self.click(f"#{name} > summary")

    def position(self) -> str:
        """Return the position that the play page shows."""
        return str(self.script("return document.getElementById('position').value"))

    def moves(self) -> list[str]:
        """Return the moves of the list, in one look at a page that may be drawn anew."""
        shown = "[...document.querySelectorAll('#moves .move:not(:disabled)')]"
        found: list[str] = self.script(f"return {shown}.map((move) => move.dataset.move || '')")
        return found

    def play(self, move: str) -> None:
        """Make a move by clicking on the board, or on its name where it has no cells."""
        button = self.at(f'#moves .move[data-move="{move}"]')
        clicks = json.loads(button.get_attribute("data-clicks") or "[]")
        before = self.position()
        if not clicks:
            self.script("arguments[0].click()", button)
        for cell in clicks:
            self.click(f'#board .hit[data-cell="{cell}"]')
        if self.position() == before and self.all("#confirm button"):  # longer moves begin with the same cells
            self.click(f'#board .hit[data-cell="{clicks[-1]}"]')
        self.until(lambda: self.position() != before, f"{move} is made")
        self.ready()

    def faults(self) -> list[str]:
        """Return what the console complains of, and requests to other hosts, since the last time."""
        said = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith((self.address, "data:", "blob:", "about:", "chrome:")):
                    said.append(f"a request to {url}")
        return said

    def requests(self) -> tuple[int, int]:
        """Return how many requests the page has made since the last time that anybody asked, and their bytes."""
        count, length = 0, 0
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            is_data = message["method"] == "Network.requestWillBeSent" and not message["params"]["request"][
                "url"
            ].startswith(self.address)
            if message["method"] == "Network.requestWillBeSent" and not is_data:
                count += 1
            if message["method"] == "Network.loadingFinished":
                length += int(message["params"]["encodedDataLength"])
        return count, length

    def axe(self, source: str) -> list[str]:
        """Return the serious faults that axe-core finds in the page."""
        self.script(source)
        run = "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then((found) => "
        run += "done(found.violations.filter((one) => ['serious', 'critical'].includes(one.impact)).map((one) => "
        run += "`${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html).join(' | ')}`)))"
        found: list[str] = self.driver.execute_async_script(run)
        return found

    def close(self) -> None:
        self.driver.quit()
