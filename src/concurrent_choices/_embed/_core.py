"""The executor without its face: what its threads hold on to, so that nothing holds the executor itself.

Core ── Accounts     what is known of each callable
     ── Dispatch     threads and what waits for them, watched by the StallMonitor
     ── ProcessPool  worker processes and what waits for them
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from itertools import count
from typing import Any

from .._errors import QueueFullError
from .._measure._clock import SystemClock
from .._platform._interpreter import gil_enabled
from .._platform._processors import usable_cpus
from .._transfer._apart import keep_apart
from .._transfer._kept_here import mocked, tied_here
from .._transfer._pickling import travels_by_name
from ._accounting._account import Account
from ._accounting._accounts import Accounts
from ._accounting._held import Held, held_by
from ._accounting._identity import identity_of, number_of, unwrapped
from ._calls._tasks import Task
from ._processes._desk import Desk
from ._processes._process_pool import ProcessPool
from ._settings import Settings
from ._threads._dispatch import Dispatch
from ._threads._early import import_early
from ._threads._lane import Lane, perform
from ._threads._stall_monitor import StallMonitor

__all__ = ["Core"]

MOST_THREADS = 256
"""Threads at most unless told otherwise (guessed: 10 MB of stacks in use)."""

FEW = 4
"""Calls of a new callable beyond the processors that start at once (as in ThreadPoolExecutor)."""

NO_GIL = "threads compute side by side here, as there is no GIL"

CLOSED = "cannot schedule new futures after shutdown"  # in the words of `concurrent.futures`


class Core:
    """Accounts, threads and processes of one executor."""

    def __init__(self, settings: Settings) -> None:
        import_early()
        self._settings = settings
        self._most_threads = settings.max_threads or MOST_THREADS
        self._cpus = usable_cpus()
        self._limits = {number_of(identity_of(fn)): limit for fn, limit in settings.limits.items()}
        self.start_afresh()

    def orphan(self) -> None:
        """In a fork: leave all that there was to the parent, and begin anew."""
        self._dispatch.orphan()
        self.start_afresh()

    def start_afresh(self) -> None:
        """Begin without threads, processes and calls."""
        settings = self._settings
        self._clock = clock = SystemClock()
        processes = settings.max_processes
        most = max(1, round(self._cpus)) if processes is None else processes
        self._movable = most > 0 and settings.place != "thread"
        self.accounts = Accounts(self._open)
        self._serial = count(1)
        self._dispatch = Dispatch(
            self._most_threads,
            clock,
            settings.name,
            attentive=settings.max_queue is not None or bool(self._limits),
            on_learnt=self._learnt,
            on_wait=self._watch,
            on_left=self._left,
        )
        self._stall_monitor = StallMonitor(self._dispatch, clock)
        desk = Desk(on_returned=self._returned, on_ended=self._ended, on_looked=self._looked)
        self._process_pool = ProcessPool(max(1, most), desk)
        self._remote = 0
        self._callers: set[threading.Thread] = set()  # threads that make a call themselves
        self._room = threading.Condition(self._dispatch.lock)

    # Submitting

    def submit(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        counted_as: Callable[..., Any] | None = None,
        calls: int = 1,
    ) -> Task:
        """Have a call made, which may stand for so many `calls` of another callable that it is `counted_as`.

        Raises:
            RuntimeError: The executor was shut down.
            QueueFullError: Too many calls wait.
        """
        account = self.accounts.of(fn if counted_as is None else counted_as)
        task = Task(fn, args, kwargs, account, copy_context(), next(self._serial), calls)
        dispatch = self._dispatch
        lane = caller = None
        try:
            with dispatch.lock:
                if dispatch.closing:
                    raise RuntimeError(CLOSED)
                if self._settings.max_queue is not None and self._full() and not self._wait_for_room(task):
                    caller = threading.current_thread()
                    account.running += 1
                    self._callers.add(caller)
                elif account.place == "process":
                    self._send_away(task)
                else:
                    lane = dispatch.enter(task)
        finally:  # Ctrl-C may strike when the lock is let go of, and what has been counted must happen
            if lane is not None:
                if lane.thread is not None:
                    lane.mail.put(task)  # with the lock held it costs a fifth more: the thread wants it, too
                else:
                    try:
                        dispatch.start(lane, task)
                    except BaseException as error:  # noqa: BLE001 - Ctrl-C too, before the thread has begun or after
                        dispatch.take_back(lane, task, error)
            elif caller is not None:
                try:
                    self._run_here(task)
                finally:
                    try:
                        self._give_place(account, caller)
                    except KeyboardInterrupt:
                        self._give_place(account, caller)
                        raise
        return task

    def _send_away(self, task: Task) -> None:
        """Have a worker make a call. The lock is held."""
        tray, order = self._process_pool.tray, self._process_pool.order(task)
        if not tray.open():
            self._remote += 1
            self._process_pool.submit(task)  # which turns it away
            return
        try:
            # Ctrl-C strikes after calls only, and what is counted must be there, or no shutdown would end.
            self._remote += 1
            tray.orders.append(order)
            tray.wake()
        except BaseException:
            tray.wake()
            raise

    def _full(self) -> bool:
        """Whether as many wait as may."""
        waiting = self._dispatch.backlog.size + max(0, self._remote - self._process_pool.most)
        return waiting >= (self._settings.max_queue or 0) and not self._is_own_thread()

    def _is_own_thread(self) -> bool:
        current = threading.current_thread()
        return (
            current is self._process_pool.thread
            or current in self._callers
            or current in self._dispatch.threads()
        )

    def _wait_for_room(self, task: Task) -> bool:
        """Wait as the policy has it; False where the caller is to make the call. The lock is held."""
        policy = self._settings.when_full
        if policy == "reject":
            raise QueueFullError(task.shown(), self._settings.max_queue or 0)
        # Beyond a limit of its own it may not run in the caller either.
        while self._full() and (policy == "block" or not task.account.below_ceiling):
            self._room.wait()
            if self._dispatch.closing:
                raise RuntimeError(CLOSED)
        return not self._full()

    def _run_here(self, task: Task) -> None:
        task.begin()
        perform(task, Lane(), self._clock)
        error = task.exception()
        if isinstance(error, KeyboardInterrupt):
            raise error  # it struck here, where the caller wants to be stopped

    def _give_place(self, account: Account, caller: threading.Thread) -> None:
        """A call in the caller has ended; asked again, where Ctrl-C has struck, it does what was left out."""
        with self._dispatch.lock:
            if caller in self._callers:
                account.running -= 1
                self._callers.discard(caller)
        self._dispatch.spread()  # what waited for this one's place, and perhaps no thread is at work
        with self._dispatch.lock:
            self._left()

    def abandon(self, task: Task) -> None:
        """Nobody waits for a call any longer."""
        if not task.cancel():
            task.abandoned = True
            if self._process_pool.thread is not None:
                self._process_pool.abandon(task)

    # Learning

    def _open(self, name: str, identity: tuple[object, ...], obstacle: str) -> Account:
        account = Account(
            name,
            identity,
            start=min(self._most_threads, round(self._cpus) + FEW),
            most=self._most_threads,
            processes=self._process_pool.most,
            ceiling=self._limits.get(number_of(identity)),
            cpus=self._cpus,
        )
        if not self._movable:
            obstacle = obstacle or "this executor uses no processes"
            account.figures.gil = None if gil_enabled() else 0.0
        elif self._settings.place == "process":
            if not obstacle:
                account.pin()
        elif not gil_enabled():  # only who asks for a trip gets one
            obstacle = obstacle or NO_GIL
            account.figures.gil = 0.0
        account.figures.obstacle = obstacle
        return account

    def _watch(self) -> None:
        self._stall_monitor.wake()

    def _learnt(self, account: Account, fn: Any) -> None:
        """A callable has been measured again; called in the thread that made the call."""
        if account.figures.obstacle == NO_GIL and gil_enabled():  # what was imported since has turned it on
            account.figures.obstacle, account.figures.gil = "", None
        account.review()
        if account.candidate and not self._dispatch.closing:
            self._process_pool.warm()
        self._consider(account, fn)

    def _consider(self, account: Account, fn: Any) -> None:
        """Prepare to move a callable, if it belongs to processes: a worker must see what we see."""
        if not account.ready_to_move or self._dispatch.closing:
            return
        if reason := self._process_pool.unfit:
            account.put_off(reason)
            return
        fn, _, _ = unwrapped(fn, (), {})
        keep_apart(fn)
        if stays := mocked(fn):  # until the test that does so is over
            account.put_off(stays)
            return
        held = held_by(fn)
        if stays := held.obstacle or tied_here(fn):
            account.bar(stays)
            return
        account.moving = True
        account.take_note()
        account.imported = held.digest if travels_by_name(fn) else b""
        self._process_pool.look_at(account, fn)

    # Told by the process pool, in its thread

    def _looked(self, account: Account, held: Held | str) -> None:
        """What a worker says of a callable."""
        if isinstance(held, str):
            account.bar(held)
        elif account.imported and held.digest != account.imported:
            differs = held.obstacle or "it was changed since that was imported"
            account.bar(f"what it holds differs from what a new process finds: {differs}")
        elif account.moving:  # not barred meanwhile
            account.move()
            self._move_waiting(account)

    def _move_waiting(self, account: Account) -> None:
        with self._dispatch.lock:
            tasks = self._dispatch.backlog.remove(account)
            self._remote += len(tasks)
            self._left()
            if self._dispatch.closing:
                self._dispatch.close()  # threads that rested while these were waiting may go home
        for task in tasks:
            self._process_pool.submit(task)

    def _ended(self, task: Task) -> None:
        """A call has ended in a worker process, or was cancelled before it began."""
        if task.account.figures.measured >= task.account.review_at:
            task.account.review()
        with self._dispatch.lock:
            self._remote -= 1
            self._left()
        # Calls that came back wait in the backlog for this one's place, and perhaps no thread is at work.
        self._dispatch.spread()

    def _returned(self, task: Task) -> None:
        """A call that was to be made in a worker process is to be made in a thread after all."""
        with self._dispatch.lock:
            self._remote -= 1
            self._dispatch.backlog.add(task)
        self._dispatch.spread()
        self._watch()

    # The end

    def close(self) -> None:
        """Take no more calls; do those that were submitted, then end threads and processes."""
        with self._dispatch.lock:
            self._dispatch.close()
            self._left()

    def _left(self) -> None:
        """Something has ended: tell those who wait for room or for the end. The lock is held."""
        dispatch = self._dispatch
        if self._settings.max_queue is not None:
            self._room.notify_all()
        if self._remote and self._limits:
            self._process_pool.poke()  # a limit of the caller's own may now allow a call there
        if dispatch.closing and self._drained:
            self._process_pool.close()
            self._stall_monitor.close()
            dispatch.ended.notify_all()

    @property
    def _drained(self) -> bool:
        """Whether no call runs or waits."""
        return self._dispatch.drained and not self._remote and not self._callers

    def cancel_waiting(self) -> None:
        """Cancel what has not begun."""
        with self._dispatch.lock:
            waiting = [*self._dispatch.backlog]
        for task in waiting:  # still there, so that what Ctrl-C leaves out is made
            task.call_off()
        with self._dispatch.lock:
            waiting = self._dispatch.backlog.unbegun()
        for task in waiting:  # some have come back from the process pool meanwhile
            task.call_off()
        self._process_pool.cancel_waiting()
        self.close()

    def join(self) -> None:
        """Come back when all calls have ended, and all threads and processes are gone."""
        dispatch = self._dispatch
        if self._is_own_thread():
            return  # it cannot wait for its own end
        with dispatch.lock:
            while not self._drained:
                dispatch.ended.wait()
            self._left()
        for thread in [*dispatch.threads(), self._process_pool.thread, self._stall_monitor.thread]:
            if thread is not None and thread.is_alive():  # it never began where Ctrl-C struck before
                thread.join()
