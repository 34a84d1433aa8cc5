"""Whether new worker processes are worth what travels with the callable: each run pickles it anew."""

from __future__ import annotations

from functools import cached_property

from .._work._job import Job

__all__ = ["WorkerData"]

EACH = 0.2e-6
"""Seconds in which a thing is pickled here, where nothing is computed meanwhile, and read by a worker
(measured: 0.07 us for numbers in a list, 0.2 in lists or tuples of a table, 0.4 for texts, 1.1 for objects).
Arrays and long texts are few things, and soon copied."""


class WorkerData:
    """What a callable holds that is sent to workers, as a script's tables are, which they cannot import."""

    def __init__(self, job: Job) -> None:
        self._fn = job.fn

    def within(self, seconds: float) -> bool:
        """Whether a worker has it in so many seconds."""
        return self.seconds <= seconds

    @cached_property
    def seconds(self) -> float:
        """Seconds until a worker has it; 0 where nobody can tell."""
        try:
            from .._transfer._callable_size import count_pickled  # noqa: PLC0415 - most runs need no processes
        except (ImportError, OSError):  # for want of a descriptor: then no worker will be started either
            return 0.0
        return EACH * count_pickled(self._fn)
