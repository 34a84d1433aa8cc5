"""Timing blocks of calls: wall time, CPU time and run-queue delay."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._facts._clock import Clock

__all__ = ["Stopwatch"]

LEAST_LOSS = 20_000
"""Nanoseconds within which nobody loses a core: the shortest slice of a neighbour is 100 µs
(`_promptness`)."""


class Stopwatch:
    """Times one block after another in the present thread, the wall clock innermost.

    Attributes:
        slept: How often the thread went to sleep in the block before; 0 where that is not known.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._queued = clock.run_queue()
        self._sleeps: int | None = clock.blocking_calls()
        self._tells = not clock.missing  # of a clock that does not count sleeps, none is no sign
        self._wall = self._cpu = 0
        self.slept = 0

    def start(self, wall: int | None = None) -> None:
        """A block begins, or began at that wall time (why the thread has slept since is then not known)."""
        if wall is not None:
            self._sleeps = None
        self._cpu = self._clock.thread_cpu()
        self._wall = self._clock.wall() if wall is None else wall

    def passed(self) -> tuple[int, int, int]:
        """What has passed since it began: wall, CPU, run-queue delay.

        The delay is read outside the wall time. On a busy machine a thread loses its core most often at such
        a reading, so what cannot have been within is left out; and where nothing can, nothing is read, since
        the reading takes longer than all the others. Who never went to sleep waited for nothing but a core:
        a host that takes one away (measured: 5 to 20 ms of 100) shows neither as CPU time nor as a delay.
        """
        wall = self._clock.wall() - self._wall
        cpu = self._clock.thread_cpu() - self._cpu
        return wall, cpu, self._lost(wall - cpu)

    def _lost(self, most: int) -> int:
        self.slept = 0
        if most < LEAST_LOSS:
            return 0
        before, self._queued = self._queued, self._clock.run_queue()
        slept, self._sleeps = self._sleeps, self._clock.blocking_calls()
        self.slept = 0 if slept is None else self._sleeps - slept
        return most if self._tells and self._sleeps == slept else min(self._queued - before, most)
