"""What only running a strategy can tell of the machine: the costs that calibration is handed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from attrs import has

from .._measure._probes import Probe, best, timed
from .._strategies._registry import load
from .._transfer._imports import imports_of
from .._transfer._pickling import dump
from .._transfer._pickling import load as unpickled
from ._sync import run

__all__ = ["probes"]

_MANY = 4000
_FEW = 500  # of what takes longer
_PLENTY = 100_000  # of what takes least: so that the first batch, which is only waited for, matters little
_ROUNDS = 3
_STARTS = 4
_ENOUGH = 0.8  # seconds of rounds after which no other is begun: four take half a second
_MORE = 5  # workers: so many that the cores are shared, as in a real run
_THREADS = 32
_WAIT = 10e-3  # seconds: longer than it takes to start the threads
"""How much each probe does (guessed, where no reason stands beside it: a tenth of a second)."""

_NEXT_TO_NOTHING = 1e-9  # seconds; a cost of 0 would say that it was not measured


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
    """What awaiting one adds to an item in a worker: all in one batch, whose own cost is in both.

    A batch of coroutines has more of that, so many share it: of 500 each seemed to take twice as long.
    """
    batch: dict[str, Any] = {"max_workers": 1, "batch": _MANY}
    awaited = _per_item("process", _nothing_awaited, _MANY, **batch)
    return max(_NEXT_TO_NOTHING, awaited - _per_item("process", abs, _MANY, **batch))


def _process_item() -> float:
    """What an item of a large batch takes where parent and worker are at work at once.

    That of a profile's payload is added to it where a run is predicted, so that of numbers is no part of it:
    300,000 calls of `abs` in a worker were told to take 91 ms with it, and took 58.
    """
    return max(_NEXT_TO_NOTHING, _per_item("process", abs, _PLENTY, max_workers=1) - _pickled())


def _pickled() -> float:
    """Pickling a number and unpickling one, of a batch."""
    numbers = list(range(_MANY))
    return best(lambda: unpickled(dump(numbers)), _ROUNDS) / _MANY


def _hybrid_item() -> float:
    """What an item costs one of two workers with two lanes each, as work that computes has.

    Two, since they share the cores with their parent there: one alone has it easier by half.
    """
    options = {"max_workers": 2, "concurrency": 4}
    return 2 * _per_item("hybrid", abs, _FEW, **options)


def _least(measure: Callable[[], dict[str, float]]) -> dict[str, float]:
    """The least of some rounds, fewer where they take long: a probe that takes too long gives no figure."""
    until = time.perf_counter() + _ENOUGH
    rounds = [measure()]
    while len(rounds) < _STARTS and time.perf_counter() < until:
        rounds.append(measure())
    return {kind: min(each[kind] for each in rounds) for kind in rounds[0]}


def _waiting() -> dict[str, float]:
    """Seconds of a run of threads that all wait equally long, of its end, and of one with a loop in each."""
    start = time.perf_counter()
    last = max(_in_threads(_waited))
    end = time.perf_counter()
    return {"run": end - start, "end": end - last, "loops": timed(lambda: _in_threads(asyncio.sleep))}


def _waited(seconds: float) -> float:
    time.sleep(seconds)
    return time.perf_counter()


def _in_threads(wait: Callable[[float], Any]) -> list[Any]:
    return run(wait, [_WAIT] * _THREADS, strategy=load("thread")(_THREADS, batch=1))


def _each(seconds: float) -> float:
    return max(_NEXT_TO_NOTHING, seconds / _THREADS)


def _starting(workers: int, fn: Callable[[Any], Any] = abs, item: object = 0) -> float:
    """Seconds from nothing to the first results of so many workers, by default of what each has anyway."""
    strategy = load("process")(max_workers=workers, batch=1, initializer=int)
    return timed(lambda: run(fn, [item] * workers, strategy=strategy))


def _starts() -> dict[str, float]:
    """Seconds that starts of workers take.

    One kind takes only milliseconds longer than another. So all have their turn in each round, and a slow
    phase of the machine meets all: from one calibration to the next, the import of a module varies by 3 %
    then instead of 16, lanes in a worker by 12 instead of 54.
    """
    return {
        "one": _starting(1),
        "more": _starting(1 + _MORE),
        "importing": _starting(1, has, int),  # what is there, by modules that it needs
        "lanes": timed(_hybrid_from_nothing),
    }


def _hybrid_from_nothing() -> None:
    with load("hybrid")(max_workers=1, concurrency=2) as strategy:
        run(abs, range(1), strategy=strategy)


def _modules() -> int:
    """How many modules a worker imports for `has`; a fresh interpreter that works alone does so faster."""
    needed = imports_of(has, is_async=False)
    return needed.shared + needed.own


_OF_ROUNDS = f"best of {_ROUNDS} rounds of"
_OF_STARTS = f"the least of up to {_STARTS} starts each, in turns"
_OF_LANES = f"the least of up to {_STARTS} rounds"

_LANES: dict[str, Probe] = {
    "hybrid_item": (_hybrid_item, f"{_OF_ROUNDS} {_FEW} calls of abs in two threads each of two workers"),
    "process_batch": (
        partial(_per_item, "process", abs, _FEW, max_workers=1, batch=1),
        f"{_OF_ROUNDS} {_FEW} calls of abs in a worker, each a batch",
    ),
    "process_task": (
        _process_task,
        f"{_OF_ROUNDS} {_MANY} coroutines in a worker, beyond as many calls of abs",
    ),
    "process_item": (
        _process_item,
        f"{_OF_ROUNDS} {_PLENTY} calls of abs in a worker, without pickling their items and results",
    ),
    "thread_item": (
        partial(_per_item, "thread", abs, _MANY, max_workers=1, batch=1),
        f"{_OF_ROUNDS} {_MANY} calls of abs in a thread, each a batch",
    ),
    "task_item": (
        partial(_per_item, "asyncio", _nothing_awaited, _MANY),
        f"{_OF_ROUNDS} {_MANY} coroutines that never wait",
    ),
}


def probes() -> dict[str, Probe]:
    """Probes by the field of `Costs` they measure, each with the words for how.

    Those that choices depend on most come first.
    """
    starts = lru_cache(partial(_least, _starts))  # measured at the first asking
    threads = lru_cache(partial(_least, _waiting))

    def beyond_one(kind: str) -> float:
        return max(_NEXT_TO_NOTHING, starts()[kind] - starts()["one"])

    return {
        "process_start": (
            lambda: starts()["one"],
            f"from nothing to a worker's first result, {_OF_STARTS}",
        ),
        "process_worker": (
            lambda: beyond_one("more") / _MORE,
            f"what {_MORE} workers more than one add, {_OF_STARTS}",
        ),
        "module_import": (
            lambda: beyond_one("importing") / _modules(),
            f"what those of attrs add to a worker's start, {_OF_STARTS}",
        ),
        "hybrid_start": (lambda: beyond_one("lanes"), f"what two threads in a worker add, {_OF_STARTS}"),
        **_LANES,
        "thread_start": (
            lambda: _each(threads()["run"] - threads()["end"] - _WAIT),
            f"what each of {_THREADS} that sleep adds, without its end, {_OF_LANES}",
        ),
        "thread_end": (
            lambda: _each(threads()["end"]),
            f"from the last wakening to the run's end, each of {_THREADS}, {_OF_LANES}",
        ),
        "thread_loop": (
            lambda: _each(threads()["loops"] - threads()["run"]),
            f"what a loop in each of {_THREADS} that sleep adds, {_OF_LANES}",
        ),
    }
