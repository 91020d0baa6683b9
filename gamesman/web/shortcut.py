"""What is asked for most often goes past the router here: a position of a variant that is open, in the plainest form.

Whatever is not so plain, and every error, is left to the route `/api/v1/positions`, which answers the same.
"""

from urllib.parse import unquote_to_bytes

from starlette.types import Scope

from gamesman.web.requests import IMMUTABLE, REVALIDATED
from gamesman.web.site import Site

PATH = "/api/v1/positions"
KNOWN = {"variant", "p", "fingerprint"}
LONGEST_QUERY = 2000  # bytes

Headers = list[tuple[bytes, bytes]]


async def answer(site: Site, scope: Scope) -> tuple[Headers, bytes] | None:
    """Return the headers and the body that answer a request for PATH, or None where the route is to answer."""
    query = scope["query_string"]
    if scope["method"] != "GET" or len(query) > LONGEST_QUERY:
        return None
    if any(name == b"if-none-match" for name, _ in scope["headers"]):
        return None
    asked = read(query)
    if not asked.keys() <= KNOWN or "variant" not in asked:
        return None
    opened, position, wanted = site.store.get(asked["variant"]), asked.get("p"), asked.get("fingerprint")
    if opened is None or wanted not in (None, opened.fingerprint) or (position is not None and not position.strip()):
        return None
    try:
        found = await site.answer(opened, position)
    except Exception:  # the route meets it again, and tells it
        return None
    cache = IMMUTABLE if wanted else REVALIDATED
    return [
        (b"etag", found.etag.encode()),
        (b"cache-control", cache.encode()),
        (b"content-length", str(len(found.body)).encode()),
        (b"content-type", b"application/json"),
    ], found.body


def read(query: bytes) -> dict[str, str]:
    """Read a query as `urllib.parse.parse_qsl` does, in a third of the time; return nothing of one that is not plain.

    >>> read(b"variant=konane&p=(w+%22%22"), read(b"p=1&p=2"), read(b"p")
    ({'variant': 'konane', 'p': '(w ""'}, {}, {})
    """
    asked: dict[str, str] = {}
    for pair in query.split(b"&"):
        name, equals, value = pair.partition(b"=")
        if b"%" in value or b"+" in value:
            value = unquote_to_bytes(value.replace(b"+", b" "))
        key = name.decode("utf-8", "replace")
        if not equals or key in asked:
            return {}
        asked[key] = value.decode("utf-8", "replace")
    return asked
