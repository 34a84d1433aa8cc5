"""Applications for the advisor to look at, what it says of them, and its name for a mounted route."""

from __future__ import annotations

from importlib.metadata import version

from packaging.version import Version
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute

from concurrent_choices import EndpointAdvisor
from concurrent_choices._embed._advise._drive import AT_ONCE, PATIENCE, TIMES, drive
from concurrent_choices._embed._advise._exchange import Request
from concurrent_choices._embed._advise._openapi import requests_of

# `make lowest` has one that does not, and then only names of parameters are known: docs/embedding.md.
TELLS_ROUTES = Version(version("starlette")) >= Version("1.7")
PART = "/api/parts/{number:int}" if TELLS_ROUTES else "/api/parts/{number}"


def advise(app, requests=None, *, times=TIMES, at_once=AT_ONCE):
    """What is said of an application after some requests, or those that it describes."""
    asked = requests_of(app) if requests is None else [Request.of(each) for each in requests]
    return drive(app, asked, times=times, at_once=at_once, timeout=PATIENCE).advice


async def plain(scope, receive, send):
    """An application without any routing."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"fine"})


class Parts(HTTPEndpoint):
    """An endpoint that is a class."""

    def get(self, request):
        """Answer."""
        return PlainTextResponse("part")


async def chat(socket):
    """Echo."""
    await socket.accept()
    await socket.send_text(await socket.receive_text())
    await socket.close()


async def fails(request):
    """Raise."""
    raise KeyError("inside")


def make(**settings):
    """A Starlette application with an advisor."""
    app = Starlette(
        routes=[
            Mount("/api", routes=[Route("/parts/{number:int}", Parts)]),
            Route("/fails", fails),
            WebSocketRoute("/chat", chat),
        ]
    )
    tables = []
    app.add_middleware(EndpointAdvisor, on_shutdown=tables.append, **settings)
    return app, tables
