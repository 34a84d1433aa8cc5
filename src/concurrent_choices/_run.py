"""`run`, `stream`, `arun`, `astream`: where choosing meets doing."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import aclosing, closing, contextmanager, nullcontext
from math import inf
from typing import Any, TypeVar, overload

from ._arguments import check_async_items, check_buffersize, check_fn, check_items, check_timeout
from ._collect import Arrivals, Collector, InOrder, Window, finish
from ._errors import RunningLoopError
from ._facts._batch import Batch
from ._strategies._registry import resolve
from ._work._callables import is_async
from ._work._job import Job
from ._work._source import Source
from .protocols import AsyncStrategy, Strategy

__all__ = ["arun", "astream", "run", "stream"]

T = TypeVar("T")
R = TypeVar("R")

LINGER = 1e-3
"""Seconds a result of a stream may rest before the caller is woken (guessed: ten wake-ups' worth)."""

GLANCE = 0.1
"""Seconds between looks at the results where only the progress display looks."""

AHEAD = 64
"""Items a stream may take ahead at first; strategies and the caller's pace widen it."""


@overload
def run(
    fn: Callable[[T], Awaitable[R]],
    items: Iterable[T],
    *,
    strategy: str | Strategy | object = ...,
    timeout: float | None = ...,
    return_exceptions: bool = ...,
    progress: bool = ...,
    idempotent: bool = ...,
) -> list[R]: ...
@overload
def run(
    fn: Callable[[T], R],
    items: Iterable[T],
    *,
    strategy: str | Strategy | object = ...,
    timeout: float | None = ...,
    return_exceptions: bool = ...,
    progress: bool = ...,
    idempotent: bool = ...,
) -> list[R]: ...
def run(
    fn: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    strategy: str | Strategy | object = "auto",
    timeout: float | None = None,
    return_exceptions: bool = False,
    progress: bool = False,
    idempotent: bool = False,
) -> list[Any]:
    """Call `fn` on every item, once, and give the results in input order.

    Args:
        fn: A callable of one argument, `def` or `async def`.
        items: Any iterable. It is advanced only in the calling thread.
        strategy: A name, a strategy object, or a recommendation.
        timeout: Seconds one item may take.
        return_exceptions: Put an exception in its item's place and go on, instead of raising it.
        progress: Show a progress display on standard error (needs the extra "progress").
        idempotent: An item whose worker process died may be called again.

    Returns:
        A list with one result for each item.

    Raises:
        InvalidArgumentError: An argument cannot work; nothing was started.
        RunningLoopError: An event loop runs in this thread; use `arun`.
        ItemError: One of its kinds, where an item times out, dies, or cannot travel.
        Exception: Whatever `fn` or `items` raised, itself, with a note that names the item.

    Example:
        >>> run(len, ["a", "bb", "ccc"], strategy="thread")
        [1, 2, 3]
    """
    refuse_loop("run", "await arun(...)")
    linger = GLANCE if progress else inf
    job, chosen = _prepare(fn, items, strategy, timeout, return_exceptions, idempotent, linger)
    collector = Collector(job, chosen.name)
    add = collector.add
    with _shown(progress, job, chosen) as seen, _batches(chosen, job) as batches:
        for batch in batches:
            add(batch)
            if seen is not None:
                seen(batch)
    return collector.result()


@overload
def stream(
    fn: Callable[[T], Awaitable[R]],
    items: Iterable[T],
    *,
    ordered: bool = ...,
    strategy: str | Strategy | object = ...,
    timeout: float | None = ...,
    return_exceptions: bool = ...,
    buffersize: int | None = ...,
    progress: bool = ...,
    idempotent: bool = ...,
) -> Iterator[R]: ...
@overload
def stream(
    fn: Callable[[T], R],
    items: Iterable[T],
    *,
    ordered: bool = ...,
    strategy: str | Strategy | object = ...,
    timeout: float | None = ...,
    return_exceptions: bool = ...,
    buffersize: int | None = ...,
    progress: bool = ...,
    idempotent: bool = ...,
) -> Iterator[R]: ...
def stream(
    fn: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    ordered: bool = True,
    strategy: str | Strategy | object = "auto",
    timeout: float | None = None,
    return_exceptions: bool = False,
    buffersize: int | None = None,
    progress: bool = False,
    idempotent: bool = False,
) -> Iterator[Any]:
    """Call `fn` on every item, once, and give each result as soon as it is due.

    Lazy in, lazy out: `items` may be infinite. Closing the iterator, or leaving it, ends the work.

    Args:
        fn: As for `run`.
        items: As for `run`; it is advanced in the thread that takes the results.
        ordered: Give results in input order; otherwise as they arrive.
        strategy: As for `run`.
        timeout: As for `run`.
        return_exceptions: As for `run`.
        buffersize: Items that may be taken from `items` ahead of the results; by default as many as the
            workers need and the caller takes in a fiftieth of a second.
        progress: As for `run`.
        idempotent: As for `run`.

    Returns:
        An iterator over the results.

    Raises:
        InvalidArgumentError: At the call, where an argument cannot work. Everything else `run` raises comes
            from the iterator, after the results already due.

    Example:
        >>> from itertools import count
        >>> squares = stream(lambda n: n * n, count(), strategy="thread")
        >>> next(squares), next(squares), next(squares)
        (0, 1, 4)
        >>> squares.close()
    """
    refuse_loop("stream", "async for ... in astream(...)")
    check_buffersize(buffersize)
    job, chosen = _prepare(
        fn, items, strategy, timeout, return_exceptions, idempotent, LINGER, buffersize
    )
    return _stream(job, chosen, InOrder() if ordered else Arrivals(), progress=progress)


def _stream(
    job: Job, chosen: Strategy, delivery: InOrder | Arrivals, *, progress: bool
) -> Iterator[Any]:
    job.source.adopt()
    window, arrived = Window(job), 0
    with _shown(progress, job, chosen) as seen, _batches(chosen, job) as batches:
        for batch in batches:
            if seen is not None:
                seen(batch)
            arrived += len(batch.values)
            for values in delivery.take(batch):
                yield from values
                window.release(len(values))
            if batch.error is not None:
                raise batch.error
    finish(job, chosen.name, arrived)


async def arun(
    fn: Callable[[Any], Any],
    items: Iterable[Any] | AsyncIterable[Any],
    *,
    strategy: str | Strategy | object = "auto",
    timeout: float | None = None,
    return_exceptions: bool = False,
    progress: bool = False,
    idempotent: bool = False,
) -> list[Any]:
    """`run` inside a running event loop, asyncio's or trio's, which it never blocks.

    Under the strategies "asyncio", "uvloop", "anyio" and "sequential" an `async def` runs on the loop that is
    running, so it may use clients that belong to that loop. Everything else runs beside it.

    Args:
        fn: As for `run`.
        items: Any iterable, or an async iterable. A plain generator is advanced in another thread, so
            that it cannot block the loop.
        strategy: As for `run`.
        timeout: As for `run`.
        return_exceptions: As for `run`.
        progress: As for `run`.
        idempotent: As for `run`.

    Returns:
        A list with one result for each item, in input order.

    Raises:
        Exception: As for `run`.
    """
    check_async_items(items)
    job, chosen = _prepare(fn, items, strategy, timeout, return_exceptions, idempotent, LINGER)
    collector = Collector(job, chosen.name)
    with _shown(progress, job, chosen) as seen:
        async with aclosing(_abatches(chosen, job, items)) as batches:
            async for batch in batches:
                collector.add(batch)
                if seen is not None:
                    seen(batch)
                job.source.release(len(batch.values))
    return collector.result()


def astream(
    fn: Callable[[Any], Any],
    items: Iterable[Any] | AsyncIterable[Any],
    *,
    ordered: bool = True,
    strategy: str | Strategy | object = "auto",
    timeout: float | None = None,
    return_exceptions: bool = False,
    buffersize: int | None = None,
    progress: bool = False,
    idempotent: bool = False,
) -> AsyncIterator[Any]:
    """`stream` inside a running event loop, which it never blocks.

    Args:
        fn: As for `arun`.
        items: As for `arun`.
        ordered: As for `stream`.
        strategy: As for `arun`.
        timeout: As for `run`.
        return_exceptions: As for `run`.
        buffersize: As for `stream`.
        progress: As for `run`.
        idempotent: As for `run`.

    Returns:
        An async iterator over the results. Leave it early under ``contextlib.aclosing``, which ends the
        work at once.

    Raises:
        Exception: As for `stream`.
    """
    check_async_items(items)
    check_buffersize(buffersize)
    job, chosen = _prepare(
        fn, items, strategy, timeout, return_exceptions, idempotent, LINGER, buffersize
    )
    return _astream(job, chosen, items, InOrder() if ordered else Arrivals(), progress=progress)


async def _astream(
    job: Job, chosen: Strategy, items: Any, delivery: InOrder | Arrivals, *, progress: bool
) -> AsyncIterator[Any]:
    window, arrived = Window(job), 0
    with _shown(progress, job, chosen) as seen:
        async with aclosing(_abatches(chosen, job, items)) as batches:
            async for batch in batches:
                if seen is not None:
                    seen(batch)
                arrived += len(batch.values)
                for values in delivery.take(batch):
                    for value in values:
                        yield value
                    window.release(len(values))
                if batch.error is not None:
                    raise batch.error
    finish(job, chosen.name, arrived)


def refuse_loop(called: str, instead: str) -> None:
    """Raise where an event loop runs in this thread, which a blocking call would stop."""
    trio = sys.modules.get("trio")
    running = trio is not None and trio.lowlevel.in_trio_run()
    if not running and (events := sys.modules.get("asyncio.events")) is not None:
        running = events._get_running_loop() is not None  # noqa: SLF001 - the public function raises instead of answering
    if running:
        raise RunningLoopError(called, instead)


def _prepare(
    fn: Callable[[Any], Any],
    items: Any,
    strategy: object,
    timeout: float | None,
    return_exceptions: bool,  # noqa: FBT001 - private; the public functions take it by name
    idempotent: bool,  # noqa: FBT001 - as above
    linger: float,
    buffersize: int | None = None,
) -> tuple[Job, Strategy]:
    """Check every argument, then make the job; nothing has been started."""
    check_fn(fn)
    chosen = resolve(_rule_of_thumb(fn) if strategy == "auto" else strategy)
    limit = check_timeout(timeout)
    window = None if linger != LINGER else buffersize or AHEAD
    if isinstance(items, AsyncIterable):
        source = Source.pushed(window=window, fixed=buffersize is not None)
    else:
        check_items(items)
        source = Source(items, window=window, fixed=buffersize is not None)
    job = Job(
        fn,
        source,
        timeout=limit,
        return_exceptions=return_exceptions,
        idempotent=idempotent,
        linger=linger,
    )
    return job, chosen


def _rule_of_thumb(fn: Callable[[Any], Any]) -> str:
    """Until `auto` decides by measuring: coroutines on a loop, everything else in threads."""
    return "asyncio" if is_async(fn) else "thread"


@contextmanager
def _batches(chosen: Strategy, job: Job) -> Iterator[Iterator[Batch]]:
    """A strategy's batches; whatever happens, it is closed and the job stopped."""
    batches = chosen.execute(job)
    try:
        if hasattr(batches, "close"):
            with closing(batches):
                yield batches
        else:
            yield batches
    finally:
        job.close()


async def _abatches(chosen: Strategy, job: Job, items: Any) -> AsyncIterator[Batch]:
    from ._strategies._lanes._feeding import feeding  # noqa: PLC0415 - asyncio and anyio cost 50 ms; here one of them runs already
    from ._strategies._lanes._native import execute_beside  # noqa: PLC0415 - as above

    here = isinstance(chosen, AsyncStrategy) and job.is_async
    batches = chosen.aexecute(job) if here else execute_beside(job, chosen)
    try:
        async with feeding(job, items, here=here) as fed, aclosing(batches):
            async for batch in batches:
                yield batch
                fed()
    finally:
        job.close()


def _shown(progress: bool, job: Job, chosen: Strategy) -> Any:  # noqa: FBT001 - private
    """A context that gives what is told of each batch, and shows it if asked to."""
    if not progress:
        return nullcontext()
    from ._progress import Display  # noqa: PLC0415 - rich is an extra

    return Display(job, chosen.name)
