"""Watches calls in flight while others wait for their turn: where all stand still, more may run at once."""

from __future__ import annotations

import time
from queue import SimpleQueue
from typing import TYPE_CHECKING

from ..._platform._tasks import cpu_clock_of
from ..._runtime._new_thread import new_thread

if TYPE_CHECKING:
    import threading

    from ..._facts._clock import Clock
    from .._accounting._account import Account
    from ._dispatch import Dispatch
    from ._lane import Lane

__all__ = ["StallMonitor"]

LOOK = 1e-3
"""Seconds between looks while a callable is new (guessed: a hundredth of a core, for some milliseconds)."""

AT_REST = 10e-3
"""Seconds between looks later on (guessed)."""

LINGER = 30
"""Looks after which it looks less often, where no callable is new (guessed)."""

STILL = 0.2e-3
"""Seconds of computing between looks below which a call in flight stands still (guessed)."""

YOUNG = 2_000_000
"""Nanoseconds after which a call of an unknown callable may count as standing still (DECISION.md 0.7)."""

SETTLED = 10 * YOUNG
"""The same for a call of a known callable, whatever length is expected of it (guessed)."""

OVERDUE = 3.0
"""How many times its expected length a call of a known callable takes before it counts (guessed)."""

Sightings = dict["Account", list[tuple[int, float]]]


class StallMonitor:
    """Looks at the lanes of a dispatch from a thread of its own."""

    def __init__(self, dispatch: Dispatch, clock: Clock) -> None:
        self._dispatch = dispatch
        self._clock = clock
        self._wanted: SimpleQueue[None] = SimpleQueue()  # Ctrl-C would leave an event locked
        self._parked = True
        self._closed = False
        self.thread: threading.Thread | None = None
        self._cpu: dict[Lane, int] = {}

    def wake(self) -> None:
        """A call waits for its turn."""
        if not self._parked:
            return
        if not (self._begun or self._begin()):
            return
        self._parked = False
        self._wanted.put(None)

    def _begin(self) -> bool:
        """Start the thread; False where none can be started, and calls wait unwatched."""
        with self._dispatch.lock:
            if not self._begun:
                self.thread = new_thread(self._work, "executor-watch")  # known before Ctrl-C can strike
                try:
                    self.thread.start()
                except RuntimeError:
                    self.thread = None
                    return False
        return True

    @property
    def _begun(self) -> bool:
        """Whether its thread has begun; Ctrl-C may have struck before that."""
        return self.thread is not None and self.thread.is_alive()

    def close(self) -> None:
        """Watch no more."""
        self._closed = True
        self._wanted.put(None)

    def _work(self) -> None:
        while not self._closed:
            self._wanted.get()
            self._cpu.clear()
            self._watch()
            self._parked = True
            if self._waiting():  # it came while we were about to park
                self._parked = False
                self._wanted.put(None)

    def _watch(self) -> None:
        calm = 0
        while self._waiting() and not self._closed:
            time.sleep(LOOK if calm < LINGER else AT_REST)
            seen, anything_new = self._look()
            self._free_the_stuck(seen)
            calm = 0 if anything_new else calm + 1

    def _waiting(self) -> bool:
        with self._dispatch.lock:
            return self._dispatch.backlog.size > 0

    def _look(self) -> tuple[Sightings, bool]:
        """For each callable the age and the computing of its calls in flight, ns and seconds.

        And whether one of the callables is new.
        """
        seen: Sightings = {}
        before, self._cpu = self._cpu, {}
        now = self._clock.wall()
        # A thread leaves its lane under this lock only, so all that are read here are alive.
        with self._dispatch.lock:
            for lane in self._dispatch.lanes:
                cpu = self._cpu[lane] = _cpu_of(lane)
                task = lane.task
                if task is not None:
                    computed = (cpu - before.get(lane, 0)) / 1e9
                    seen.setdefault(task.account, []).append((now - lane.since, computed))
        return seen, any(account.figures.is_new for account in seen)

    def _free_the_stuck(self, seen: Sightings) -> None:
        freed = False
        with self._dispatch.lock:
            for account, calls in seen.items():
                if (
                    self._dispatch.backlog.queued(account)
                    and account.running + account.away >= account.limit
                    and all(_stands_still(account, age, cpu) for age, cpu in calls)
                ):
                    account.stuck()
                    freed = True
            forgotten = self._dispatch.at_rest
        if freed or forgotten:
            self._dispatch.spread()


def _stands_still(account: Account, age: int, cpu: float) -> bool:
    patience = YOUNG if account.figures.is_new else max(SETTLED, int(OVERDUE * account.figures.wall * 1e9))
    return age > patience and cpu < STILL


def _cpu_of(lane: Lane) -> int:
    """CPU time of a lane's thread, ns; 0 where it has no clock."""
    thread = lane.thread
    clock = None if thread is None or thread.ident is None else cpu_clock_of(thread.ident)
    return 0 if clock is None else time.clock_gettime_ns(clock)
