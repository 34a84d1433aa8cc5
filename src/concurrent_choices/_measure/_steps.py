"""Timing the steps of a coroutine: when it holds its loop, and when it lets go.

A coroutine is driven by its ``send``; between two sends the loop belongs to others. What forwards every send
and throw, and reads the clock around each, works under asyncio and uvloop, with cancellation, `wait_for`,
`gather`, threads and exceptions, since it changes nothing of what passes (DECISION.md, experiment 5: 0.2 µs a
step, 1.5 µs with CPU time).

Each item also runs in a context of its own, as everywhere in this library: every step is entered
through it, so no task is needed for that.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Context
    from threading import Thread

    from .._facts._clock import Clock

__all__ = ["Driven", "StepMeter", "Steps", "isolated"]

_TRIES = 9  # the least of so many is free of interruptions


class Steps(NamedTuple):
    """Sums over coroutines: their number, their steps, and how long those held the loop, ns.

    Of the time they held it, `cpu` was computing, and `queued` was spent waiting for a core. The `longest` is
    that of the longest that each of them waited between two steps.
    """

    coroutines: int = 0
    steps: int = 0
    held: int = 0
    cpu: int = 0
    queued: int = 0
    longest: int = 0

    def since(self, before: Steps) -> Steps:
        """What was added since."""
        return Steps(*(now - then for now, then in zip(self, before, strict=True)))


class StepMeter:
    """Adds up the steps of the coroutines that go through it.

    Attributes:
        steps: How often a coroutine gave the loop back.
        held: Wall time the loop was held, ns.
        cpu: CPU time within that, ns.
        queued: Run-queue delay within that, ns.
        since: When the step that is running began, ns; 0 while none runs.
        coroutines: How many went through.
        longest: The sum of the longest that each of them waited between two steps, ns.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.steps = 0
        self.held = 0
        self.cpu = 0
        self.queued = 0
        self.since = 0
        self._queue_since = 0
        self._cpu_since = 0
        self.coroutines = 0
        self.longest = 0
        self._own_held, self._own_cpu = self._own_cost()

    @property
    def sums(self) -> Steps:
        """What was added up so far, without what the timing itself took."""
        timed = self.steps + self.coroutines
        return Steps(
            self.coroutines,
            self.steps,
            max(0, self.held - timed * self._own_held),
            max(0, self.cpu - timed * self._own_cpu),
            self.queued,
            self.longest,
        )

    def sums_now(self, thread: Thread) -> Steps:
        """The same with the step that is running in a thread, perhaps for ever."""
        since, sums = self.since, self.sums
        if not since:
            return sums
        cpu, queue = self._clock.watch(thread)
        held = self._clock.wall() - since
        computed = max(0, cpu - self._cpu_since)
        queued = max(0, min(queue - self._queue_since, held - computed))
        return sums._replace(held=sums.held + held, cpu=sums.cpu + computed, queued=sums.queued + queued)

    def timed(self, coroutine: Coroutine[Any, Any, Any], context: Context) -> Driven:
        """One that does what the coroutine does, in a context, and counts its steps."""
        self.coroutines += 1
        return Driven(coroutine, _Timed(self, context.run))

    def _own_cost(self) -> tuple[int, int]:
        """What one step that does nothing takes, wall and CPU, ns."""
        held: list[int] = []
        cpu: list[int] = []
        for _ in range(_TRIES):
            self.held = self.cpu = 0
            self.begin()
            self.end()
            held.append(self.held)
            cpu.append(self.cpu)
        self.held = self.cpu = self.queued = 0
        return min(held), min(cpu)

    def begin(self) -> None:
        """A step begins."""
        self._queue_since = self._clock.run_queue()
        self._cpu_since = self._clock.thread_cpu()
        self.since = self._clock.wall()

    def end(self) -> int:
        """It ends; when, ns."""
        ended = self._clock.wall()
        held = ended - self.since
        self.since = 0
        computed = self._clock.thread_cpu() - self._cpu_since
        self.held += held
        self.cpu += computed
        # read outside the step, where a thread is likely to lose its core: what cannot be within is left out
        self.queued += max(0, min(self._clock.run_queue() - self._queue_since, held - computed))
        return ended


class _Timed:
    """Takes the steps of one coroutine; adds what they take, and the longest wait between two, to a meter."""

    def __init__(self, meter: StepMeter, run: Callable[..., Any]) -> None:
        self._meter = meter
        self._run = run
        self._ended = 0
        self._longest = 0

    def __call__(self, advance: Callable[..., Any], *given: Any) -> Any:
        if not given:  # to be closed is no step, and may come in the midst of one
            return self._run(advance)
        meter = self._meter
        meter.begin()
        if self._ended:
            longest = max(self._longest, meter.since - self._ended)
            meter.longest += longest - self._longest
            self._longest = longest
        try:
            yielded = self._run(advance, *given)
        finally:
            self._ended = meter.end()
        meter.steps += 1
        return yielded


class Driven(Coroutine[Any, Any, Any]):
    """A coroutine whose steps somebody takes for it; whoever asks for anything else asks the coroutine.

    `resume` is called with its `send`, `throw` or `close`, and what that is given.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, Any], resume: Callable[..., Any]) -> None:
        self._coroutine = coroutine
        self._resume = resume

    def send(self, value: Any, /) -> Any:
        return self._resume(self._coroutine.send, value)

    def throw(self, *error: Any) -> Any:
        return self._resume(self._coroutine.throw, *error)

    def close(self) -> None:
        self._resume(self._coroutine.close)

    def __await__(self) -> Self:  # an iterator that has a generator's methods
        return self

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return self.send(None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._coroutine, name)


def isolated(coroutine: Coroutine[Any, Any, Any], context: Context) -> Driven:
    """One that runs a coroutine in a context, and measures nothing."""
    return Driven(coroutine, context.run)
