"""The strategy "auto" for users who set limits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from attrs import field, frozen

from .._facts._batch import Batch
from .._facts._numbers import plain_int_or_none
from .._facts._validators import positive_or_none, switch
from .._strategies._lanes._kept import ThreadBacked
from .._work._job import Job
from ._automatic import NAME, Automatic

__all__ = ["AutoStrategy"]


@frozen
class AutoStrategy(ThreadBacked):
    """Decides while it works: how many threads, processes or coroutines; changes its plan with the evidence.

    Inside a `with` block the threads of a `def` stay for the next job.

    Args:
        max_workers: The most processes, and the most threads in each of them and in this one.
        concurrency: The most items in flight.
        thread_safe: Whether the callable may run in several threads of one process at once, and outside the
            calling thread, which in a worker process is the main one. With a `timeout` it runs in one thread
            beside the calling one, which could not give up on it otherwise.
    """

    name = NAME
    max_workers: int | None = field(default=None, converter=plain_int_or_none, validator=positive_or_none)
    concurrency: int | None = field(default=None, converter=plain_int_or_none, validator=positive_or_none)
    thread_safe: bool = field(default=True, validator=switch)

    def _execute(self, job: Job) -> Iterator[Batch]:
        return self._automatic().execute(job)

    def aexecute(self, job: Job) -> AsyncIterator[Batch]:
        """Perform an `async def` job on the loop that is running."""
        self._keeper.check()
        return self._automatic().aexecute(job)

    def _automatic(self) -> Automatic:
        limits = self.max_workers, self.concurrency
        return Automatic(self._keeper, *limits, thread_safe=self.thread_safe)
