"""Looks, now and then, at what holds an event loop and at what the pool's threads do.

It sleeps while no request is under way. How late it wakes tells how often the GIL is held.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Hashable
from types import FrameType
from typing import TYPE_CHECKING

from ..._measure._clock import SystemClock
from .._shares import Shares
from ._lines import culprit

if TYPE_CHECKING:
    from ._ledger import Ledger, Route
    from ._visit import LoopThread

__all__ = ["Sampler"]

LOOK = 10e-3
"""Mean seconds between looks (guessed: a look costs 30 µs, so 0.3 % of a core)."""

LONG = 1_000_000
"""Nanoseconds a step must have lasted to be looked at (guessed: less delays nobody)."""

LATE = 300_000
"""Nanoseconds of lateness from which the GIL was held (DECISION.md 2.2: three times the usual)."""

WINDOW = 8
"""Looks over which computing and held time are compared (guessed)."""

DEEPEST = 80
"""Frames of a thread that are searched for a handler (guessed)."""

MANY = 1000
"""Threads remembered."""

WORKER = "AnyIO worker thread"
OTHERS = "all other threads"


class Sampler:
    """A thread that looks.

    Args:
        ledger: Where it writes what it sees.
        loops: The threads that run event loops.
    """

    def __init__(self, ledger: Ledger, loops: dict[int, LoopThread]) -> None:
        self._ledger = ledger
        self._loops = loops
        self._clock = SystemClock()
        self._wanted = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = False
        self.parked = True
        self._shares = Shares()
        self._before: dict[threading.Thread, tuple[int, int, int, Route | None]] = {}
        self._computed: dict[Route, float] = {}
        self._held = self._looks = self._process = 0
        self._was_held = False

    def wake(self) -> None:
        """A request is under way."""
        self.parked = False
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="advisor", daemon=True)
            self._thread.start()
        self._wanted.set()

    def close(self) -> None:
        """Look no more."""
        self._closed = True
        self._wanted.set()

    def _work(self) -> None:
        chance = random.Random()  # noqa: S311 - nothing secret: times between looks
        while True:
            self._wanted.wait()
            self._wanted.clear()
            self._process = self._clock.process_cpu()
            while not self._closed and any(loop.active for loop in list(self._loops.values())):
                self._sleep(chance.uniform(0.5, 1.5) * LOOK)
                self._look()
            if self._closed:
                return
            self.parked = True
            if any(loop.active for loop in list(self._loops.values())):
                self.wake()

    def _sleep(self, seconds: float) -> None:
        queued, start = self._clock.run_queue(), self._clock.wall()
        time.sleep(seconds)
        span = self._clock.wall() - start
        late = span - int(seconds * 1e9) - (self._clock.run_queue() - queued)
        # One look at a random time stands for the whole time between looks.
        self._was_held = late > LATE
        self._looks += 1
        self._held += self._was_held

    def _look(self) -> None:
        frames, now = sys._current_frames(), self._clock.wall()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - the documented way to see another thread's frame
        for loop in list(self._loops.values()):
            since, visit = loop.since, loop.visit
            if since and visit is not None and now - since > LONG:
                place = culprit(frames.get(loop.ident))
                if place[0]:
                    visit.seen_at(place)
        for thread in threading.enumerate():
            if thread.name == WORKER and thread.ident is not None:
                self._look_at(thread, frames.get(thread.ident), now)
        self._windowed()
        del frames

    def _look_at(self, thread: threading.Thread, frame: FrameType | None, now: int) -> None:
        route = self._route_in(frame)
        cpu, starved = self._clock.watch(thread)
        before = self._before.get(thread)
        self._before[thread] = (now, cpu, starved, route)
        if before is not None and route is not None and before[3] is route:
            route.seen_wall += now - before[0]
            route.seen_cpu += cpu - before[1]
            route.seen_starved += starved - before[2]
            computed = (cpu - before[1]) / 1e9
            self._computed[route] = self._computed.get(route, 0.0) + computed
        if route is not None:
            route.seen += 1
            route.seen_held += self._was_held
            place = culprit(frame)
            if place[0]:
                route.thread_lines[place] += 1

    def _route_in(self, frame: FrameType | None) -> Route | None:
        codes = self._ledger.codes
        for _ in range(DEEPEST):
            if frame is None:
                return None
            route = codes.get(frame.f_code)
            if route is not None:
                return route
            frame = frame.f_back
        return None

    def _windowed(self) -> None:
        if self._looks < WINDOW:
            return
        process = self._clock.process_cpu()
        seconds = self._looks * LOOK
        computed, self._computed = self._computed, {}
        others = (process - self._process) / 1e9 - sum(computed.values())
        everybody: dict[Hashable, float] = dict(computed.items())
        everybody[OTHERS] = max(0.0, others)
        self._shares.window(seconds * self._held / self._looks, everybody)
        self._held = self._looks = 0
        self._process = process
        for route in computed:
            route.gil = self._shares.of(route)
        if len(self._before) > MANY:  # threads come and go
            self._before.clear()
