"""Giving way to a thread of ours that looks or starts something, beside calls that keep the GIL."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

from .._runtime._mutex import Mutex
from .._runtime._switching import URGENT, quick_switching

__all__ = ["Urgency"]

LONGEST = 1.0
"""Seconds that one of several lanes gives way before its next batch, at the most: what is urgent is over by
then. To import what starts workers took 1.5 s beside 16 lanes that gave way for 5 ms at a time, and then went
on with items that compute for 14 ms under the GIL; and 0.05 s once those had ended (measured)."""

MOMENT = 5e-3
"""The same for a thread that works alone, or whose loop others wait for (guessed: starting a process takes
one to four milliseconds)."""


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
        """In one of several threads at work, between two batches: let others have the GIL first."""
        self._wait(LONGEST)

    def give_way_briefly(self) -> None:
        """The same in a thread that is missed meanwhile."""
        self._wait(MOMENT)

    def _wait(self, longest: float) -> None:
        if self._claims:
            with self._lock:
                self._changed.wait_for(lambda: not self._claims, longest)
