"""A process that this one has started: its end, and how it ended."""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress
from signal import SIGKILL

from ...._platform._children import reap

__all__ = ["Child", "pidfd", "readable"]

GLANCE = 1e-3
"""Seconds between looks at a process whose end cannot be waited for (guessed: what its end takes)."""


class Child:
    """A child process, the first of its group: what it starts ends with it.

    Attributes:
        sentinel: A descriptor that becomes readable when it ends, where the kernel has such.
        refusal: As for those that a fork server forks; it would not be here.
    """

    refusal = ""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.sentinel = pidfd(pid)
        self._started = time.monotonic()
        self._code: int | None = None

    @property
    def ended(self) -> bool:
        """Whether it has ended, so that its number may be given to another."""
        return self.wait(0) is not None

    def wait(self, timeout: float) -> int | None:
        """Its exit status, negative for a signal, or None if it still runs after so many seconds."""
        until = time.monotonic() + timeout
        while self._code is None:
            pid, status = self._reap()
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
            elif (left := until - time.monotonic()) <= 0:
                return None
            elif self.sentinel is not None:
                readable(self.sentinel, left)
            else:
                time.sleep(min(left, GLANCE))
        return self._code

    def _reap(self) -> tuple[int, int]:
        try:
            pid, status = reap(self.pid, self._started)
        except ChildProcessError:  # somebody waited for it before us; its number may be another's by now
            return self.pid, 0
        if pid:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, SIGKILL)  # nobody else gets its number while its group has members
        return pid, status

    def release(self) -> None:
        """Close what this process holds of it."""
        sentinel, self.sentinel = self.sentinel, None
        if sentinel is not None:
            os.close(sentinel)


def readable(descriptor: int, seconds: float) -> bool:
    """Wait so long for a descriptor to have something to read; whether it has."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when a process ends, where the kernel has such."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None
