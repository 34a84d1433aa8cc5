"""The controller on hundreds of random workloads in virtual time, against a grid of fixed plans."""

from math import exp, log
from random import Random
from statistics import fmean

import pytest

from concurrent_choices._facts._machine import Machine
from concurrent_choices._facts._plan import Plan
from concurrent_choices._judge._controller._rehearsal import rehearse
from concurrent_choices._judge._simulator import (
    Call,
    Locked,
    LogNormal,
    Native,
    Python,
    Script,
    Server,
    Wait,
    simulate,
)

KINDS = ("cpu", "native", "wait", "server", "lock", "mixed", "drift")


def drawn(random, kind):
    """A workload of a kind, of half a second or five seconds."""
    each = 10 ** random.uniform(-3.5, -1.3)
    count = max(2, min(1500, int(random.choice([0.5, 5.0]) / each)))
    spread = random.choice([0.0, 0.3, 1.0])

    def time(seconds):
        return LogNormal(seconds, spread) if spread else seconds

    share = random.uniform(0.1, 0.9)
    first, second = random.choice([(Python, Wait), (Wait, Python), (Wait, Native)])
    phases = {
        "cpu": (Python(time(each)),),
        "native": (Native(time(each)),),
        "wait": (Wait(time(each)),),
        "server": (Call("s", time(each)),),
        "lock": (Locked("l", (Wait(time(each)),), shared=True),),
        "mixed": (Python(time(share * each)), Wait(time((1 - share) * each))),
        "drift": lambda index: ((first if index < count // 2 else second)(time(each)),),
    }
    return Script(phases[kind], count, servers={"s": Server(capacity=random.choice([4, 8, 64]))})


def plans(machine):
    """What an expert might have written by hand."""
    cores = round(machine.cpus)
    yield Plan(strategy="sequential")
    for lanes in (2, 4, 8, 16, 32, 64, 128):
        yield Plan(strategy="thread", workers=lanes, concurrency=lanes, batch=1)
    if cores > 1:
        yield Plan(strategy="process", workers=cores, concurrency=cores)
        for inside in (4, 16):
            yield Plan(strategy="hybrid", workers=cores, concurrency=cores * inside)


def regret(kind, seed):
    """The controller's time over the best plan's, on one workload and machine."""
    random = Random(f"{kind} {seed}")
    machine = Machine(cpus=random.choice([1, 2, 8, 64]))
    script = drawn(random, kind)
    outcome, _ = rehearse(script, machine, seed=seed)
    assert outcome.items == script.items
    return outcome.seconds / min(
        simulate(script, plan, machine, seed=seed).seconds for plan in plans(machine)
    )


@pytest.mark.parametrize(
    ("kind", "most"),
    [
        ("cpu", 1.15),
        ("native", 1.45),
        ("wait", 1.3),
        ("server", 1.25),
        ("lock", 1.05),
        ("mixed", 1.6),
        ("drift", 1.7),
    ],
)
def test_regret_in_virtual_time(kind, most):
    """Every item is done, and the geometric mean of the regrets stays where it was measured."""
    assert exp(fmean(log(regret(kind, seed)) for seed in range(8))) <= most


@pytest.mark.parametrize("kind", KINDS)
def test_one_core_is_never_much_slower_than_sequential(kind):
    """Where nothing helps, deciding costs next to nothing."""
    random = Random(f"one core {kind}")
    machine, script = Machine(cpus=1), drawn(random, kind)
    outcome, _ = rehearse(script, machine)
    alone = simulate(script, Plan(strategy="sequential"), machine).seconds
    assert outcome.seconds <= 1.1 * alone + 0.005
