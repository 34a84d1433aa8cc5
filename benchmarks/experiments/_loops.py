"""The published ways of doing things, in the standard library's words."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from benchmarks.dispatch._loops import gather, gather_semaphore, serial, worker_tasks

__all__ = [
    "gathered",
    "in_executor",
    "in_pool",
    "in_processes",
    "in_threads",
    "limited",
    "one_by_one",
    "plain",
]


def plain(fn: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """One after another."""
    return [fn(item) for item in items]


def one_by_one(fn: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Coroutines, each awaited before the next is made."""
    return asyncio.run(serial(fn, items))


def gathered(fn: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Coroutines, all at once."""
    return asyncio.run(gather(fn, items))


def limited(fn: Callable[[Any], Any], items: Iterable[Any], limit: int) -> list[Any]:
    """Coroutines, so many at a time, by a semaphore."""
    return asyncio.run(gather_semaphore(fn, items, limit))


def in_executor(
    fn: Callable[[Any], Any], items: Iterable[Any], executor: Executor | None = None
) -> list[Any]:
    """Blocking calls in an executor of the loop, its default one if none is given."""

    async def main() -> list[Any]:
        loop = asyncio.get_running_loop()
        return await asyncio.gather(*[loop.run_in_executor(executor, fn, item) for item in items])

    return asyncio.run(main())


def in_threads(fn: Callable[[Any], Any], items: Iterable[Any], workers: int) -> list[Any]:
    """Blocking calls in a pool of threads."""
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(fn, items))


def in_processes(fn: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Calls in a pool of processes, one for each core, started for it as this Python starts them."""
    with warnings.catch_warnings():
        # Forking beside threads is what the published ways do; Python 3.12 and 3.13 warn of it. And what is
        # forked inherits, and warns of, processes that are not its own.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", ResourceWarning)
        with ProcessPoolExecutor() as pool:
            return list(pool.map(fn, items))


def in_pool(fn: Callable[[Any], Any], items: Sequence[Any], limit: int) -> list[Any]:
    """Coroutines taken from the items by so many tasks: the least that asyncio can cost."""
    return asyncio.run(worker_tasks(fn, items, limit))
