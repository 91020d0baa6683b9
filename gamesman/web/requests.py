"""Requests are read and answered here: parameters, bodies, JSON, ETags."""

import asyncio
import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from gamesman.errors import CallError, shorten
from gamesman.web.problems import Refused
from gamesman.web.settings import LONGEST_BODY
from gamesman.web.site import Site

IMMUTABLE = "public, max-age=31536000, immutable"
REVALIDATED = "public, no-cache"  # may be kept, and is asked for again by its ETag
PASSING = "no-store"


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def required(request: Request, name: str, example: str) -> str:
    """Return a parameter that must be given once. Raises CallError."""
    found = request.query_params.getlist(name)
    if len(found) != 1 or not found[0].strip():
        got = "nothing" if not found or not found[0].strip() else f"{len(found)} of them"
        raise CallError(f"expected {name}={example}, got {got}")
    return found[0]


def optional(request: Request, name: str) -> str | None:
    """Return a parameter that may be given once, or None. Raises CallError."""
    found = request.query_params.getlist(name)
    if len(found) > 1:
        raise CallError(f"expected one {name}, got {len(found)}")
    return found[0] if found and found[0].strip() else None


def number(text: str | None, name: str, default: float, low: float, high: float) -> float:
    """Return the number from `low` to `high` that a parameter is. Raises CallError.

    >>> number("2.5", "time", 1, 0, 10), number(None, "time", 1, 0, 10)
    (2.5, 1)
    """
    if text is None:
        return default
    try:
        found = float(text) if len(text) <= 20 else float("nan")
    except ValueError:
        found = float("nan")
    if not low <= found <= high:
        raise CallError(f"{name} must be a number from {low:g} to {high:g}, got {shorten(text)}")
    return found


async def read_json(request: Request) -> Any:
    """Return the JSON of what is posted. Raises CallError, Refused for what is too long."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":  # a page of somebody else's cannot send that without asking
        raise CallError(f"expected content-type: application/json, got {shorten(kind) or 'nothing'}")
    body = b""
    try:
        async with asyncio.timeout(10):
            async for part in request.stream():
                body += part
                if len(body) > LONGEST_BODY:
                    raise Refused(413, f"expected at most {LONGEST_BODY:,} bytes")
    except TimeoutError:
        raise Refused(408, "the body did not come within 10 seconds") from None
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise CallError(f"expected JSON, got something else: {shorten(str(error))}") from None


def json_response(body: bytes | Any, cache: str = PASSING, status: int = 200) -> Response:
    """Return JSON that is ready, or made of anything else."""
    if not isinstance(body, bytes):
        body = json.dumps(body, separators=(",", ":")).encode()
    return Response(body, status, {"cache-control": cache}, "application/json")


def tagged(request: Request, body: bytes, etag: str, cache: str) -> Response:
    """Return JSON with its ETag, or 304 where the reader has it already."""
    headers = {"etag": etag, "cache-control": cache}
    if etag in [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")
