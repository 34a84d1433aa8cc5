"""Workloads described: what each item does, one phase after another, with times drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log, sqrt
from random import Random
from typing import TypeAlias

from attrs import field, frozen

from ..._facts._profile import Payload

__all__ = [
    "Block",
    "Call",
    "Exponential",
    "Locked",
    "LogNormal",
    "Native",
    "Phase",
    "Python",
    "Script",
    "Server",
    "Uniform",
    "Wait",
    "draw",
    "exactly",
]


@frozen
class Exponential:
    """An exponential time: as irregular as calls from outside."""

    mean: float

    def sample(self, random: Random) -> float:
        """One value, in seconds."""
        return random.expovariate(1.0 / self.mean)


@frozen
class Uniform:
    """A time anywhere between two."""

    low: float
    high: float

    def sample(self, random: Random) -> float:
        """One value, in seconds."""
        return random.uniform(self.low, self.high)


@frozen
class LogNormal:
    """A log-normal time of some mean and coefficient of variation: most short, a few long."""

    mean: float
    variation: float

    def sample(self, random: Random) -> float:
        """One value, in seconds."""
        variance = log(1.0 + self.variation**2)
        return random.lognormvariate(log(self.mean) - variance / 2.0, sqrt(variance))


Seconds: TypeAlias = float | Exponential | Uniform | LogNormal


def draw(seconds: Seconds, random: Random) -> float:
    """A time: as it is, or drawn."""
    return seconds if isinstance(seconds, (int, float)) else seconds.sample(random)


@frozen
class Python:
    """Computing while holding the GIL."""

    seconds: Seconds


@frozen
class Native:
    """Computing without the GIL.

    Attributes:
        seconds: How long it takes alone.
        threads: Cores it uses at once.
        inflation: Factor by which each further one at the same time lengthens it.
    """

    seconds: Seconds
    threads: int = 1
    inflation: float = 1.0


@frozen
class Wait:
    """Waiting that any number of items may do at once; a coroutine awaits it."""

    seconds: Seconds


@frozen
class Block:
    """Waiting that a coroutine does while holding its loop; for a `def` as `Wait`."""

    seconds: Seconds


@frozen
class Call:
    """A call of a server, which may queue it."""

    server: str
    seconds: Seconds


@frozen
class Locked:
    """Phases done while holding a lock.

    Attributes:
        name: Which lock.
        body: What is done with it.
        shared: Whether all processes share it, like a file's or a database's.
    """

    name: str
    body: tuple[Phase, ...]
    shared: bool = False


Phase: TypeAlias = Python | Native | Wait | Block | Call | Locked


@frozen
class Server:
    """Something that calls go to: a service, a disk, a database.

    Attributes:
        capacity: Calls served at once; those beyond it queue.
    """

    capacity: int


_FREE = Payload()


@frozen
class Script:
    """A workload.

    Attributes:
        phases: What an item does, or what tells that from the item's index.
        items: How many there are.
        is_async: Whether it is a coroutine function.
        servers: What is called, by name.
        payload: What sending an item to another process and its result back costs.
    """

    phases: tuple[Phase, ...] | Callable[[int], tuple[Phase, ...]]
    items: int
    is_async: bool = False
    servers: Mapping[str, Server] = field(factory=dict[str, Server])
    payload: Payload = _FREE

    def phases_of(self, index: int, seed: int) -> tuple[Phase, ...]:
        """What one item does, with its times drawn: the same whenever it is asked for."""
        phases = self.phases(index) if callable(self.phases) else self.phases
        random = Random(seed * 1_000_003 + index)  # noqa: S311 - a simulation, not a secret
        return tuple(_drawn(phase, random) for phase in phases)


def _drawn(phase: Phase, random: Random) -> Phase:
    match phase:
        case Locked(name, body, shared):
            return Locked(name, tuple(_drawn(each, random) for each in body), shared)
        case Call(server, seconds):
            return Call(server, draw(seconds, random))
        case Native(seconds, threads, inflation):
            return Native(draw(seconds, random), threads, inflation)
        case _:
            return type(phase)(draw(phase.seconds, random))


def exactly(seconds: object) -> float:
    """A time that was drawn already."""
    assert isinstance(seconds, (int, float))
    return seconds
