"""What a careful person writes with the standard library: each a name and a function."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from typing import Any

from benchmarks.dispatch._loops import Main, gather, gather_semaphore, on_loop, serial

__all__ = [
    "THREADS",
    "Runner",
    "awaited",
    "called",
    "forks_the_caller",
    "grid_for",
    "loop",
    "one_by_one",
    "run_one",
    "usable",
]

Runner = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]

THREADS = (2, 4, 8, 16, 32, 64)
THREADS_WITH_LOOPS = (8, 32, 64)
WIDTHS = (8, 32, 128)


def grid_for(*, is_async: bool, count: int) -> dict[str, Runner]:
    """Every hand-tuned way by its name.

    Args:
        is_async: Whether the callable is an `async def`.
        count: How many items there will be, for the chunk sizes.
    """
    if is_async:
        return dict(awaited(count, THREADS_WITH_LOOPS))
    return dict(called(count, THREADS, sorted({usable(), 2 * usable(), 8})))


def forks_the_caller(name: str) -> bool:
    """Whether a way is a pool of the standard library's processes, which are forks of the caller."""
    return name.startswith("processes")


def usable() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


def called(count: int, threads: Iterable[int], processes: Iterable[int]) -> Iterator[tuple[str, Runner]]:
    """Every way for a `def`, with pools of these sizes."""
    yield "loop", loop
    for workers in threads:
        yield f"threads {workers}", partial(_threads, workers)
    for workers in processes:
        for chunk in sorted({1, max(1, count // (8 * workers))}):
            yield f"processes {workers}, chunks of {chunk}", partial(_processes, workers, chunk)


def awaited(count: int, threads: Iterable[int]) -> Iterator[tuple[str, Runner]]:
    """Every way for an `async def`, with pools of these sizes."""
    yield "await one by one", one_by_one
    yield "gather", _gathered
    yield "gather, uvloop", partial(_on_uvloop, gather, 0)
    for width in WIDTHS:
        yield f"semaphore {width}", partial(_limited, width)
    yield "semaphore 32, uvloop", partial(_on_uvloop, gather_semaphore, 32)
    for workers in threads:
        yield f"threads {workers}, asyncio.run in each", partial(_threads_with_loops, workers)
    for parts in (usable(), 4 * usable()):
        size = max(1, -(-count // parts))
        yield f"processes {usable()}, gather of {size}", partial(_processes_with_loops, usable(), size)


def loop(fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return [fn(item) for item in items]


def _threads(workers: int, fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(fn, items))


def _processes(workers: int, chunk: int, fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(fn, items, chunksize=chunk))


def one_by_one(fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return asyncio.run(serial(fn, items))


def _gathered(fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return asyncio.run(gather(fn, items))


def _limited(width: int, fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return asyncio.run(gather_semaphore(fn, items, width))


def _on_uvloop(main: Main, width: int, fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    with on_loop("uvloop", main, fn, width) as run:
        return run(items)


def run_one(fn: Callable[[Any], Any], item: Any) -> Any:
    return asyncio.run(fn(item))


def _threads_with_loops(workers: int, fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return _threads(workers, partial(run_one, fn), items)


def _processes_with_loops(
    workers: int, size: int, fn: Callable[[Any], Any], items: Sequence[Any]
) -> list[Any]:
    parts = [items[at : at + size] for at in range(0, len(items), size)]
    answers = _processes(workers, 1, partial(_gathered, fn), parts)
    return [value for answer in answers for value in answer]
