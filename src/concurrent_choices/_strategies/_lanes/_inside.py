"""What performs a job inside a worker process that has several lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..._facts._batch import Batch
from ..._work._job import Job
from ._threads import threads_inside

__all__ = ["performer_inside"]


def performer_inside(*, is_async: bool) -> Callable[[int, Job], Iterator[Batch]]:
    """A function of the number of lanes and the job: coroutines on one loop, or threads for a `def`."""
    if not is_async:
        return threads_inside
    from ._asyncio import tasks_inside  # noqa: PLC0415 - asyncio costs 30 ms; a `def` does not need it

    return tasks_inside
