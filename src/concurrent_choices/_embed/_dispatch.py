"""Which call runs when and where: the one place that knows what waits and what runs.

submit ── room for its callable, and a thread free or allowed ──> a thread
       ── else ──> the backlog ── whenever a call ends, the next ──> a thread
       ── its callable belongs to processes ──> the office
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from ._backlog import Backlog
from ._lane import Lane, perform

if TYPE_CHECKING:
    from .._facts._clock import Clock
    from ._account import Account
    from ._tasks import Task

__all__ = ["Dispatch"]

IDLE = 10.0
"""Seconds without work after which a thread ends (guessed: a lull between requests)."""

BRIEF = 10e-3
"""Seconds up to which a call counts as short: those never find all threads taken by longer ones
(guessed: what a person or a request does not notice)."""


class Dispatch:
    """Threads, and the calls that wait for them.

    Args:
        most: Threads at most.
        clock: The stopwatch.
        name: What the threads are called.
        on_learnt: Told, in a lane's thread, of a callable that was reviewed.
        on_wait: Told that a call waits.
        on_left: Told, with the lock held, that a thread has nothing more to do or a call left the queue.
    """

    def __init__(  # noqa: PLR0913 - made in one place
        self,
        most: int,
        clock: Clock,
        name: str,
        *,
        on_learnt: Callable[[Task], None],
        on_wait: Callable[[], None],
        on_left: Callable[[], None],
    ) -> None:
        self.lock = threading.RLock()  # the collector may drop the executor in any thread, at any time
        self.backlog = Backlog()
        self.lanes: dict[Lane, None] = {}
        self.closing = False
        self.attentive = False  # whether anybody wants to be told of every call that ends
        self.ended = threading.Condition(self.lock)
        self._most = most
        # Threads that long calls must leave to short ones.
        self._reserve = min(most - 1, max(1, most // 8)) if most > 1 else 0
        self._clock = clock
        self._name = name
        self._serial = 0
        self._busy = 0
        self._idle = 0
        self._ready: SimpleQueue[Task | None] = SimpleQueue()
        self._on_learnt = on_learnt
        self._on_wait = on_wait
        self._on_left = on_left

    def enter(self, task: Task) -> None:
        """Run a call in a thread as soon as may be. The caller holds the lock, and `release`s it."""
        account = task.account
        if not self._may(account):
            self.backlog.add(task)
            self.lock.release()
            self._on_wait()
            return
        account.running += 1
        self._busy += 1
        if self._idle:
            self._idle -= 1
            self.lock.release()
            self._ready.put(task)
            return
        lane = self._new_lane()
        self.lock.release()
        self._start(lane, task)

    def _may(self, account: Account) -> bool:
        """Whether a callable may run one more call now."""
        if account.running + account.away >= account.limit:
            return False
        free = self._most - self._busy
        return free > 0 and (free > self._reserve or account.expected <= BRIEF)

    def _new_lane(self) -> Lane:
        lane = Lane()
        self.lanes[lane] = None
        self._serial += 1
        return lane

    def _start(self, lane: Lane, task: Task | None) -> None:
        name = f"{self._name}-{self._serial}"
        lane.first = task  # not an argument: a thread keeps those for as long as it lives
        lane.thread = threading.Thread(target=self._serve, args=(lane,), name=name, daemon=True)
        try:
            lane.thread.start()
        except BaseException:
            self._withdraw(lane, task)
            raise

    def _withdraw(self, lane: Lane, task: Task | None) -> None:
        """No thread could be started: the call waits for one that runs, where there is one."""
        with self.lock:
            del self.lanes[lane]
            if task is not None:
                self._busy -= 1
                task.account.running -= 1

    def _serve(self, lane: Lane) -> None:
        clock = self._clock
        task, lane.first = lane.first, None
        while True:
            while task is not None:
                if task.begin():
                    perform(task, lane, clock)
                    if task.account.review_due():
                        self._on_learnt(task)
                task = self._next(task)
            task = self._rest(lane)
            if task is None:
                return

    def _next(self, done: Task) -> Task | None:
        """A call has ended; the one that this thread makes next, or None to rest."""
        account = done.account
        with self.lock:
            account.running -= 1
            self._busy -= 1
            backlog = self.backlog
            if not len(backlog):
                self._settle()
                return None
            now = time.perf_counter_ns()
            if account.verdict.limit is None:
                account.ramp.ended(now, queued=backlog.queued(account))
                account.refresh_limit()
            task = backlog.take(now, self._may)
            if task is None:
                self._settle()
                return None
            if self.attentive:
                self._on_left()
            task.account.running += 1
            self._busy += 1
            more = self._grow(now)
        if more is not None:
            self._begin(*more)
        return task

    def _settle(self) -> None:
        self._idle += 1
        if self.attentive:
            self._on_left()
        if self.closing and self.drained:
            self._send_home()

    def _send_home(self) -> None:
        for _ in range(self._idle):
            self._ready.put(None)

    def _grow(self, now: int) -> tuple[Lane | None, Task] | None:
        """One more call to start besides, where limits have risen. The lock is held."""
        task = self.backlog.take(now, self._may)
        if task is None:
            return None
        task.account.running += 1
        self._busy += 1
        if self._idle:
            self._idle -= 1
            return None, task
        return self._new_lane(), task

    def _begin(self, lane: Lane | None, task: Task) -> None:
        if lane is None:
            self._ready.put(task)
        else:
            self._start(lane, task)

    def spread(self) -> None:
        """Start all waiting calls that may run now."""
        while True:
            with self.lock:
                more = self._grow(time.perf_counter_ns())
            if more is None:
                return
            self._begin(*more)

    def _rest(self, lane: Lane) -> Task | None:
        """Wait for a call; None when there will be none for this thread."""
        while not self.closing or self._stays():
            try:
                task = self._ready.get(timeout=IDLE)
            except Empty:
                task = None
            if task is not None:
                return task
            if self._leaves(lane):
                return None
        while not self._leaves(lane):
            task = self._ready.get()
            if task is not None:
                return task
        return None

    def _stays(self) -> bool:
        with self.lock:
            return len(self.backlog) > 0

    def _leaves(self, lane: Lane) -> bool:
        with self.lock:
            if self._idle == 0:
                return False  # a call was put into the queue for one of those that rest
            self._idle -= 1
            del self.lanes[lane]
            self.ended.notify_all()
            return True

    # The end

    def close(self) -> None:
        """Take no more calls; threads end when nothing waits. The lock is held."""
        self.closing = self.attentive = True
        if not len(self.backlog):
            self._send_home()

    @property
    def drained(self) -> bool:
        """Whether nothing runs or waits here."""
        return not self._busy and not len(self.backlog)

    def threads(self) -> list[threading.Thread]:
        """The threads that live."""
        return [lane.thread for lane in list(self.lanes) if lane.thread is not None]
