"""All pages have this in common: their templates and addresses."""

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from gamesman.web.requests import PASSING, site_of

FULL = 95  # letters: what is longer has been broken

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


@cache
def _templates() -> "Environment":
    # lazy: start-up time
    from jinja2 import Environment, FileSystemLoader

    found = Environment(
        loader=FileSystemLoader(Path(__file__).resolve().parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "page_of": page_path,
        "with_code": with_code,
        "as_json": as_json,
        "reflowed": reflowed,
        "breakable": breakable,
    }
    found.policies["json.dumps_kwargs"] = {}  # pieces in the order in which a game declares them
    return found


def page_path(variant: str, page: str) -> str:
    """Return the address of a page of a variant, without the prefix of a proxy.

    >>> page_path("konane:rows=4,misere", "game")
    '/game/konane:rows=4,misere'
    """
    return f"/{page}/{quote(variant, safe=':=,')}"


def with_code(text: str) -> "Markup":
    """Return a text as HTML, with what stands between backticks as code.

    >>> str(with_code("as in `gamesman list` <b>"))
    'as in <code>gamesman list</code> &lt;b&gt;'
    """
    # lazy: start-up time
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))


def breakable(name: str) -> "Markup":
    """Return the name of a variant that is broken after its commas where it does not fit a line.

    >>> print(breakable("a:b=1,c=<"))
    a:b=1,<wbr>c=&lt;
    """
    # lazy: start-up time
    from markupsafe import Markup

    return Markup(",<wbr>").join(name.split(","))


def reflowed(text: str) -> str:
    """Return a text without the line breaks that were made where a line was full, for a window breaks it anew.

    >>> reflowed("a" * 94 + "\\nb\\n\\nc\\nd")[92:]
    'aa b\\n\\nc\\nd'
    """
    lines, before = [""], ""
    for line in text.split("\n"):
        is_indented_alike = len(line) - len(line.lstrip()) == len(before) - len(before.lstrip())
        first, *_ = line.split() or [""]
        is_full = first and len(before) + 1 + len(first) > FULL
        if is_full and is_indented_alike and "  " not in line.strip():  # which would be columns
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
        before = line
    return "\n".join(lines[1:])


def as_json(example: Any) -> str:
    """Return an example as it is sent: a text as it is, all else as JSON."""
    return example if isinstance(example, str) else json.dumps(example, indent=2)


def rendered(request: Request, template: str, status: int = 200, **shown: Any) -> Response:
    """Return a page."""
    root = site_of(request).settings.root_path.rstrip("/")
    text = _templates().get_template(template).render(root=root, static=lambda name: f"{root}/static/{name}", **shown)
    return HTMLResponse(text, status, {"cache-control": PASSING})
