"""`arun` and `astream`: for code inside an event loop, which they never block."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, Self, TypeVar, Unpack, overload

from .._facts._batch import Batch
from .._work._job import Job
from ..protocols import AsyncStrategy, Strategy
from ._arguments import check_switches, off_the_loop
from ._collect import Arrivals, Collector, InOrder, Window, batch_of, finish, iterable_of
from ._open_streams import Reading, orphaned
from ._prepare import LINGER, Running, RunOptions, Streaming, StreamOptions, prepare, prepare_stream, shown

__all__ = ["arun", "astream"]

T = TypeVar("T")
R = TypeVar("R")

Items = Iterable[T] | AsyncIterable[T]


@overload
async def arun(
    fn: Callable[[T], Awaitable[R]], items: Items[T], **options: Unpack[RunOptions]
) -> list[R]: ...
@overload
async def arun(
    fn: Callable[[T], Awaitable[R]], items: Items[T], *, return_exceptions: bool, **options: Unpack[Running]
) -> list[R | Exception]: ...
@overload
async def arun(fn: Callable[[T], R], items: Items[T], **options: Unpack[RunOptions]) -> list[R]: ...
@overload
async def arun(
    fn: Callable[[T], R], items: Items[T], *, return_exceptions: bool, **options: Unpack[Running]
) -> list[R | Exception]: ...
async def arun(  # noqa: PLR0913 - all but two are options, taken by name
    fn: Callable[[Any], Any],
    items: Items[Any],
    *,
    strategy: object = "auto",
    timeout: float | None = None,  # noqa: ASYNC109 - for each item, as everywhere here; not for the call
    return_exceptions: bool = False,
    progress: bool = False,
    idempotent: bool = False,
) -> list[Any]:
    """`run` inside a running event loop of asyncio or trio, which it never blocks.

    Under the strategies "asyncio", "uvloop", "anyio" and "sequential" an `async def` runs on the loop that is
    running, so it may use clients that belong to that loop. Under "auto" it does so as long as it waits for
    the loop. Everything else runs beside the loop.

    Args:
        fn: As for `run`.
        items: Any iterable, or an async iterable. An iterator that is not async is advanced in another
            thread, so that it cannot block the loop.
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
    items = off_the_loop(items)
    check_switches(return_exceptions=return_exceptions, progress=progress, idempotent=idempotent)
    job, chosen = prepare(
        fn,
        items,
        strategy,
        linger=LINGER,
        timeout=timeout,
        return_exceptions=return_exceptions,
        idempotent=idempotent,
    )
    collector = Collector(chosen.name)
    with shown(progress, job, chosen) as seen:
        async with _Batches(chosen, job, items) as batches:
            async for batch in batches:
                collector.add(batch)
                if seen is not None:
                    seen(batch)
                job.source.release(len(batch.values))
            # while the source still knows what nobody has claimed
            finish(job, chosen.name, len(collector.values))
            return collector.values


@overload
def astream(
    fn: Callable[[T], Awaitable[R]], items: Items[T], **options: Unpack[StreamOptions]
) -> AsyncGenerator[R]: ...
@overload
def astream(
    fn: Callable[[T], Awaitable[R]], items: Items[T], *, return_exceptions: bool, **options: Unpack[Streaming]
) -> AsyncGenerator[R | Exception]: ...
@overload
def astream(fn: Callable[[T], R], items: Items[T], **options: Unpack[StreamOptions]) -> AsyncGenerator[R]: ...
@overload
def astream(
    fn: Callable[[T], R], items: Items[T], *, return_exceptions: bool, **options: Unpack[Streaming]
) -> AsyncGenerator[R | Exception]: ...
def astream(  # noqa: PLR0913 - all but two are options, taken by name
    fn: Callable[[Any], Any],
    items: Items[Any],
    *,
    ordered: bool = True,
    strategy: object = "auto",
    timeout: float | None = None,
    return_exceptions: bool = False,
    buffersize: int | None = None,
    progress: bool = False,
    idempotent: bool = False,
) -> AsyncGenerator[Any]:
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
        An async iterator over the results. To leave it early, use ``contextlib.aclosing``, which ends the
        work at once.

    Raises:
        Exception: As for `stream`.
    """
    items = off_the_loop(items)
    check_switches(
        ordered=ordered, return_exceptions=return_exceptions, progress=progress, idempotent=idempotent
    )
    job, chosen = prepare_stream(
        fn,
        items,
        strategy,
        buffersize=buffersize,
        timeout=timeout,
        return_exceptions=return_exceptions,
        idempotent=idempotent,
    )
    return _astream(job, chosen, items, InOrder(chosen.name) if ordered else Arrivals(), progress=progress)


async def _astream(
    job: Job, chosen: Strategy, items: Any, delivery: InOrder | Arrivals, *, progress: bool
) -> AsyncGenerator[Any]:
    window, reading, arrived = Window(job), Reading(job, on_loop=True), 0
    with shown(progress, job, chosen) as seen:
        async with _Batches(chosen, job, items) as batches:
            async for batch in batches:
                if seen is not None:
                    seen(batch)
                arrived += len(batch.values)
                window.arrived(batch.values)
                for values in delivery.take(batch):
                    for value in reading.rest_of(values):
                        yield value
                    if job.orphaned:
                        raise orphaned("astream", job)
                    window.release(len(values))
                if batch.error is not None:
                    raise batch.error
            finish(job, chosen.name, arrived)


class _Batches:
    """A strategy's batches, while items are brought to it; whatever happens, both are ended.

    Not an async generator: a loop that ends finalizes each of those by itself, inner ones before the outer.
    """

    def __init__(self, chosen: Strategy, job: Job, items: Any) -> None:
        from .._strategies._lanes._feeding import Feeding  # noqa: PLC0415 - anyio; here a loop runs already
        from .._strategies._lanes._native import execute_beside  # noqa: PLC0415 - as above

        self._job = job
        self._name = name = chosen.name
        if isinstance(chosen, AsyncStrategy) and job.is_async:
            self._feeding = Feeding(job, items, here=True)
            self._batches: AsyncIterator[Batch] = iterable_of(name, chosen.aexecute(job), AsyncIterator)
        else:
            self._feeding = Feeding(job, items, here=False)
            self._batches = execute_beside(job, lambda job: iterable_of(name, chosen.execute(job)))
        self._started = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exc_info: object) -> None:
        self._job.end(kind)  # first, as in `run`
        if self._job.orphaned:
            return  # nobody is here whose end could be waited for, and perhaps no loop runs to wait on
        await self._feeding.aclose()
        close = getattr(self._batches, "aclose", None)
        if close is not None:
            await close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Batch:
        if self._started:
            self._feeding.taken()
        else:
            self._started = True
            self._feeding.start()
        return batch_of(self._name, await anext(self._batches))
