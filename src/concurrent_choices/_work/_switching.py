"""Borrowing the interpreter's switch interval, which all threads share, and giving it back."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ._mutex import Mutex

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["QUICK", "URGENT", "USUAL", "quick_switching"]

USUAL = 5e-3
"""Seconds, for who can wait: what an interpreter starts with."""

QUICK = 1e-3
"""Seconds, for looks that must come soon. Beside a thread that looks every millisecond, JSON, recursion and
small NumPy arrays are slowed by 2 to 9 %, at the usual interval by 1 to 3 (measured with the witness on 2
quiet cores)."""

URGENT = 1e-4
"""Seconds, for a thread whose every system call holds up what the others wait for: it slows a Python loop by
10 % for as long as that takes (the same measurement)."""


class _Interval:
    """The interval that was found, and those that are wanted inside blocks."""

    def __init__(self) -> None:
        self._lock = Mutex()
        self._found = 0.0
        self._wanted: dict[object, float] = {}

    def enter(self, block: object, seconds: float) -> None:
        with self._lock:
            if not self._wanted:
                self._found = sys.getswitchinterval()
            self._wanted[block] = seconds
            sys.setswitchinterval(min(self._wanted.values()))

    def leave(self, block: object) -> None:
        with self._lock:
            if block in self._wanted:
                rest = self._wanted.copy()
                del rest[block]
                sys.setswitchinterval(min(rest.values(), default=self._found))
                del self._wanted[block]  # last: until then it may be begun again


_interval = _Interval()


@contextmanager
def quick_switching(seconds: float = QUICK) -> Generator[None]:
    """Let threads ask for the GIL after so many seconds inside the block.

    Where blocks of several threads overlap, the shortest holds. The interval found by the first is put
    back by the last, even where somebody changed it meanwhile.
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
