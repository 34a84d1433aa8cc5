"""Workloads and machines drawn at random, in the simulator's time: the controller against fixed plans."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from concurrent_choices._facts._machine import Machine
from concurrent_choices._facts._plan import Plan
from concurrent_choices._judge._simulator import (
    Call,
    Locked,
    LogNormal,
    Native,
    Python,
    Script,
    Server,
    Wait,
    rehearse,
    simulate,
)

__all__ = ["KINDS", "MACHINES", "best_of", "drawn", "plans", "regret_of", "taken_by_auto"]

KINDS = ("cpu", "native", "wait", "server", "lock", "mixed", "drift")
MACHINES = (1, 2, 8, 64)
"""Cores."""


def drawn(random: Random, kind: str, sizes: Sequence[float] = (0.5, 5.0)) -> Script:
    """A workload of a kind, that lasts one of these seconds where each item takes as long as the mean."""
    each = 10 ** random.uniform(-3.5, -1.3)
    count = max(2, min(1500, int(random.choice(sizes) / each)))
    time = _times(random.choice([0.0, 0.3, 1.0]))
    share = random.uniform(0.1, 0.9)
    first, second = random.choice([(Python, Wait), (Wait, Python), (Wait, Native)])
    phases: dict[str, Any] = {
        "cpu": (Python(time(each)),),
        "native": (Native(time(each)),),
        "wait": (Wait(time(each)),),
        "server": (Call("s", time(each)),),
        "lock": (Locked("l", (Wait(time(each)),), shared=True),),
        "mixed": (Python(time(share * each)), Wait(time((1 - share) * each))),
        "drift": lambda index: ((first if index < count // 2 else second)(time(each)),),
    }
    return Script(phases[kind], count, servers={"s": Server(capacity=random.choice([4, 8, 64]))})


def _times(spread: float) -> Callable[[float], Any]:
    """Items that take as long as one another, or are spread around it."""
    return lambda seconds: LogNormal(seconds, spread) if spread else seconds


def plans(cores: int) -> Iterator[Plan]:
    """What an expert might have written by hand."""
    yield Plan(strategy="sequential")
    for lanes in (2, 4, 8, 16, 32, 64, 128):
        yield Plan(strategy="thread", workers=lanes, concurrency=lanes, batch=1)
    if cores > 1:
        yield Plan(strategy="process", workers=cores, concurrency=cores)
        for inside in (4, 16):
            yield Plan(strategy="hybrid", workers=cores, concurrency=cores * inside)


def best_of(script: Script, cores: int, seed: int) -> float:
    """Seconds of the best of these plans."""
    machine = Machine(cpus=cores)
    return min(simulate(script, plan, machine, seed=seed).seconds for plan in plans(cores))


def taken_by_auto(script: Script, cores: int, seed: int) -> float:
    """Seconds of the controller.

    Raises:
        AssertionError: Items were left.
    """
    outcome = rehearse(script, Machine(cpus=cores), seed=seed)
    if outcome.items != script.items:
        message = f"{outcome.items} of {script.items} items were done: seed {seed} on {cores} cores"
        raise AssertionError(message)
    return outcome.seconds


def regret_of(script: Script, cores: int, seed: int) -> float:
    """The controller's time over the best plan's."""
    return taken_by_auto(script, cores, seed) / best_of(script, cores, seed)
