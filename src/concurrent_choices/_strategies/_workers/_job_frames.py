"""A job as it is told to workers."""

from __future__ import annotations

from typing import Any

from ..._errors import InvalidArgumentError
from ..._work._apart import keep_apart
from ..._work._job import Job
from ..._work._pickling import dump_callable
from ..._work._words import reason_of
from ._wire import Terms

__all__ = ["job_frames"]


def job_frames(job: Job, inner: object, workers: int, *, watched: bool) -> list[Any]:
    """The terms of a job, as frames.

    Raises:
        InvalidArgumentError: The callable cannot be pickled.
    """
    terms = Terms(
        fn=job.fn,
        is_async=job.is_async,
        quick=job.performer.quick,
        return_exceptions=job.return_exceptions,
        timeout=job.timeout,
        lanes=job.lanes * workers,
        inner=inner,
        watched=watched,
    )
    keep_apart(job.fn)
    try:
        return dump_callable(terms)
    except Exception as error:
        from ..._work._obstacle import obstacle  # noqa: PLC0415 - hardly ever needed

        reason = obstacle(job.fn, "the callable") or reason_of(error)
        problem = (
            f"{job.name} cannot be pickled for its trip to worker processes: {reason}; "
            'use strategy="thread", or leave out what cannot travel'
        )
        raise InvalidArgumentError("fn", problem) from error
