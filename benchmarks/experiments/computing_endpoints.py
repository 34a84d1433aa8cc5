"""Experiment 12: FastAPI endpoints that compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ._figures import Figures
from ._judging import not_measured, word
from ._load import loads
from ._model import Experiment, Job, Size, Task, Verdict
from ._work import square_sum, square_sum_async

__all__ = ["EXPERIMENT"]

ASYNC, DEF = "async def", "def"
CLIENTS, STEPS = 50, (1_000, 10_000)


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Give the load for little and for more computing, and the bodies."""
    seconds = size.pick(1, 4, 20)
    number = STEPS[-1]
    items = [number] * size.pick(10, 400, 4000)
    expected = [square_sum(number)] * len(items)
    yield [
        *[_task(steps, seconds) for steps in size.pick(STEPS[:1], STEPS, STEPS)],
        Task(
            f"{len(items)} sums of {number:,} squares",
            [],
            [
                Job("the endpoint's body: def", square_sum, items, expected),
                Job("the endpoint's body: async def", square_sum_async, items, expected),
            ],
        ),
    ]


def _task(steps: int, seconds: int) -> Task:
    ways = {ASYNC: f"/counting/{steps}", DEF: f"/counting-threaded/{steps}"}
    return loads(f"{CLIENTS} clients for {seconds} s, {steps:,} squares each", ways, CLIENTS, seconds)


def judge(figures: Figures) -> Verdict:
    """`async def` is faster, by what the thread costs."""
    loads = [task for task in figures.tasks() if figures.of(task, ASYNC)]
    if not loads:
        return not_measured(figures)
    gains = [figures(task, ASYNC) / figures(task, DEF) - 1 for task in loads]
    said = " and ".join(
        f"{gain:+.0%} with {task.split(', ')[1].removesuffix(' each')}"
        for gain, task in zip(gains, loads, strict=True)
    )
    return Verdict(
        word(*[gain > 0.05 for gain in gains]),
        f"`async def` serves {said}. A `def` computes as fast, but in a thread that has to be woken and "
        "competes with the loop for the GIL. The less there is to compute, the more that matters.",
    )


def direction(figures: Figures) -> None:
    """Both serve, without errors."""
    for task in figures.tasks():
        for way in figures.ways(task):
            if figures.of(task, way):
                assert figures(task, way) > 0


EXPERIMENT = Experiment(
    number=12,
    title="FastAPI: endpoints that compute",
    claim="With nothing but computing, `async def` was about 20 % faster than `def`.",
    scale=f"{CLIENTS} clients; the report does not say how much is computed, so there are two sizes of it.",
    ways=(ASYNC, DEF),
    jobs=("the endpoint's body: def", "the endpoint's body: async def"),
    ways_at=-2,
    jobs_at=-1,
    tasks=tasks,
    judge=judge,
    direction=direction,
)
