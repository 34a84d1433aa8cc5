"""An executor that learns, for each callable, whether it belongs in a thread or in a process."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, Literal, ParamSpec, TypeVar

from .._errors import InvalidArgumentError
from .._facts._numbers import is_whole, plain_int
from .._run._arguments import check_buffersize, check_callable
from ._calls._mapping import chunks, results_of, run_chunk
from ._cores import new_core
from ._explain import Explanation, explain
from ._settings import Settings

__all__ = ["AdaptiveExecutor", "WhenFull"]

P = ParamSpec("P")
R = TypeVar("R")
WhenFull = Literal["block", "caller", "reject"]


class AdaptiveExecutor(Executor):
    """Runs each call in a thread or in a worker process, as suits its callable.

    The first calls of a callable run in threads, at once. Measuring them (how long they compute, wait and
    hold the GIL, and how large their arguments are) decides where later calls run and how many at a time:
    calls that wait, or compute outside the GIL, in threads; those that compute under the GIL for long enough
    to be worth the transfer, in worker processes. A callable that cannot be pickled, or changes what it
    holds, stays in threads. Workers never import the caller's main module.

    Args:
        max_threads: The most threads.
        max_processes: The most worker processes; by default one per CPU that this process may use; 0 for
            none.
        max_queue: How many calls may wait; None for any number. A cancelled call counts until its turn would
            have come. Calls submitted from the executor's own threads may always wait: a thread that waited
            for room there would wait for itself.
        when_full: What `submit` does when the queue is full: "block" until there is room, "reject" with
            `QueueFullError`, or run the call in the "caller".
        limits: How many calls of a callable may run at once, for callables that need a limit of their own.
            Callables that run the same code share one limit: partials of a function, a method of several
            objects, closures that one function makes.
        place: "auto"; or "thread" or "process" to learn only how many may run at once. A callable that cannot
            go to a process runs in threads even then, and `explain` says why.
        thread_name_prefix: What its threads are called.

    Raises:
        InvalidArgumentError: An argument is invalid.

    Examples:
        >>> with AdaptiveExecutor() as executor:
        ...     executor.submit(pow, 2, 10).result()
        1024
    """

    def __init__(  # noqa: PLR0913 - settings, each with a default
        self,
        max_threads: int | None = None,
        max_processes: int | None = None,
        *,
        max_queue: int | None = None,
        when_full: WhenFull = "block",
        limits: Mapping[Callable[..., Any], int] | None = None,
        place: Literal["auto", "process", "thread"] = "auto",
        thread_name_prefix: str = "",
    ) -> None:
        settings = Settings(
            max_threads=max_threads,
            max_processes=max_processes,
            max_queue=max_queue,
            when_full=when_full,
            limits=limits or {},
            place=place,
            name=thread_name_prefix or "adaptive",
        )
        self._core = new_core(settings)
        # When nobody can submit any more, what was submitted is still done, and then the threads end.
        weakref.finalize(self, self._core.close).atexit = False

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Schedule a call of `fn` with these arguments.

        Args:
            fn: What is called.
            args: Its arguments.
            kwargs: Its keyword arguments.

        Returns:
            A future of the result. It cannot be cancelled once the call runs.

        Raises:
            InvalidArgumentError: `fn` is no callable.
            RuntimeError: The executor was shut down.
            QueueFullError: The queue is full, and `when_full` is "reject".
        """
        check_callable(fn)
        return self._core.submit(fn, args, kwargs)

    def map(
        self,
        fn: Callable[..., R],
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int = 1,
        buffersize: int | None = None,
    ) -> Iterator[R]:
        """Call `fn` with the items of the iterables, like `map`, several at a time.

        Args:
            fn: What to call.
            *iterables: Its arguments, one from each.
            timeout: Seconds from now after which waiting for a result raises TimeoutError.
            chunksize: Calls submitted as one, for many short calls.
            buffersize: Calls submitted ahead of the results taken; None takes all items at once.

        Returns:
            The results, in the order of the items.

        Raises:
            InvalidArgumentError: `fn` is no callable, or `chunksize` or `buffersize` no whole number from 1.
        """
        check_callable(fn)
        chunksize, buffersize = plain_int(chunksize), check_buffersize(buffersize)
        if not is_whole(chunksize, 1):
            raise InvalidArgumentError("chunksize", f"must be a whole number from 1, not {chunksize!r}")
        items = zip(*iterables, strict=False)
        until = None if timeout is None else time.monotonic() + timeout
        if chunksize == 1:
            # Not by the core alone: dropped, the executor would close it while there are items to come.
            submitted: Iterator[Future[Any]] = (self.submit(fn, *each) for each in items)
            return results_of(submitted, buffersize, until)
        run = partial(run_chunk, fn)
        many = (
            self._core.submit(run, (chunk,), {}, counted_as=fn, calls=len(chunk))
            for chunk in chunks(items, chunksize)
        )
        ahead = None if buffersize is None else max(1, buffersize // chunksize)
        nested: Iterator[list[R]] = results_of(many, ahead, until)
        return (value for values in nested for value in values)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the base class has it so
        """Take no more calls.

        Args:
            wait: Return only when all submitted calls have ended and all threads and processes are gone.
            cancel_futures: Cancel the calls that have not begun.
        """
        self._core.close()
        if cancel_futures:
            self._core.cancel_waiting()
        if wait:
            self._core.join()

    def explain(self) -> Explanation:
        """What was learnt of each callable. It prints as a table."""
        return explain(self._core.accounts)
