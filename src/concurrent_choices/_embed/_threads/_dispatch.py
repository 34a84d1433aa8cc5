"""Which call runs when and where: the one place that knows what waits and what runs.

submit ── room for its callable, and a thread free or allowed ──> a thread
       ── else ──> the backlog ── whenever a call ends, the next ──> a thread
       ── its callable belongs to processes ──> the process pool
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from queue import Empty
from typing import TYPE_CHECKING

from ..._runtime._interrupted import by_handler
from ..._runtime._mutex import Mutex
from ..._runtime._new_thread import new_thread
from .._calls._backlog import Backlog
from .._calls._tasks import complain
from ._lane import Lane, perform

if TYPE_CHECKING:
    from typing import Any

    from ..._facts._clock import Clock
    from .._accounting._account import Account
    from .._calls._tasks import Task

__all__ = ["Dispatch"]

IDLE = 10_000_000_000
"""Nanoseconds: a thread that comes to rest has another end whose last call began so much earlier than its own
(guessed: a lull between requests). There are no timers, so without calls threads stay: to set one for each
rest makes a no-op dearer by 2 µs (measured)."""

BRIEF = 10e-3
"""Seconds up to which a call counts as short: those never find all threads taken by longer ones
(guessed: what a person or a request does not notice)."""

RESERVE = 8
"""Of so many threads one is left to short calls, and one at least (guessed)."""


class Dispatch:
    """Threads, and the calls that wait for them.

    Args:
        most: Threads at most.
        attentive: Whether `on_left` is to be told before the end, too.
        on_learnt: Told, in a lane's thread, of a callable that was reviewed.
        on_wait: Told that a call waits.
        on_left: Told, with the lock held, that a thread has nothing more to do or a call left the queue.

    Attributes:
        lock: Held by whoever reads or changes what waits and what runs.
        backlog: The calls that wait.
        lanes: The threads there are, in the order of their beginning.
        closing: Whether no more calls are taken.
        ended: Notified when a thread has ended, and when no call is left.
    """

    def __init__(  # noqa: PLR0913 - made in one place
        self,
        most: int,
        clock: Clock,
        name: str,
        *,
        attentive: bool,
        on_learnt: Callable[[Account, Any], None],
        on_wait: Callable[[], None],
        on_left: Callable[[], None],
    ) -> None:
        self.lock = Mutex()  # the collector may drop the executor in any thread, at any time
        self.backlog = Backlog()
        self.lanes: dict[Lane, None] = {}
        self.closing = False
        self._attentive = attentive
        self.ended = threading.Condition(self.lock)
        self._most = most
        # Threads that long calls must leave to short ones.
        self._reserve = min(most - 1, max(1, most // RESERVE)) if most > 1 else 0
        self._clock = clock
        self._name = name
        self._serial = 0
        self._busy = 0
        # The one that rested last goes first: what it needs is still in the caches, and the others can end.
        self._idle: list[Lane] = []
        self._spare: Lane | None = None  # what a thread that is started next is seen by
        self._on_learnt = on_learnt
        self._on_wait = on_wait
        self._on_left = on_left

    def enter(self, task: Task) -> Lane | None:
        """Run a call in a thread as soon as may be. The lock is held.

        Ctrl-C strikes only after a call, so what belongs together is done without a call in between.

        Returns:
            A thread at rest, into whose mail the call is to be put, or one that is to be started with it.
        """
        account = task.account
        if not self._may(account):
            self.backlog.add(task)
            self._on_wait()
            return None
        if self._idle:
            lane = self._idle[-1]
            del self._idle[-1]
        else:
            lane = self._new_lane()
        account.running += 1
        self._busy += 1
        return lane

    def start(self, lane: Lane, task: Task) -> None:
        """Start a thread with its first call."""
        lane.mail.put(task)
        lane.thread = new_thread(partial(self._serve, lane), f"{self._name}-{self._serial}")
        lane.thread.start()

    def take_back(self, lane: Lane, task: Task, error: BaseException) -> None:
        """Starting a thread has failed: its first call waits for another, or is not made if there is none.

        Not where the thread has it already, as Ctrl-C may strike after that.

        Raises:
            BaseException: What has gone wrong, unless the call waits.
        """
        if lane.thread is not None and not _recalled(lane):
            raise error
        with self.lock:
            self._withdraw(lane, task)
            waits = bool(self._busy or self._idle) and not _is_interruption(error)
            if waits:
                self.backlog.put_back(task)
            self._on_left()
        if waits:
            self._on_wait()
        self.spread()  # what came back meanwhile may have counted on this thread
        if not waits:
            raise error

    def _may(self, account: Account) -> bool:
        """Whether a callable may run one more call now."""
        if account.running + account.away >= account.limit:
            return False
        free = self._most - self._busy
        return free > 0 and (free > self._reserve or account.figures.wall <= BRIEF)

    def _new_lane(self) -> Lane:
        lane = Lane()
        self.lanes[lane] = None
        self._serial += 1
        return lane

    def _withdraw(self, lane: Lane, task: Task) -> None:
        """No thread could be started for a call. The lock is held."""
        self.lanes.pop(lane, None)  # one that was started, to find no call, may have left already
        self._busy -= 1
        task.account.running -= 1

    def _serve(self, lane: Lane) -> None:
        clock = self._clock
        task = lane.mail.get()
        while task is not None:
            account = task.account
            if task.begin():
                fn = task.fn
                perform(task, lane, clock)
                task = None  # its result is the caller's alone, and a review takes its time
                if account.figures.measured >= account.review_at:
                    self._learn(account, fn)
                del fn
            task = self._next(lane, account)  # before it rests, lest it keep what it has done
            if task is None:
                task = lane.mail.get()
        self._leave(lane)

    def _learn(self, account: Account, fn: Any) -> None:
        """Have a callable reviewed, which asks what is not ours: how it is pickled, who finds its module."""
        try:
            self._on_learnt(account, fn)
        except BaseException:  # noqa: BLE001 - a lane that ended here would leave calls waiting for ever
            complain("what was learnt of %r could not be used", fn)

    def _next(self, lane: Lane, account: Account) -> Task | None:
        """A call has ended; the one that this thread makes next, or None to rest."""
        task = more = None
        with self.lock:
            account.running -= 1
            self._busy -= 1
            if self.backlog.size or account.ramp.is_counting:
                task = self._turn(account, lane.since)
            if task is None:
                self._idle.append(lane)
                if lane.since - self._idle[0].since > IDLE:
                    self._idle.pop(0).mail.put(None)
            else:
                more = self._grow()
            if self._attentive:
                self._on_left()
                self._send_home()
        if more is not None:
            self._begin(*more)
        return task

    def _turn(self, account: Account, began: int) -> Task | None:
        """The waiting call whose turn it is, now that one of a callable's has ended. The lock is held."""
        now = time.perf_counter_ns()
        if account.placement.limit is None:
            account.ramp.ended(began, now, queued=self.backlog.queued(account))
            account.refresh_limit()
        return self._taken(now)

    def _taken(self, now: int) -> Task | None:
        task = self.backlog.take(now, self._may)
        if task is not None:
            task.account.running += 1
            self._busy += 1
        return task

    def _send_home(self) -> None:
        """Let the threads end that rest, where nothing will come for them."""
        while self.closing and self._idle and not self.backlog.size:
            self._idle.pop().mail.put(None)

    def _grow(self) -> tuple[Lane, Task] | None:
        """One more call to start besides, where limits have risen. The lock is held."""
        if self._spare is None:
            self._spare = Lane()
        task = self._taken(time.perf_counter_ns())
        if task is None:
            return None
        # No call from here on, as in `enter`.
        if self._idle:
            lane = self._idle[-1]
            del self._idle[-1]
        else:
            lane, self._spare = self._spare, None
            self.lanes[lane] = None
            self._serial += 1
        return lane, task

    def _begin(self, lane: Lane, task: Task) -> bool:
        """Have a waiting call made; False where no thread is free or can be started, so that it waits on."""
        if lane.thread is not None:
            lane.mail.put(task)
            return True
        try:
            self.start(lane, task)
        except Exception as error:
            if _is_interruption(error):
                raise
            return self._do_without(lane, task, error)
        return True

    def _do_without(self, lane: Lane, task: Task, error: BaseException) -> bool:
        """Starting a thread has failed: its call waits on, or ends with the error if that were for ever.

        Not where the thread has it already, as Ctrl-C may strike after that.

        Returns:
            Whether others may begin.
        """
        if lane.thread is not None and not _recalled(lane):
            return True
        with self.lock:
            self._withdraw(lane, task)
            waits = self._busy or self._idle or _is_interruption(error)  # after which it is tried again
            if waits:
                self.backlog.put_back(task)
            rests = bool(self._idle)  # a thread that came to rest meanwhile looks no more for what waits
        if not waits:
            self._fail(task, error)
            return True
        self._on_wait()
        return rests

    def _fail(self, task: Task, error: BaseException) -> None:
        """There is no thread that a call could wait for."""
        if task.begin():
            task.deliver(None, error)
        with self.lock:
            self._on_left()

    def spread(self) -> None:
        """Start all waiting calls that may run now."""
        begun = True
        while begun:
            lane = task = None
            begun = False
            try:
                with self.lock:
                    more = self._grow()
                    if more is not None:
                        lane, task = more
                        if self._attentive:
                            self._on_left()
            finally:  # Ctrl-C may strike in there, and what has been taken must be made
                if lane is not None and task is not None:
                    if lane.thread is not None:  # not by `_begin`, at whose entry it might strike again
                        lane.mail.put(task)
                        begun = True
                    else:
                        try:
                            begun = self._begin(lane, task)
                        except BaseException as error:  # at its entry, or as the thread begins
                            self._do_without(lane, task, error)
                            raise

    def _leave(self, lane: Lane) -> None:
        with self.lock:
            self.lanes.pop(lane, None)  # there no more where its first call was taken back
            self.ended.notify_all()

    # The end

    def close(self) -> None:
        """Take no more calls; threads end when nothing waits. The lock is held."""
        self.closing = self._attentive = True
        self._send_home()

    def orphan(self) -> None:
        """In a fork, which has none of the threads: what waits is the parent's to make.

        If it is a call that has forked, and comes out of that here, the thread it has come in ends with it.
        """
        self.lock = Mutex()  # somebody may hold the other one, for ever
        self.backlog = Backlog()
        self._attentive, self._on_left = True, sys.exit

    @property
    def drained(self) -> bool:
        """Whether nothing runs or waits here."""
        return not self._busy and not self.backlog.size

    @property
    def at_rest(self) -> bool:
        """Whether no thread is at work. Calls that wait then were forgotten, as Ctrl-C struck."""
        return not self._busy

    def threads(self) -> list[threading.Thread]:
        """The threads that live."""
        return [lane.thread for lane in list(self.lanes) if lane.thread is not None]


def _is_interruption(error: BaseException) -> bool:
    """Whether Ctrl-C or a signal's handler has kept a thread from starting, or a lock that it left."""
    return (
        not isinstance(error, Exception)
        or by_handler(error)
        or isinstance(error.__context__, KeyboardInterrupt)
    )


def _recalled(lane: Lane) -> bool:
    """Take its first call back from a thread that may have begun; False where it has it, and makes it."""
    try:
        lane.mail.get_nowait()
    except Empty:
        return False
    lane.mail.put(None)
    return True
