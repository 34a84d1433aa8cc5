"""One process and what its items do in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..._facts._costs import Costs
from ..._facts._machine import Machine
from ._cores import Cores, Gil, Job
from ._engine import Engine, Gate, Operation, Resume, pause
from ._scripts import Block, Call, Locked, Native, Phase, Python, Script, Wait, exactly

__all__ = ["Host", "Usage", "World"]


class Usage:
    """What a lane has used up, as its clocks would show.

    Attributes:
        cpu: Seconds of computing.
        queued: Seconds runnable without a core.
    """

    __slots__ = ("cpu", "queued")

    def __init__(self) -> None:
        self.cpu = 0.0
        self.queued = 0.0


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

    def perform(
        self, phases: tuple[Phase, ...], usage: Usage, step: float = 0.0, loop: Gate | None = None
    ) -> Iterator[Operation]:
        """An item: of a `def` in whatever thread, of an `async def` on a loop that its caller has acquired.

        The loop is held except while the item awaits; each suspension costs it a `step` in seconds.
        """
        for phase in phases:
            if isinstance(phase, Locked):
                lock = self._lock(phase)
                yield from self._await((lock.acquire,), usage, step, loop)
                yield from self.perform(phase.body, usage, step, loop)
                lock.release()
            elif isinstance(phase, (Python, Native)):
                yield from self.compute(phase, usage)
            elif isinstance(phase, Block):
                yield from self._wait(phase)
            else:
                yield from self._await(self._wait(phase), usage, step, loop)

    def _await(
        self, operations: Iterable[Operation], usage: Usage, step: float, loop: Gate | None
    ) -> Iterator[Operation]:
        if loop is None:
            yield from operations
            return
        loop.release()
        yield from operations
        yield loop.acquire
        yield from self.hold(step, usage)

    def hold(self, seconds: float, usage: Usage) -> Iterator[Operation]:
        """Computing under the GIL."""
        usage.cpu += seconds
        yield self.gil.use(seconds)

    def compute(self, phase: Python | Native, usage: Usage) -> Iterator[Operation]:
        """Computing, under the GIL or not."""
        seconds = exactly(phase.seconds)
        if isinstance(phase, Python):
            yield from self.hold(seconds, usage)
            return
        world = self.world
        world.crunching += 1
        at_once = min(world.crunching, world.machine.cpus)
        slowed = seconds * (1.0 + (phase.inflation - 1.0) * max(0.0, at_once - 1))
        usage.cpu += slowed * phase.threads
        yield self._crunch(slowed, phase.threads, usage)
        world.crunching -= 1

    def _crunch(self, seconds: float, threads: int, usage: Usage) -> Operation:
        """Computing on several cores at once; over when the last is."""

        def operation(resume: Resume) -> bool:
            left = [threads]

            def submit() -> None:
                job = Job(seconds, lambda: over(job))
                self.world.cores.submit(job)

            def over(job: Job) -> None:
                usage.queued += job.waited / threads
                left[0] -= 1
                if not left[0]:
                    resume()

            for _ in range(threads if seconds > 0 else 0):
                submit()
            return seconds <= 0

        return operation

    def _wait(self, phase: Wait | Block | Call) -> Iterator[Operation]:
        server = self.world.servers[phase.server] if isinstance(phase, Call) else None
        if server is not None:
            yield server.acquire
        yield pause(self.engine, exactly(phase.seconds))
        if server is not None:
            server.release()

    def _lock(self, phase: Locked) -> Gate:
        locks = self.world.locks if phase.shared else self._locks
        return locks.setdefault(phase.name, Gate(self.engine))
