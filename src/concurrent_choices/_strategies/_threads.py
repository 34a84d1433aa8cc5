"""Threads: a `def` in each; or an event loop in each, for an `async def`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import field, frozen

from .._facts._batch import Batch
from .._facts._numbers import plain_int, plain_int_or_none
from .._facts._validators import positive, positive_or_none
from .._work._job import Job
from ._lanes._kept import ThreadBacked
from ._lanes._threads import Lane, threads_for

__all__ = ["ThreadStrategy"]


@frozen
class ThreadStrategy(ThreadBacked):
    """Runs a `def` in threads; an `async def` on a loop in each thread, one item at a time.

    Inside a `with` block the threads stay for the next job.

    Args:
        max_workers: Threads at most. 32 suits work that waits, which is what threads are for, whatever
            the number of CPUs.
        batch: Items handed to a thread at a time; None adapts the number.

    Raises:
        InvalidArgumentError: A number is no whole one from 1.
    """

    name = "thread"
    max_workers: int = field(default=32, converter=plain_int, validator=positive)
    batch: int | None = field(default=None, converter=plain_int_or_none, validator=positive_or_none)

    def _execute(self, job: Job) -> Iterator[Batch]:
        return threads_for(job, self._keeper.lend(), self.max_workers, batch=self.batch, body=_body(job))


def _body(job: Job) -> Callable[[Lane], None] | None:
    if not job.is_async:
        return None
    from ._lanes._asyncio import loop_body, run_tasks  # noqa: PLC0415 - asyncio: 30 ms; a `def` does without

    return loop_body(run_tasks, 1)
