"""HTTP clients: blocking, and native asynchronous with one session for each loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any
from weakref import WeakKeyDictionary

import aiohttp
import httpx
import requests

__all__ = ["fetch", "fetch_aiohttp", "fetch_any", "fetch_httpx"]

TIMEOUT = 60


def fetch(url: str) -> int:
    """Get an answer with requests, blocking the thread."""
    return requests.get(url, timeout=TIMEOUT).json()["ms"]


def fetch_any(url: str) -> None:
    """Get whatever is there."""
    requests.get(url, timeout=TIMEOUT).raise_for_status()


class _PerLoop:
    """A session for every event loop, closed when its loop is.

    An asynchronous client belongs to the loop it was made on. Loops close the asynchronous generators that
    are open on them, so a generator that waits inside the client's `async with` closes the client in time.
    """

    def __init__(self, make: Callable[[], Any]):
        self._make = make
        self._open: WeakKeyDictionary[Any, tuple[AsyncGenerator[Any], Any]] = WeakKeyDictionary()

    async def session(self) -> Any:
        """The session of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._open:
            keeper = self._keep()
            self._open[loop] = (keeper, await anext(keeper))
        return self._open[loop][1]

    async def _keep(self) -> AsyncGenerator[Any]:
        async with self._make() as session:
            yield session


_aiohttp = _PerLoop(lambda: aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))
# With httpx's own limits: without any, its pool looks through all connections for each one of them. The
# server speaks plain HTTP, and reading certificates would cost more than a request.
_httpx = _PerLoop(lambda: httpx.AsyncClient(timeout=TIMEOUT, verify=False))


async def fetch_aiohttp(url: str) -> int:
    """Get an answer with aiohttp."""
    session = await _aiohttp.session()
    async with session.get(url) as response:
        return (await response.json())["ms"]


async def fetch_httpx(url: str) -> int:
    """Get an answer with httpx."""
    session = await _httpx.session()
    return (await session.get(url)).json()["ms"]
