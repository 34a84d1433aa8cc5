"""The GIL witness: a thread that wakes at random and sees whether it has to wait for the GIL.

A thread that has slept needs the GIL to go on. If another thread holds it, the witness goes to sleep again,
which the system counts, and comes late: by the rest of the hold, or by the switch interval if the holder
runs bytecode. (Where the system does not count, a late look has waited, and holds below 0.3 ms go unseen.) As
the times between looks are exponential, each moment of sleep is as likely to end as any other. So if S
seconds of sleep were expected before all looks, K of them before those that had to wait, and these were
late by L seconds in all, the GIL was held

    (K + L) / (S + L)

of the time, whatever the switch interval, and however the mean of a sleep was chosen. Time for which
no core was free is no part of L; and where only lateness tells, a look that was late for that alone is left
out. To wake takes a while too, w, as the N looks that did not wait tell: so long each of them lasted longer
than asked for, and so long the GIL was free already while one of the M that waited woke for the second time:

    (K + L - w M) / (S + L + w N)

Where a host took 0.1 ms and more to wake a thread, the first formula told 0.06 to 0.09 too much on average,
this one 0.04 (0 to 4 quarters, turns of 0.1, 0.2, 0.6, 2 and 6 ms, 150 ms each, ten times).

The first, by lateness alone, on holds for 0 to 4 quarters of the time, in turns of 0.2, 0.6, 2, 10 and
20 ms, 80 ms each: root mean square error 0.08, in holds without a pause 0.02. Weighing looks with their
time, as in DECISION.md 2.2, gave twice as much below 1 ms. Two things make the difference: a thread with the
shortest slice of CPU time gets its core at once instead of waiting behind the very thread it watches, and
reading the run-queue delay does not let go of the GIL. Of turns of 0.05 ms, half of which hold the GIL,
lateness tells 0.01 to 0.02, counting 0.45 to 0.58.
"""

from __future__ import annotations

import math
import random
import statistics
import threading
from typing import TYPE_CHECKING, NamedTuple, Self

from .._runtime._new_thread import new_thread
from .._runtime._switching import USUAL, quick_switching
from ._promptness import wake_promptly

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._facts._clock import Clock

__all__ = [
    "Look",
    "Statement",
    "WitnessThread",
    "idle_lateness",
    "weigh",
]

MEAN_SLEEP = 1e-3
"""Seconds between looks, on average …"""

REST = 10e-3
"""… and after one that had to force a thread to let go of the GIL. That costs the thread some 230 µs
(measured with JSON and small NumPy arrays: both fall asleep in turn, and a core that sleeps wakes slowly).
With the usual switch interval it is then 1.5 % of the time; and a look that has waited for so long has seen
as much as many."""

FORCED = 0.8
"""Share of the switch interval from which a wait ended because the witness asked for the GIL (guessed)."""

MARGIN = 30_000
"""Nanoseconds beyond the usual lateness at which the GIL counts as held. Measured as above: with 30
to 50 µs the shares differ by 0.01 to 0.02, at 10 µs the ordinary scatter of 10 µs shows."""

SLOW_WAKE = 0.02
"""Nanoseconds of lateness allowed beyond that for each nanosecond slept: a core that has idled for longer
wakes more slowly (measured on a virtual machine: 30 µs late after 0.2 ms, 55 to 85 after 5 ms, 130 to 160
after 10 ms)."""

DOUBT = 0.2
"""Part of the time without a core that the kernel may not have accounted for yet (guessed)."""

FEWEST = 5
"""Evidence, in looks, below which nothing is said (guessed: the error would exceed 0.2)."""

LONG_LOOK = 4_000_000
"""Nanoseconds of waiting that tell as much as one more look (guessed: four mean sleeps)."""

_IDLE_LOOKS = 9
_IDLE_SLEEP = 0.2e-3


class Look(NamedTuple):
    """One look, in nanoseconds: when it began, the sleep asked for, and how late it ended.

    Of the lateness, `starved` was spent waiting for a core. Sleeps like this one last `expected` on average.
    The thread went to sleep `sleeps` times: once for the look itself, and again where it waited for the GIL;
    0 where nobody counts.
    """

    start: int
    sleep: int
    late: int
    starved: int = 0
    expected: int = int(MEAN_SLEEP * 1e9)
    sleeps: int = 0

    @property
    def delay(self) -> int:
        """How late it ended, but for the want of a core."""
        return max(0, self.late - self.starved)

    def prompt(self, threshold: int) -> bool:
        """Whether nobody held the GIL: the look did not wait for it, as far as anybody can tell."""
        if self.sleeps:
            return self.sleeps == 1
        return self.late <= threshold + SLOW_WAKE * self.sleep

    def held(self, threshold: int) -> bool:
        """Whether somebody surely did: the look waited for it, or longer than for a core."""
        return self.sleeps > 1 or self.delay > threshold + DOUBT * self.starved


class Statement(NamedTuple):
    """What the witness says.

    Attributes:
        share: The share of time the GIL was held, 0 to 1; None where too little was seen.
        error: Its standard error.
        cpu_rate: CPU seconds that the witness uses itself, per second.
        looks: How often it looked.
        start: CPU time that it took to begin, ns.
    """

    share: float | None = None
    error: float = math.inf
    cpu_rate: float = 0.0
    looks: int = 0
    start: int = 0


class WitnessThread:
    """Watches from a thread of its own, for as long as its ``with`` block lasts.

    Args:
        on_wake: Called after each look with the time; it may look around, briefly.
    """

    def __init__(self, clock: Clock, on_wake: Callable[[int], None] | None = None) -> None:
        self._clock = clock
        self._on_wake = on_wake
        self._looks: list[Look] = []
        self._idle = 0
        self._start = 0
        self._cpu = 0
        self._queued = 0
        self._watching = True
        self._stop = threading.Lock()
        self._thread = new_thread(self._work, "gil-witness")
        self._calm = threading.Event()
        self._switching = quick_switching(USUAL)

    def __enter__(self) -> Self:
        """Begin to watch, after a few idle milliseconds that tell how late one always wakes."""
        self._switching.__enter__()
        self._stop.acquire()
        try:
            self._thread.start()
            self._calm.wait()
        except BaseException:  # Ctrl-C, or no thread is to be had: nobody else would stop what has begun
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        """Stop; the switch interval is what it was before."""
        self._watching = False
        self._stop.release()
        if self._thread.is_alive():
            self._thread.join()
        self._switching.__exit__(None, None, None)

    def testify(self, spans: Sequence[tuple[int, int]]) -> Statement:
        """Say how much the GIL was held within spans of the clock's wall time."""
        seen = _within(list(self._looks), spans)
        return weigh(seen, self._idle + MARGIN)._replace(cpu_rate=self._cpu_rate(), start=self._start)

    def _cpu_rate(self) -> float:
        seen = self._looks
        lasted = seen[-1].start + seen[-1].sleep - seen[0].start if seen else 0
        return self._cpu / lasted if lasted else 0.0

    def _work(self) -> None:
        wake_promptly()
        try:
            self._idle = idle_lateness([self._look(_IDLE_SLEEP) for _ in range(_IDLE_LOOKS)])
            self._start = self._clock.thread_cpu()
        finally:
            self._calm.set()
        self._queued = self._clock.run_queue()
        chance = random.Random()  # noqa: S311 - nothing secret: times between looks
        mean = MEAN_SLEEP
        while self._watching:
            look = self._look(chance.expovariate(1 / mean))
            look = look._replace(expected=int(mean * 1e9), starved=self._starved())
            self._looks.append(look)
            forced = look.delay > (FORCED * USUAL * 1e9) + DOUBT * look.starved
            mean = REST if forced else MEAN_SLEEP
            self._cpu = self._clock.thread_cpu()
            if self._on_wake is not None:
                self._on_wake(self._clock.wall())

    def _look(self, seconds: float) -> Look:
        start, sleeps = self._clock.wall(), self._clock.blocking_calls()
        # as exact as a sleep, and over at once when it is stopped: that look falls due after all calls
        self._stop.acquire(timeout=seconds)
        sleep = int(seconds * 1e9)
        late = max(0, self._clock.wall() - start - sleep)
        return Look(start, sleep, late, sleeps=self._clock.blocking_calls() - sleeps)

    def _starved(self) -> int:
        """Time spent waiting for a core since the last look."""
        before, self._queued = self._queued, self._clock.run_queue()
        return self._queued - before


def idle_lateness(looks: Sequence[Look]) -> int:
    """How late one wakes when nobody holds the GIL, ns: the median."""
    return int(statistics.median(look.late for look in looks))


def weigh(seen: Sequence[Look], threshold: int) -> Statement:
    """The share of time the GIL was held, from what was seen.

    Args:
        seen: The looks.
        threshold: Lateness above which the GIL was held, ns, after a sleep of no length.

    Returns:
        The share; its error is sqrt(h (1 - h) / n), with n + 2 looks of which one more of either
        kind was seen, so that few looks that agree are not taken for certainty. One look that
        waited for long, as for a long call in C, counts as several.
    """
    free = [look for look in seen if look.prompt(threshold)]
    held = [look for look in seen if not look.prompt(threshold) and look.held(threshold)]
    looks = len(held) + len(free)
    waking = statistics.median(look.delay for look in free) if free else 0.0
    within = sum(look.expected + max(0.0, look.delay - waking) for look in held)
    total = sum(look.expected + look.delay for look in held) + sum(look.expected + waking for look in free)
    evidence = max(float(looks), total / LONG_LOOK)
    if evidence < FEWEST:
        return Statement(looks=looks)
    share = within / total if total else 0.0
    likely = (share * evidence + 1) / (evidence + 2)
    return Statement(share, math.sqrt(likely * (1 - likely) / (evidence + 2)), looks=looks)


def _within(looks: Sequence[Look], spans: Sequence[tuple[int, int]]) -> list[Look]:
    """The looks that fell due within one of the spans."""
    seen: list[Look] = []
    ahead = iter(spans)
    span = next(ahead, None)
    for look in looks:
        due = look.start + look.sleep
        while span is not None and due > span[1]:
            span = next(ahead, None)
        if span is None:
            break
        if due >= span[0]:
            seen.append(look)
    return seen
