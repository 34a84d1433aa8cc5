"""Watches calls in flight: who stands still while others wait, and whose computing holds the GIL.

A thread that sleeps for random, short times and sees how late it wakes: late by more than usual means
that the GIL was held (DECISION.md 2.2). It watches only while there is something to find out.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from ._shares import Shares

if TYPE_CHECKING:
    from .._facts._clock import Clock
    from ._account import Account
    from ._dispatch import Dispatch
    from ._lane import Lane

__all__ = ["Ticker"]

LOOK = 1e-3
"""Mean seconds between looks (DECISION.md 2.2: 0.7 to 2 ms)."""

AT_REST = 10e-3
"""Seconds between looks where only calls that wait for their turn are watched (guessed)."""

LATE = 300_000
"""Nanoseconds of lateness from which the GIL was held: three times the usual (DECISION.md 2.2)."""

CROWDED = 0.1
"""Part of a window that this thread may wait for a core for the window to count (guessed)."""

WINDOW = 10_000_000
"""Nanoseconds over which computing and held time are compared (guessed: ten looks)."""

LINGER = 30
"""Looks without anything to see before it parks: calls in quick succession are one (guessed)."""

STILL = 0.2
"""Share of computing below which a call in flight stands still (guessed)."""

YOUNG = 2_000_000
"""Nanoseconds after which a call of an unknown callable may count as standing still (DECISION.md 0.7)."""

OVERDUE = 3.0
"""How many times its expected length a call of a known callable takes before it counts (guessed)."""

OTHERS = "all other threads"


class Ticker:
    """Looks at the lanes of a dispatch from a thread of its own.

    Args:
        dispatch: What is watched.
        clock: The stopwatch.
        on_told: Told of a callable whose share of the GIL has been found.
    """

    def __init__(self, dispatch: Dispatch, clock: Clock, on_told: Callable[[Account], None]) -> None:
        self._dispatch = dispatch
        self._clock = clock
        self._on_told = on_told
        self._shares = Shares()
        self._wanted = threading.Event()
        self._parked = True
        self._closed = False
        self.thread: threading.Thread | None = None
        self._cpu: dict[Lane, int] = {}
        self._spent: dict[Account, float] = {}
        self._under_way: dict[Account, float] = {}
        self._held = self._span = self._starved = 0
        self._process = 0
        self._calm = 0

    def wake(self) -> None:
        """There is something to watch."""
        if not self._parked:
            return
        self._parked = False
        if self.thread is None:
            with self._dispatch.lock:
                if self.thread is None:
                    self.thread = threading.Thread(target=self._work, name="executor-watch", daemon=True)
                    self.thread.start()
        self._wanted.set()

    def close(self) -> None:
        """Watch no more."""
        self._closed = True
        self._wanted.set()

    def _work(self) -> None:
        chance = random.Random()  # noqa: S311 - nothing secret: times between looks
        while not self._closed:
            self._wanted.wait()
            self._wanted.clear()
            self._reset()
            pause = LOOK
            while pause and not self._closed:
                late = self._sleep(max(2e-4, chance.expovariate(1 / pause)))
                pause = self._look(late)
            if self._span:
                self._close_window()
            self._parked = True
            if self._interesting():  # it came while we were about to park
                self._parked = False
                self._wanted.set()

    def _sleep(self, seconds: float) -> int:
        """Sleep; nanoseconds in which the GIL was seen to be held."""
        queued, start = self._clock.run_queue(), self._clock.wall()
        time.sleep(seconds)
        span = self._clock.wall() - start
        starved = self._clock.run_queue() - queued
        late = span - int(seconds * 1e9) - starved
        self._starved += starved
        self._span += span
        return span if late > LATE else 0

    def _reset(self) -> None:
        self._cpu.clear()
        self._read_lanes()
        self._spent = self._spent_by_now()
        self._held = self._span = self._starved = self._calm = 0
        self._process = self._clock.process_cpu()

    def _interesting(self) -> bool:
        with self._dispatch.lock:
            lanes = list(self._dispatch.lanes)
            waiting = len(self._dispatch.backlog) > 0
        return waiting or any(
            task is not None and task.account.unsettled for task in (lane.task for lane in lanes)
        )

    def _look(self, held: int) -> float:
        """Look once; seconds until the next look, 0 to park."""
        self._held += held
        moved, unsettled, waiting = self._read_lanes()
        if waiting:
            self._free_the_stuck(moved)
        if self._span >= WINDOW:
            self._close_window()
        self._calm = 0 if unsettled else self._calm + 1
        if self._calm < LINGER:
            return LOOK
        return AT_REST if waiting else 0.0

    def _read_lanes(self) -> tuple[dict[Account, list[tuple[int, float]]], bool, bool]:
        """For each callable the age and the computing of its calls in flight, ns and seconds.

        And whether any should be watched, and whether calls wait for their turn.
        """
        seen: dict[Account, list[tuple[int, float]]] = {}
        self._under_way = {}
        unsettled, now = False, self._clock.wall()
        # A thread leaves its lane under this lock only, so all that are read here are alive.
        with self._dispatch.lock:
            for lane in self._dispatch.lanes:
                account, cpu = lane.account, _cpu_of(lane)
                computed = (cpu - self._cpu.get(lane, cpu)) / 1e9
                self._cpu[lane] = cpu
                if account is None:
                    continue
                if lane.task is not None:
                    seen.setdefault(account, []).append((now - lane.since, computed))
                if lane.task is not None and lane.cpu >= 0:
                    under_way = max(0, cpu - lane.cpu) / 1e9
                    self._under_way[account] = self._under_way.get(account, 0.0) + under_way
                if lane.task is not None or computed > 0:
                    unsettled = unsettled or account.unsettled
            waiting = len(self._dispatch.backlog) > 0
            if len(self._cpu) > 2 * len(self._dispatch.lanes):
                self._cpu = {lane: cpu for lane, cpu in self._cpu.items() if lane in self._dispatch.lanes}
        return seen, unsettled, waiting

    def _free_the_stuck(self, seen: dict[Account, list[tuple[int, float]]]) -> None:
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
        if freed:
            self._dispatch.spread()

    def _close_window(self) -> None:
        process = self._clock.process_cpu()
        spent = self._spent_by_now()
        computed: dict[Hashable, float] = {
            account: max(0.0, total - self._spent.get(account, total)) for account, total in spent.items()
        }
        computed[OTHERS] = max(0.0, (process - self._process) / 1e9 - sum(computed.values()))
        # Where cores are scarce, whoever holds the GIL may be waiting for one: that tells nothing.
        if self._starved < CROWDED * self._span:
            self._shares.window(self._span / 1e9, self._held / 1e9, computed)
        self._held = self._span = self._starved = 0
        self._process, self._spent = process, spent
        for account in spent:
            self._tell(account)

    def _spent_by_now(self) -> dict[Account, float]:
        """Seconds each callable has computed so far: in calls that ended, and in those under way."""
        accounts = {*self._spent, *self._under_way}
        return {
            account: account.spent + self._under_way.get(account, 0.0)
            for account in accounts
            if account.fully
        }

    def _tell(self, account: Account) -> None:
        if account.unsettled and account.gil is None:
            share = self._shares.of(account)
            if share is not None:
                self._on_told_share(account, share)

    def _on_told_share(self, account: Account, share: float) -> None:
        account.told(share)
        self._shares.forget(account)
        self._on_told(account)


def _stands_still(account: Account, age: int, cpu: float) -> bool:
    known = account.measured > 1
    patience = max(10 * YOUNG, int(OVERDUE * account.expected * 1e9)) if known else YOUNG
    return age > patience and cpu < STILL * LOOK


def _cpu_of(lane: Lane) -> int:
    """CPU time of a lane's thread, ns; exact even while it runs, unlike what /proc says."""
    thread = lane.thread
    if thread is None or thread.ident is None:
        return 0
    return time.clock_gettime_ns(time.pthread_getcpuclockid(thread.ident))
