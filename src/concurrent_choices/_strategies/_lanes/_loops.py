"""An event loop in a lane: for `async def` in threads, and for a loop beside the caller's thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ._task_pool import TaskPool

if TYPE_CHECKING:
    from ._threads import Lane, LanePool

__all__ = ["RunTasks", "loop_body", "serve_in_lane"]

RunTasks = Callable[[TaskPool, Callable[[Callable[[], None]], None]], None]
"""Runs a task pool on a new loop to its end; hands the task pool's nudge to its second argument."""


def loop_body(run_tasks: RunTasks, concurrency: int) -> Callable[[Lane], None]:
    """A lane's body that serves `concurrency` items at once on a loop of its own."""
    return partial(_serve, run_tasks, concurrency)


def _serve(run_tasks: RunTasks, concurrency: int, lane: Lane) -> None:
    pool: LanePool = lane.pool
    serve_in_lane(run_tasks, TaskPool(pool.job, pool.outbox.put, concurrency), lane)


def serve_in_lane(run_tasks: RunTasks, tasks: TaskPool, lane: Lane) -> None:
    """Run a task pool on a loop in a lane's thread, and have it told when there are items."""
    pool: LanePool = lane.pool
    nudges: list[Callable[[], None]] = []

    def register(nudge: Callable[[], None]) -> None:
        nudges.append(nudge)
        pool.nudges.add(nudge)
        pool.job.on_stop(nudge)

    try:
        run_tasks(tasks, register)
    except OSError as error:  # as a rule there are no more descriptors, of which a loop needs three
        if nudges:
            raise
        pool.do_without(lane, error)
    finally:
        pool.nudges.difference_update(nudges)
