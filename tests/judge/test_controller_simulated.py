"""The controller on hundreds of random workloads in virtual time, against a grid of fixed plans."""

from functools import partial
from math import exp, log
from random import Random
from statistics import fmean

import pytest
from benchmarks.regret._drawn import KINDS, MACHINES, drawn, regret_of

from concurrent_choices import run
from concurrent_choices._facts._machine import Machine
from concurrent_choices._facts._plan import Plan
from concurrent_choices._judge._simulator import Native, Python, Script, Wait, rehearse, simulate


def regret(kind, seed):
    """The controller's time over the best plan's, on a workload and a machine."""
    random = Random(f"{kind} {seed}")
    cores = random.choice(MACHINES)
    return regret_of(drawn(random, kind), cores, seed)


@pytest.mark.parametrize(
    ("kind", "most"),
    [
        ("cpu", 1.05),
        ("native", 1.2),
        ("wait", 1.2),
        ("server", 1.1),
        ("lock", 1.05),
        ("mixed", 1.15),
        ("drift", 1.25),  # the best plan knows when the heavy items come, and starts workers in 20 ms
    ],
)
def test_regret_in_virtual_time(kind, most):
    """Every item is done, and the geometric mean of the regrets stays where it was measured."""
    regrets = run(partial(regret, kind), range(8), strategy="process")  # seconds of computing each
    assert exp(fmean(map(log, regrets))) <= most


@pytest.mark.parametrize(("share", "most"), [(0.2, 1.3), (0.5, 1.3), (0.8, 1.1)])
def test_items_that_need_the_gil_for_a_part_of_their_time(share, most):
    """Two threads compute beside each other, and eight take turns; processes need not."""
    script, machine = Script((Python(2e-3 * share), Native(2e-3 * (1 - share))), 2000), Machine(cpus=8)
    plan = Plan(strategy="process", workers=8, concurrency=8)
    assert rehearse(script, machine).seconds <= most * simulate(script, plan, machine).seconds


def test_items_that_grow_while_workers_come_up_are_given_to_them():
    """Held against what items took before that, workers looked no faster, for good: 1.7 times as long."""
    script, machine = Script(lambda item: (Python(0.5e-3 * (1 + 11 * item / 250)),), 250), Machine(cpus=2)
    plan = Plan(strategy="process", workers=2, concurrency=2)
    assert rehearse(script, machine).seconds <= 1.1 * simulate(script, plan, machine).seconds


@pytest.mark.parametrize("kind", KINDS)
def test_one_core_is_never_much_slower_than_sequential(kind):
    """Where nothing helps, deciding costs next to nothing."""
    random = Random(f"one core {kind}")
    machine, script = Machine(cpus=1), drawn(random, kind)
    outcome = rehearse(script, machine)
    alone = simulate(script, Plan(strategy="sequential"), machine).seconds
    assert outcome.seconds <= 1.1 * alone + 0.005


@pytest.mark.parametrize(("quick", "each"), [(500, 2e-3), (3000, 1.2e-3)])
@pytest.mark.parametrize("computed", [0.3e-3, 1e-3, 2e-3])
def test_quick_items_do_not_make_those_that_wait_look_crowded(quick, each, computed):
    """As of a server that has only refused at first: 1,000 calls of 20 ms took up to 6.3 s instead of 1.1."""

    def phases(item):
        return (Python(each),) if item < quick else (Python(computed), Wait(20e-3))

    outcome = rehearse(Script(phases, quick + 1000), Machine(cpus=1))
    assert outcome.seconds - quick * each <= 1.1 * 1000 * computed + 0.1


@pytest.mark.parametrize(
    ("kind", "seed", "cores", "most"),
    [
        ("wait", 1787, 64, 2.6),  # 7.4: three calls that happened to be quick made the others look crowded
        ("wait", 1045, 2, 1.5),  # 4.8
        ("server", 871, 64, 1.8),  # 3.6
        ("mixed", 1510, 8, 1.6),  # 2.7: lanes filled the GIL until enough of them had come back
        ("mixed", 1083, 64, 1.9),  # 2.4
        ("mixed", 691, 64, 1.9),  # 3.5: sixteen lanes for a call that had computed for as long as it slept
        ("drift", 1259, 64, 1.2),  # 3.5: every lane that came back from sleep took a call that computed
        ("drift", 1567, 64, 1.2),  # 3.5
        ("drift", 146, 8, 1.2),  # 2.5: workers were held against calls that had been asleep
        ("mixed", 1293, 2, 1.25),  # 2.1: workers were held against four items, for good
    ],
)
def test_what_was_lost_once(kind, seed, cores, most):
    """Workloads that were among the worst of 2,000, for a reason that is gone."""
    assert regret_of(drawn(Random(f"{kind} {seed}"), kind), cores, seed) <= most
