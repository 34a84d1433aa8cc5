"""Taking sights of a loop: what its controller is told, read from another thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .._judge._controller._sight import LoopSight, Sight
from .._platform._frames import back, frames
from .._platform._tasks import number_of
from .._strategies._lanes._task_pool import AROUND
from ._bystanders import Bystanders
from ._elastic_task_pool import ElasticTaskPool
from ._lateness import Lateness
from ._tally import Queueing

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["LoopObserver", "count_inside"]

_DEEPEST = 60

STILL = 0.25
"""Share of the time between two looks in which a thread that was found at the same place twice may have
computed, and still count as standing still there (guessed)."""

SERVED = 20e-3
"""Seconds in the uninterruptible sleep of system calls, in all, that do not count as blocking: the first
items import and connect (guessed; the first of 300 requests were seen to spend 3 to 7 ms so)."""

STARTING = threading.Thread.start.__code__

Place = tuple[int, int]
"""Where a thread is: its innermost frame, and the instruction there."""


class LoopObserver:
    """Looks at an elastic task pool from another thread."""

    def __init__(self, tasks: ElasticTaskPool, lateness: Lateness) -> None:
        self._source = tasks.job.source
        self._tasks = tasks
        self._lateness = lateness
        self._began = self._last = time.monotonic()
        self._call_seconds = self._stuck = self._cpu = self._waited = self._served = 0.0
        self._looks = self._inside = self._turns = 0
        self._place: Place | None = None
        self._queueing: Queueing | None = None
        self._own: Queueing | None = None
        self._own_cpu = self._beside = 0.0
        self._cpu_began, self._bystanders = time.process_time(), Bystanders()

    def sight(self, ready: int) -> LoopSight:
        """The loop as it stands."""
        self._lateness.glance()
        tasks = self._tasks
        tally, queued, unclear = tasks.tally, 0.0, 0.0
        if tally is not None:
            self._queueing = self._queueing or Queueing(tally.thread)
            queued = self._queueing.read()
            unclear = self._wanted_a_core()
        # Nothing that gives the GIL away between the two clocks: getting it back may take milliseconds.
        now, spent, in_flight = time.monotonic(), tally.spent() if tally is not None else 0.0, tasks.in_flight
        since, self._last = now - self._last, now
        beside, self._beside = self._beside, self._spent_beside(spent)
        # Little's law: the time of all calls together is the number in flight, added up over time.
        self._call_seconds += in_flight * since
        if self._queueing is not None:
            self._look_at(self._queueing, since, spent, beside=self._beside - beside)
        return LoopSight(
            run=self._run(now, spent, in_flight, ready),
            looks=self._looks,
            inside=self._inside,
            stuck=self._stuck,
            queued=queued + self._waited,  # a stay that goes on counts too
            unclear=unclear + self._served + self._beside,
            alone=not tasks.waits,
            needs_loop=tasks.needs_loop,
        )

    def _run(self, now: float, spent: float, in_flight: int, ready: int) -> Sight:
        """The run as it stands, at a time, by the CPU that its loop's thread has spent until then."""
        tasks, source = self._tasks, self._source
        return Sight(
            now=now - self._began,
            done=tasks.done,
            remaining=source.remaining,
            in_flight=in_flight,
            calls=tasks.done,
            call_seconds=self._call_seconds,
            lane_cpu=spent,
            errors=tasks.errors,
            refused=tasks.refused,
            looks=self._lateness.looks,
            late=self._lateness.late,
            # Where the loop's own thread takes the items from the iterable, none is ever ready.
            starved=in_flight < tasks.lanes and not source.ready and not source.finished,
            ready=ready,
        )

    def _wanted_a_core(self) -> float:
        """Seconds for which the thread that looks has wanted a core.

        The loop may have waited for the GIL meanwhile, which had been handed to a thread without a core.
        """
        if self._own is None:
            self._own, self._own_cpu = Queueing(threading.current_thread()), time.thread_time()
        return time.thread_time() - self._own_cpu + self._own.read()

    def _spent_beside(self, spent: float) -> float:
        """CPU seconds of the threads that items have brought with them, as a loop's executor.

        While those compute, the loop waits for the GIL, or for a lock of theirs, rather than for what an item
        does in its thread: it has nothing to gain elsewhere that they would not take with them.
        """
        mine = time.thread_time() - self._own_cpu
        unaccounted = time.process_time() - self._cpu_began - spent - mine
        return max(self._beside, unaccounted - self._bystanders.spent(unaccounted, self._threads))

    def _threads(self) -> set[int | None]:
        """Those that are accounted for by clocks of their own, as the system numbers them."""
        thread = self._tasks.tally.thread if self._tasks.tally is not None else None
        return {number_of(each) for each in (thread, threading.current_thread()) if each is not None}

    def _look_at(self, queueing: Queueing, since: float, spent: float, *, beside: float) -> None:
        """Where the loop's thread is, and whether it has stood still there since the last look.

        If it has had a core meanwhile it has not: then it goes through the same places again and again, and
        is seen where it gives the GIL away. A short stay in a system call tells nothing, either, nor does
        the time in which others computed `beside` it.
        """
        before, self._place = self._place, _place_in(frames().get(queueing.thread.ident or -1))
        cpu, self._cpu = spent - self._cpu, spent
        turns, self._turns = queueing.turns - self._turns, queueing.turns
        self._looks += 1
        self._inside += self._place is not None
        resting = self._place is not None and not turns and cpu <= STILL * since
        if resting and self._served < SERVED and queueing.is_being_served():
            self._served += since
            return
        queues = resting and queueing.is_queueing()
        self._waited = self._waited + since if queues else 0.0
        if resting and not queues and self._place == before and not queueing.has_gone_on():
            self._stuck += max(0.0, since - beside)

    def close(self) -> None:
        """Close what is read from."""
        self._lateness.close()
        for each in (self._queueing, self._own):
            if each is not None:
                each.close()


def count_inside(threads: Sequence[threading.Thread]) -> int:
    """Of some threads with a loop each, how many are inside an item just now, instead of waiting."""
    found = frames()
    return sum(_place_in(found.get(thread.ident or -1)) is not None for thread in threads)


def _place_in(frame: FrameType | None) -> Place | None:
    """Where in the callable a thread is; None where it is in no call.

    None also while it waits for another thread to start, as `asyncio.to_thread` does for a moment.
    """
    if frame is None or frame.f_code in AROUND:
        return None
    place = id(frame), frame.f_lasti
    for _ in range(_DEEPEST):
        frame = back(frame)
        if frame is None or frame.f_code is STARTING:
            return None
        if frame.f_code in AROUND:
            return place
    return None
