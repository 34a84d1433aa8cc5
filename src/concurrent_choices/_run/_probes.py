"""What only running a strategy can tell of the machine: the costs that calibration is handed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from attrs import has

from .._measure._probes import Probe, best, timed
from .._strategies._registry import load
from .._work._imports import imports_of
from ._sync import run

__all__ = ["PROBES"]

_MANY = 4000
_FEW = 500  # of what takes longer
_ROUNDS = 3
_PAIRS = 2
_MORE = 5  # workers: so many that the cores are shared, as in a real run
_THREADS = 32
_WAIT = 10e-3  # seconds: longer than it takes to start the threads
_NEXT_TO_NOTHING = 1e-6  # seconds; a cost of 0 would say that it was not measured


async def _nothing_awaited(item: object) -> object:
    return item


def _per_item(name: str, fn: Callable[[Any], Any], count: int, **options: object) -> float:
    """Seconds for each of so many items that cost nothing, the lanes being warm.

    `abs` costs nothing, and workers have it: this module would take them a tenth of a second.
    """
    with load(name)(**options) as strategy:
        run(fn, range(8), strategy=strategy)
        return best(lambda: run(fn, range(count), strategy=strategy), _ROUNDS) / count


def _process_task() -> float:
    """What awaiting one adds to an item in a worker: all in one batch, whose own cost is in both."""
    batch: dict[str, Any] = {"max_workers": 1, "batch": _FEW}
    awaited = _per_item("process", _nothing_awaited, _FEW, **batch)
    return max(_NEXT_TO_NOTHING, awaited - _per_item("process", abs, _FEW, **batch))


def _hybrid_item() -> float:
    """What an item costs one of two workers with two lanes each, as work that computes has.

    Two, since they share the cores with their parent there: one alone has it easier by half.
    """
    options = {"max_workers": 2, "concurrency": 4}
    return 2 * _per_item("hybrid", abs, _FEW, **options)


def _thread_start() -> float:
    """What each of many threads adds to the time of one, all of them waiting, but for its end."""
    return max(_NEXT_TO_NOTHING, _lanes_of(time.sleep) - _thread_end())


def _thread_end() -> float:
    """For each of many threads, what passes between the last item's end and that of the run."""
    return max(_NEXT_TO_NOTHING, min(_ending() for _ in range(_ROUNDS)) / _THREADS)


def _ending() -> float:
    threads = load("thread")(_THREADS, batch=1)
    last = max(run(_waited, [_WAIT] * _THREADS, strategy=threads))
    return time.perf_counter() - last


def _waited(seconds: float) -> float:
    time.sleep(seconds)
    return time.perf_counter()


def _thread_loop() -> float:
    """What an event loop in each of them adds to that."""
    return max(_NEXT_TO_NOTHING, _lanes_of(asyncio.sleep) - _lanes_of(time.sleep))


def _lanes_of(wait: Callable[[float], Any]) -> float:
    """Seconds for each of many threads that all wait equally long, without the waiting."""
    threads = partial(load("thread"), _THREADS, batch=1)
    whole = best(lambda: run(wait, [_WAIT] * _THREADS, strategy=threads()), _ROUNDS)
    return max(_NEXT_TO_NOTHING, (whole - _WAIT) / _THREADS)


def _starting(workers: int, fn: Callable[[Any], Any] = abs, item: object = 0) -> float:
    """From nothing to the first results of so many workers, by default of what they have loaded already."""
    strategy = load("process")(max_workers=workers, batch=1, initializer=int)
    return timed(lambda: run(fn, [item] * workers, strategy=strategy))


def _process_start() -> float:
    """The least of a few: whatever else runs can only make it longer."""
    return min(_starting(1) for _ in range(_ROUNDS))


def _beyond_one(start: Callable[[], float]) -> float:
    """Seconds that a start takes longer than that of one worker; the least of a few each, in turns.

    Not the least difference: they are seldom disturbed alike.
    """
    pairs = [(_starting(1), start()) for _ in range(_PAIRS)]
    return min(other for _, other in pairs) - min(one for one, _ in pairs)


def _process_worker() -> float:
    """What each of several more workers adds."""
    return max(_NEXT_TO_NOTHING, _beyond_one(lambda: _starting(1 + _MORE)) / _MORE)


def _module_import() -> float:
    """What a worker takes longer for a callable of attrs, which is always there, for each module it needs.

    A fresh interpreter takes less than that: there no cache is cold, and nobody else is at work.
    """
    needed = imports_of(has, is_async=False)
    longer = _beyond_one(lambda: _starting(1, has, int))
    return max(_NEXT_TO_NOTHING, longer / (needed.shared + needed.own))


def _hybrid_start() -> float:
    """What one worker with lanes inside takes longer than one without."""
    return max(_NEXT_TO_NOTHING, _beyond_one(lambda: timed(_hybrid_from_nothing)))


def _hybrid_from_nothing() -> None:
    with load("hybrid")(max_workers=1, concurrency=2) as strategy:
        run(abs, range(1), strategy=strategy)


_OF_ROUNDS = f"best of {_ROUNDS} rounds of"
_OF_STARTS = f"the least of {_PAIRS} starts each"

PROBES: dict[str, Probe] = {
    "process_start": (_process_start, f"from nothing to a worker's first result, best of {_ROUNDS} starts"),
    "process_worker": (_process_worker, f"what {_MORE} workers more than one add, {_OF_STARTS}"),
    "module_import": (_module_import, f"what those of attrs add to a worker's start, {_OF_STARTS}"),
    "hybrid_start": (_hybrid_start, f"what two threads in a worker add, {_OF_STARTS}"),
    "hybrid_item": (_hybrid_item, f"{_OF_ROUNDS} {_FEW} calls of abs in two threads each of two workers"),
    "process_batch": (
        partial(_per_item, "process", abs, _FEW, max_workers=1, batch=1),
        f"{_OF_ROUNDS} {_FEW} calls of abs in a worker, each a batch",
    ),
    "process_task": (
        _process_task,
        f"{_OF_ROUNDS} {_FEW} coroutines in a worker, beyond as many calls of abs",
    ),
    "process_item": (
        partial(_per_item, "process", abs, 5 * _MANY, max_workers=1, batch=_MANY // 2),
        f"{_OF_ROUNDS} {5 * _MANY} calls of abs in a worker, {_MANY // 2} a batch",
    ),
    "thread_start": (_thread_start, f"{_OF_ROUNDS} {_THREADS} threads that sleep, without their end"),
    "thread_end": (_thread_end, f"{_OF_ROUNDS} {_THREADS} threads, from the last wakening to the run's end"),
    "thread_loop": (_thread_loop, f"{_OF_ROUNDS} {_THREADS} threads that sleep on a loop, beyond others"),
    "thread_item": (
        partial(_per_item, "thread", abs, _MANY, max_workers=1, batch=1),
        f"{_OF_ROUNDS} {_MANY} calls of abs in a thread, each a batch",
    ),
    "task_item": (
        partial(_per_item, "asyncio", _nothing_awaited, _MANY),
        f"{_OF_ROUNDS} {_MANY} coroutines that never wait",
    ),
}
"""Probes by the field of `Costs` they measure, each with the words for how; those that choices depend on most
come first."""
