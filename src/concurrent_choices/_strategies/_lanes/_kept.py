"""What strategies have in common that users make: their options, and what is warm inside a `with` block.

Apart from `_keeper`, since these need attrs, whose import would cost a run 15 ms that makes no strategy.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any, ClassVar, Generic, Self, TypeVar

from attrs import field, fields, frozen

from ..._facts._batch import Batch
from ..._work._job import Job
from ._keeper import Closable, Keeper, thread_keeper
from ._thread_pool import ThreadPool

__all__ = ["Kept", "ThreadBacked"]

T = TypeVar("T", bound=Closable)


@frozen
class Kept(Generic[T]):
    """What strategies have in common: inside `with`, their threads or processes stay for the next job."""

    name: ClassVar[str]
    _keeper: Keeper[T] = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_keeper", self._new_keeper())  # as attrs does it in what is frozen

    def _new_keeper(self) -> Keeper[T]:
        raise NotImplementedError

    def execute(self, job: Job) -> Iterator[Batch]:
        """Perform the job.

        Raises:
            ClosedStrategyError: Its block is over; said at the call, and not when a batch is asked for.
        """
        self._keeper.check()
        return self._execute(job)

    def _execute(self, job: Job) -> Iterator[Batch]:
        """Perform the job with what the keeper lends."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._keeper.open()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._keeper.close()

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew from what it was made of: threads and processes stay where they are.
        made_of = {each.alias: getattr(self, each.name) for each in fields(type(self)) if each.init}
        return partial(type(self), **made_of), ()


@frozen
class ThreadBacked(Kept[ThreadPool]):
    """A strategy that uses threads."""

    def _new_keeper(self) -> Keeper[ThreadPool]:
        return thread_keeper(self.name)

    def _tasks_here(self, job: Job, concurrency: int) -> AsyncIterator[Batch]:
        """An `async def` job on the loop that is running."""
        self._keeper.check()
        from ._native import execute_tasks  # noqa: PLC0415 - anyio; who is here has a loop and can pay for it
        from ._task_pool import TaskPool  # noqa: PLC0415 - as above

        return execute_tasks(job, concurrency, partial(TaskPool, job, concurrency=concurrency))
