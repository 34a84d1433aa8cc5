"""The rest of a job, performed in a thread beside while a loop is still at its last items."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from .._facts._batch import Batch
from .._strategies._lanes._thread_pool import PARTING
from .._work._job import Job
from .._work._new_thread import new_thread

__all__ = ["Takeover"]


class Takeover:
    """Performs the rest, once told to begin; for a caller that looks at no result before the end.

    Its thread is there before that, so that whoever hands over knows that there is one.

    Raises:
        RuntimeError: There can be no more threads.
    """

    def __init__(self, job: Job, rest: Iterator[Batch]) -> None:
        self._job = job
        self._rest = rest
        self._batches: list[Batch] = []
        self._error: BaseException | None = None
        self._told = threading.Event()
        self._thread = new_thread(self._work, "concurrent_choices-takeover")
        self._thread.start()

    def begin(self) -> None:
        """Go to work: who had the job so far takes no further item of it."""
        self._told.set()

    def _work(self) -> None:
        self._told.wait()
        try:
            for batch in self._rest:
                self._batches.append(batch)
                if batch.error is not None:
                    self._job.stop()  # the loop, too, has nothing left to do
        except BaseException as error:  # noqa: BLE001 - the calling thread raises it; here it would be lost
            self._error = error
            self._job.stop()

    def batches(self) -> Iterator[Batch]:
        """Wait for its end; what it did."""
        self._thread.join()
        yield from self._batches
        if self._error is not None:
            raise self._error

    def part(self) -> None:
        """Wait a moment for its end, once the job is stopped."""
        self._thread.join(PARTING)
