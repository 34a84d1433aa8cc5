"""Experiment 5: HTTP requests, alone and beside sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ._beside import Pair, asking_tasks, goals_of, verdict_of
from ._clients import fetch, fetch_aiohttp
from ._figures import Figures
from ._model import Experiment, Size, Task, Verdict
from ._server import running_server

__all__ = ["EXPERIMENT"]


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Start the server and give the tasks."""
    short, long = size.pick(0.05, 0.2, 0.2), size.pick(0.1, 0.5, 1.0)
    with running_server() as address:

        def make(seconds: float) -> tuple[str, int]:
            ms = round(seconds * 1000)
            return f"{address}/awaiting/{ms}", ms

        fetch(make(0.001)[0])  # the server's imports are not the question
        yield asking_tasks(Pair(fetch, fetch_aiohttp), ("requests", "aiohttp"), make, short, long)


def judge(figures: Figures) -> Verdict:
    """Three requests take as long as one."""
    return verdict_of(
        figures,
        "the server waits, not the client, so gathered requests overlap",
        "Sums of a few milliseconds beside them do not matter, because each is computed while the others "
        "still wait.",
    )


def direction(figures: Figures) -> None:
    """Gathering is faster than one after another."""
    task = figures.task_like("three of")
    one, two = (figures(task, way) for way in figures.ways(task))
    assert two < one


EXPERIMENT = Experiment(
    number=5,
    title="HTTP requests",
    claim=(
        "Three requests to a server that sleeps 0.2 s took 613 ms one after another and 209 ms gathered; "
        "three of 1 s beside sums to 10⁵ took 3.03 s and 1.03 s."
    ),
    scale="0.5 s instead of 1 s beside the sums.",
    ways=("requests, one after another", "aiohttp, gathered"),
    jobs=("def, requests", "async def, aiohttp"),
    ways_at=2,
    jobs_at=2,
    tasks=tasks,
    judge=judge,
    direction=direction,
    goals=goals_of,
)
