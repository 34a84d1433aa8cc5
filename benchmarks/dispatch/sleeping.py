"""Work that only waits, 10 ms an item: how close everybody comes to what the concurrency allows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from benchmarks.dispatch import _loops
from benchmarks.dispatch._case import Group, Row, Size, Timed
from benchmarks.dispatch._peers import joblib_threads, ours, thread_pool, thread_pool_executor

__all__ = ["IN_FLIGHT", "NAP", "THREADS", "groups"]

NAP = 0.01
IN_FLIGHT, ASYNC_ITEMS = 1_000, 20_000
THREADS, THREAD_ITEMS = 256, 2_000


def nap(item: Any) -> Any:
    """Block the thread for 10 ms."""
    time.sleep(NAP)
    return item


async def anap(item: Any) -> Any:
    """Await 10 ms on asyncio or uvloop."""
    await asyncio.sleep(NAP)
    return item


async def anap_trio(item: Any) -> Any:
    """Await 10 ms on trio."""
    import trio  # noqa: PLC0415 - a peer that may be absent

    await trio.sleep(NAP)
    return item


def groups(size: Size) -> list[Group]:
    """Loops with a thousand in flight, then 256 threads."""
    loops = [_on_loop(size, "asyncio", "AsyncioStrategy"), _on_loop(size, "uvloop", "UvloopStrategy")]
    return [Group("sleeping", [*loops, _on_trio(size)]), Group("sleeping", [_on_threads(size)])]


def _on_loop(size: Size, loop: str, strategy: str) -> Row:
    count = size(ASYNC_ITEMS, 1_000)
    peers = [
        ("worker tasks by hand", _loops.worker_tasks, ()),
        ("Queue and workers", _loops.queue_workers, ()),
        ("gather + semaphore", _loops.gather_semaphore, ()),
        ("TaskGroup + semaphore", _loops.task_group_semaphore, ()),
        ("TaskGroup after TaskGroup", _loops.task_group_rounds, ()),
        ("aiometer", _loops.aiometer_all, ("aiometer",)),
        ("anyio task group + limiter", _loops.anyio_limiter, ()),
    ]
    opens = partial(ours, strategy, anap, concurrency=IN_FLIGHT)
    return Row(
        f"sleeping, {loop}",
        f"Sleeping 10 ms, {count:,} items, {IN_FLIGHT} in flight, {loop}",
        [
            Timed("ours", count, opens, ours=True),
            *(
                Timed(name, count, partial(_loops.on_loop, loop, main, anap, IN_FLIGHT), needs=needs)
                for name, main, needs in peers
            ),
        ],
    )


def _on_trio(size: Size) -> Row:
    count = size(ASYNC_ITEMS, 1_000)
    opens = partial(ours, "AnyioStrategy", anap_trio, concurrency=IN_FLIGHT, backend="trio")
    nursery = partial(_loops.on_anyio, "trio", _loops.trio_limiter, anap_trio, IN_FLIGHT)
    return Row(
        "sleeping, trio",
        f"Sleeping 10 ms, {count:,} items, {IN_FLIGHT} in flight, trio",
        [
            Timed("ours", count, opens, ours=True, needs=("trio",)),
            Timed("trio nursery + limiter", count, nursery, needs=("trio",)),
        ],
    )


@contextmanager
def wide_to_threads() -> Iterator[Callable[[Any], Any]]:
    """`to_thread` for every item, on a default executor of 256 threads."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - nobody else needs it

    with asyncio.Runner() as runner:
        runner.get_loop().set_default_executor(ThreadPoolExecutor(THREADS))
        yield lambda items: runner.run(_loops.to_threads(nap, items, THREADS))


def _on_threads(size: Size) -> Row:
    count = size(THREAD_ITEMS, 512)
    strategy = partial(ours, "ThreadStrategy", nap, max_workers=THREADS)
    pool = partial(thread_pool, nap, THREADS)
    return Row(
        "sleeping, threads",
        f"Sleeping 10 ms, {count:,} items, {THREADS} threads",
        [
            Timed("ours", count, strategy, ours=True),
            Timed("ThreadPool.map, chunks of 1", count, partial(pool, "map", 1)),
            Timed("ThreadPool.map, its own chunks", count, pool),
            Timed("ThreadPool.imap", count, partial(pool, "imap", 1)),
            Timed("ThreadPoolExecutor.map", count, partial(thread_pool_executor, nap, THREADS)),
            Timed("to_thread + gather", count, wide_to_threads),
            Timed("joblib", count, partial(joblib_threads, nap, THREADS), needs=("joblib",)),
        ],
    )
