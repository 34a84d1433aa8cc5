"""Experiment 10: FastAPI under rising load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ._figures import Figures
from ._judging import not_measured, word
from ._load import loads
from ._model import Experiment, Job, Size, Task, Verdict
from ._work import nap, nap_async

__all__ = ["EXPERIMENT"]

ASYNC, DEF = "async def", "def"
CALL = 50
"""Milliseconds of the small I/O call: with 40 threads, about what the report's 705 requests/s amount to."""


@contextmanager
def tasks(size: Size) -> Iterator[Sequence[Task]]:
    """Give a task for each number of clients, with the seconds it lasts."""
    levels = size.pick(
        [(100, 1)], [(100, 3), (1000, 5), (5000, 8)], [(100, 5), (1000, 10), (5000, 10), (10_000, 20)]
    )
    items = [CALL / 1000] * size.pick(4, 40, 40)
    jobs = [Job("the endpoint's body: def", nap, items, items)]
    jobs += [Job("the endpoint's body: async def", nap_async, items, items)]
    yield [_task(clients, seconds) for clients, seconds in levels] + [
        Task(f"{len(items)} calls of {CALL} ms", [], jobs)
    ]


def _task(clients: int, seconds: int) -> Task:
    ways = {ASYNC: f"/awaiting/{CALL}", DEF: f"/threaded/{CALL}"}
    return loads(f"{clients:,} clients for {seconds} s", ways, clients, seconds)


def _loads(figures: Figures) -> list[str]:
    return [task for task in figures.tasks() if figures.of(task, ASYNC)]


def judge(figures: Figures) -> Verdict:
    """`async def` serves several times as many, and without errors."""
    loads = _loads(figures)
    if not loads:
        return not_measured(figures)
    errors = {way: max(figures.extra(task, way, "errors") for task in loads) for way in (ASYNC, DEF)}
    best = {way: max(figures(task, way) for task in loads) for way in (ASYNC, DEF)}
    fine = max(
        (task for task in loads if figures.extra(task, ASYNC, "errors") < 0.01), key=_clients, default="none"
    )
    return Verdict(
        word(best[ASYNC] > 2 * best[DEF], errors[ASYNC] < 0.01, errors[DEF] > 0.1),
        f"At best {best[ASYNC]:,.0f} requests/s in time with `async def` and {best[DEF]:,.0f} with `def`; "
        f"the most clients that `async def` served with less than 1 % of errors were those of “{fine}”, and "
        f"at the top {errors[ASYNC]:.0%} and {errors[DEF]:.0%} failed or came late. FastAPI gives `def` 40 "
        f"threads, so 40 calls of {CALL} ms are all that happens at once, and from some number of clients on "
        "two cores, shared with the load generator, are too few for either.",
    )


def _clients(task: str) -> int:
    return int(task.split(maxsplit=1)[0].replace(",", ""))


def direction(figures: Figures) -> None:
    """With a hundred clients nobody gets an error."""
    for task in _loads(figures):
        assert figures(task, ASYNC) > 0
        assert figures.extra(task, ASYNC, "errors") < 0.5


EXPERIMENT = Experiment(
    number=10,
    title="FastAPI: rising load",
    claim=(
        "Up to 10,000 clients and a small I/O call: 4,579 requests/s without an error with `async def`, 705 "
        "requests/s with 43 % errors with `def`."
    ),
    scale="Up to 5,000 clients for a few seconds; 10,000 in the full size. An answer after 2 s or more is an "
    "error. wrk and the server share the two cores.",
    ways=(ASYNC, DEF),
    jobs=("the endpoint's body: def", "the endpoint's body: async def"),
    ways_at=-2,
    jobs_at=-1,
    tasks=tasks,
    judge=judge,
    direction=direction,
)
