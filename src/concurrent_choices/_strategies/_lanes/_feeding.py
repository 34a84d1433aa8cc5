"""Bringing items into a running loop: from an async iterable, or from a generator that might block."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable
from functools import partial
from typing import Any

import anyio
import anyio.to_thread

from ..._work._job import Job
from ._background import Background
from ._bell import Bell

__all__ = ["Feeding"]

MOST = 4096
"""Most items kept ready."""


class Feeding:
    """Keeps items ready for a job, from `start` to `aclose`.

    Args:
        job: Whose source to feed.
        items: What the caller gave.
        here: Whether the lanes are tasks of this loop; a strategy beside it advances a plain iterable itself.
    """

    def __init__(self, job: Job, items: Any, *, here: bool) -> None:
        self._job = job
        self._items = items
        self._apart = here and not job.source.ended and job.source.length is None
        self._feeder: _Feeder | None = None
        self._background: Background | None = None

    def start(self) -> None:
        """Begin, if there is anything to feed."""
        if isinstance(self._items, AsyncIterable):
            items: AsyncIterable[Any] = self._items  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - isinstance() cannot say of what
            self._feed(lambda feeder: feeder.from_async(items))
        elif self._apart:
            self._job.source.disown()
            self._feed(_Feeder.from_thread)

    def _feed(self, bring: Callable[[_Feeder], Awaitable[None]]) -> None:
        self._feeder = feeder = _Feeder(self._job)
        self._background = Background(partial(feeder.feed, bring))

    def taken(self) -> None:
        """Results have been taken."""
        if self._feeder is not None:
            self._feeder.bell.ring()

    async def aclose(self) -> None:
        """End it."""
        background, self._background = self._background, None
        if background is not None:
            self._job.stop()
            self.taken()
            background.cancel()
            await background.finish()


class _Feeder:
    def __init__(self, job: Job) -> None:
        self._job = job
        self._source = job.source
        self.bell = Bell()
        self._source.on_hunger(self.bell.ring_soon)
        self._appetite = 64

    async def feed(self, bring: Callable[[_Feeder], Awaitable[None]]) -> None:
        """Bring items; what goes wrong is raised to the caller, after the results already due."""
        try:
            await bring(self)
        except BaseException as error:
            self._source.end(error)  # or the lanes would wait for items for ever
            raise

    async def from_async(self, items: AsyncIterable[Any]) -> None:
        """Push what an async iterable gives, as long as there is an appetite for it."""
        given = aiter(items)
        try:
            async for item in given:
                self._source.push([item])
                await self._hunger()
                if self._source.closed:
                    return
            self._source.end()
        finally:
            if isinstance(given, AsyncGenerator):
                with anyio.CancelScope(shield=True):
                    await given.aclose()

    async def from_thread(self) -> None:
        """Have a plain iterable advanced in a thread."""
        source = self._source
        while not (source.ended or source.closed):
            await anyio.to_thread.run_sync(source.feed, self._appetite, abandon_on_cancel=True)
            source.push(())  # tells the lanes
            await self._hunger()

    async def _hunger(self) -> None:
        source = self._source
        while not source.closed and (source.ready >= self._appetite or source.room <= 0):
            await self.bell.wait()
        if not source.ready:
            self._appetite = min(2 * self._appetite, MOST)
