"""What child processes have computed that still run, and our own, which the system adds to everybody else's.

Workers that rest end while somebody measures calls: from that moment the CPU time of all they have done
is their caller's, and a call that sleeps would seem to have children that compute.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque

from ._files import read

__all__ = ["computed_by_older", "computed_by_running", "reap"]

_LOOKED_AT = 100
"""Child processes, and theirs, whose CPU time is added up at most: two files are read for each (guessed)."""

_KEPT = 64
"""Ends that are remembered: who asks began to measure a second ago, or few (guessed)."""

_ended: deque[tuple[float, float, float]] = deque(maxlen=_KEPT)


def reap(pid: int, started: float) -> tuple[int, int]:
    """Its number and how it ended, if it has; zeros if it still runs.

    Args:
        pid: A child of this process, and of this library.
        started: When it was, by the monotonic clock.

    Raises:
        ChildProcessError: Somebody else has waited for it.
    """
    if "resource" not in sys.modules:  # who asks has it; at a program's end `wait4` could not import it
        return os.waitpid(pid, os.WNOHANG)
    pid, status, usage = os.wait4(pid, os.WNOHANG)
    if pid:
        _ended.append((started, time.monotonic(), usage.ru_utime + usage.ru_stime))
    return pid, status


def computed_by_running(task: str) -> float:
    """CPU seconds of the child processes that a thread has started and that still run, and of theirs.

    The thread is told by its folder in `/proc`. In steps of a tick, 10 ms; 0.0 where the system does not say.
    """
    started, seconds = read(task, "children").split(), 0.0
    for pid in started:  # which grows meanwhile
        seconds += _computed(pid)
        if len(started) < _LOOKED_AT:
            started += read(f"/proc/{pid}/task/{pid}", "children").split()
    return seconds


def _computed(pid: str) -> float:
    """CPU seconds of a process, and of its children that have ended; 0.0 where nobody knows."""
    _, _, told = read(f"/proc/{pid}", "stat").rpartition(")")  # before it the program's name, with any blanks
    return sum(map(int, told.split()[11:15])) / os.sysconf("SC_CLK_TCK")


def computed_by_older(moment: float) -> float:
    """CPU seconds of those that had been started by a moment, and have ended since."""
    return sum(seconds for started, ended, seconds in [*_ended] if started <= moment < ended)
