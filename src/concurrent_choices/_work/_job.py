"""A job: what `run` hands to a strategy, and all that a strategy needs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from math import inf
from typing import TYPE_CHECKING, Any

from attrs import define, field

from .._errors import ItemTimeoutError
from .._facts._batch import Batch, Claim
from ._callables import is_async, name_of
from ._nesting import lanes_around
from ._perform import Performer, annotate, complete, show, unawaited_among
from ._source import Source

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = ["Job"]


@define(eq=False)
class Job:
    """One call of `run` or `stream`, as a strategy sees it.

    A strategy claims items, performs them wherever it likes, and yields the batches in any order:

        def execute(self, job):
            while claim := job.claim(1):
                yield job.perform(claim)

    Attributes:
        fn: The callable, `def` or `async def`.
        source: Where the items are.
        timeout: Seconds an item may take, or None.
        return_exceptions: Whether an exception stands in its item's place.
        idempotent: Whether an item whose worker died may be called again.
        linger: Seconds a finished batch may rest before it is handed over; infinite where the caller
            looks at nothing before the end.
        sink: Takes each batch where it arises, in its lane's thread, instead of `execute` yielding it; None
            outside of worker processes.
        context: What each item's context is copied from.
        report: What `auto` writes down as it goes, for `run_report`.
        is_async: Whether calling `fn` gives a coroutine.
        stopped: Whether the caller wants nothing more.
    """

    fn: Callable[[Any], Any]
    source: Source
    timeout: float | None = None
    return_exceptions: bool = False
    idempotent: bool = False
    linger: float = inf
    sink: Callable[[Batch], None] | None = None
    context: Context = field(factory=copy_context)
    report: object = None
    is_async: bool = field(init=False)
    performer: Performer = field(init=False)
    stopped: bool = field(default=False, init=False)
    _on_stop: list[Callable[[], None]] = field(init=False)
    _changed: threading.Event | None = field(default=None, init=False)
    _loop: AbstractEventLoop | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self._on_stop = []
        self.is_async = is_async(self.fn)
        self.performer = Performer(self.fn, self.context, return_exceptions=self.return_exceptions)

    @property
    def name(self) -> str:
        """The callable's name."""
        return name_of(self.fn)

    def claim(self, limit: int = 1) -> Claim | None:
        """Take at most `limit` consecutive items; waits where they come from an async iterable.

        Call it in the thread that iterates over `execute`: only there may the caller's iterable be advanced.

        Returns:
            The items and the index of the first, or None when there are none left.
        """
        source = self.source
        source.make_room(1)
        while (claim := source.claim(limit)) is None and not source.finished:
            self._wait()
        return claim

    def _wait(self) -> None:
        """Wait until items have been pushed."""
        if self._changed is None:
            self._changed = threading.Event()
            self.source.on_change(self._changed.set)
            self.on_stop(self._changed.set)
        self._changed.clear()
        if not (self.source.ready or self.source.finished):
            self.source.hunger()
            self._changed.wait()

    def perform(self, claim: Claim) -> Batch:
        """Call the callable on each item of a claim, in this thread, under the failure contract.

        An `async def` runs on an event loop of this job's own.
        """
        return self._await_each(claim) if self.is_async else self.performer(claim)

    def stop(self) -> None:
        """Hand out no more items and tell whoever waits. Safe from any thread."""
        self.stopped = True
        self.source.close()
        for callback in list(self._on_stop):
            callback()

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Have `callback` called, from any thread, when the job is stopped."""
        self._on_stop.append(callback)
        if self.stopped:
            callback()

    def close(self) -> None:
        """Stop, and close the loop that `perform` may have opened."""
        self.stop()
        if self._loop is not None:
            self._loop.close()
            self._loop = None

    @property
    def lanes(self) -> int:
        """How many lanes run around the items of this job already."""
        return self.context.get(lanes_around, 1)

    def crowd(self, lanes: int) -> None:
        """Tell nested runs, through the context of the items, how many lanes run beside them."""
        self.context.run(lanes_around.set, self.lanes * max(1, lanes))

    def _await_each(self, claim: Claim) -> Batch:
        values: list[Any] = []
        for index, item in enumerate(claim.items, claim.start):
            try:
                values.append(self._await_one(index, item))
            except BaseException as error:  # noqa: BLE001 - whatever the item raised is the item's error
                annotate(error, index, item)
                if not (self.return_exceptions and isinstance(error, Exception)):
                    return unawaited_among(Batch(claim.start, values, error), claim.items, tolerant=False)
                values.append(error)
        batch = Batch(claim.start, values)
        return unawaited_among(batch, claim.items, tolerant=self.return_exceptions)

    def _await_one(self, index: int, item: Any) -> Any:
        import asyncio  # noqa: PLC0415 - only async callables need it, and it costs 30 ms

        async def limited() -> Any:
            limit = asyncio.timeout(self.timeout)
            try:
                async with limit:
                    return await self.fn(item)
            except TimeoutError as error:
                if self.timeout is None or not limit.expired():
                    raise
                raise ItemTimeoutError(index, show(item), self.timeout, "it was cancelled") from error

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return complete(self._loop, limited(), self.context.copy())

    def describe(self, claim: Claim, index: int) -> str:
        """The shortened repr of one item of a claim."""
        return show(claim.items[index - claim.start])
