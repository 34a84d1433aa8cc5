"""What calls have logged in a worker, come to the caller's handlers; `_records` is the other end."""

from __future__ import annotations

from contextvars import Context

from ...._transfer._pickling import load
from .._between._wire import Message

__all__ = ["hand_on"]


def hand_on(message: Message, context: Context) -> None:
    """Have what was logged in a worker handled here, in the context of what was called."""
    import logging  # noqa: PLC0415 - who is told of records has it already

    try:
        record = logging.makeLogRecord(load(message.frames))
        if record.levelname == f"Level {record.levelno}":  # which has a name here, by `addLevelName`
            record.levelname = logging.getLevelName(record.levelno)
        try:
            context.copy().run(logging.getLogger(record.name).handle, record)
        except Exception:  # noqa: BLE001 - a filter's or a handler's own
            logging.NullHandler().handleError(record)
    except Exception:  # noqa: BLE001 - it cannot be read here, or nobody is left to complain to
        return
