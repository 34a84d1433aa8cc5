"""What calls log in a worker process, on its way to the caller's handlers; `_logged` is the other end.

As with `logging.handlers.QueueHandler` a record travels as words, so that each arrives. A thread sends it: a
signal's handler may raise in the call that logs, in the midst of whatever it does, and half a message would
be the end of the wire.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from _queue import SimpleQueue

from ...._facts._lean import TYPE_CHECKING
from ...._inspect._asking import ATOMS
from ...._inspect._words import show
from ...._transfer._pickling import dump, load

if TYPE_CHECKING:
    from typing import Any

    from ._voice import Voice

__all__ = ["carry"]

MOST = 10_000
"""Records that may wait to be sent, until who logs waits too (guessed: some megabytes)."""

PAUSE = 1e-3
"""Seconds between looks whether fewer wait (guessed: what it takes to send them)."""

_formatter = logging.Formatter()


def carry(voice: Voice) -> None:
    """In a worker: have the caller handle what is logged from now on and has no handler here."""
    here, handle, bell = os.getpid(), logging.Logger.callHandlers, SimpleQueue[None]()
    set_up = logging.basicConfig

    def basic_config(**options: Any) -> None:
        if options:  # `logging.info` and the like call it without, where the root logger has no handler
            set_up(**options)

    def call_handlers(logger: logging.Logger, record: logging.LogRecord) -> None:
        if os.getpid() != here or _has_handlers(logger):  # in a fork of this worker the wire is not its own
            handle(logger, record)
            return
        try:
            voice.records.append(dump(_in_words(record)))
        except Exception:  # noqa: BLE001 - its arguments' own methods raise anything
            logging.NullHandler().handleError(record)
            return
        bell.put(None)
        while len(voice.records) > MOST:
            time.sleep(PAUSE)

    logging.basicConfig = basic_config
    logging.Logger.callHandlers = call_handlers  # type: ignore[method-assign,assignment]  # the only seam
    threading.Thread(target=_relay, args=(voice, bell), name="choices-records", daemon=True).start()


def _relay(voice: Voice, bell: SimpleQueue[None]) -> None:
    try:
        while True:
            bell.get()
            voice.say_records()
    except OSError:  # the caller is gone
        return


def _has_handlers(logger: logging.Logger) -> bool:
    """Whether somebody has set logging up in this process: an initializer, a module, the call itself."""
    place: logging.Logger | None = logger
    while place is not None:
        if any(not isinstance(each, logging.NullHandler) for each in place.handlers):
            return True
        place = place.parent if place.propagate else None
    return False


def _in_words(record: logging.LogRecord) -> dict[str, Any]:
    if record.exc_info and not record.exc_text:
        record.exc_text = _formatter.formatException(record.exc_info)
    told = {**vars(record), "msg": record.getMessage(), "args": None, "exc_info": None}
    return {name: value if _travels(value) else show(value) for name, value in told.items()}


def _travels(value: object) -> bool:
    if type(value) in ATOMS:
        return True
    try:
        load(dump(value))
    except Exception:  # noqa: BLE001 - whatever its own methods raise
        return False
    return True
