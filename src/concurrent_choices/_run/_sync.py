"""`run` and `stream`: for code that may block."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator
from functools import partial
from math import inf
from typing import Any, TypeVar, Unpack, overload

from .._facts._batch import Batch
from .._work._job import Job
from ..protocols import Strategy
from ._arguments import blocking, check_switches
from ._collect import Arrivals, Collector, InOrder, Window, batch_of, finish, iterable_of
from ._open_streams import Reading, closed_at_exit, orphaned
from ._prepare import (
    GLANCE,
    Running,
    RunOptions,
    Streaming,
    StreamOptions,
    prepare,
    prepare_stream,
    refuse_loop,
    shown,
)

__all__ = ["collected", "run", "stream"]

T = TypeVar("T")
R = TypeVar("R")


@overload
def run(fn: Callable[[T], Awaitable[R]], items: Iterable[T], **options: Unpack[RunOptions]) -> list[R]: ...
@overload
def run(
    fn: Callable[[T], Awaitable[R]],
    items: Iterable[T],
    *,
    return_exceptions: bool,
    **options: Unpack[Running],
) -> list[R | Exception]: ...
@overload
def run(fn: Callable[[T], R], items: Iterable[T], **options: Unpack[RunOptions]) -> list[R]: ...
@overload
def run(
    fn: Callable[[T], R], items: Iterable[T], *, return_exceptions: bool, **options: Unpack[Running]
) -> list[R | Exception]: ...
def run(  # noqa: PLR0913 - all but two are options, taken by name
    fn: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    strategy: object = "auto",
    timeout: float | None = None,
    return_exceptions: bool = False,
    progress: bool = False,
    idempotent: bool = False,
) -> list[Any]:
    """Call `fn` on every item, once, and return the results in input order.

    Args:
        fn: A callable of one argument, `def` or `async def`.
        items: Any iterable. It is advanced only in the calling thread.
        strategy: "auto", which decides while it works; another name, such as "thread" or "process"; an object
            that sets the numbers, such as `ThreadStrategy(max_workers=8)`; or what `recommend` returned.
        timeout: Seconds that each item may take.
        return_exceptions: Put an exception in its item's place and go on, instead of raising it.
        progress: Show a progress display on standard error (needs the extra "progress").
        idempotent: An item whose worker process died may be called again.

    Returns:
        A list with one result for each item.

    Raises:
        InvalidArgumentError: An argument is invalid; nothing was started.
        RunningLoopError: An event loop is running in this thread; use `arun`.
        ItemError: One of its subclasses, if an item times out, its worker dies, or it cannot be pickled.
        Exception: Whatever `fn` or `items` raised; if it was `fn`, with a note that names the item.

    Examples:
        >>> run(len, ["a", "bb", "ccc"], strategy="thread")
        [1, 2, 3]
    """
    refuse_loop("run", "await arun(...)")
    check_switches(return_exceptions=return_exceptions, progress=progress, idempotent=idempotent)
    job, chosen = prepare(
        fn,
        blocking(items),
        strategy,
        linger=GLANCE if progress else inf,
        timeout=timeout,
        return_exceptions=return_exceptions,
        idempotent=idempotent,
    )
    return collected(job, chosen, progress=progress)


def collected(job: Job, chosen: Strategy, *, progress: bool = False) -> list[Any]:
    """All results of a job, in input order."""
    collector = Collector(chosen.name)
    add = collector.add
    with shown(progress, job, chosen) as seen, _Batches(chosen, job) as batches:
        for batch in batches:
            add(batch)
            if seen is not None:
                seen(batch)
        # while the source still knows what nobody has claimed
        finish(job, chosen.name, len(collector.values))
        return collector.values


@overload
def stream(
    fn: Callable[[T], Awaitable[R]], items: Iterable[T], **options: Unpack[StreamOptions]
) -> Generator[R]: ...
@overload
def stream(
    fn: Callable[[T], Awaitable[R]],
    items: Iterable[T],
    *,
    return_exceptions: bool,
    **options: Unpack[Streaming],
) -> Generator[R | Exception]: ...
@overload
def stream(fn: Callable[[T], R], items: Iterable[T], **options: Unpack[StreamOptions]) -> Generator[R]: ...
@overload
def stream(
    fn: Callable[[T], R], items: Iterable[T], *, return_exceptions: bool, **options: Unpack[Streaming]
) -> Generator[R | Exception]: ...
def stream(  # noqa: PLR0913 - all but two are options, taken by name
    fn: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    ordered: bool = True,
    strategy: object = "auto",
    timeout: float | None = None,
    return_exceptions: bool = False,
    buffersize: int | None = None,
    progress: bool = False,
    idempotent: bool = False,
) -> Generator[Any]:
    """Call `fn` on every item, once, and yield each result as soon as it is due.

    Items are taken only as needed, so `items` may be infinite. Closing the iterator, or leaving it, ends the
    work.

    Args:
        fn: As for `run`.
        items: As for `run`; it is advanced in the thread that takes the results.
        ordered: Yield results in input order; otherwise as they finish.
        strategy: As for `run`.
        timeout: As for `run`.
        return_exceptions: As for `run`.
        buffersize: How many items may be taken from `items` ahead of the results; by default as many as
            the workers need and as the caller takes in a fiftieth of a second.
        progress: As for `run`.
        idempotent: As for `run`.

    Returns:
        An iterator over the results, which can be closed. One that is left open is closed as the interpreter
        ends, unless another thread still reads it.

    Raises:
        InvalidArgumentError: At the call, if an argument is invalid. Whatever else `run` raises comes
            from the iterator, after the results that were due before.
        ConcurrentChoicesError: In a fork, at once, if the stream had begun by then.
        RunningLoopError: At the call, or as the first result is taken, if an event loop is running in that
            thread; use `astream`.

    Examples:
        >>> from itertools import count
        >>> squares = stream(lambda n: n * n, count(), strategy="thread")
        >>> next(squares), next(squares), next(squares)
        (0, 1, 4)
        >>> squares.close()
    """
    _refuse_loop()
    check_switches(
        ordered=ordered, return_exceptions=return_exceptions, progress=progress, idempotent=idempotent
    )
    job, chosen = prepare_stream(
        fn,
        blocking(items),
        strategy,
        buffersize=buffersize,
        timeout=timeout,
        return_exceptions=return_exceptions,
        idempotent=idempotent,
    )
    results = _stream(job, chosen, InOrder(chosen.name) if ordered else Arrivals(), progress=progress)
    return closed_at_exit(results, job.source)


def _stream(job: Job, chosen: Strategy, delivery: InOrder | Arrivals, *, progress: bool) -> Generator[Any]:
    _refuse_loop()  # it may have been made before the loop ran, or in another thread
    job.source.adopt()
    window, reading, arrived = Window(job), Reading(job), 0
    with shown(progress, job, chosen) as seen, _Batches(chosen, job) as batches:
        for batch in batches:
            if seen is not None:
                seen(batch)
            arrived += len(batch.values)
            window.arrived(batch.values)
            for values in delivery.take(batch):
                yield from reading.rest_of(values)
                if job.orphaned:
                    raise orphaned("stream", job)
                job.source.adopt()  # a server asks for each result in whichever of its threads is free
                window.release(len(values))
                window.tend()
            if batch.error is not None:
                raise batch.error
        finish(job, chosen.name, arrived)


def _refuse_loop() -> None:
    refuse_loop("stream", "async for ... in astream(...)")


class _Batches:
    """A strategy's batches; whatever happens, it is closed and the job stopped.

    Not by `contextlib.contextmanager`, which changes what is raised through it: a frozen exception refuses.
    """

    def __init__(self, chosen: Strategy, job: Job) -> None:
        self._job = job
        self._name = chosen.name
        self._batches: Iterator[Batch] = iterable_of(chosen.name, chosen.execute(job))

    def __enter__(self) -> Iterator[Batch]:
        return map(partial(batch_of, self._name), self._batches)

    def __exit__(self, kind: type[BaseException] | None, *exc_info: object) -> None:
        self._job.end(kind)  # first: who ends its threads in `execute` waits for the call of each, no more
        batches = self._batches
        if isinstance(batches, Generator):
            batches.close()
