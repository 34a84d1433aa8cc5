"""Threads: a callable that does nothing, on four of them."""

from __future__ import annotations

from functools import partial

from benchmarks.dispatch import _loops
from benchmarks.dispatch._callables import calling, nothing
from benchmarks.dispatch._case import Group, Row, Size, Timed
from benchmarks.dispatch._peers import joblib_threads, ours, ours_streamed, thread_pool, thread_pool_executor

__all__ = ["groups"]

THREADS = 4  # guessed: more than the cores of a small machine, so that hand-overs happen


def groups(size: Size) -> list[Group]:
    """Batches as each library likes them, one item at a time, and a callable that calls another."""
    return [Group("threads", [_batched(size), _single(size), _calling(size)])]


def _batched(size: Size) -> Row:
    count = size(100_000, 2_000)
    slow = size(10_000, 500)  # contestants of 20 µs an item and more get fewer items
    strategy = partial(ours, "ThreadStrategy", nothing, max_workers=THREADS)
    streamed = partial(ours_streamed, "ThreadStrategy", nothing, max_workers=THREADS)
    pool = partial(thread_pool, nothing, THREADS)
    to_threads = partial(_loops.on_loop, "asyncio", _loops.to_threads, nothing)
    return Row(
        "threads",
        f"Threads, no-op, {THREADS} threads",
        [
            Timed("ours", count, strategy, ours=True),
            Timed("ours, streamed", count, streamed, ours=True),
            Timed("ThreadPool.map", count, pool),
            Timed("ThreadPool.imap, chunks of 1000", count, partial(pool, "imap", 1000)),
            Timed("ThreadPoolExecutor.map", count, partial(thread_pool_executor, nothing, THREADS)),
            Timed("to_thread + gather", slow, to_threads),
            Timed("joblib", slow, partial(joblib_threads, nothing, THREADS), needs=("joblib",)),
        ],
    )


def _single(size: Size) -> Row:
    count = size(20_000, 500)
    strategy = partial(ours, "ThreadStrategy", nothing, max_workers=THREADS, batch=1)
    pool = partial(thread_pool, nothing, THREADS)
    return Row(
        "threads, single",
        f"Threads, no-op, {THREADS} threads, batches of one item",
        [
            Timed("ours", count, strategy, ours=True),
            Timed("ThreadPool.map", count, partial(pool, "map", 1)),
            Timed("ThreadPool.imap", count, partial(pool, "imap", 1)),
            Timed("ThreadPoolExecutor.map", count, partial(thread_pool_executor, nothing, THREADS)),
        ],
    )


def _calling(size: Size) -> Row:
    count = size(100_000, 2_000)
    strategy = partial(ours, "ThreadStrategy", calling, max_workers=THREADS)
    executor = partial(thread_pool_executor, calling, THREADS)
    return Row(
        "threads, calling",
        f"Threads, a callable that calls abs(), {THREADS} threads",
        [
            Timed("ours", count, strategy, ours=True),
            Timed("ThreadPool.map", count, partial(thread_pool, calling, THREADS)),
            Timed("ThreadPoolExecutor.map", count, executor),
        ],
    )
