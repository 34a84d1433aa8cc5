"""Warm processes: a callable that does nothing, in batches and one by one, and one of 5 ms."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.dispatch._callables import calling, nothing, spin
from benchmarks.dispatch._case import Group, Row, Size, Timed
from benchmarks.dispatch._peers import (
    joblib_processes,
    loky,
    mpire,
    ours,
    ours_streamed,
    process_pool,
    process_pool_executor,
    workers,
)

__all__ = ["groups"]

CHUNKS = (100, 1_000, 10_000)
"""Chunk sizes tried for those who must be told one; the report's targets take the best."""


def groups(size: Size) -> list[Group]:
    """Four rows, each with its own pools, so that fewer idle processes lie around."""
    rows = (_batched(size), _single(size), _calling(size), _five_ms(size))
    return [Group("processes", [row]) for row in rows]


def _strategy(fn: Any, **options: Any) -> Callable[[], Any]:
    return partial(ours, "ProcessStrategy", fn, max_workers=workers(), **options)


def _batched(size: Size) -> Row:
    count = size(100_000, 2_000)
    share = count // (4 * workers())  # what Pool.map would take, for those that do not choose
    streamed = partial(ours_streamed, "ProcessStrategy", nothing, max_workers=workers())
    chunked = [
        Timed(f"{name}, chunks of {chunk}", count, partial(opens, nothing, chunk), needs=needs)
        for name, opens, needs in (
            ("ProcessPoolExecutor.map", process_pool_executor, ()),
            ("loky map", loky, ("loky",)),
        )
        for chunk in (*CHUNKS, share)
    ]
    return Row(
        "processes",
        f"Processes, no-op, {workers()} workers, warm",
        [
            Timed("ours", count, _strategy(nothing), ours=True),
            Timed("ours, streamed", count, streamed, ours=True),
            Timed("Pool.map", count, partial(process_pool, nothing)),
            Timed(
                "Pool.imap_unordered, chunks of 1000",
                count,
                partial(process_pool, nothing, "imap_unordered", 1_000),
                correct=same_unordered,
            ),
            *chunked,
            Timed("joblib", count, partial(joblib_processes, nothing), needs=("joblib",)),
            Timed("mpire", count, partial(mpire, nothing, None), needs=("mpire",)),
            Timed(f"mpire, chunks of {share}", count, partial(mpire, nothing, share), needs=("mpire",)),
        ],
    )


def same_unordered(items: Any, results: Any) -> bool:
    """Whether the results are the items, in any order."""
    return sorted(results) == sorted(items)


def _single(size: Size) -> Row:
    count = size(10_000, 300)
    return Row(
        "processes, single",
        f"Processes, no-op, {workers()} workers, warm, one item a message",
        [
            Timed("ours", count, _strategy(nothing, batch=1), ours=True),
            Timed(
                "Pool.imap_unordered",
                count,
                partial(process_pool, nothing, "imap_unordered", 1),
                correct=same_unordered,
            ),
            Timed("Pool.imap", count, partial(process_pool, nothing, "imap", 1)),
            Timed("ProcessPoolExecutor.map", count, partial(process_pool_executor, nothing, 1)),
            Timed("loky map", count, partial(loky, nothing, 1), needs=("loky",)),
            Timed("joblib", count, partial(joblib_processes, nothing, batch_size=1), needs=("joblib",)),
            Timed("mpire", count, partial(mpire, nothing, 1), needs=("mpire",)),
        ],
    )


def _calling(size: Size) -> Row:
    count = size(100_000, 2_000)
    return Row(
        "processes, calling",
        f"Processes, a callable that calls abs(), {workers()} workers, warm",
        [
            Timed("ours", count, _strategy(calling), ours=True),
            Timed("Pool.map", count, partial(process_pool, calling)),
            *(
                Timed(
                    f"ProcessPoolExecutor.map, chunks of {chunk}",
                    count,
                    partial(process_pool_executor, calling, chunk),
                )
                for chunk in CHUNKS
            ),
        ],
    )


@cache
def turns_for(seconds: float) -> int:
    """Find how many turns `spin` makes in so many seconds of an idle core."""
    trial = 20_000
    fastest = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        spin(trial)
        fastest = min(fastest, time.perf_counter() - began)
    return int(trial * seconds / fastest)


def five_ms(count: int) -> list[int]:
    """Make items on which `spin` takes 5 ms."""
    return [turns_for(0.005)] * count


@contextmanager
def one_core() -> Iterator[Callable[[Any], Any]]:
    """Everything in this process: what the speed-up is counted from."""
    yield lambda items: [spin(item) for item in items]


@contextmanager
def bare() -> Iterator[Callable[[Any], Any]]:
    """The ideal: each core is told its share in one message and sends one back."""
    fork = multiprocessing.get_context("fork")
    pipes = [fork.Pipe() for _ in range(workers())]
    helpers = [fork.Process(target=_share, args=(far,), daemon=True) for _, far in pipes]
    for helper in helpers:
        helper.start()
    yield partial(_divide, [near for near, _ in pipes])
    for near, _ in pipes:
        near.send(None)
    for helper in helpers:
        helper.join()


def _share(pipe: Connection) -> None:
    while (items := pipe.recv()) is not None:
        pipe.send([spin(item) for item in items])


def _divide(pipes: list[Connection], items: list[int]) -> list[int]:
    for place, pipe in enumerate(pipes):
        pipe.send(items[place :: len(pipes)])
    return [result for pipe in pipes for result in pipe.recv()]


def _five_ms(size: Size) -> Row:
    def timed(name: str, opens: Any, *needs: str, **how: Any) -> Timed:
        return Timed(name, count, opens, make_items=five_ms, needs=needs, **how)

    count = size(200, 10)
    return Row(
        "processes, 5 ms",
        f"Processes, items of 5 ms of pure Python, {workers()} workers, warm",
        [
            timed("ours", _strategy(spin), ours=True),
            timed("one core", one_core),
            timed("ideal: bare processes, a fixed share each", bare),
            timed("Pool.map", partial(process_pool, spin)),
            timed("Pool.imap_unordered", partial(process_pool, spin, "imap_unordered", 1)),
            timed("ProcessPoolExecutor.map", partial(process_pool_executor, spin, 1)),
            timed("loky map", partial(loky, spin, 1), "loky"),
            timed("joblib", partial(joblib_processes, spin), "joblib"),
            timed("mpire", partial(mpire, spin, 1), "mpire"),
        ],
    )
