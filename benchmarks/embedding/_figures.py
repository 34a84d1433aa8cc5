"""The figures: each gives one number per round and contestant."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, Future
from random import Random
from typing import Any

from benchmarks.embedding._calls import KINDS, compute, nap, nothing
from concurrent_choices import offload
from concurrent_choices._embed._offload import _shared  # pyright: ignore[reportPrivateUsage] - a program has no need to renew it

__all__ = ["awaited", "lag", "mixed", "no_op", "renew_offload", "side_by_side", "warm_offload", "warm_up"]

IN_FLIGHT = 48


def mixed(executor: Executor, calls: int, seed: int) -> tuple[float, float]:
    """Calls a second, and the 99th percentile of their latency, with so many in flight."""
    room, latencies = threading.Semaphore(IN_FLIGHT), list[float]()
    kinds = [KINDS[number % len(KINDS)] for number in range(calls)]
    Random(seed).shuffle(kinds)

    def submit(fn: Callable[..., Any]) -> Future[Any]:
        room.acquire()
        began = time.perf_counter()

        def ended(_future: object) -> None:
            latencies.append(time.perf_counter() - began)
            room.release()

        future = executor.submit(fn, 0)
        future.add_done_callback(ended)
        return future

    began = time.perf_counter()
    for future in [submit(fn) for fn in kinds]:
        future.result()
    return calls / (time.perf_counter() - began), sorted(latencies)[int(0.99 * calls)]


def no_op(executor: Executor, calls: int) -> float:
    """Seconds from submitting a call that does nothing to having its result."""
    began = time.perf_counter()
    for _ in range(calls):
        executor.submit(nothing).result()
    return (time.perf_counter() - began) / calls


def lag(run: Callable[..., Awaitable[Any]], seconds: float) -> float:
    """The 99th percentile of the event loop's lag while four calls compute all the time, seconds."""

    async def main() -> float:
        until, lags = time.perf_counter() + seconds, list[float]()

        async def client() -> None:
            while time.perf_counter() < until:
                await run(compute, 600_000)

        clients = [asyncio.ensure_future(client()) for _ in range(4)]
        while time.perf_counter() < until:
            due = time.perf_counter() + 0.002
            await asyncio.sleep(0.002)
            lags.append(time.perf_counter() - due)
        await asyncio.gather(*clients)
        return sorted(lags)[int(0.99 * len(lags))]

    return asyncio.run(main())


def awaited(run: Callable[..., Awaitable[Any]], fn: Callable[..., Any], calls: int) -> float:
    """Seconds a call, awaited one after another."""

    async def main() -> float:
        began = time.perf_counter()
        for _ in range(calls):
            await run(fn)
        return (time.perf_counter() - began) / calls

    return asyncio.run(main())


def side_by_side(run: Callable[..., Awaitable[Any]], fn: Callable[..., Any], calls: int) -> float:
    """Seconds a call, by the throughput of four that are awaited at a time."""

    async def main() -> float:
        began = time.perf_counter()
        turns = iter(range(calls))

        async def client() -> None:
            for _ in turns:
                await run(fn)

        await asyncio.gather(*(client() for _ in range(4)))
        return (time.perf_counter() - began) / calls

    return asyncio.run(main())


def warm_up(executor: Executor) -> None:
    """Let every contestant start what it starts, and learn what it learns."""
    mixed(executor, 400, 0)


def renew_offload() -> None:
    """Have `offload` begin anew, with processes of its own."""
    while _shared:
        core = _shared.pop()
        core.close()
        core.join()


def warm_offload() -> None:
    """The same for `offload`."""
    lag(offload, 1.0)
    for fn in (nothing, nap):
        awaited(offload, fn, 50)
