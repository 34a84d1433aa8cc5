"""Giving way to a thread of ours that looks or starts something, beside calls that keep the GIL."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

from .._work._mutex import Mutex
from .._work._switching import URGENT, quick_switching

__all__ = ["Urgency"]

LONGEST = 5e-3
"""Seconds that a thread gives way before its next batch: what is urgent takes less, unless the system keeps
it waiting (guessed: starting a process takes one to four milliseconds)."""


class Urgency:
    """What the threads of one run share, so that those that perform items stop between two of them.

    Each system call gives the GIL away, and a call in C keeps it for as long as it takes, whatever the switch
    interval: beside searches of 1.6 ms the first look, with some twenty files to read, took 40 ms, and the
    start of workers as long (measured; 1 ms and 5 ms otherwise). Beside eleven threads that compute for half
    of their time, asking for two workers took 170 ms, and 46 since they give way.
    """

    def __init__(self) -> None:
        self._claims = 0
        self._lock = Mutex()
        self._changed = threading.Condition(self._lock)

    @contextmanager
    def claimed(self) -> Generator[None]:
        """In a thread that has something urgent to do: nobody begins another batch meanwhile."""
        with quick_switching(URGENT):
            self._count(1)
            try:
                yield
            finally:
                self._count(-1)

    def _count(self, more: int) -> None:
        with self._lock:
            self._claims += more
            if not self._claims:
                self._changed.notify_all()

    def give_way(self) -> None:
        """In a thread that performs items, between two batches: let others have the GIL first."""
        if self._claims:
            with self._lock:
                self._changed.wait_for(lambda: not self._claims, LONGEST)
