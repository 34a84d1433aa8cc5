"""Something that is warm inside a `with strategy:` block, and lent for one job outside of it."""

from __future__ import annotations

import weakref
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from attrs import field, fields, frozen

from ..._errors import ClosedStrategyError
from ..._facts._batch import Batch
from ..._work._job import Job
from ._thread_pool import ThreadPool

__all__ = ["Closable", "Keeper", "Kept", "ThreadBacked"]


class Closable(Protocol):
    """What a keeper keeps."""

    def close(self) -> None:
        """Let go of threads or processes."""


T = TypeVar("T", bound=Closable)


class Keeper(Generic[T]):
    """Keeps one thing between `open` and `close`."""

    def __init__(self, name: str, make: Callable[[], T]) -> None:
        self._name = name
        self._make = make
        self._kept: T | None = None
        self._closed = False
        self._dropped: weakref.finalize[[], Keeper[T]]

    def open(self) -> None:
        """Keep the thing from now on."""
        self.check()
        if self._kept is None:
            self._kept = kept = self._make()
            # A strategy that is dropped inside its block must not hold threads and processes for ever.
            self._dropped = weakref.finalize(self, kept.close)
            self._dropped.atexit = False

    def close(self) -> None:
        """Let go of it, for good."""
        self._closed = True
        kept, self._kept = self._kept, None
        if kept is not None:
            self._dropped.detach()
            kept.close()

    def check(self) -> None:
        """Refuse to serve after the end."""
        if self._closed:
            raise ClosedStrategyError(self._name)

    @contextmanager
    def lend(self) -> Generator[T, None, None]:
        """The kept thing, or one for this once."""
        self.check()
        if self._kept is not None:
            yield self._kept
            return
        made = self._make()
        try:
            yield made
        finally:
            made.close()


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
        return Keeper(self.name, partial(ThreadPool, f"concurrent_choices-{self.name}"))

    def _tasks_here(self, job: Job, concurrency: int) -> AsyncIterator[Batch]:
        """An `async def` job on the loop that is running."""
        self._keeper.check()
        from ._native import execute_tasks  # noqa: PLC0415 - anyio; who is here has a loop and can pay for it
        from ._task_pool import TaskPool  # noqa: PLC0415 - as above

        return execute_tasks(job, concurrency, partial(TaskPool, job))
