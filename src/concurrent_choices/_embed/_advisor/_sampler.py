"""Looks, now and then, at what holds an event loop and at what the pool's threads do.

It sleeps while no request is under way. How late it wakes tells whether the GIL is held.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..._measure._blame import LONG
from ..._measure._clock import SystemClock
from ..._platform._frames import frames
from ..._runtime._new_thread import new_thread
from ._lines import place_of
from ._pauses import LOOK, Pauses
from ._pool_threads import PoolThreads

if TYPE_CHECKING:
    from ._route_table import RouteTable
    from ._visit import LoopThread

__all__ = ["Sampler"]

LATE = 1_000_000
"""Nanoseconds of lateness from which the GIL was held (guessed: a fifth of the switch interval, for which
whoever wants it from Python code waits; ten times the usual, DECISION.md 2.2)."""

WORKER = "AnyIO worker thread"


class Sampler:
    """A thread that looks.

    Attributes:
        parked: Whether it sleeps until it is woken.
    """

    def __init__(self, routes: RouteTable, loops: dict[int, LoopThread]) -> None:
        self._routes = routes
        self._loops = loops
        self._clock = SystemClock()
        self._wanted = threading.Event()
        self._waking = threading.Lock()  # several loops, and the thread itself, may wake it at once
        self._thread: threading.Thread | None = None
        self._closed = False
        self.parked = True
        self._pool_threads = PoolThreads(self._clock, routes.codes)
        self._pauses = Pauses()

    def wake(self) -> None:
        """A request is under way."""
        with self._waking:
            if self._thread is None:
                self._closed = False
                thread = new_thread(self._work, "advisor")
                try:
                    thread.start()
                except RuntimeError:  # there can be no more: this request goes unseen, and not unanswered
                    return
                self._thread = thread
            self.parked = False
            self._wanted.set()

    def close(self) -> None:
        """End the thread; requests that come later, where an application is started again, start another."""
        self._closed = True
        self._wanted.set()

    def _work(self) -> None:
        chance = random.Random()  # noqa: S311 - nothing secret: times between looks
        pause, cpu = LOOK, self._clock.thread_cpu()
        while True:
            self._wanted.wait()
            self._wanted.clear()
            while any(loop.active for loop in list(self._loops.values())):
                found = self._look(gil_held=self._sleep(chance.uniform(0.5, 1.5) * pause))
                before, cpu = cpu, self._clock.thread_cpu()
                pause = self._pauses.pause((cpu - before) / 1e9, len(self._routes), found=found)
            # A subinterpreter waits for its threads, at rest too.
            stays = threading.current_thread().daemon and not self._closed
            if not stays:
                self._thread = None
            self.parked = True
            if any(loop.active for loop in list(self._loops.values())):
                self.wake()
            if not stays:
                return

    def _sleep(self, seconds: float) -> bool | None:
        """Sleep; whether the GIL was held at the end of it.

        None where it had to wait for a core: whoever held the GIL may have waited for one meanwhile, too.
        """
        queued, start = self._clock.run_queue(), self._clock.wall()
        time.sleep(seconds)
        span = self._clock.wall() - start
        starved = self._clock.run_queue() - queued
        return span - int(seconds * 1e9) - starved > LATE if starved < LATE else None

    def _look(self, *, gil_held: bool | None) -> bool:
        """Look once; whether there was anything to see."""
        now = self._clock.wall()
        held = [
            loop
            for loop in list(self._loops.values())
            if loop.since and loop.visit is not None and now - loop.since > LONG
        ]
        workers = [thread for thread in threading.enumerate() if thread.name == WORKER]
        return bool(held or workers) and self._see(held, workers, gil_held=gil_held)

    def _see(
        self, held: Sequence[LoopThread], workers: Sequence[threading.Thread], *, gil_held: bool | None
    ) -> bool:
        """Look at loops that are held, and at threads of the pool; whether one of them is at a request."""
        seen = frames()
        for loop in held:
            place, visit = place_of(seen.get(loop.ident)), loop.visit
            if place[0] and visit is not None:
                visit.seen_at(place)
        computing = self._pool_threads.look(workers, seen, held=gil_held)
        return bool(held) or computing
