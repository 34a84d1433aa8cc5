"""A page of shared memory for each worker: how far it is, readable even after it has been killed."""

from __future__ import annotations

import mmap
import os
import time

__all__ = ["Page"]

_STARTED, _SINCE, _CANCELLED, _PID, _WORKED = range(5)
_SIZE = mmap.PAGESIZE


class Page:
    """Five numbers that the caller and a worker tell each other.

    Args:
        descriptor: The memory behind it.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._map = mmap.mmap(descriptor, _SIZE)
        self.numbers = memoryview(self._map).cast("q")

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
    def started(self) -> int:
        """Items of the present job that the worker has started."""
        return self.numbers[_STARTED]

    @started.setter
    def started(self, count: int) -> None:
        self.numbers[_STARTED] = count

    @property
    def since(self) -> int:
        """When it started the last of them, in nanoseconds of the monotonic clock; 0 while it runs none."""
        return self.numbers[_SINCE]

    @since.setter
    def since(self, nanoseconds: int) -> None:
        self.numbers[_SINCE] = nanoseconds

    @property
    def cancelled(self) -> int:
        """The number of the last job that the caller gave up."""
        return self.numbers[_CANCELLED]

    @cancelled.setter
    def cancelled(self, job: int) -> None:
        self.numbers[_CANCELLED] = job

    @property
    def pid(self) -> int:
        """The worker's process number, once it is there; 0 before."""
        return self.numbers[_PID]

    @pid.setter
    def pid(self, number: int) -> None:
        self.numbers[_PID] = number

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

    def clear(self) -> None:
        """Another job begins."""
        self.started = self.since = self.worked = 0

    def close(self) -> None:
        """Let go of it."""
        self.numbers.release()
        self._map.close()
        os.close(self.descriptor)
