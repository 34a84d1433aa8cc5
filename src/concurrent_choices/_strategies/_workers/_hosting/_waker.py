"""Wakes a thread that waits in poll()."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

from ...._runtime._mutex import Mutex

__all__ = ["Waker"]


class Waker:
    """A pipe that becomes readable when another thread rings."""

    def __init__(self) -> None:
        self._lock = Mutex()
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)
        self.adopt()

    def adopt(self) -> None:
        """Have the calling thread be the one that waits, in place of the one that made this."""
        self._thread = threading.get_ident()

    def fileno(self) -> int:
        """What to poll."""
        return self._reading

    def ring(self) -> None:
        """Wake the thread that waits, unless it is the one that calls."""
        if threading.get_ident() != self._thread:
            # Under a lock, or the pipe might be closed meanwhile, and its number be a file's of the user's.
            with self._lock, suppress(OSError):  # full, so it wakes anyway; or closed, so nobody waits
                os.write(self._writing, b"!")

    def hush(self) -> None:
        """Take the rings."""
        with suppress(BlockingIOError):
            os.read(self._reading, 4096)

    def close(self) -> None:
        """Close the pipe."""
        with self._lock:
            reading, writing, self._reading, self._writing = self._reading, self._writing, -1, -1
        os.close(reading)
        os.close(writing)
