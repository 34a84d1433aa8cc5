"""A page of shared memory for each worker: how far it is, readable even after it has been killed."""

from __future__ import annotations

import mmap
import os
import time

from ...._facts._lean import TYPE_CHECKING
from ._loading import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["A_JOB", "CANCELLED", "SINCE", "STARTED", "Page"]

STARTED, SINCE, CANCELLED, _PID, _WORKED, _READING = range(6)
_SIZE = mmap.PAGESIZE

A_JOB = -1
"""What a worker reads that has no index."""


class _Number:
    """An attribute of a page that is kept in its memory."""

    def __init__(self, place: int) -> None:
        self._place = place

    def __get__(self, page: Page, _kind: type[Page]) -> int:
        return page.numbers[self._place]

    def __set__(self, page: Page, number: int) -> None:
        page.numbers[self._place] = number


class Page:
    """Six numbers that the caller and a worker tell each other.

    Attributes:
        started: Items of the present job that the worker has started.
        since: When it started the last of them, ns of the monotonic clock; 0 while it runs none.
        cancelled: The number of a job of which the worker begins no more items, as long as it stands here.
        pid: The worker's process number, once it is there; 0 before.
        reading: While it reads a batch, the index of its first item and 1; `A_JOB` while it reads what the
            job is; 0 while it reads nothing. To read what was pickled may end a process.
    """

    started = _Number(STARTED)
    since = _Number(SINCE)
    cancelled = _Number(CANCELLED)
    pid = _Number(_PID)
    reading = _Number(_READING)

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.numbers = memoryview(mmap.mmap(descriptor, _SIZE)).cast("q")

    @classmethod
    def new(cls) -> Page:
        """A fresh page."""
        if hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("concurrent_choices", os.MFD_CLOEXEC)
        else:
            import tempfile  # noqa: PLC0415 - 4 ms of a worker's start, for other systems only

            descriptor, path = tempfile.mkstemp()
            os.unlink(path)  # noqa: PTH108 - pathlib costs a worker's start 5 ms
        try:
            os.ftruncate(descriptor, _SIZE)
            return cls(descriptor)
        except BaseException:  # to map it takes a descriptor more
            os.close(descriptor)
            raise

    @property
    def worked(self) -> int:
        """Nanoseconds that the worker has spent at batches of the present job, the one it is at included.

        While it is at one it sets what it spent before, less the moment at which that one began.
        """
        spent = self.numbers[_WORKED]
        return spent + time.monotonic_ns() if spent < 0 else spent

    @worked.setter
    def worked(self, nanoseconds: int) -> None:
        self.numbers[_WORKED] = nanoseconds

    def read(self, place: int, frames: list[Any], load: Callable[[Any], Any] = read) -> Any:
        """In the worker: the value behind frames; tells the caller meanwhile what is read.

        `place` is as for `reading`.
        """
        self.reading = place
        try:
            value = load(frames)
        except Exception:  # what else comes ends the process, and is to be found here then
            self.reading = 0
            raise
        self.reading = 0
        return value

    def clear(self) -> None:
        """Another job begins."""
        self.started = self.since = self.worked = self.reading = 0

    def close(self) -> None:
        """Let go of the memory; what it said last can still be read."""
        self.detach()
        os.close(self.descriptor)

    def detach(self) -> None:
        """Share the memory no more, and keep what it says."""
        self.numbers = memoryview(bytearray(self.numbers)).cast("q")
