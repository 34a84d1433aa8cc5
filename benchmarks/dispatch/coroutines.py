"""Coroutines that yield once or never, 100 in flight, on asyncio, uvloop and trio."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from benchmarks.dispatch import _loops
from benchmarks.dispatch._callables import never_suspend
from benchmarks.dispatch._case import Group, Row, Size, Timed
from benchmarks.dispatch._peers import ours

__all__ = ["groups"]

IN_FLIGHT = 100
LOOPS = {"asyncio": "AsyncioStrategy", "uvloop": "UvloopStrategy"}


async def yield_once(item: Any) -> Any:
    """Give the loop one turn."""
    await asyncio.sleep(0)
    return item


async def yield_once_trio(item: Any) -> Any:
    """Give trio's loop one turn."""
    import trio  # noqa: PLC0415 - a peer that may be absent

    await trio.lowlevel.checkpoint()
    return item


def groups(size: Size) -> list[Group]:
    """Two kinds of coroutine, three loops."""
    rows = [_yielding(size, loop) for loop in LOOPS]
    rows += [_anyio(size, "asyncio", yield_once), _anyio(size, "trio", yield_once_trio)]
    rows += [_never(size, loop) for loop in LOOPS]
    return [Group("coroutines", rows)]


def _ours(loop: str, fn: Any, count: int) -> Timed:
    opens = partial(ours, LOOPS[loop], fn, concurrency=IN_FLIGHT)
    return Timed("ours", count, opens, ours=True)


def _peer(name: str, count: int, loop: str, main: Any, fn: Any, *needs: str) -> Timed:
    return Timed(name, count, partial(_loops.on_loop, loop, main, fn, IN_FLIGHT), needs=needs)


def _yielding(size: Size, loop: str) -> Row:
    many, few = size(100_000, 1_000), size(10_000, 500)
    peers = [
        ("serial await", many, _loops.serial),
        ("worker tasks by hand", many, _loops.worker_tasks),
        ("TaskGroup", many, _loops.task_group),
        ("TaskGroup after TaskGroup", many, _loops.task_group_rounds),
        ("gather", many, _loops.gather),
        ("gather + semaphore", few, _loops.gather_semaphore),
        ("TaskGroup + semaphore", few, _loops.task_group_semaphore),
        ("Queue and workers", few, _loops.queue_workers),
    ]
    contestants = [_peer(name, count, loop, main, yield_once) for name, count, main in peers]
    return Row(
        f"yield once, {loop}",
        f"A coroutine that yields once, {IN_FLIGHT} in flight, {loop}",
        [
            _ours(loop, yield_once, many),
            *contestants,
            _peer("aiometer", few, loop, _loops.aiometer_all, yield_once, "aiometer"),
            _peer("anyio task group + limiter", few, loop, _loops.anyio_limiter, yield_once),
        ],
    )


def _anyio(size: Size, backend: str, fn: Any) -> Row:
    many, few = size(100_000, 1_000), size(10_000, 500)
    needs = ("trio",) if backend == "trio" else ()
    opens = partial(ours, "AnyioStrategy", fn, concurrency=IN_FLIGHT, backend=backend)
    on_anyio = partial(_loops.on_anyio, backend)
    peers = [
        Timed("serial await", many, partial(on_anyio, _loops.serial, fn), needs=needs),
        Timed(
            "anyio task group + limiter",
            few,
            partial(on_anyio, _loops.anyio_limiter, fn, IN_FLIGHT),
            needs=needs,
        ),
        Timed(
            "aiometer", few, partial(on_anyio, _loops.aiometer_all, fn, IN_FLIGHT), needs=(*needs, "aiometer")
        ),
    ]
    if backend == "trio":
        opens_trio = partial(on_anyio, _loops.trio_limiter, fn, IN_FLIGHT)
        peers.append(Timed("trio nursery + limiter", few, opens_trio, needs=needs))
    return Row(
        f"yield once, anyio on {backend}",
        f"A coroutine that yields once, {IN_FLIGHT} in flight, anyio on {backend}",
        [Timed("ours", many, opens, ours=True, needs=needs), *peers],
    )


def _never(size: Size, loop: str) -> Row:
    count = size(100_000, 1_000)
    peers = [
        ("serial await", _loops.serial),
        ("worker tasks by hand", _loops.worker_tasks),
        ("gather", _loops.gather),
        ("TaskGroup", _loops.task_group),
    ]
    return Row(
        f"never suspends, {loop}",
        f"A coroutine that never suspends, {IN_FLIGHT} in flight, {loop}",
        [
            _ours(loop, never_suspend, count),
            *(_peer(name, count, loop, main, never_suspend) for name, main in peers),
        ],
    )
