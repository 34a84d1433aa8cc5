"""How late the ticker's looks come, which tells whether somebody holds the GIL."""

from __future__ import annotations

import sys
import threading
import time

from .._platform._interpreter import gil_enabled
from .._runtime._switching import QUICK
from ._tally import Queueing

__all__ = ["Lateness"]

LATE = 0.6 * QUICK
"""Seconds of delay that only the GIL explains: under it a thread waits for a whole switch interval, else for
a tenth of one (seen at looks at a Python loop and at hashing)."""


class Lateness:
    """The GIL witness of DECISION.md 2.2, at no cost: the looks are made anyway.

    A thread that wants to run while others compute under the GIL waits for a switch interval; where they
    compute outside it, or wait, it comes at once. Its time in the run queue does not count; nor does a look
    while somebody has urgent need of the GIL, which nobody waits long for then.

    Attributes:
        looks: How often it was awaited.
        late: How often it came late.
    """

    def __init__(self) -> None:
        self.looks = self.late = 0
        self._due = self._came = 0.0
        self._telling = False
        self._queueing: Queueing | None = None
        self._queued = 0.0

    def arrive(self) -> None:
        """A look begins; in the ticker's thread, before anything that may give the GIL away."""
        self._came = time.monotonic()
        self._telling = sys.getswitchinterval() >= QUICK and gil_enabled()

    def glance(self) -> None:
        """Count it as late or not, whatever the run queue had to do with it: that is found out at a look."""
        self._count(0.0)

    def count(self) -> None:
        """Find out whether it came late; in the ticker's thread."""
        if self._queueing is None:
            self._queueing = Queueing(threading.current_thread())
            if self._queueing.before >= LATE:
                self.looks = self.late = 0
                return  # it may have queued at any of the glances, and just now
        if self._came:  # else nobody awaited this look
            before, self._queued = self._queued, self._queueing.read()
            self._count(self._queued - before)

    def _count(self, queued: float) -> None:
        if self._due and self._telling:
            self.looks += 1
            self.late += self._came - self._due - queued >= LATE
        self._came = 0.0

    def expect(self, seconds: float) -> None:
        """The look is over, and the next is due in so many seconds; one due at once waits for nobody."""
        self._due = time.monotonic() + seconds if seconds else 0.0

    def close(self) -> None:
        """Close what is read from."""
        if self._queueing is not None:
            self._queueing.close()
