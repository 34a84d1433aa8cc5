"""Driving an application with requests to get advice on its endpoints."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from .._errors import InvalidArgumentError
from ._advisor._advice import AdviceTable
from ._advisor._middleware import EndpointAdvisor
from ._driving import Request, exchange, lifespan
from ._openapi import requests_of

__all__ = ["advise"]

TIMES = 20
"""How often each request is made (guessed: enough looks at a handler that takes some milliseconds)."""

AT_ONCE = 4
"""How many of a kind are made at once, so that what blocks makes others wait."""


def advise(
    app: Any,
    requests: Iterable[Request | str] | None = None,
    *,
    times: int = TIMES,
    at_once: int = AT_ONCE,
    timeout: float = 30.0,
) -> AdviceTable:
    """Start an ASGI application, drive it with requests, and say what to change about its endpoints.

    No server and no socket is involved: the application is called in this process, its lifespan around it.

    Args:
        app: The application.
        requests: What to ask: `Request`s, or paths for GET. Without any, the application's own OpenAPI
            description is asked for its GET requests, with made-up parameters (FastAPI has one).
        times: How often each is made.
        at_once: How many of a kind at once.
        timeout: Seconds an answer may take.

    Returns:
        The advice. Printed, it is a table.

    Raises:
        InvalidArgumentError: There is no request to make.
        Exception: What the application's start-up raised.
    """
    asked = [Request.of(each) for each in (requests_of(app) if requests is None else requests)]
    if not asked:
        problem = "must hold a request: the application has no OpenAPI description to take one from"
        raise InvalidArgumentError("requests", problem)
    advisor = EndpointAdvisor(app, on_shutdown=None)
    with asyncio.Runner() as runner:
        runner.run(_drive(advisor, asked, times, at_once, timeout))
    return advisor.advice()


async def _drive(
    advisor: EndpointAdvisor, asked: Sequence[Request], times: int, at_once: int, patience: float
) -> None:
    async with lifespan(advisor) as state:
        for request in asked:
            lanes = [
                _lane(advisor, request, state, patience, range(lane, times, at_once))
                for lane in range(at_once)
            ]
            await asyncio.gather(*lanes)


async def _lane(
    advisor: EndpointAdvisor, request: Request, state: Any, patience: float, turns: range
) -> None:
    for _ in turns:
        await exchange(advisor, request, state, patience)
