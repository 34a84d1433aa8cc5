"""The GIL witness: a thread that wakes at random and sees how late it gets the GIL.

Somebody who has slept and wants to go on needs the GIL. If another thread holds it, he comes late:
by the rest of the hold, or by the switch interval if the holder runs bytecode. Waking at random
times (the times between are exponential) he finds the GIL held as often as it is held. But he
sleeps through less of a phase in which he is made to wait, so samples are weighed with the time
each spans: share = sum over late samples of (sleep + lateness) / sum over all of them. Error at
most 0.07 where holds last 0.5 ms or more (DECISION.md 2.2, experiment 3). The time he waited for a
core is no lateness.
"""

from __future__ import annotations

import ctypes
import math
import random
import statistics
import sys
import threading
import time
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from .._platform import gil_enabled
from ._switching import quick_switching

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._facts._clock import Clock

__all__ = [
    "Absent",
    "Sight",
    "Testimony",
    "Witness",
    "WitnessThread",
    "idle_lateness",
    "weigh",
    "witness_for",
]

MEAN_SLEEP = 0.7e-3
"""Seconds between looks: 0.7 to 2 ms were tried in experiment 3; the shortest tells soonest."""

MARGIN = 50_000
"""Nanoseconds beyond the usual lateness at which the GIL counts as held (experiment 3)."""

FEWEST = 5
"""Evidence, in looks, below which nothing is said (guessed: the error would exceed 0.2)."""

LONG_LOOK = 4 * 700_000
"""Nanoseconds of waiting that tell as much as one more look (guessed: four mean sleeps)."""

_IDLE_LOOKS = 9
_IDLE_SLEEP = 0.2e-3
_FINEST_SLACK = 1  # ns; PR_SET_TIMERSLACK takes 0 for "back to the default"
_PR_SET_TIMERSLACK = 29


class Sight(NamedTuple):
    """One look, in nanoseconds: when it began, the sleep asked for, and how late it ended."""

    start: int
    sleep: int
    late: int


class Testimony(NamedTuple):
    """What the witness says.

    Attributes:
        share: The share of time the GIL was held, 0 to 1; None where he saw too little.
        error: Its standard error.
        cpu: CPU time he used himself, seconds.
        looks: How often he looked.
    """

    share: float | None
    error: float
    cpu: float
    looks: int


class Witness(Protocol):
    """Somebody who watches the GIL while callables are measured."""

    def __enter__(self) -> Self:
        """Begin to watch."""
        ...

    def __exit__(self, *exc: object) -> None:
        """Stop, and leave everything as it was found."""
        ...

    def testify(self, spans: Sequence[tuple[int, int]]) -> Testimony:
        """Say how much the GIL was held within spans of the clock's wall time."""
        ...


class Absent:
    """Nobody watches: there is no GIL, or the test does not need one."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        """Nothing was changed."""

    def testify(self, spans: Sequence[tuple[int, int]]) -> Testimony:  # noqa: ARG002 - the protocol's
        """Say nothing."""
        return Testimony(None, math.inf, 0.0, 0)


class WitnessThread:
    """Watches from a thread of its own, for as long as its ``with`` block lasts.

    Args:
        clock: What it reads the time from.
        on_wake: Called after each look with the time; it may look around, briefly.
    """

    def __init__(self, clock: Clock, on_wake: Callable[[int], None] | None = None) -> None:
        self._clock = clock
        self._on_wake = on_wake
        self._sights: list[Sight] = []
        self._idle = 0
        self._cpu = 0
        self._stop = False
        self._thread = threading.Thread(target=self._work, name="gil-witness", daemon=True)
        self._calm = threading.Event()
        self._switching = quick_switching()

    def __enter__(self) -> Self:
        """Begin to watch, after a few idle milliseconds that tell how late one always wakes."""
        self._switching.__enter__()
        self._thread.start()
        self._calm.wait()
        return self

    def __exit__(self, *exc: object) -> None:
        """Stop; the switch interval is what it was before."""
        self._stop = True
        self._thread.join()
        self._switching.__exit__(None, None, None)

    def testify(self, spans: Sequence[tuple[int, int]]) -> Testimony:
        """Say how much the GIL was held within spans of the clock's wall time."""
        seen = _within(list(self._sights), spans)
        return weigh(seen, self._idle + MARGIN, self._cpu / 1e9)

    def _work(self) -> None:
        _wake_sharply()
        try:
            self._idle = idle_lateness([self._look(_IDLE_SLEEP) for _ in range(_IDLE_LOOKS)])
        finally:
            self._calm.set()
        chance = random.Random()  # noqa: S311 - nothing secret: times between looks
        while not self._stop:
            self._sights.append(self._look(chance.expovariate(1 / MEAN_SLEEP)))
            self._cpu = self._clock.thread_cpu()
            if self._on_wake is not None:
                self._on_wake(self._clock.wall())

    def _look(self, seconds: float) -> Sight:
        queued, start = self._clock.run_queue(), self._clock.wall()
        time.sleep(seconds)
        end = self._clock.wall()
        sleep = int(seconds * 1e9)
        starved = self._clock.run_queue() - queued
        return Sight(start, sleep, max(0, end - start - sleep - starved))


def idle_lateness(sights: Sequence[Sight]) -> int:
    """How late one wakes when nobody holds the GIL, ns: the median."""
    return int(statistics.median(sight.late for sight in sights))


def weigh(sights: Sequence[Sight], threshold: int, cpu: float = 0.0) -> Testimony:
    """The share of time the GIL was held, from what was seen.

    Args:
        sights: The looks.
        threshold: Lateness above which the GIL was held, ns.
        cpu: CPU time the looking took, seconds.

    Returns:
        The time-weighted share; its error is sqrt(h (1 - h) / n), with n + 2 looks of which one
        more of either kind was seen, so that few looks that agree are not taken for certainty. One
        look that waited for long, as for a long call in C, counts as several.
    """
    looks = len(sights)
    spans = [(sight.sleep + sight.late, sight.late > threshold) for sight in sights]
    total = sum(span for span, _ in spans)
    evidence = max(float(looks), total / LONG_LOOK)
    if evidence < FEWEST:
        return Testimony(None, math.inf, cpu, looks)
    share = sum(span for span, late in spans if late) / total if total else 0.0
    likely = (share * evidence + 1) / (evidence + 2)
    return Testimony(share, math.sqrt(likely * (1 - likely) / (evidence + 2)), cpu, looks)


def witness_for(clock: Clock, on_wake: Callable[[int], None] | None = None) -> Witness:
    """The witness this interpreter needs: none where there is no GIL and nothing to look at."""
    return WitnessThread(clock, on_wake) if gil_enabled() or on_wake else Absent()


def _within(sights: Sequence[Sight], spans: Sequence[tuple[int, int]]) -> list[Sight]:
    """The looks that fell due within one of the spans."""
    seen: list[Sight] = []
    ahead = iter(spans)
    span = next(ahead, None)
    for sight in sights:
        due = sight.start + sight.sleep
        while span is not None and due > span[1]:
            span = next(ahead, None)
        if span is None:
            break
        if due >= span[0]:
            seen.append(sight)
    return seen


def _wake_sharply() -> None:
    """Ask for timers without slack in this thread: idle lateness 31 instead of 78 µs (exp. 12)."""
    if not sys.platform.startswith("linux"):
        return
    try:
        ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, _FINEST_SLACK, 0, 0, 0)
    except (AttributeError, OSError, TypeError):
        return
