"""Borrowing the interpreter's switch interval, which all threads share, and giving it back."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ._mutex import freed_in_forks

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["FOR_EACH", "QUICK", "URGENT", "USUAL", "quick_switching"]

USUAL = 5e-3
"""Seconds, for who can wait: what an interpreter starts with."""

QUICK = 1e-3
"""Seconds, for looks that must come soon. Beside a thread that looks every millisecond, JSON, recursion and
small NumPy arrays are slowed by 2 to 9 %, at the usual interval by 1 to 3 (measured with the witness on 2
quiet cores)."""

URGENT = 1e-4
"""Seconds, for a thread whose every system call holds up what the others wait for: it slows a Python loop by
10 % for as long as that takes (the same measurement)."""

FOR_EACH = 25e-6
"""Seconds for each thread there is, where that comes to more: of those that wait for the GIL each wakes once
in an interval. At `URGENT` BeautifulSoup took 2.5 times the CPU in 16 threads and 7.5 times in 40, and 1.0 to
1.3 times at so much for each of them (measured on two cores)."""


class _Interval:
    """The interval that was found, and those that are wanted inside blocks."""

    def __init__(self) -> None:
        self._lock = freed_in_forks()  # the ticker of a run may have it as another thread forks
        self._found = 0.0
        self._wanted: dict[object, float] = {}

    def enter(self, block: object, seconds: float) -> None:
        with self._lock:
            if not self._wanted:
                self._found = sys.getswitchinterval()
            self._wanted[block] = seconds
            self._set(self._wanted)

    def leave(self, block: object) -> None:
        with self._lock:
            if block in self._wanted:
                rest = self._wanted.copy()
                del rest[block]
                self._set(rest)
                del self._wanted[block]  # last: until then it may be begun again

    def _set(self, wanted: dict[object, float]) -> None:
        """Have the shortest that is wanted, as far as that suits the threads that there are."""
        bearable = min(self._found, FOR_EACH * threading.active_count())
        sys.setswitchinterval(max(bearable, min(wanted.values(), default=self._found)))


_interval = _Interval()


@contextmanager
def quick_switching(seconds: float = QUICK) -> Generator[None]:
    """Let threads ask for the GIL after so many seconds inside the block.

    Where blocks of several threads overlap, the shortest holds, and a longer one among many threads. The
    interval found by the first is put back by the last, even where somebody changed it meanwhile.
    """
    block = object()
    try:
        _interval.enter(block, seconds)
        yield
    finally:
        try:
            _interval.leave(block)
        except BaseException:  # Ctrl-C, which must not leave all threads with that for good
            _interval.leave(block)
            raise
