"""A job as it is told to workers."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...._errors import InvalidArgumentError
from ...._inspect._words import reason_of
from ...._runtime._interrupted import raise_handlers
from ...._transfer._apart import keep_apart
from ...._transfer._markers import dump_callable
from ...._transfer._pickling import dump
from ...._work._job import Job
from .._between._wire import Kind, Terms
from ._host import Worker

__all__ = ["JobFrames", "Sent"]


class Sent(NamedTuple):
    """A callable that was sent to workers ahead of a job.

    Attributes:
        frames: Terms by which a worker loads it.
        to: Workers that were, and have not called it since.
    """

    frames: list[Any]
    to: set[Worker]


class JobFrames:
    """The terms of a job, as frames, and who is told them.

    A callable that holds much takes long to be pickled, and to be read. What was `sent` is not pickled again,
    and those that it was sent to are told the rest: once, as calls may change what it holds.

    Raises:
        InvalidArgumentError: The callable cannot be pickled.
    """

    def __init__(self, job: Job, inner: object, workers: int, *, watched: bool, sent: Sent | None) -> None:
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
        self._sent = sent
        # In the place of what was sent stands one that weighs nothing.
        self._frames = dump(terms._replace(fn=len)) if sent else _whole(job, terms)

    def tell(self, worker: Worker, number: int, around: list[Any]) -> None:
        """Line up the job for a worker, under that number and with those surroundings."""
        if self._sent is None:
            worker.take_job(number, self._frames, around)
            return
        if worker not in self._sent.to:
            worker.take_job(number, self._sent.frames, around)
        self._sent.to.discard(worker)
        worker.take_job(number, self._frames, around, Kind.GO_ON)


def _whole(job: Job, terms: Terms) -> list[Any]:
    keep_apart(job.fn)
    try:
        return dump_callable(job.fn, terms)
    except Exception as error:
        raise_handlers(error)
        from ...._transfer._obstacle import obstacle  # noqa: PLC0415 - hardly ever needed

        reason = obstacle(job.fn, "the callable") or reason_of(error)
        problem = (
            f"{job.name} cannot be pickled for its trip to worker processes: {reason}; "
            'use strategy="thread", or leave out what cannot travel'
        )
        raise InvalidArgumentError("fn", problem) from error
