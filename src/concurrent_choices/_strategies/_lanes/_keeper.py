"""Something that is warm inside a `with strategy:` block, and lent for one job outside of it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Generic, Protocol, TypeVar

from ..._errors import ClosedStrategyError
from ._thread_pool import JobThreads, ThreadPool

__all__ = ["Closable", "Keeper", "thread_keeper"]


class Closable(Protocol):
    """What a keeper keeps."""

    def close(self) -> None:
        """Let go of threads or processes."""


T = TypeVar("T", bound=Closable)


class Keeper(Generic[T]):
    """Keeps one thing between `open` and `close`; what it lends for one job may be made in another way."""

    def __init__(
        self, name: str, make: Callable[[], T], make_for_one_job: Callable[[], T] | None = None
    ) -> None:
        self._name = name
        self._make = make
        self._make_for_one_job = make_for_one_job or make
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
        """The kept thing, or a new one for this job alone."""
        self.check()
        if self._kept is not None:
            yield self._kept
            return
        made = self._make_for_one_job()
        try:
            yield made
        finally:
            made.close()


def thread_keeper(name: str) -> Keeper[ThreadPool]:
    """What keeps the threads of a strategy of that name."""
    name_of_threads = f"concurrent_choices-{name}"
    return Keeper(name, partial(ThreadPool, name_of_threads), partial(JobThreads, name_of_threads))
