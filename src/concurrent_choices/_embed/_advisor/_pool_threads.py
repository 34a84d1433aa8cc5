"""How much each route computes in the pool's threads, from look to look: alone, and several side by side."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from types import CodeType, FrameType
from typing import TYPE_CHECKING, NamedTuple

from ..._platform._frames import back
from ._lines import place_of

if TYPE_CHECKING:
    from ..._measure._clock import SystemClock
    from ._route_table import Route

__all__ = ["PoolThreads"]

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


class _Reading(NamedTuple):
    """A thread as it was found at a look: when, its totals in nanoseconds, and what it was at."""

    at: int
    cpu: int
    starved: int
    route: Route | None


class _Work(NamedTuple):
    """What a route's threads did between two looks: nanoseconds computed, cores used, cores waited for."""

    computed: int = 0
    cores: float = 0.0
    lacking: float = 0.0


class PoolThreads:
    """What the pool's threads were found at, look by look."""

    def __init__(self, clock: SystemClock, codes: Mapping[CodeType, Route]) -> None:
        self._clock = clock
        self._codes = codes
        self._readings: dict[threading.Thread, _Reading] = {}
        self._at = self._process = 0

    def look(
        self, threads: Sequence[threading.Thread], seen: Mapping[int, FrameType], *, held: bool | None
    ) -> bool:
        """Look at the threads once; whether one was at a route that it was at before.

        `seen` says where each thread is; `held`, whether the GIL was held just now, if that can be told.
        """
        now, process = self._clock.wall(), self._clock.process_cpu()
        span, self._at = now - self._at, now
        spent, self._process = process - self._process, process
        work: dict[Route, _Work] = {}
        for thread in threads:
            if thread.ident is not None:
                self._look_at(thread, seen.get(thread.ident), work)
        self._side_by_side(work, span)
        if held is not None:
            _alone(work, spent, held=held)
        if len(self._readings) > MANY:  # threads come and go
            self._readings.clear()
        return bool(work)

    def _look_at(self, thread: threading.Thread, frame: FrameType | None, work: dict[Route, _Work]) -> None:
        route = self._route_in(frame)
        cpu, starved = self._clock.watch(thread)
        # Reading lets go of the GIL, so threads are read some time apart.
        reading = _Reading(self._clock.wall(), cpu, starved, route)
        before = self._readings.get(thread)
        self._readings[thread] = reading
        if before is not None:
            self._compare(before, reading, work)
        if route is not None:
            place = place_of(frame)
            if place[0]:
                route.thread_lines[place] += 1

    def _compare(self, before: _Reading, after: _Reading, work: dict[Route, _Work]) -> None:
        """Count what a thread did between two looks for the route that it was at."""
        route, computed, starved = after.route, after.cpu - before.cpu, after.starved - before.starved
        owner = route or before.route
        if owner is not None:
            owner.any_cpu += computed
        if route is None or before.route is not route:
            return
        route.seen_wall += after.at - before.at
        route.seen_cpu += computed
        route.seen_starved += starved
        span = max(1, after.at - before.at)
        sofar = work.get(route, _Work())
        work[route] = _Work(
            sofar.computed + computed, sofar.cores + computed / span, sofar.lacking + starved / span
        )

    def _side_by_side(self, work: Mapping[Route, _Work], span: int) -> None:
        """Note how much routes compute that several threads are at: under the GIL, no more than one could."""
        for route, (_, cores, lacking) in work.items():
            threads = sum(reading.route is route for reading in self._readings.values())
            if threads < 2 or cores < BUSY:  # noqa: PLR2004 - side by side are two
                continue
            if lacking < CROWDED * cores or cores > PLAINLY:
                route.side_cpu += int((cores + lacking) * span)
                route.side_wall += span

    def _route_in(self, frame: FrameType | None) -> Route | None:
        for _ in range(DEEPEST):
            if frame is None:
                return None
            route = self._codes.get(frame.f_code)
            if route is not None:
                return route
            frame = back(frame)
        return None


def _alone(work: Mapping[Route, _Work], spent: int, *, held: bool) -> None:
    """Note whether the GIL was held while hardly anything but one route computed."""
    for route, (computed, _, _) in work.items():
        if computed >= MOSTLY * spent > 0:
            route.alone += 1
            route.alone_held += held
