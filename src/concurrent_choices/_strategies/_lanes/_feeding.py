"""Bringing items into a running loop: from an async iterable, or from a generator that might block."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.to_thread

from ..._work._job import Job
from ._native import Background, Bell

__all__ = ["feeding"]

MOST = 4096
"""Most items kept ready."""


@asynccontextmanager
async def feeding(
    job: Job, items: Iterable[Any] | AsyncIterable[Any], *, here: bool
) -> AsyncGenerator[Callable[[], None], None]:
    """Keep items ready for a job while the block runs.

    Args:
        job: Whose source to feed.
        items: What the caller gave.
        here: Whether the lanes are tasks of this loop; a strategy beside it advances a plain iterable itself.

    Yields:
        A function to call when results have been taken.
    """
    if isinstance(items, AsyncIterable):
        feeder = _Feeder(job)
        feed = feeder.from_async(items)
    elif here and not job.source.ended and job.source.length is None:
        job.source.disown()
        feeder = _Feeder(job)
        feed = feeder.from_thread()
    else:
        yield _nothing
        return
    background = Background(lambda: feed)
    try:
        yield feeder.bell.ring
    finally:
        job.stop()
        feeder.bell.ring()
        background.cancel()
        await background.finish()


class _Feeder:
    def __init__(self, job: Job) -> None:
        self._job = job
        self._source = job.source
        self.bell = Bell()
        self._source.on_hunger(self.bell.ring_soon)
        self._appetite = 64

    async def from_async(self, items: AsyncIterable[Any]) -> None:
        """Push what an async iterable gives, as long as there is an appetite for it."""
        try:
            async with _closed_early(items) as given:
                async for item in given:
                    self._source.push([item])
                    await self._hunger()
                    if self._source.closed:
                        return
        except Exception as error:  # noqa: BLE001 - raised to the caller after the results already due
            self._source.end(error)
        except BaseException as error:
            self._source.end(error)  # or the lanes would wait for items for ever
            raise
        else:
            self._source.end()

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


@asynccontextmanager
async def _closed_early(items: AsyncIterable[Any]) -> AsyncGenerator[AsyncIterable[Any], None]:
    """An async generator that is left before its end is closed; other iterators need nothing."""
    iterator = aiter(items)  # an object's `__aiter__` may well be an async generator
    try:
        yield iterator
    finally:
        if isinstance(iterator, AsyncGenerator):
            with anyio.CancelScope(shield=True):
                await iterator.aclose()


def _nothing() -> None:
    """Nobody feeds."""
