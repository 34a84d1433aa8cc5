"""What child processes of our own have computed, which the system adds up with those of everybody else.

Workers that rest end while somebody measures calls: from that moment the CPU time of all they have done
is their caller's, and a call that sleeps would seem to have children that compute.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque

__all__ = ["computed_by_older", "reap"]

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


def computed_by_older(moment: float) -> float:
    """CPU seconds of those that had been started by a moment, and have ended since."""
    return sum(seconds for started, ended, seconds in [*_ended] if started <= moment < ended)
