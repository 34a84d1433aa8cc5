"""What a worker says to its caller, from any of its threads.

A worker imports this when it starts, so nothing slow may be imported here.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock
from collections import deque

from ...._facts._lean import TYPE_CHECKING
from .._between._wire import Kind, Link

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["Voice", "flush_output"]


class Voice:
    """Says one thing at a time, and what calls have printed and logged before what came of them.

    Attributes:
        turn: Held by the thread that speaks.
        records: What was logged and has not been said.
        muted: Whether this is a fork of the worker, which ends rather than say anything.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self.turn = allocate_lock()
        self.records: deque[list[Any]] = deque()
        self.muted = False

    def say(self, kind: int, job: int, start: int, frames: Sequence[Any], nanoseconds: int = 0) -> None:
        """Send a message; before it the records, and what was printed."""
        if self.muted:
            os._exit(1)
        flush_output()
        with self.turn:
            self._line_up_records()
            self._link.queue(kind, job, start, frames, nanoseconds)
            self._link.flush()

    def say_records(self) -> None:
        """Send the records."""
        with self.turn:
            self._line_up_records()
            self._link.flush()

    def _line_up_records(self) -> None:
        while self.records:
            self._link.queue(Kind.LOGGED, 0, 0, self.records.popleft())


def flush_output() -> None:
    """Let out what was printed: a caller that has its results may end, and its workers are killed with it."""
    for output in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105 - contextlib would cost a worker's start 1 ms
            output.flush()
        except Exception:  # noqa: BLE001, S110 - there is none, or nobody is left to be told
            pass
