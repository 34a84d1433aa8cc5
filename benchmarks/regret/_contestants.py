"""The hand-tuned runs that may be the best of a workload, and the simple rules that people go by."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from joblib import Parallel, delayed

from benchmarks.catalogue.all import Entry
from benchmarks.oracle._grid import THREADS, Runner, awaited, called, forks_the_caller, run_one, usable

__all__ = ["BY_KIND", "RULES", "alone", "contestants", "rules"]

GIL = frozenset({"cpu under the GIL"})

DEFAULT_THREADS = min(32, (os.cpu_count() or 1) + 4)
"""What `ThreadPoolExecutor()` takes."""

DEFAULT_PROCESSES = os.cpu_count() or 1
"""What `ProcessPoolExecutor()` takes."""

MANY_THREADS = (*THREADS, 128, 256)
LOOPED_THREADS = (8, 32, 64)

JOBLIB = "joblib"
BY_KIND = "coroutine: asyncio, CPU: processes, else 32 threads"


def alone(entry: Entry) -> str:
    """The name of one item after another."""
    return "await one by one" if entry.is_async else "loop"


def contestants(entry: Entry, count: int) -> dict[str, Runner]:
    """The hand-tuned runs, and the runs that rules lead to, by name."""
    every = dict(_awaited(count) if entry.is_async else _called(entry, count))
    every[JOBLIB] = partial(_processes_looped, _joblib) if entry.is_async else _joblib
    # where calls share a lock of this process, each process would have one of its own
    return {name: run for name, run in every.items() if entry.apart or not _elsewhere(name)}


def _elsewhere(name: str) -> bool:
    return name == JOBLIB or forks_the_caller(name)


def _called(entry: Entry, count: int) -> Iterator[tuple[str, Runner]]:
    threads, processes = _pools(entry)
    useful = {each for each in threads if each < 2 * count}
    yield from called(count, sorted(useful | {DEFAULT_THREADS, 32}), sorted({*processes, DEFAULT_PROCESSES}))


def _pools(entry: Entry) -> tuple[Sequence[int], Sequence[int]]:
    """Sizes of pools of threads and of processes that can be the best, from what is known of a workload.

    What holds the GIL gains nothing from many threads, and what only waits nothing from processes; each
    is still tried with some, and with those that a rule leads to.
    """
    cpus = usable()
    if "mixed" in entry.bound:
        return MANY_THREADS, (cpus, 2 * cpus, 4 * cpus)
    if "io" in entry.bound:
        return MANY_THREADS, ()
    if entry.diagnosis == GIL:
        return (cpus,), (cpus, 2 * cpus)
    return (cpus, 2 * cpus, 8), (cpus, 2 * cpus)


def _awaited(count: int) -> Iterator[tuple[str, Runner]]:
    yield from awaited(count, sorted({*LOOPED_THREADS, DEFAULT_THREADS}))
    for name, pool in called(1, (), (DEFAULT_PROCESSES,)):
        if name != "loop":
            yield name, partial(_processes_looped, pool)


def _processes_looped(pool: Runner, fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return pool(partial(run_one, fn), items)


def _joblib(fn: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return list(Parallel(n_jobs=-1)(delayed(fn)(item) for item in items))


def rules(entry: Entry) -> dict[str, str]:
    """Which contestant each simple rule leads to."""
    looped = ", asyncio.run in each" if entry.is_async else ""
    processes = f"processes {DEFAULT_PROCESSES}, chunks of 1"
    many = f"threads 32{looped}"
    by_kind = "gather" if entry.is_async else processes if entry.bound == {"cpu"} else many
    return {
        "sequential": alone(entry),
        "ThreadPoolExecutor()": f"threads {DEFAULT_THREADS}{looped}",
        "32 threads": many,
        "ProcessPoolExecutor()": processes,
        "joblib": JOBLIB,
        BY_KIND: by_kind,
    }


RULES = ("sequential", "ThreadPoolExecutor()", "32 threads", "ProcessPoolExecutor()", "joblib", BY_KIND)
