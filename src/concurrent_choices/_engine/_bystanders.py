"""The computing of threads that have nothing to do with a run, which its items' own threads are not to be.

Threads that native code makes for an item are unknown to Python. So what this process uses beyond a run's
lanes is theirs, except for what other Python threads use that were there before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from .._platform._tasks import cpu_of_task, number_of

__all__ = ["Bystanders"]

LEAST = 2e-3
"""Seconds that a process has used beyond what is accounted for, from which it is asked who did: each clock
takes a microsecond to read, and some programs have a thousand threads that sleep (guessed)."""


class Bystanders:
    """Threads of the program that are there now, except for those of a run."""

    def __init__(self) -> None:
        self._seconds = 0.0
        found = ((task, cpu_of_task(task)) for task in map(number_of, threading.enumerate()))
        self._spent = {task: spent for task, spent in found if task is not None and spent is not None}

    def spent(self, unaccounted: float, ours: Callable[[], set[int | None]]) -> float:
        """CPU seconds that they have used, of so many that the run's own lanes have not.

        Asked for `ours`, it gives the run's threads, by the numbers that the system has for them: idle ones
        of a pool may have become lanes.
        """
        if unaccounted - self._seconds < LEAST:
            return self._seconds
        lanes, used = ours(), self._seconds
        for task, before in list(self._spent.items()):
            spent = cpu_of_task(task)
            if spent is None:  # it has ended
                del self._spent[task]
                continue
            self._spent[task] = spent
            if task not in lanes:
                used += spent - before
        # What a lane did that has left meanwhile is the run's, though its thread is an idle one again.
        self._seconds = min(used, unaccounted)
        return self._seconds
