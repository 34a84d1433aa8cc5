"""What only running a strategy can tell of the machine: the costs that calibration is handed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from .._strategies._registry import load
from ._sync import run

__all__ = ["PROBES"]

_ITEMS = 4000
_ROUNDS = 3


def _nothing(item: object) -> object:
    return item


async def _nothing_awaited(item: object) -> object:
    return item


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _best(work: Callable[[], object]) -> float:
    return min(_timed(work) for _ in range(_ROUNDS))


def _per_item(name: str, fn: Callable[[Any], Any], **options: object) -> float:
    """Seconds for each of some thousand items that cost nothing, the lanes being warm."""
    with load(name)(**options) as strategy:
        run(fn, range(8), strategy=strategy)
        return _best(lambda: run(fn, range(_ITEMS), strategy=strategy)) / _ITEMS


def _process_start(workers: int = 1) -> float:
    """From nothing to the first results of so many workers."""
    strategy = load("process")(max_workers=workers, batch=1, initializer=int)
    return _timed(lambda: run(_nothing, range(workers), strategy=strategy))


def _process_worker() -> float:
    starts = [_process_start(2) - _process_start(1) for _ in range(_ROUNDS)]
    return max(0.0, statistics.median(starts))


PROBES: dict[str, Callable[[], float]] = {
    "process_start": _process_start,
    "thread_item": partial(_per_item, "thread", _nothing, max_workers=1, batch=1),
    "task_item": partial(_per_item, "asyncio", _nothing_awaited),
    "process_batch": partial(_per_item, "process", _nothing, max_workers=1, batch=1),
    "process_item": partial(_per_item, "process", _nothing, max_workers=1, batch=1000),
    "process_worker": _process_worker,
}
"""Probes by the field of `Costs` they measure."""
