"""The pages that people look at: their routes, and what an error looks like to a person."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute

from gamesman.web.problems import Problem

ROUTES: list[BaseRoute] = []


def error_page(request: Request, problem: Problem) -> Response:
    """Return a problem as a page."""
    from html import escape

    text = f"<!doctype html><title>{escape(problem.title)}</title><h1>{escape(problem.title)}</h1>"
    return HTMLResponse(f"{text}<p>{escape(problem.detail)}</p>", problem.status)
