"""What docs/server.md shows is what the server answers, and the commands in the files beside it can be called."""

import json
import re
import shlex
from urllib.parse import parse_qsl, urlsplit

import pytest
from support import ROOT
from support.serving import serving
from support.storing import store_solution

from gamesman.cli.commands.serve import command
from gamesman.db import open_store
from gamesman.web.api import ROUTES

PAGE = (ROOT / "docs" / "server.md").read_text()


@pytest.mark.slow
def test_the_examples_are_answered_as_shown(database):
    store_solution(open_store(database), "ten_to_zero:total=4")
    shown = re.findall(r"^\$ curl -s (.*)\n(.*)$", PAGE, re.MULTILINE)
    assert len(shown) == 3
    with serving(db=database) as client:
        for words, wanted in shown:
            address, *posted = [word for word in shlex.split(words) if word != "--json"]
            parts = urlsplit(address)
            body = json.loads(posted[0]) if posted else None
            told = client.ask(parts.path, "POST" if posted else "GET", body, **dict(parse_qsl(parts.query)))
            pattern = "".join('"[^"]*"' if part == "…" else re.escape(part) for part in re.split("(…)", wanted))
            assert re.fullmatch(pattern, told.body.decode()), told.body


def test_the_table_has_every_address():
    told = set(re.findall(r"^\| `/api/v1(/\w+)", PAGE, re.MULTILINE))
    assert told == {route.path for route in ROUTES} - {"/openapi.json"} | {"/solves"}


@pytest.mark.parametrize("file, before", [("Dockerfile", "CMD "), ("gamesman.service", "ExecStart=")])
def test_the_commands_of_those_files_can_be_called(file, before):
    (line,) = re.findall(rf"^{before}(.*)", (ROOT / "docs" / "deploy" / file).read_text(), re.MULTILINE)
    words = json.loads(line) if line.startswith("[") else shlex.split(line)
    found = command.make_context("serve", words[words.index("serve") + 1 :])
    assert found.params["host"] in ("0.0.0.0", "127.0.0.1") and found.params["port"] == 8000
