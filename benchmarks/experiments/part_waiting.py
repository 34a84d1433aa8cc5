"""Experiment 11: FastAPI with a part of the waiting, or all of it, in threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf

from ._figures import Figures
from ._judging import not_measured, word
from ._load import loads
from ._model import Experiment, Job, Size, Task, Verdict
from ._work import nap, partly_threaded

__all__ = ["EXPERIMENT"]

PART, ALL = "async def, a third in threads", "def, all in threads"
CALL, CLIENTS = 150, 200


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Give the load and the bodies."""
    seconds = size.pick(1, 5, 20)
    ways = {PART: f"/partly/{CALL}", ALL: f"/threaded/{CALL}"}
    items = [CALL / 1000] * size.pick(2, 12, 12)
    yield [
        loads(f"{CLIENTS} clients for {seconds} s, {CALL} ms of waiting each", ways, CLIENTS, seconds),
        Task(
            f"{len(items)} calls of {CALL} ms",
            [],
            [
                Job(f"the endpoint's body: {PART}", partly_threaded, items, items),
                Job(f"the endpoint's body: {ALL}", nap, items, items),
            ],
        ),
    ]


def judge(figures: Figures) -> Verdict:
    """About twice the throughput."""
    task = figures.tasks()[0]
    if not figures.of(task, PART):
        return not_measured(figures)
    one, two = figures(task, PART), figures(task, ALL)
    gain = one / two if two else inf  # a server that is swamped for the second of a quick run answers nobody
    return Verdict(
        word(gain > 1.5),
        f"{one:,.0f} against {two:,.0f} requests/s, {gain:.1f} times. Only a third of the time occupies "
        "one of the 40 "
        "threads, so about three times as many requests can be expected.",
    )


def direction(figures: Figures) -> None:
    """Part of the waiting in threads serves more than all of it."""
    task = figures.tasks()[0]
    if figures.of(task, PART):
        assert figures(task, PART) > figures(task, ALL)


EXPERIMENT = Experiment(
    number=11,
    title="FastAPI: a part of the waiting in threads",
    claim=(
        "`async def` with one third of its waiting in the thread pool had about twice the throughput of "
        "`def` with all of it there."
    ),
    scale=f"{CLIENTS} clients, {CALL} ms of waiting; the report names neither.",
    ways=(PART, ALL),
    jobs=(f"the endpoint's body: {PART}", f"the endpoint's body: {ALL}"),
    jobs_at=1,
    tasks=tasks,
    judge=judge,
    direction=direction,
)
