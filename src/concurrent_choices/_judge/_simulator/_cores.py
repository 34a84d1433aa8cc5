"""Cores shared in slices, and the GIL that is passed on after a switch interval.

A job on a core is cut short when others wait: by the scheduler after a quantum, and by whoever
wants the GIL after the switch interval. What is left of it queues up again.
"""

from __future__ import annotations

from collections import deque
from math import ceil, inf

from ._engine import Engine, Operation, Resume

__all__ = ["Cores", "Gil", "Job"]

QUANTUM = 4e-3
"""Seconds a job keeps its core while others wait: a tick of Linux with HZ=250 (DECISION.md)."""

_NOTHING = 1e-12
"""Seconds of work that count as none: rounding."""


class Job:
    """Some seconds of computing, after which something is called.

    Attributes:
        need: Seconds it still computes.
        done: Called then.
        left_over: Seconds that were cut off.
        started: When it got its core; negative while it has none.
        version: Goes up when its end is scheduled anew, so that the old one is void.
        waited: Seconds it has waited for a core.
    """

    __slots__ = ("_asked", "done", "left_over", "need", "started", "version", "waited")

    def __init__(self, need: float, done: Resume) -> None:
        self.need = need
        self.done = done
        self.left_over = 0.0
        self.started = -1.0
        self.version = 0
        self.waited = 0.0
        self._asked = 0.0

    def queue(self, now: float) -> None:
        """Begin to wait for a core."""
        self.started = -1.0
        self._asked = now

    def begin(self, now: float) -> None:
        """Get a core."""
        self.waited += now - self._asked
        self.started = now

    @property
    def running(self) -> bool:
        """Whether it has a core."""
        return self.started >= 0


class Cores:
    """The machine's cores, first come, first served, a quantum at a time.

    Where their number is a fraction, each runs for that share of the time.

    Attributes:
        busy: Core-seconds of jobs that have left their core.
    """

    def __init__(self, engine: Engine, count: float) -> None:
        self._engine = engine
        self._count = ceil(count)
        self._speed = count / self._count
        self._running: list[Job] = []
        self._waiting: deque[Job] = deque()
        self.busy = 0.0

    @property
    def spent(self) -> float:
        """Core-seconds used so far, those of running jobs too."""
        return self.busy + sum(map(self._ran, self._running))

    def use(self, seconds: float) -> Operation:
        """The operation of computing for some seconds."""

        def operation(resume: Resume) -> bool:
            if seconds <= _NOTHING:
                return True
            self.submit(Job(seconds, resume))
            return False

        return operation

    def submit(self, job: Job) -> None:
        """Run a job as soon as a core is free."""
        job.queue(self._engine.now)
        if len(self._running) < self._count:
            self._begin(job)
        else:
            self._waiting.append(job)
            self._hurry()

    def cut(self, job: Job, within: float) -> None:
        """End a job after at most `within` more seconds; what it needed beyond is `left_over`."""
        remaining = job.need - self._ran(job)
        if remaining <= within:
            return
        job.left_over += remaining - within
        job.need -= remaining - within
        if job.running:
            self._schedule(job, within)

    def _ran(self, job: Job) -> float:
        return (self._engine.now - job.started) * self._speed if job.running else 0.0

    def _begin(self, job: Job) -> None:
        job.begin(self._engine.now)
        self._running.append(job)
        self._schedule(job, min(job.need, QUANTUM) if self._waiting else job.need)

    def _schedule(self, job: Job, work: float) -> None:
        job.version += 1
        version = job.version

        def end() -> None:
            if job.version == version:
                self._end(job)

        self._engine.after(work / self._speed, end)

    def _hurry(self) -> None:
        """Let the longest-running job stop when its quantum is over."""
        first = self._running[0]
        ran = self._ran(first)
        left = max(0.0, QUANTUM - ran)
        if first.need - ran > left:
            self._schedule(first, left)

    def _end(self, job: Job) -> None:
        ran = self._ran(job)
        self.busy += ran
        job.need -= ran
        self._running.remove(job)
        job.queue(self._engine.now)
        finished = job.need <= _NOTHING
        if not finished:
            self._waiting.append(job)
        if self._waiting:
            self._begin(self._waiting.popleft())
        if finished:
            job.done()


class Gil:
    """One process's global interpreter lock; if it is not enabled, this is just the cores.

    A waiting thread gets it after the `interval`, ``sys.getswitchinterval()``; to pass it on takes `switch`.
    """

    def __init__(
        self, engine: Engine, cores: Cores, *, interval: float, switch: float, enabled: bool
    ) -> None:
        self._engine = engine
        self._cores = cores
        self._interval = interval
        self._switch = switch
        self._enabled = enabled
        self._holder: Job | None = None
        self._deadline = inf
        self._continuing = False
        self._waiting: deque[tuple[float, Resume]] = deque()

    @property
    def is_held(self) -> bool:
        """Whether somebody computes under it now, so that who wants it has to wait."""
        return self._holder is not None

    def use(self, seconds: float) -> Operation:
        """The operation of computing for some seconds while holding it."""
        if not self._enabled:
            return self._cores.use(seconds)

        def operation(resume: Resume) -> bool:
            if seconds <= _NOTHING:
                return True
            if self._continuing and self._engine.now < self._deadline:
                self._continuing = False
                self._hold(seconds, resume)
                return False
            self._waiting.append((seconds, resume))
            if self._holder is not None:
                self._hurry(self._holder)
            elif not self._continuing:
                self._pass_on(0.0)
            return False

        return operation

    def _hurry(self, holder: Job) -> None:
        """Have the holder let go after the switch interval, counted from the first who waits."""
        if self._deadline == inf:
            self._deadline = self._engine.now + self._interval
            self._cores.cut(holder, self._interval)

    def _pass_on(self, cost: float) -> None:
        """Give it to who waits longest."""
        need, resume = self._waiting.popleft()
        self._deadline = self._engine.now + self._interval if self._waiting else inf
        self._hold(need, resume, cost)

    def _hold(self, need: float, resume: Resume, cost: float = 0.0) -> None:
        job = Job(need + cost, lambda: self._over(job, resume))
        self._holder = job
        if self._deadline < inf:
            self._cores.cut(job, self._deadline - self._engine.now)
        self._cores.submit(job)

    def _over(self, job: Job, resume: Resume) -> None:
        """The holder has computed what it wanted, or what it was left."""
        self._holder = None
        if job.left_over > _NOTHING:
            self._waiting.append((job.left_over, resume))
        else:
            # a thread that goes on computing does not let go in between
            self._continuing = True
            resume()
            self._continuing = False
        if self._holder is None and self._waiting:
            self._pass_on(self._switch)
