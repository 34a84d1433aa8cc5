"""Experiment 7: sums that give way, and sums elsewhere."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from ._figures import Figures, spell
from ._loops import plain
from ._model import Experiment, Job, Measured, Size, Task, Verdict, Way, equals
from ._work import sum_async, sum_to, sum_yielding

__all__ = ["EXPERIMENT"]

PLAIN, NEVER, OFTEN, ALWAYS = (
    "plain",
    "never gives way",
    "sleep(0) every 1,000 steps",
    "sleep(0) at every step",
)
THREADS, PROCESSES = "asyncio.to_thread", "process pool"


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Give the tasks."""
    number = size.pick(100_000, 1_000_000, 10_000_000)
    items = [number] * 3
    expected = [number * (number - 1) // 2] * 3
    check = equals(expected)
    ways: dict[str, Callable[[Any], Any]] = {
        NEVER: sum_async,
        OFTEN: sum_yielding,
        ALWAYS: _sum_always_yielding,
        THREADS: partial(asyncio.to_thread, sum_to),
    }
    yield [
        Task(
            f"three sums to {number:,}",
            [
                Way(PLAIN, partial(plain, sum_to, items), check),
                *[Way(name, partial(_beside_a_ticker, fn, items), check) for name, fn in ways.items()],
                Way(PROCESSES, partial(_in_processes, items), check),
            ],
            [
                Job("def", sum_to, items, expected),
                Job("async def, giving way", sum_yielding, items, expected),
            ],
        )
    ]


async def _sum_always_yielding(number: int) -> int:
    total = 0
    for each in range(number):
        total += each
        await asyncio.sleep(0)
    return total


def _beside_a_ticker(fn: Callable[[Any], Any], items: Sequence[int]) -> Measured:
    """Gather, while another coroutine notes the longest time that it was not let in."""

    async def main() -> Measured:
        pauses = [0.0]
        ticker = asyncio.create_task(_tick(pauses))
        await asyncio.sleep(0)
        began = time.perf_counter()
        results = await asyncio.gather(*[fn(item) for item in items])
        took = time.perf_counter() - began
        await asyncio.sleep(0.002)
        ticker.cancel()
        with suppress(asyncio.CancelledError):
            await ticker
        return Measured(took, {"longest pause of others, ms": max(pauses) * 1000}, results)

    return asyncio.run(main())


async def _tick(pauses: list[float]) -> None:
    last = time.perf_counter()
    while True:
        await asyncio.sleep(0.001)
        now = time.perf_counter()
        pauses.append(now - last)
        last = now


def _in_processes(items: Sequence[int]) -> Measured:
    with warnings.catch_warnings(), ProcessPoolExecutor() as pool:
        warnings.simplefilter("ignore")  # as in `_loops.in_processes`
        pool.submit(int).result()  # forks before the loop and its threads are there

        async def elsewhere(item: int) -> int:
            return await asyncio.get_running_loop().run_in_executor(pool, sum_to, item)

        return _beside_a_ticker(elsewhere, items)


def judge(figures: Figures) -> Verdict:
    """There was no claim; say what it costs and buys."""
    (task,) = figures.tasks()
    base = figures.least(task, PLAIN)
    often, always = figures.least(task, OFTEN) / base, figures.least(task, ALWAYS) / base
    never, pause = (figures.extra(task, way, "longest pause of others, ms") for way in (NEVER, OFTEN))
    threads, processes = (spell(figures.least(task, way)) for way in (THREADS, PROCESSES))
    return Verdict(
        "answered",
        f"Giving way every thousand steps costs {often - 1:+.0%} and cuts the longest pause of "
        f"everything else from {never:,.0f} to {pause:.1f} ms; at every step it takes {always:,.0f} "
        f"times as long. `to_thread` takes {threads} against {spell(base)} plain, because the GIL lets "
        f"one thread compute; a process pool takes {processes}, its start included.",
    )


def direction(figures: Figures) -> None:
    """Giving way at every step costs more CPU; never doing so makes others wait for a whole sum or more."""
    (task,) = figures.tasks()
    assert figures.cpu(task, ALWAYS) > 1.5 * figures.cpu(task, PLAIN)
    pause = "longest pause of others, ms"
    assert figures.extra(task, NEVER, pause) > figures.cpu(task, PLAIN) / 3 * 1000


EXPERIMENT = Experiment(
    number=7,
    title="Giving way",
    claim=(
        "Asked in the discussion and not measured: does `await asyncio.sleep(0)` inside the sum help, and "
        "what do `asyncio.to_thread` and a process pool do?"
    ),
    scale="Sums to 1,000,000 instead of 10⁷.",
    ways=(PLAIN, NEVER, OFTEN, ALWAYS, THREADS, PROCESSES),
    jobs=("def", "async def, giving way"),
    tasks=tasks,
    judge=judge,
    direction=direction,
)
