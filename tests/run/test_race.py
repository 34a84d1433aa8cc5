import asyncio
from contextvars import ContextVar
from functools import partial

import anyio
import pytest
import verdict_callables as callables
from attrs import evolve

from concurrent_choices._facts._costs import Costs
from concurrent_choices._facts._estimate import Estimate
from concurrent_choices._facts._machine import Machine
from concurrent_choices._facts._plan import Plan
from concurrent_choices._facts._profile import Profile
from concurrent_choices._facts._recommendation import Recommendation
from concurrent_choices._judge._formulas import case_of
from concurrent_choices._judge._obstacles import IN_PROCESSES
from concurrent_choices._measure._feed import Feed
from concurrent_choices._measure._profiler import Sampled
from concurrent_choices._run._choosing import _raced
from concurrent_choices._run._leftover import Leftover
from concurrent_choices._run._race import HEATS, SHARE, Race
from concurrent_choices._strategies._registry import strategy_for
from descriptors import no_descriptors


def told(strategy, seconds, workers=1, concurrency=None):
    plan = Plan(strategy=strategy, workers=workers, concurrency=concurrency or workers)
    return Estimate(plan=plan, seconds=seconds)


def verdict_of(*estimates):
    return Recommendation(
        name="work",
        items=1000,
        plan=estimates[0].plan,
        estimates=estimates,
        bound="cpu",
        diagnosis="mixed",
        reason="",
        contenders=tuple(each.plan for each in estimates),
    )


def race(fn, items=1000, given=None, costs=None):
    case = case_of(Profile(), costs or Costs(), Machine(cpus=2), items)
    return Race(Leftover(fn, Sampled(Profile(), (), (), Feed(given or range(items)))), case)


SEQUENTIAL, THREADS, PROCESSES = (
    told("sequential", 1.0),
    told("thread", 1.0, workers=2),
    told("process", 0.6, workers=2),
)

AMPLE = 60.0
"""Seconds for a race that takes milliseconds: on a busy machine its first heats may take longer."""


def test_each_contender_gets_as_many_items():
    """Each heat of items of its own; every item once, and each result in its place."""
    calls = []
    held = race(lambda item: calls.append(item) or -item)

    measured = held.hold(verdict_of(SEQUENTIAL, THREADS), 1000, AMPLE)

    assert set(measured) == {"sequential", "thread"}
    assert sorted(calls) == list(range(len(calls)))
    assert len(calls) % (2 * HEATS) == 0
    assert 0 < len(calls) <= 1000 * SHARE
    assert held.leftover.results == {item: -item for item in calls}


TENANT = ContextVar("tenant", default="nobody")


def ask(item):
    return item, TENANT.get()


async def ask_waiting(item):
    await asyncio.sleep(0)
    return ask(item)


def ask_anew(item):
    return anyio.run(ask_waiting, item)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize(
    ("fn", "rival"),
    [
        (ask, THREADS),
        (ask_anew, THREADS),
        (ask_waiting, told("asyncio", 1.0, concurrency=2)),
        (abs, told("process", 1.0, workers=2)),
    ],
)
def test_a_running_loop_can_hold_a_race(fn, rival, backend):
    """It waits meanwhile, as in a notebook; the calls are made in its context."""
    held = race(fn, items=300)

    async def main():
        TENANT.set("somebody")
        return held.hold(verdict_of(SEQUENTIAL, rival), 300, AMPLE)

    measured = anyio.run(main, backend=backend)
    results = held.leftover.results
    assert set(measured) == {"sequential", rival.plan.strategy}
    assert results == {item: item if fn is abs else (item, "somebody") for item in results}


def test_a_single_contender_does_not_race():
    """It has won already."""
    held = race(abs)
    assert held.hold(verdict_of(SEQUENTIAL), 1000, 1.0) == {}
    assert held.leftover.results == {}


@pytest.mark.parametrize(("left", "seconds"), [(10, 1.0), (1000, 0.01)])
def test_without_items_or_time_there_is_no_race(left, seconds):
    """A heat of no items, or of no time, tells nothing."""
    held = race(abs)
    assert held.hold(verdict_of(SEQUENTIAL, THREADS), left, seconds) == {}
    assert held.leftover.results == {}


def test_processes_stay_away_where_starting_them_takes_all_the_time():
    """The others race without them."""
    held = race(lambda item: item, costs=Costs(process_start=AMPLE))
    measured = held.hold(verdict_of(PROCESSES, SEQUENTIAL, THREADS), 1000, AMPLE)
    assert set(measured) == {"sequential", "thread"}


def test_who_cannot_start_withdraws(monkeypatch, tmp_path):
    """As with a server whose descriptors are used up: the others race, and the verdict says why."""
    monkeypatch.chdir(tmp_path)  # no workers rest there
    calls = []
    held = race(lambda item: calls.append(item) or item)
    with no_descriptors():
        verdict = _raced(verdict_of(PROCESSES, SEQUENTIAL, THREADS), held.leftover, Costs(), AMPLE)
        alone = race(abs).hold(verdict_of(PROCESSES, SEQUENTIAL), 1000, AMPLE)

    assert {each.plan.strategy for each in verdict.estimates if each.measured} == {"sequential", "thread"}
    assert "Too many open files" in verdict.estimate("process").obstacle
    assert verdict.plan.strategy not in IN_PROCESSES
    assert sorted(calls) == list(range(len(calls)))
    assert alone == {}


def test_whose_workers_cannot_load_the_callable_withdraws():
    """As one that holds a template of Jinja. The reason, which the table gives, names the callable."""
    held = race(partial(callables.compute_beside, callables.Sealed()))
    measured = held.hold(verdict_of(PROCESSES, SEQUENTIAL, THREADS), 1000, AMPLE)
    assert set(measured) == {"sequential", "thread"}
    assert "a worker process cannot load compute_beside: ValueError" in held.obstacle


def test_no_heat_begins_where_starting_took_all_the_time():
    """What starting takes is known from earlier; a callable that loads much may take longer."""
    held = race(abs)
    held.heats = {SEQUENTIAL.plan: []}
    held._run_heats([(SEQUENTIAL.plan, strategy_for(SEQUENTIAL.plan))], 10, deadline=0.0)
    assert held.heats == {SEQUENTIAL.plan: []}
    assert held.leftover.results == {}


def test_many_lanes_need_as_many_items():
    """Twice as many at least; a plan of 400 threads cannot race with 200 items."""
    wide = told("thread", 0.1, workers=400)
    assert race(abs).hold(verdict_of(SEQUENTIAL, wide), 1000, 1.0) == {}


def test_an_item_that_raises_ends_the_race():
    """What was called is kept, raised or not, under its own index."""

    def fn(item):
        if item == 7:
            raise ValueError(item)
        return item

    held = race(fn)
    assert held.hold(verdict_of(SEQUENTIAL, THREADS), 1000, AMPLE) == {}
    assert held.leftover.raised == {7}
    assert isinstance(held.leftover.results[7], ValueError)
    assert held.leftover.results[7].__notes__ == ["raised by item 7: 7"]
    assert all(held.leftover.results[item] == item for item in held.leftover.results if item != 7)


def test_an_iterable_that_raises_ends_the_race():
    """What was drawn before is called, each item once; its error is raised in its place, by the run."""

    def items():
        yield from range(100)
        raise OSError("gone")

    calls = []
    held = race(lambda item: calls.append(item) or item, given=items())
    assert held.hold(verdict_of(SEQUENTIAL, THREADS), 1000, AMPLE) == {}
    assert sorted(calls) == sorted(held.leftover.results) == list(range(100))
    with pytest.raises(OSError, match="gone"):
        held.leftover.finish("sequential", timeout=None, return_exceptions=False)
    assert len(calls) == 100


def test_fewer_items_than_were_said_end_the_race():
    """Those there were have been done."""
    held = race(abs, items=20)
    assert held.hold(verdict_of(SEQUENTIAL, THREADS), 1000, AMPLE) == {}
    assert held.leftover.results == {item: item for item in range(20)}


def test_what_a_race_teaches_of_processes():
    """How long a worker took beyond what starting one costs, and what two of them did."""
    held = race(abs)
    held.starts = {"process": 0.5}
    held.heats = {PROCESSES.plan: [0.5, 0.6, 0.4]}
    learnt = held.learnt(Profile(wall=0.1))

    assert 0.2 < learnt.payload.load_seconds <= 0.4
    assert learnt.process_speedup == pytest.approx(0.2)
    assert race(abs).learnt(Profile(wall=0.1)) == Profile(wall=0.1)


def test_what_is_slow_to_give_items_is_part_of_what_a_race_says():
    """The items of a heat are there when it begins."""
    held = race(abs)
    slow = evolve(held.case, profile=Profile(source=1.0))
    measured = evolve(held, case=slow).hold(verdict_of(SEQUENTIAL, THREADS), 1000, AMPLE)
    assert measured["sequential"] > 1000.0
    assert measured["thread"] == pytest.approx(1000.0, rel=0.01)
