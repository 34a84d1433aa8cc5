"""A run in virtual time: a plan's lanes, or those that an agent adds and removes as it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from typing import Protocol

from attrs import frozen

from ..._facts._costs import Costs
from ..._facts._machine import Machine
from ..._facts._plan import Plan
from ..._work._pace import Pace
from ._engine import Operation, Resume
from ._host import Host, World
from ._lanes import Feed, Lane
from ._scripts import Script
from ._work_queue import Completion, WorkQueue

__all__ = ["Agent", "Controls", "Outcome", "simulate", "steer"]


class Agent(Protocol):
    """Steers a run: it is told what happens, and gives orders through the controls."""

    def began(self, controls: Controls) -> None:
        """The run begins; without a lane nothing will happen."""
        ...

    def completed(self, completion: Completion, controls: Controls) -> None:
        """A batch is done."""
        ...


@frozen
class Outcome:
    """What became of a run.

    Attributes:
        seconds: From the start to the last completion.
        items: Items that were completed.
        cores: Core-seconds that were used.
        lanes: Lanes at most.
    """

    seconds: float
    items: int
    cores: float
    lanes: int


class Controls:
    """What an agent may see and do.

    Attributes:
        world: What all processes share.
        queue: The items.
        main: The process of the calling thread.
    """

    def __init__(self, script: Script, machine: Machine, costs: Costs, seed: int) -> None:
        self.world = World(script, machine, costs)
        self.queue = WorkQueue(self.world, seed)
        self.main = Host(self.world)
        self._lanes: list[Lane] = []
        self._processes = 0
        self._most = 0

    @property
    def now(self) -> float:
        """Seconds since the start."""
        return self.world.engine.now

    @property
    def left(self) -> int:
        """Items not handed out yet."""
        return self.queue.left

    def lanes(self, kind: str | None = None) -> int:
        """How many lanes there are, of one kind or in all; those told to leave do not count."""
        return sum(not lane.leaving and kind in (None, lane.kind) for lane in self._lanes)

    def at_work(self) -> list[Lane]:
        """The lanes that are at a batch."""
        return [lane for lane in self._lanes if lane.began < inf]

    def call_after(self, seconds: float, what: Resume) -> None:
        """Have something called later, such as a second look."""
        self.world.engine.after(seconds, what)

    def add_caller(self) -> None:
        """Let the calling thread work, an item at a time; a coroutine on a loop there."""
        self._add(self._lane("caller", self.main), self._loop_start())

    def add_threads(self, count: int, batch: int | None = None) -> None:
        """Start threads in this process; a coroutine has a loop in each. A `batch` of None adapts."""
        costs = self.world.costs
        for place in range(1, count + 1):
            start = costs.thread_start * place
            self._add(self._lane("thread", self.main), start, costs.thread_item, batch)

    def add_tasks(self, count: int, step: float, start: float) -> None:
        """Start tasks on this process's event loop; a `def` runs in as many threads.

        The loop takes so many seconds to `start`, and a suspension costs it a `step` in seconds.
        """
        if not self.world.script.is_async:
            self.add_threads(count)
            return
        for _ in range(count):
            self._add(self._lane("task", self.main, step=step, shared=True), start)

    def add_processes(
        self, count: int, lanes: int = 1, batch: int | None = None, *, start: float | None = None
    ) -> None:
        """Start worker processes, with so many threads or coroutines in each.

        They are up after `start` seconds, 0 for those that are up already; the machine's if None. A batch of
        None adapts.
        """
        for _ in range(count):
            ready = self._worker_start(lanes) if start is None else start
            self._processes += 1
            self._add_worker(ready + self._loop_start(), lanes, batch)

    def remove(self, kind: str, count: int) -> None:
        """Have lanes leave once they have finished what they are at."""
        staying = [lane for lane in self._lanes if lane.kind == kind and not lane.leaving]
        for lane in staying[-count:] if count > 0 else []:
            lane.leaving = True
        self.queue.lanes = self.lanes()

    def obey(self, plan: Plan) -> None:
        """Add the lanes of a plan.

        Raises:
            KeyError: There is no strategy of that name.
        """
        costs = self.world.costs
        step, start = costs.socket_step, costs.loop_start
        extra = max(0.0, costs.anyio_step - costs.step)
        on_loop = partial(self.add_tasks, plan.concurrency)
        orders: dict[str, Callable[[], None]] = {
            "sequential": self.add_caller,
            "thread": partial(self.add_threads, plan.workers, plan.batch),
            "asyncio": partial(on_loop, step, start),
            "uvloop": partial(on_loop, costs.uvloop_socket_step, start + costs.uvloop_start),
            "anyio": partial(on_loop, step + extra, start),
            "process": partial(self.add_processes, plan.workers, 1, plan.batch),
            "hybrid": partial(self.add_processes, plan.workers, plan.inside),
        }
        orders[plan.strategy]()

    def play(self) -> Outcome:
        """Run to the end."""
        self.world.engine.run()
        return Outcome(self.queue.last, self.queue.done, self.world.cores.busy, self._most)

    def _worker_start(self, lanes: int) -> float:
        """Seconds until one more worker process is up, with so many lanes inside."""
        costs = self.world.costs
        inside = costs.hybrid_start if lanes > 1 else 0.0
        return costs.process_start + costs.process_worker * self._processes + inside

    def _loop_start(self) -> float:
        return self.world.costs.loop_start if self.world.script.is_async else 0.0

    def _lane(self, kind: str, host: Host, *, step: float | None = None, shared: bool = False) -> Lane:
        seconds = self.world.costs.socket_step if step is None else step
        loop = host.loop if shared else None
        lane = Lane(kind, host, self.queue, step=seconds, loop=loop)
        self._lanes.append(lane)
        self.queue.lanes = self.lanes()
        self._most = max(self._most, self.queue.lanes)
        return lane

    def _add(self, lane: Lane, start: float, overhead: float = 0.0, batch: int | None = 1) -> None:
        """Add a lane: tasks and the calling thread, which share their iterator, take an item at a time."""
        self._begin(lane.from_queue(start, overhead, Pace(batch)))

    def _begin(self, task: Iterator[Operation]) -> None:
        # lanes begin together, not each within the order that adds it
        self.world.engine.after(0.0, partial(self.world.engine.start, task))

    def _add_worker(self, ready: float, lanes: int, batch: int | None) -> None:
        host = Host(self.world)
        feed = Feed(self.main, self.queue, lanes, batch)
        for place in range(lanes):
            lane = self._lane("process", host, shared=lanes > 1)
            threads = 0.0 if self.world.script.is_async else self.world.costs.thread_start * place
            self._begin(lane.from_feed(feed, ready + threads))


def simulate(
    script: Script, plan: Plan, machine: Machine, costs: Costs | None = None, *, seed: int = 0
) -> Outcome:
    """Run a workload under a plan in virtual time; plans with the same seed meet the same items."""
    controls = Controls(script, machine, costs or Costs(), seed)
    controls.obey(plan)
    return controls.play()


def steer(script: Script, agent: Agent, machine: Machine, costs: Costs, *, seed: int = 0) -> Outcome:
    """Run a workload in virtual time under an agent that adds and removes lanes."""
    controls = Controls(script, machine, costs, seed)
    controls.queue.told = lambda completion: agent.completed(completion, controls)
    agent.began(controls)
    return controls.play()
