"""What a thread has done for a run, and in how much time: written by itself, read by the conductor.

No lock: each number has one writer, and a reader that sees one a moment late sees it at the next look.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

from .._platform._tasks import cpu_clock_of, task_of

__all__ = ["Done", "Queueing", "Tally"]

_NS = 1e-9


class Tally:
    """One thread's account. Make it in that thread.

    Attributes:
        items: Items finished.
        wall: Seconds they took.
        cpu: CPU seconds of this thread in them.
        quickest: Seconds of the quickest.
        first: Seconds and CPU seconds of the first of them; (0, 0) before it is over.
        began: When the present batch began, on the monotonic clock; 0 while there is none.
        thread: That thread.
    """

    def __init__(self) -> None:
        self.items = 0
        self.wall = self.cpu = 0.0
        self.quickest = inf
        self.first = (0.0, 0.0)
        self.began = 0.0
        self._cpu_began = self._cpu_first = time.thread_time_ns()
        self.thread = threading.current_thread()
        self._clock = cpu_clock_of(threading.get_ident())

    def begin(self) -> None:
        """A batch begins."""
        self._cpu_began = time.thread_time_ns()
        self.began = time.monotonic()

    def end(self, count: int) -> float:
        """It has ended, with `count` items; the seconds it took."""
        seconds = time.monotonic() - self.began
        cpu = (time.thread_time_ns() - self._cpu_began) * _NS
        self.began = 0.0
        if count == 1 and not self.items:
            self.first = (seconds, cpu)
        self.cpu += cpu
        self.wall += seconds
        self.items += count
        if count:
            self.quickest = min(self.quickest, seconds / count)
        return seconds

    def held(self) -> tuple[float, float]:
        """Seconds that the present batch has lasted, and CPU seconds of it, seen from another thread.

        Both clocks are read here, one after the other: whoever looks may have waited for the GIL for some
        milliseconds since it looked at a clock of its own.
        """
        began, cpu_began = self.began, self._cpu_began
        if not began:
            return 0.0, 0.0
        try:
            wall = time.monotonic() - began
            # Where nobody can tell, it counts as computing, which starts nothing rashly.
            cpu = wall if self._clock is None else (time.clock_gettime_ns(self._clock) - cpu_began) * _NS
        except OSError:  # the thread is gone
            return 0.0, 0.0
        return (wall, min(max(0.0, cpu), wall)) if self.began == began else (0.0, 0.0)

    def spent(self) -> float:
        """CPU seconds of the thread since this was made; exact, unlike a process's clock.

        (The clock of a process leaves out what its other threads did since their last tick of 4 ms.)
        """
        if self._clock is None:
            return self.cpu
        try:
            return (time.clock_gettime_ns(self._clock) - self._cpu_first) * _NS
        except OSError:  # the thread is gone
            return self.cpu


class Done(NamedTuple):
    """What a run has computed so far.

    Attributes:
        items: How many items.
        cpu: CPU seconds they took.
        results: Some of their results.
    """

    items: int = 0
    cpu: float = 0.0
    results: Sequence[Any] = ()


class Queueing:
    """How long a thread has been ready to run without a core, read from another thread.

    Files that stay open: each system call of the conductor gives the GIL away, and getting it back
    from a computing callable takes a switch interval.

    Attributes:
        thread: The thread that is followed.
        before: Seconds that this thread had waited when this was made, since it began.
        seconds: How long it had been in the queue when that was last read, and another thread before it.
        turns: How often it had been given a core by then; always the same where nobody can tell.
    """

    def __init__(self, thread: threading.Thread, seconds: float = 0.0) -> None:
        self.thread = thread
        self.seconds = seconds
        folder = task_of(thread)
        self._schedstat, self._stat = _opened(f"{folder}/schedstat"), _opened(f"{folder}/stat")
        self._delay, self.turns = self._read_schedule()
        self.before = self._delay * _NS

    def read(self) -> float:
        """Seconds in the queue since this was made, except those of a stay that goes on."""
        before, (self._delay, self.turns) = self._delay, self._read_schedule()
        self.seconds += max(0, self._delay - before) * _NS
        return self.seconds

    def is_queueing(self) -> bool:
        """Whether it is ready to run, and so without a core: its Python code does not run while this does."""
        return b") R " in _read(self._stat)

    def is_being_served(self) -> bool:
        """Whether it sleeps and cannot be interrupted: for a disk, as imports do, or within the system."""
        return b") D " in _read(self._stat)

    def has_gone_on(self) -> bool:
        """Whether it has had a core since `read`: who sleeps then may only wait for the GIL of who asks."""
        return self._read_schedule()[1] != self.turns

    def _read_schedule(self) -> tuple[int, int]:
        """Nanoseconds in the queue, and turns on a core."""
        words = _read(self._schedstat).split()
        return (int(words[1]), int(words[2])) if words else (0, 0)

    def close(self) -> None:
        """Close the files."""
        files, self._schedstat, self._stat = (self._schedstat, self._stat), None, None
        for file in files:
            if file is not None:
                os.close(file)


def _opened(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # not Linux: nothing is known, and nothing is added
        return None


def _read(file: int | None) -> bytes:
    try:
        return os.pread(file, 256, 0) if file is not None else b""
    except OSError:  # the thread is gone
        return b""
