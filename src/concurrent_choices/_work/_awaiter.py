"""Performing an `async def` in a thread that has no loop: one item at a time, on a loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from contextvars import Context
from functools import partial
from typing import Any

from .._errors import ItemTimeoutError
from .._facts._batch import Batch, Claim
from ._limited import CANCELLED, OVERDUE, limited
from ._perform import Mark, annotate, show, unawaited_among

__all__ = ["Awaiter"]


class Awaiter:
    """Performs claims of a coroutine function, in any number of threads; its loops live until `stop`.

    Args:
        fn: The callable.
        context: What each item's context is copied from.
        timeout: Seconds an item may take, or None.
        return_exceptions: Whether an exception stands in its item's place and the rest goes on.
    """

    def __init__(
        self,
        fn: Callable[[Any], Any],
        context: Context,
        *,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> None:
        self._context = context
        self._timeout = timeout
        self._tolerant = return_exceptions
        self._fn = fn
        self._lock = threading.Lock()
        self._idle: list[asyncio.AbstractEventLoop] = []
        self._lent: set[asyncio.AbstractEventLoop] = set()
        self._stopped = False

    def __call__(self, claim: Claim, mark: Mark | None = None) -> Batch:
        """Perform a claim.

        Args:
            claim: The items.
            mark: Told of each item before it starts; where it answers False the batch ends.
        """
        values: list[Any] = []
        for index, item in enumerate(claim.items, claim.start):
            if mark is not None and not mark(index):
                break
            try:
                values.append(self._await(index, item))
            except BaseException as error:  # noqa: BLE001 - whatever the item raised is the item's error
                annotate(error, index, item)
                if not (self._tolerant and isinstance(error, Exception)):
                    return unawaited_among(Batch(claim.start, values, error), claim.items, tolerant=False)
                values.append(error)
        return unawaited_among(Batch(claim.start, values), claim.items, tolerant=self._tolerant)

    def stop(self) -> None:
        """Cancel what runs, and let go of the loops. Safe from any thread."""
        with self._lock:
            self._stopped = True
            for loop in self._lent:
                loop.call_soon_threadsafe(partial(_cancel_tasks, loop))
            for loop in self._idle:
                loop.close()
            self._idle.clear()

    def _await(self, index: int, item: Any) -> Any:
        with self._loop() as loop:
            coroutine = self._fn(item) if self._timeout is None else self._within(self._timeout, index, item)
            return _complete(loop, coroutine, self._context.copy())

    async def _within(self, seconds: float, index: int, item: Any) -> Any:
        value = await limited(self._fn(item), seconds)
        if value is OVERDUE:
            raise ItemTimeoutError(index, show(item), seconds, CANCELLED)
        return value

    @contextmanager
    def _loop(self) -> Generator[asyncio.AbstractEventLoop, None, None]:
        with self._lock:
            if self._stopped:
                raise asyncio.CancelledError
            loop = self._idle.pop() if self._idle else asyncio.new_event_loop()
            self._lent.add(loop)
        try:
            yield loop
        finally:
            self._take_back(loop)

    def _take_back(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            self._lent.discard(loop)
            if self._stopped:
                loop.close()
            else:
                self._idle.append(loop)


def _complete(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, Any], context: Context) -> Any:
    task = loop.create_task(coroutine, context=context)
    try:
        return loop.run_until_complete(task)
    finally:
        if task.done() and not task.cancelled():
            task.exception()  # seen, or asyncio would report a SystemExit that the caller gets anyway


def _cancel_tasks(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()
