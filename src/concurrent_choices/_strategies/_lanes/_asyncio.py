"""Serving a job's `async def` on loops of ours: in the caller's thread, beside it, or in many threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from math import inf

from ..._facts._batch import Batch
from ..._runtime._own_loops import aside, end_loop, make_loop, run_on
from ..._work._job import Job
from ._asyncio_host import AsyncioHost
from ._task_pool import Register, TaskPool
from ._thread_pool import ThreadPool
from ._threads import Lane, LanePool

__all__ = ["Factory", "loop_body", "run_tasks", "serve", "serve_in_lane"]

Factory = Callable[[], asyncio.AbstractEventLoop]

RunTasks = Callable[[TaskPool, Register], None]
"""Runs a task pool on a new loop to its end; hands the task pool's nudge to its second argument."""


def run_tasks(tasks: TaskPool, register: Register, factory: Factory | None = None) -> None:
    """Run a task pool to its end on a new loop, asyncio's own unless a factory makes it, and end that."""

    async def main() -> None:
        host = AsyncioHost()
        register(host.wake_soon)
        await tasks.serve(host)

    source = tasks.job.source
    if source.may_pull:
        source.tap.advance = aside
    loop = (factory or make_loop)()
    try:
        run_on(loop, main())
    finally:
        end_loop(loop)


def serve(
    job: Job, run: RunTasks, concurrency: int, lent: AbstractContextManager[ThreadPool]
) -> Iterator[Batch]:
    """Serve a job on one loop: in this thread if nobody looks at results before the end, else beside it.

    A loop that only ran while the caller waits would let connections in flight starve between two
    results of a stream.
    """
    if job.linger == inf:
        batches: list[Batch] = []
        run(TaskPool(job, batches.append, concurrency), lambda _nudge: None)
        yield from batches
        return
    job.source.window.staffed(concurrency)
    with lent as thread_pool:
        yield from LanePool(job, thread_pool, workers=1, body=loop_body(run, concurrency))


def loop_body(run: RunTasks, concurrency: int) -> Callable[[Lane], None]:
    """A lane's body that serves `concurrency` items at once on a loop of its own."""

    def body(lane: Lane) -> None:
        serve_in_lane(run, TaskPool(lane.pool.job, lane.pool.outbox.put, concurrency), lane)

    return body


def serve_in_lane(run: RunTasks, tasks: TaskPool, lane: Lane) -> None:
    """Run a task pool on a loop in a lane's thread, and have it told when there are items."""
    pool = lane.pool
    nudges: list[Callable[[], None]] = []

    def register(nudge: Callable[[], None]) -> None:
        nudges.append(nudge)
        pool.nudges[nudge] = tasks
        pool.job.on_stop(nudge)

    try:
        run(tasks, register)
    except OSError as error:  # as a rule there are no more descriptors, of which a loop needs three
        if nudges:
            raise
        pool.do_without(lane, error)
    finally:
        for nudge in nudges:
            del pool.nudges[nudge]
