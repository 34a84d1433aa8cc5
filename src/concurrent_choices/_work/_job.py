"""A job: what `run` hands to a strategy, and all that a strategy needs.

Worker processes with lanes inside import this, so nothing slow may be imported here.
"""

from __future__ import annotations

import threading
from contextvars import copy_context
from functools import cached_property, partial
from math import inf

from .._errors import InvalidArgumentError
from .._facts._lean import TYPE_CHECKING
from .._inspect._callables import is_async as gives_coroutines
from .._inspect._callables import name_of, touches_nothing
from .._runtime._contexts import lanes_around
from ._perform import Performer
from ._watched import Watched

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Context
    from typing import Any

    from .._facts._batch import Batch, Claim
    from ._source import Source

__all__ = ["Job"]


class Job:
    """One call of `run` or `stream`, as a strategy sees it.

    A strategy claims items, performs them wherever it likes, and yields the batches in any order:

        def execute(self, job):
            while claim := job.claim(1):
                yield job.perform(claim)

    Args:
        fn: The callable, `def` or `async def`.
        source: Where the items are.
        timeout: Seconds an item may take, or None.
        return_exceptions: Whether an exception takes its item's place.
        idempotent: Whether an item whose worker died may be called again.
        linger: Seconds that a finished batch may wait before it is handed over; infinite if the caller
            looks at nothing before the end.
        sink: Takes each batch in its lane's thread, instead of `execute` yielding it; None
            outside of worker processes.
        context: The context that each item gets a copy of.
        report: Where `auto` writes down what it does, for `run_report`.
        is_async: Whether calling `fn` gives a coroutine; found out if not given.

    Attributes:
        performer: Performs claims of a `def`, however long it takes.
        stopped: Whether the caller wants nothing more.
        failed: Whether an exception is why, such as an item's, and nobody who lost interest or patience.
        orphaned: Whether this is a fork of the process in which it began, and who works for it is there.
        tend: Has the strategy see to its lanes between two of its batches, in the thread that iterates over
            `execute`; what goes wrong is raised in place of the next batch.
    """

    def __init__(  # noqa: PLR0913 - each by name
        self,
        fn: Callable[[Any], Any],
        source: Source,
        *,
        timeout: float | None = None,
        return_exceptions: bool = False,
        idempotent: bool = False,
        linger: float = inf,
        sink: Callable[[Batch], None] | None = None,
        context: Context | None = None,
        report: Any = None,
        is_async: bool | None = None,
    ) -> None:
        self.fn = fn
        self.source = source
        self.timeout = timeout
        self.return_exceptions = return_exceptions
        self.idempotent = idempotent
        self.linger = linger
        self.sink = sink
        self.context = copy_context() if context is None else context
        self.report = report
        self.is_async = gives_coroutines(fn) if is_async is None else is_async
        self.performer = Performer(
            fn,
            self.context,
            return_exceptions=return_exceptions,
            quick=not self.is_async and touches_nothing(fn),
        )
        self.stopped = self.failed = self.orphaned = False
        self.tend: Callable[[], None] = _nothing
        self._on_stop: list[Callable[[], None]] = []

    @property
    def name(self) -> str:
        """The callable's name."""
        return name_of(self.fn)

    def claim(self, limit: int = 1) -> Claim | None:
        """Take at most `limit` consecutive items; if they come from an async iterable, this waits.

        Call it in the thread that iterates over `execute`: only there may the caller's iterable be advanced.

        Args:
            limit: How many at most; 1 or more.

        Returns:
            The items and the index of the first, or None when there are none left.

        Raises:
            InvalidArgumentError: The limit is below 1.
        """
        if limit < 1:
            raise InvalidArgumentError("limit", f"must be a whole number from 1, not {limit!r}")
        source = self.source
        source.make_room()
        while (claim := source.claim(limit)) is None and not source.finished:
            self._wait()
        return claim

    def _wait(self) -> None:
        """Wait until items have been pushed."""
        self._changed.clear()
        if not (self.source.ready or self.source.finished):
            self.source.hunger()
            self._changed.wait()

    @cached_property
    def _changed(self) -> threading.Event:
        changed = threading.Event()
        self.source.on_change(changed.set)
        self.on_stop(changed.set)
        return changed

    def perform(self, claim: Claim) -> Batch:
        """Call the callable on each item of a claim, in this thread, under the failure contract.

        An `async def` runs on an event loop of this job, and a `def` with a `timeout` in a thread beside this
        one, which can then give up on it. Several threads may perform claims at once. Once the job is stopped
        no further item of a claim is started.

        Args:
            claim: What `claim` gave.

        Returns:
            The values of the items that were called, and the error that ended the claim, if one did.
        """
        return self._perform(claim)

    @cached_property
    def _perform(self) -> Callable[[Claim], Batch]:
        """What performs claims for a strategy that itself knows nothing of loops and time limits."""
        if self.is_async:
            from ._awaiter import Awaiter  # noqa: PLC0415 - only async callables need asyncio, and it costs 30 ms

            awaiter = Awaiter(
                self.fn, self.context, timeout=self.timeout, return_exceptions=self.return_exceptions
            )
            self.on_stop(awaiter.stop)
            return awaiter
        if self.timeout is not None:
            watched = Watched(self.performer, self.timeout, tolerant=self.return_exceptions)
            self.on_stop(watched.stop)
            return watched
        return partial(self.performer, mark=self._may_start)

    def _may_start(self) -> bool:
        return not self.stopped

    def stop(self) -> None:
        """End the job: hand out and start no further item, cancel coroutines. Any thread may call it.

        `run` calls it before it closes `execute`. A strategy that waits for threads of its own at its end
        calls it before that, because it may have been ended from within, such as by Ctrl-C.
        """
        self.stopped = True
        self.tend = _nothing
        self.source.close()
        for callback in list(self._on_stop):
            callback()

    def end(self, kind: type[BaseException] | None) -> None:
        """Stop, as whoever draws the batches leaves, with an exception of this kind or with none."""
        self.failed = kind is not None and issubclass(kind, Exception)
        self.stop()

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Call `callback`, from any thread, when the job is stopped."""
        self._on_stop.append(callback)
        if self.stopped:
            callback()

    @property
    def has_lanes(self) -> bool:
        """Whether its strategy has lanes to see to, which a fork has not."""
        return self.tend is not _nothing

    @property
    def lanes(self) -> int:
        """How many lanes already run around the items of this job."""
        return self.context.get(lanes_around, 1)

    def crowd(self, lanes: int) -> None:
        """Tell nested runs, through the items' context, how many lanes run beside them."""
        self.surround(self.lanes * max(1, lanes))

    def surround(self, lanes: int) -> None:
        """Tell nested runs of items that have yet to begin how many lanes there are in all; from any thread.

        By another context: without the GIL, lanes that copy one while it changes may copy what is freed.
        """
        context = self.context.copy()
        context.run(lanes_around.set, lanes)
        self.context = self.performer.context = context


def _nothing() -> None:
    """What a strategy does between two batches that has no lanes to see to."""
