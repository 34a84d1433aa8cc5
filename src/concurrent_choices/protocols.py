"""What others may bring: their own strategy."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Protocol, runtime_checkable

from ._facts._batch import Batch
from ._work._job import Job

__all__ = ["AsyncStrategy", "Strategy"]


@runtime_checkable
class Strategy(Protocol):
    """A way of running a job.

    Any object with these two members is one; nothing needs to be inherited:

        class OneByOne:
            name = "one by one"

            def execute(self, job):
                while claim := job.claim(1):
                    yield job.perform(claim)

    A strategy that keeps threads or processes may also be a context manager, which `run` does not enter.
    """

    @property
    def name(self) -> str:
        """What it is called in reports and errors."""
        ...

    def execute(self, job: Job) -> Iterator[Batch]:
        """Perform the job: claim its items, and yield their batches, in any order.

        Items must be claimed in the thread that iterates. When the iterator is closed early, everything
        it started must be ended. A batch that carries an error ends the job.
        """
        ...


@runtime_checkable
class AsyncStrategy(Strategy, Protocol):
    """A strategy that can also work inside a running event loop."""

    def aexecute(self, job: Job) -> AsyncIterator[Batch]:
        """The same as `execute`, for an `async def` callable, on the running loop, never blocking it."""
        ...
