"""Experiment 14: fifteen sums, in threads, coroutines and processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from ._figures import Figures, spell
from ._judging import no_slower, word
from ._loops import gathered, in_processes, in_threads, plain
from ._model import Experiment, Goal, Job, Size, Task, Verdict, Way, equals
from ._work import skipping_sum, skipping_sum_async

__all__ = ["EXPERIMENT"]

THREADS, ASYNCIO, PROCESSES, PLAIN = "threads", "asyncio", "process pool", "plain"
COUNT = 15


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Give the task."""
    number = size.pick(50_000, 1_000_000, 10_000_000)
    items = [(number, x) for x in range(1, COUNT + 1)]
    expected = plain(skipping_sum, items)
    check = equals(expected)
    yield [
        Task(
            f"{COUNT} sums of i % x over {number:,}",
            [
                Way(THREADS, partial(in_threads, skipping_sum, items, COUNT), check),
                Way(ASYNCIO, partial(gathered, skipping_sum_async, items), check),
                Way(PROCESSES, partial(in_processes, skipping_sum, items), check),
                Way(PLAIN, partial(plain, skipping_sum, items), check),
            ],
            [
                Job("def", skipping_sum, items, expected),
                Job("async def", skipping_sum_async, items, expected),
            ],
        )
    ]


def judge(figures: Figures) -> Verdict:
    """Processes win; threads lose, but no longer by a factor of four."""
    (task,) = figures.tasks()
    threads, loop, pool, alone = (figures.least(task, way) for way in (THREADS, ASYNCIO, PROCESSES, PLAIN))
    return Verdict(
        word(threads > 2 * alone, 0.85 < loop / alone < 1.15, pool < 0.75 * alone),
        f"At best {spell(threads)} in threads, {spell(loop)} with asyncio, {spell(pool)} in processes and "
        f"{spell(alone)} plain: processes are {alone / pool:.2f} times as fast with two cores (reported: 6.5 "
        f"times, with more of them). Threads take {threads / alone:.2f} times as long as plain, and "
        "not 3.6 times as was reported.",
    )


def direction(figures: Figures) -> None:
    """Neither threads nor coroutines save any work."""
    (task,) = figures.tasks()
    for way in (THREADS, ASYNCIO):
        assert figures.cpu(task, way) > 0.5 * figures.cpu(task, PLAIN)


def goals(figures: Figures) -> Sequence[Goal]:
    """`auto` within 5 % of the process pool."""
    (task,) = figures.tasks()
    return [*no_slower(figures, task, PROCESSES, 0.05)]


EXPERIMENT = Experiment(
    number=14,
    title="Fifteen sums",
    claim=(
        "Fifteen sums of `i % x` over 10⁷ with a random skip took 64 s in threads, 17.3 s with asyncio, 2.7 "
        "s in processes and 17.6 s plain."
    ),
    scale="Over 1,000,000 instead of 10⁷.",
    ways=(THREADS, ASYNCIO, PROCESSES, PLAIN),
    jobs=("def", "async def"),
    tasks=tasks,
    judge=judge,
    direction=direction,
    goals=goals,
)
