"""Looks, now and then, at what holds an event loop and at what the pool's threads do.

It sleeps while no request is under way. How late it wakes tells how often the GIL is held.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Hashable
from types import FrameType
from typing import TYPE_CHECKING

from ..._measure._clock import SystemClock
from ..._platform._frames import frames
from ..._work._new_thread import new_thread
from ._allowance import LOOK, Allowance
from ._lines import culprit
from ._shares import Shares

if TYPE_CHECKING:
    from ._route_table import Route, RouteTable
    from ._visit import LoopThread

__all__ = ["Sampler"]

LONG = 1_000_000
"""Nanoseconds a step must have lasted to be looked at (guessed: less delays nobody)."""

LATE = 1_000_000
"""Nanoseconds of lateness from which the GIL was held (guessed: a fifth of the switch interval, for which
whoever wants it from Python code waits; ten times the usual, DECISION.md 2.2)."""

WINDOW = 8
"""Looks over which computing and held time are compared (guessed)."""

DEEPEST = 80
"""Frames of a thread that are searched for a handler (guessed)."""

MANY = 1000
"""Threads remembered."""

BUSY = 0.5
"""Cores that a route's threads must have used between looks to tell anything (guessed)."""

CROWDED = 0.2
"""Part of its computing that a route's threads may wait for cores for what they do to tell anything."""

PLAINLY = 1.5
"""Cores that a route's threads use at a time, from which they plainly do not wait for the GIL (guessed)."""

MOSTLY = 0.6
"""Share of the process's computing from which a route counts as computing alone (guessed)."""

WORKER = "AnyIO worker thread"
OTHERS = "all other threads"


class Sampler:
    """A thread that looks.

    Args:
        routes: Where it writes what it sees.
        loops: The threads that run event loops.
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
        self._shares = Shares()
        self._before: dict[threading.Thread, tuple[int, int, int, Route | None]] = {}
        self._computed: dict[Route, float] = {}
        self._held = self._looks = self._process = self._span = 0
        self._allowance = Allowance()
        self._seen_process = self._seen = 0
        self._looked_at: dict[Route, int] = {}
        self._cores: dict[Route, float] = {}
        self._lacking: dict[Route, float] = {}
        self._was_held = False
        self._fair = True

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
            self._process = self._clock.process_cpu()
            while any(loop.active for loop in list(self._loops.values())):
                self._sleep(chance.uniform(0.5, 1.5) * pause)
                found = self._look()
                before, cpu = cpu, self._clock.thread_cpu()
                pause = self._allowance.pause((cpu - before) / 1e9, len(self._routes), found=found)
            # A subinterpreter waits for its threads, at rest too.
            stays = threading.current_thread().daemon and not self._closed
            if not stays:
                self._thread = None
            self.parked = True
            if any(loop.active for loop in list(self._loops.values())):
                self.wake()
            if not stays:
                return

    def _sleep(self, seconds: float) -> None:
        queued, start = self._clock.run_queue(), self._clock.wall()
        time.sleep(seconds)
        span = self._clock.wall() - start
        starved = self._clock.run_queue() - queued
        # One look at a random time stands for the whole time between looks; not one that had to wait for
        # a core, while which whoever held the GIL may have waited for one too.
        self._span += span
        self._fair = starved < LATE
        self._was_held = self._fair and span - int(seconds * 1e9) - starved > LATE
        self._looks += self._fair
        self._held += self._was_held

    def _look(self) -> bool:
        """Look once; whether there was anything to see."""
        now = self._clock.wall()
        held = [
            loop
            for loop in list(self._loops.values())
            if loop.since and loop.visit is not None and now - loop.since > LONG
        ]
        workers = [thread for thread in threading.enumerate() if thread.name == WORKER]
        if not (held or workers):
            self._windowed()
            return False
        seen = frames()
        for loop in held:
            place, visit = culprit(seen.get(loop.ident)), loop.visit
            if place[0] and visit is not None:
                visit.seen_at(place)
        process, computing = self._clock.process_cpu(), self._looked_at
        computing.clear()
        self._cores.clear()
        self._lacking.clear()
        for thread in workers:
            if thread.ident is not None:
                self._look_at(thread, seen.get(thread.ident))
        self._side_by_side(now)
        for route, cpu in computing.items():
            if self._fair and cpu >= MOSTLY * (process - self._seen_process) > 0:
                route.alone += 1
                route.alone_held += self._was_held
        self._seen_process = process
        self._windowed()
        del seen
        return bool(held or computing)

    def _side_by_side(self, now: int) -> None:
        """Note how much routes compute that several threads are at: under the GIL, no more than one could."""
        span, self._seen = now - self._seen, now
        for route, cores in self._cores.items():
            threads = sum(before[3] is route for before in self._before.values())
            lacking = self._lacking[route]
            if threads < 2 or cores < BUSY:  # noqa: PLR2004 - side by side are two
                continue
            if lacking < CROWDED * cores or cores > PLAINLY:
                route.side_cpu += int((cores + lacking) * span)
                route.side_wall += span

    def _look_at(self, thread: threading.Thread, frame: FrameType | None) -> None:
        route = self._route_in(frame)
        cpu, starved = self._clock.watch(thread)
        now = self._clock.wall()  # reading lets go of the GIL, so threads are read some time apart
        before = self._before.get(thread)
        self._before[thread] = (now, cpu, starved, route)
        if before is not None and route is not None and before[3] is route:
            route.seen_wall += now - before[0]
            route.seen_cpu += cpu - before[1]
            route.seen_starved += starved - before[2]
            computed = cpu - before[1]
            self._looked_at[route] = self._looked_at.get(route, 0) + computed
            span = max(1, now - before[0])
            self._cores[route] = self._cores.get(route, 0.0) + computed / span
            self._lacking[route] = self._lacking.get(route, 0.0) + (starved - before[2]) / span
            self._computed[route] = self._computed.get(route, 0.0) + computed / 1e9
        owner = route if route is not None or before is None else before[3]
        if owner is not None and before is not None:
            owner.any_cpu += cpu - before[1]
        if route is not None:
            route.seen += 1
            place = culprit(frame)
            if place[0]:
                route.thread_lines[place] += 1

    def _route_in(self, frame: FrameType | None) -> Route | None:
        codes = self._routes.codes
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
        seconds = self._span / 1e9
        computed, self._computed = self._computed, {}
        others = (process - self._process) / 1e9 - sum(computed.values())
        everybody: dict[Hashable, float] = dict(computed.items())
        everybody[OTHERS] = max(0.0, others)
        self._shares.window(seconds, seconds * self._held / self._looks, everybody)
        self._held = self._looks = self._span = 0
        self._process = process
        for route in computed:
            route.gil = self._shares.of(route)
        if len(self._before) > MANY:  # threads come and go
            self._before.clear()
