"""Reading, in the caller's process, what a worker says came of a batch."""

from __future__ import annotations

from typing import Any

from ..._facts._batch import Batch
from ..._work._job import Job
from ..._work._perform import add_to
from ..._work._pickling import load
from ._outcome import Carried
from ._wire import Message

__all__ = ["RemoteTraceback", "opened", "unpack_outcome"]


class RemoteTraceback(Exception):  # noqa: N818 - shown as the cause of an error, never raised
    """The traceback an exception had in its worker process."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


def unpack_outcome(message: Message, job: Job) -> Batch:
    """The batch in a worker's message.

    Raises:
        Exception: Whatever a result's own methods raise when it is unpickled.
    """
    values, error = load(message.frames)
    if job.return_exceptions:
        values = [_unwrap(value) for value in values]
    return Batch(message.start, values, _unwrap(error))


def _unwrap(value: Any) -> Any:
    return opened(value) if type(value) is Carried else value


def opened(carried: Carried) -> BaseException:
    """The exception, with its traceback in words as its cause."""
    error = carried.error
    if carried.text:
        add_to(error, "__cause__", RemoteTraceback(carried.text))
    if carried.notes:
        add_to(error, "__notes__", carried.notes)
    return error
