"""Performing an `async def` in a thread that has no loop: one item at a time, on a loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from contextvars import Context
from functools import partial
from typing import Any

from .._facts._batch import Batch, Claim
from .._runtime._contexts import same
from .._runtime._limited import OverdueError, limited
from .._runtime._mutex import Mutex
from .._runtime._own_loops import end_loop, make_loop
from .._runtime._running_loop import loop_runs
from ._notes import annotate
from ._perform import Mark, unawaited_among
from ._watched import time_up

__all__ = ["Awaiter"]


class Awaiter:
    """Performs claims of a coroutine function, in any number of threads; its loops live until `stop`."""

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
        self._lock = Mutex()
        self._idle: list[asyncio.AbstractEventLoop] = []
        self._lent: set[asyncio.AbstractEventLoop] = set()
        self._stopped = False

    def __call__(self, claim: Claim, mark: Mark | None = None) -> Batch:
        """Perform a claim, as a `Performer` does."""
        progress = _Progress(claim, mark)
        try:
            with self._loop() as loop:
                while not progress.over:
                    own = self._context.copy()
                    _complete(loop, self._advance(progress, own), own)
        except BaseException as error:  # noqa: BLE001 - an end that came between two steps of the next item
            progress.fail(error)
        batch = Batch(claim.start, progress.values, progress.error)
        return unawaited_among(batch, claim.items, tolerant=self._tolerant and batch.error is None)

    async def _advance(self, progress: _Progress, own: Context) -> None:
        """Await one item after another, until one has changed the context: the next must not see that.

        A task for each item would cost several times what a small item does.
        """
        for index, item in progress:
            try:
                value = await (self._fn(item) if self._timeout is None else self._within(index, item))
            except BaseException as error:  # noqa: BLE001 - whatever the item raised is the item's error
                if not (self._tolerant and isinstance(error, Exception)):
                    progress.fail(error)
                    return
                annotate(error, index, item)
                value = error
            progress.values.append(value)
            if not same(own, self._context):
                return
        progress.over = True

    def stop(self) -> None:
        """Cancel what runs, and let go of the loops. Safe from any thread."""
        with self._lock:
            self._stopped = True
            for loop in self._lent:
                loop.call_soon_threadsafe(partial(_cancel_tasks, loop))
            idle, self._idle = self._idle, []
        for loop in idle:
            _end(loop)

    async def _within(self, index: int, item: Any) -> Any:
        seconds = self._timeout
        assert seconds is not None
        try:
            return await limited(self._fn(item), seconds)
        except OverdueError as overdue:
            raise time_up(index, item, seconds, overdue.aftermath) from None

    @contextmanager
    def _loop(self) -> Generator[asyncio.AbstractEventLoop, None, None]:
        with self._lock:
            if self._stopped:
                raise asyncio.CancelledError
            loop = self._idle.pop() if self._idle else make_loop()
            self._lent.add(loop)
        try:
            yield loop
        finally:
            self._take_back(loop)

    def _take_back(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            self._lent.discard(loop)
            if not self._stopped:
                self._idle.append(loop)
                return
        _end(loop)


class _Progress:
    """How far a claim is.

    Attributes:
        values: Those of the items that are over.
        error: What ended it before its end.
        over: Whether no item follows.
    """

    def __init__(self, claim: Claim, mark: Mark | None) -> None:
        self._claim = claim
        self._mark = mark
        self.values: list[Any] = []
        self.error: BaseException | None = None
        self.over = False

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        """The items that follow, with their indices, as far as they may start."""
        start, items = self._claim
        for place in range(len(self.values), len(items)):
            if self._mark is not None and not self._mark():
                return
            yield start + place, items[place]

    def fail(self, error: BaseException) -> None:
        """The item that follows has failed; or, where none does, something was raised between two claims."""
        place = len(self.values)
        if place < len(self._claim.items):
            annotate(error, self._claim.start + place, self._claim.items[place])
        self.error, self.over = error, True


def _complete(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, None], context: Context) -> None:
    task = loop.create_task(work, context=context)
    try:
        loop.run_until_complete(task)
    finally:
        if task.done() and not task.cancelled():
            task.exception()  # seen, or asyncio would report a SystemExit that the caller gets anyway


def _end(loop: asyncio.AbstractEventLoop) -> None:
    """End a loop with what items left on it; where `stop` is called in a running one, close it only."""
    if loop_runs():
        loop.close()
    else:
        end_loop(loop)


def _cancel_tasks(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()
