"""The loops of a run: of which kind they are, and lanes that have one each."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from functools import partial
from types import FunctionType
from typing import Any

from .._facts._batch import Batch
from .._inspect._captured import reached_from
from .._inspect._code import names_in
from .._platform._files import standard_streams_are_open
from .._strategies._lanes._asyncio import Factory, run_tasks, serve_in_lane
from .._strategies._lanes._thread_pool import ThreadPool
from .._strategies._lanes._threads import Lane, LanePool
from .._work._job import Job
from ._elastic_pool import ElasticPool
from ._elastic_task_pool import ElasticTaskPool

__all__ = ["LoopBeside", "loop_factory", "perform_in_loop", "starts_children"]

MANY = 5000
"""Items from which uvloop is worth its import: 30 ms, over 6 µs saved at each socket wait (dispatch
benchmarks, coroutines)."""

_OF_ASYNCIO = {"create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"}
_OF_ANYIO_AND_TRIO = {"open_process", "run_process"}
_STARTERS = frozenset(_OF_ASYNCIO | _OF_ANYIO_AND_TRIO)


def loop_factory(job: Job) -> Factory:
    """Uvloop where it is loaded, or worth loading; else asyncio's own, as where items start child processes.

    Uvloop starts those by a fork of this process, which lasts longer the more memory it has: two to fifty
    times as long as asyncio (measured with 23 MB and 1 GB).
    """
    wanted = "uvloop" in sys.modules or (job.source.length or 0) >= MANY
    able = wanted and standard_streams_are_open()  # else libuv would abort the process
    if able and not starts_children(job.fn):
        with suppress(ImportError, RuntimeError):  # it cannot be loaded once the interpreter ends
            import uvloop  # noqa: PLC0415 - 30 ms, and not there on every platform

            return uvloop.new_event_loop
    return asyncio.new_event_loop


def starts_children(fn: Any) -> bool:
    """Whether the callable, or a function that it names, names what starts child processes from a loop."""
    functions = (part for _, part in reached_from(fn) if isinstance(part, FunctionType))
    return any(not _STARTERS.isdisjoint(names_in(each.__code__)) for each in functions)


class LoopBeside(LanePool):
    """A lane with a loop for `tasks`. Once these retire, no other takes its place, and others may go on.

    Attributes:
        tasks: What the loop serves; set before the first batch is asked for.
    """

    tasks: ElasticTaskPool

    def __init__(self, job: Job, thread_pool: ThreadPool) -> None:
        super().__init__(job, thread_pool, workers=1, body=_serve_beside)

    @property
    def retires(self) -> bool:
        return self.tasks.is_retiring


def _serve_beside(lane: Lane) -> None:
    pool = lane.pool
    assert isinstance(pool, LoopBeside)
    serve_in_lane(partial(run_tasks, factory=loop_factory(pool.job)), pool.tasks, lane)


def perform_in_loop(most: int, lane: Lane) -> None:
    """A lane's body: items on a loop of its own, one at a time if there are other lanes; with an account.

    The loop is asyncio's: uvloop's cost a quarter more to begin and end, and what blocks its loop waits for
    few sockets. `most` are in flight while there is no other lane and one of them waits.
    """
    pool = lane.pool
    assert isinstance(pool, ElasticPool)

    def put(batch: Batch) -> None:
        tally.end(len(batch.values))
        pool.outbox.put(batch)
        if batch.error is not None or pool.job.return_exceptions:
            pool.inspect(batch)
        tasks.resize(_tasks_of(pool, most))
        pool.urgency.give_way_briefly()
        tally.begin()

    tasks = ElasticTaskPool(pool.job, put, _tasks_of(pool, most), is_surplus=lambda: pool.is_surplus(lane))
    with pool.account() as tally:
        tally.begin()
        serve_in_lane(run_tasks, tasks, lane)


def _tasks_of(pool: ElasticPool, most: int) -> int:
    """Items that a lane has in flight, once one waits; `most` is for one without others."""
    return 1 if pool.workers > 1 else most
