"""One process, and who performs items in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..._facts._costs import Costs
from ..._facts._machine import Machine
from ._cores import Cores, Gil, Job
from ._engine import Engine, Gate, Operation, Resume, pause
from ._scripts import Block, Call, Locked, Native, Phase, Python, Script, Wait, exactly

__all__ = ["Host", "Performer", "World"]


class World:
    """What all processes share: the clock, the cores, the memory, servers, and locks on files.

    Attributes:
        crunching: Items that compute without the GIL now, and share the memory's bandwidth.
    """

    def __init__(self, script: Script, machine: Machine, costs: Costs) -> None:
        self.engine = Engine()
        self.script = script
        self.machine = machine
        self.costs = costs
        self.cores = Cores(self.engine, machine.cpus)
        self.servers = {name: Gate(self.engine, each.capacity) for name, each in script.servers.items()}
        self.locks: dict[str, Gate] = {}
        self.crunching = 0


class Host:
    """A process: a GIL, an event loop, locks of its own."""

    def __init__(self, world: World) -> None:
        costs, engine = world.costs, world.engine
        self.world = world
        self.engine = engine
        self.gil = Gil(
            engine,
            world.cores,
            interval=costs.switch_interval,
            switch=costs.switch,
            enabled=world.machine.gil,
        )
        self.loop = Gate(engine)
        self._locks: dict[str, Gate] = {}

    def lock(self, phase: Locked) -> Gate:
        """What such a phase holds."""
        locks = self.world.locks if phase.shared else self._locks
        return locks.setdefault(phase.name, Gate(self.engine))


class Performer:
    """Performs items in a process, one after another.

    Args:
        step: Seconds that a suspension costs the loop.
        loop: The loop of an `async def`, which it holds except while it awaits; None for a `def`.

    Attributes:
        cpu: Seconds of computing, as its clock would show them.
        queued: Seconds runnable without a core.
    """

    def __init__(self, host: Host, step: float, loop: Gate | None) -> None:
        self.cpu = 0.0
        self.queued = 0.0
        self._host = host
        self._step = step
        self._loop = loop

    def item(self, phases: tuple[Phase, ...]) -> Iterator[Operation]:
        """Perform one."""
        costs, loop = self._host.world.costs, self._loop
        if loop is None:
            yield from self.hold(costs.call)
            yield from self._perform(phases)
            return
        yield loop.acquire
        yield from self.hold(costs.task_item)
        yield from self._perform(phases)
        loop.release()

    def hold(self, seconds: float) -> Iterator[Operation]:
        """Compute under the GIL."""
        self.cpu += seconds
        yield self._host.gil.use(seconds)

    def _perform(self, phases: tuple[Phase, ...]) -> Iterator[Operation]:
        for phase in phases:
            if isinstance(phase, Locked):
                lock = self._host.lock(phase)
                yield from self._await((lock.acquire,))
                yield from self._perform(phase.body)
                lock.release()
            elif isinstance(phase, Python):
                yield from self.hold(exactly(phase.seconds))
            elif isinstance(phase, Native):
                yield from self._compute(phase)
            elif isinstance(phase, Block):
                yield from self._wait(phase)
            else:
                yield from self._await(self._wait(phase))

    def _await(self, operations: Iterable[Operation]) -> Iterator[Operation]:
        if self._loop is None:
            yield from operations
            return
        self._loop.release()
        yield from operations
        yield self._loop.acquire
        yield from self.hold(self._step)

    def _compute(self, phase: Native) -> Iterator[Operation]:
        """Computing without the GIL."""
        world = self._host.world
        world.crunching += 1
        at_once = min(world.crunching, world.machine.cpus)
        slowed = exactly(phase.seconds) * (1.0 + (phase.inflation - 1.0) * max(0.0, at_once - 1))
        self.cpu += slowed * phase.threads
        yield self._crunch(slowed, phase.threads)
        world.crunching -= 1

    def _crunch(self, seconds: float, threads: int) -> Operation:
        """Computing on several cores at once; over when the last is."""

        def operation(resume: Resume) -> bool:
            left = [threads]

            def submit() -> None:
                job = Job(seconds, lambda: over(job))
                self._host.world.cores.submit(job)

            def over(job: Job) -> None:
                self.queued += job.waited / threads
                left[0] -= 1
                if not left[0]:
                    resume()

            for _ in range(threads if seconds > 0 else 0):
                submit()
            return seconds <= 0

        return operation

    def _wait(self, phase: Wait | Block | Call) -> Iterator[Operation]:
        host = self._host
        server = host.world.servers[phase.server] if isinstance(phase, Call) else None
        if server is not None:
            yield server.acquire
        yield pause(host.engine, exactly(phase.seconds))
        if server is not None:
            server.release()
