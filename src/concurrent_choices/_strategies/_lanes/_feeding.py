"""Bringing items into a running loop: from an async iterable, or from a generator that might block."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable
from functools import partial
from typing import Any

import anyio
import anyio.to_thread

from ..._work._job import Job
from ._any_loop import Background, Bell

__all__ = ["Feeding"]

MOST = 4096
"""Most items kept ready (guessed, as `_threads.APPETITE`)."""


class Feeding:
    """Keeps items ready for a job, from `start` to `aclose`. Make it where the loop runs.

    Lanes that run beside that loop, not as its tasks, advance a plain iterable themselves.
    """

    def __init__(self, job: Job, items: Any, *, here: bool) -> None:
        self._job = job
        self._source = job.source
        self._items = items
        self._bell = Bell()
        self._appetite = 64
        self._background: Background | None = None
        self._bring: Callable[[], Awaitable[None]] | None = None
        self._advance: Callable[[int, Callable[[], object] | None], bool] = self._source.feed
        if isinstance(items, AsyncIterable):
            self._bring = self._from_async
        elif here and not job.source.ended and job.source.length is None:
            self._bring = self._from_thread

    def start(self) -> None:
        """Begin, if there is anything to feed."""
        if self._bring is not None:
            self._advance = self._source.disown()
            self._source.on_hunger(self._bell.ring_soon)
            self._background = Background(self._feed)

    def taken(self) -> None:
        """Results have been taken."""
        if self._background is not None:
            self._bell.ring()

    async def aclose(self) -> None:
        """End it."""
        background, self._background = self._background, None
        if background is not None:
            self._job.stop()
            self._bell.ring()
            background.cancel()
            await background.finish()

    async def _feed(self) -> None:
        """Bring items; what goes wrong is raised to the caller, after the results already due."""
        assert self._bring is not None
        try:
            await self._bring()
        except BaseException as error:
            self._source.end(error)  # or the lanes would wait for items for ever
            raise

    async def _from_async(self) -> None:
        """Push what an async iterable gives, as long as there is an appetite for it."""
        given = aiter(self._items)
        try:
            async for item in given:
                self._source.push([item])
                await self._until_hungry()
                if self._source.closed:
                    return
            self._source.end()
        finally:
            if isinstance(given, AsyncGenerator):
                with anyio.CancelScope(shield=True):
                    await given.aclose()

    async def _from_thread(self) -> None:
        """Have a plain iterable advanced in a thread."""
        source = self._source
        tell = partial(source.push, ())
        while not (source.ended or source.closed):
            await anyio.to_thread.run_sync(self._advance, self._appetite, tell, abandon_on_cancel=True)
            tell()
            await self._until_hungry()

    async def _until_hungry(self) -> None:
        """Wait until fewer items are ready than are wanted, and the window has room for more."""
        source = self._source
        while not source.closed and (source.ready >= self._appetite or source.room <= 0):
            await self._bell.wait()
        if not source.ready:
            self._appetite = min(2 * self._appetite, MOST)
