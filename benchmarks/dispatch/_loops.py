"""How people run many coroutines with at most so many in flight, and the loops they run them on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

__all__ = [
    "Main",
    "aiometer_all",
    "anyio_limiter",
    "gather",
    "gather_semaphore",
    "on_anyio",
    "on_loop",
    "queue_workers",
    "serial",
    "task_group",
    "task_group_rounds",
    "task_group_semaphore",
    "to_threads",
    "trio_limiter",
    "worker_tasks",
]

Fn = Callable[[Any], Awaitable[Any]]
Main = Callable[[Fn, Sequence[Any], int], Awaitable[Any]]


@contextmanager
def on_loop(loop: str, main: Main, fn: Fn, limit: int = 0) -> Iterator[Callable[[Any], Any]]:
    """Run `main` on one warm loop of asyncio or uvloop."""
    with asyncio.Runner(loop_factory=_factory(loop)) as runner:
        yield lambda items: runner.run(main(fn, items, limit))


def _factory(loop: str) -> Callable[[], asyncio.AbstractEventLoop]:
    if loop == "asyncio":
        return asyncio.new_event_loop
    import uvloop  # noqa: PLC0415 - a peer that may be absent

    return uvloop.new_event_loop


@contextmanager
def on_anyio(backend: str, main: Main, fn: Fn, limit: int = 0) -> Iterator[Callable[[Any], Any]]:
    """Run `main` under `anyio.run`, which starts a loop for every call: trio offers no warm one."""
    import anyio  # noqa: PLC0415 - not paid for by the groups without it

    yield lambda items: anyio.run(main, fn, items, limit, backend=backend)


async def serial(fn: Fn, items: Iterable[Any], _limit: int = 0) -> list[Any]:
    """Await one after the other: no concurrency at all."""
    return [await fn(item) for item in items]


async def gather(fn: Fn, items: Iterable[Any], _limit: int = 0) -> list[Any]:
    """A task for every item, all at once."""
    return await asyncio.gather(*(fn(item) for item in items))


async def gather_semaphore(fn: Fn, items: Iterable[Any], limit: int) -> list[Any]:
    """A task for every item, of which a semaphore lets `limit` go on."""
    semaphore = asyncio.Semaphore(limit)

    async def one(item: Any) -> Any:
        async with semaphore:
            return await fn(item)

    return await asyncio.gather(*(one(item) for item in items))


async def task_group(fn: Fn, items: Sequence[Any], _limit: int) -> list[Any]:
    """A `TaskGroup` with a task for every item, all at once."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(fn(item)) for item in items]
    return [task.result() for task in tasks]


async def task_group_semaphore(fn: Fn, items: Sequence[Any], limit: int) -> list[Any]:
    """A `TaskGroup` with a task for every item, of which a semaphore lets `limit` go on."""
    semaphore = asyncio.Semaphore(limit)

    async def one(item: Any) -> Any:
        async with semaphore:
            return await fn(item)

    return await task_group(one, items, limit)


async def task_group_rounds(fn: Fn, items: Sequence[Any], limit: int) -> list[Any]:
    """One `TaskGroup` after the other, each over `limit` items: every one waits for its slowest."""
    results: list[Any] = []
    for start in range(0, len(items), limit):
        results += await task_group(fn, items[start : start + limit], limit)
    return results


async def queue_workers(fn: Fn, items: Sequence[Any], limit: int) -> list[Any]:
    """`limit` tasks that take from an `asyncio.Queue`, as its documentation shows."""
    queue: asyncio.Queue[tuple[int, Any]] = asyncio.Queue()
    for pair in enumerate(items):
        queue.put_nowait(pair)
    results = [None] * len(items)

    async def work() -> None:
        while not queue.empty():
            index, item = await queue.get()
            results[index] = await fn(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(limit):
            group.create_task(work())
    return results


async def worker_tasks(fn: Fn, items: Sequence[Any], limit: int) -> list[Any]:
    """`limit` tasks over one iterator: a strategy on a loop without its promises."""
    pairs = iter(enumerate(items))
    results = [None] * len(items)

    async def work() -> None:
        for index, item in pairs:
            results[index] = await fn(item)

    await asyncio.gather(*(work() for _ in range(limit)))
    return results


async def to_threads(fn: Callable[[Any], Any], items: Sequence[Any], _limit: int) -> list[Any]:
    """`asyncio.to_thread` for every item, gathered."""
    return await asyncio.gather(*(asyncio.to_thread(fn, item) for item in items))


async def aiometer_all(fn: Fn, items: Sequence[Any], limit: int) -> list[Any]:
    """`aiometer.run_all`, on whatever loop anyio finds."""
    import aiometer  # noqa: PLC0415 - a peer that may be absent

    return await aiometer.run_all([partial(fn, item) for item in items], max_at_once=limit)


async def anyio_limiter(fn: Fn, items: Sequence[Any], limit: int) -> list[Any]:
    """A task group of anyio with a task for every item and a `CapacityLimiter`."""
    import anyio  # noqa: PLC0415 - not paid for by the groups without it

    return await _limited(anyio.CapacityLimiter(limit), anyio.create_task_group(), fn, items)


async def trio_limiter(fn: Fn, items: Sequence[Any], limit: int) -> list[Any]:
    """A nursery of trio with a task for every item and a `CapacityLimiter`."""
    import trio  # noqa: PLC0415 - a peer that may be absent

    return await _limited(trio.CapacityLimiter(limit), trio.open_nursery(), fn, items)


async def _limited(limiter: Any, group: Any, fn: Fn, items: Sequence[Any]) -> list[Any]:
    results = [None] * len(items)

    async def one(index: int, item: Any) -> None:
        async with limiter:
            results[index] = await fn(item)

    async with group as started:
        for index, item in enumerate(items):
            started.start_soon(one, index, item)
    return results
