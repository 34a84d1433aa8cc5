import pytest
from attrs import evolve
from judge_cases import FREE, TWO, coroutine, function

from concurrent_choices._facts._costs import Costs
from concurrent_choices._facts._machine import Machine
from concurrent_choices._judge._formulas import STRATEGIES, case_of
from concurrent_choices._judge._search import best_plan, plans_for

EIGHT = Machine(cpus=8)


def best(profile, items, strategy, machine=TWO, costs=FREE):
    return best_plan(case_of(profile, costs, machine, items), strategy)[0]


def test_computing_wants_as_many_lanes_as_cores():
    """Outside the GIL threads, under it processes; not one more than there are cores."""
    assert best(function(3, cpu=3), 100, "thread").workers == 2
    assert best(function(3, cpu=3, gil=3), 1000, "process", EIGHT).workers == 8


def test_python_code_wants_one_thread():
    """More would only switch."""
    assert best(function(3, cpu=3, gil=3), 100, "thread").workers == 1


def test_waiting_wants_as_many_threads_as_may_be():
    """Up to 64, and up to 256 if the waits are long."""
    assert best(function(1), 100_000, "thread").workers == 64
    assert best(function(100), 100_000, "thread").workers == 256


def test_a_coroutine_may_wait_a_thousand_times():
    """They cost half a kilobyte each."""
    assert best(coroutine(100), 100_000, "asyncio").concurrency == 1000


def test_no_more_lanes_than_items():
    """Seven items need seven threads."""
    assert best(function(50), 7, "thread").workers == 7


def test_a_few_items_are_not_left_for_another_wave():
    """Where nearly as many may be in flight as there are, all are."""
    assert best(coroutine(20, held=0.2, cpu=0.2), 100, "asyncio").concurrency == 100
    assert best(function(20), 120, "thread").workers == 120


def test_saturated_lanes_are_not_multiplied():
    """A third of it under the GIL: a few threads reach what hundreds would."""
    assert best(function(3, cpu=1, gil=1), 1000, "thread").workers <= 32


def test_native_threads_divide_the_lanes():
    """A call that keeps four of eight cores busy wants two of its kind."""
    profile = function(10, cpu=10, native=3.0)
    assert best(profile, 1000, "thread", EIGHT).workers == 2
    assert best(profile, 1000, "process", EIGHT).workers == 2


def test_lanes_in_workers_are_not_tried_beyond_the_cores_where_nothing_waits():
    """To ask about a machine of 64 CPUs took most of a verdict's time, for plans that nothing speaks for."""
    computing = case_of(function(3, cpu=3, gil=3), FREE, Machine(cpus=64), 1000)
    tried = list(plans_for(computing, "hybrid"))

    assert tried
    assert all(plan.concurrency <= max(2 * plan.workers, 64 + plan.workers) for plan in tried)
    assert len(tried) < len(list(plans_for(case_of(function(3), FREE, Machine(cpus=64), 1000), "hybrid"))) / 2


@pytest.mark.parametrize("profile", [coroutine(20, held=0.5, cpu=0.5), coroutine(5, held=5, cpu=5)])
def test_anyio_is_never_faster_than_asyncio(profile):
    """So nobody need ask whether it would be, were something otherwise."""
    case = case_of(profile, Costs(), TWO, 1000)
    fastest = {each: best_plan(case, each)[1].seconds for each in ("asyncio", "anyio")}

    assert fastest["asyncio"] <= fastest["anyio"]


def test_processes_that_wait_may_be_more_than_cores():
    """Four per core at most."""
    assert best(function(10, cpu=1, gil=1), 1000, "process").workers == 8


def test_memory_limits_processes():
    """A container of 200 MB holds three workers, however many cores it sees."""
    small = Machine(cpus=8, memory=200_000_000)
    assert best(function(3, cpu=3, gil=3), 1000, "process", small).workers == 3


def test_lanes_stop_where_trials_delivered_less():
    """Eight were best."""
    profile = function(20, ramp=((8, 6.0), (16, 4.0)))
    assert best(profile, 1000, "thread").workers <= 8


def test_threads_that_slow_each_other_down_are_not_wanted():
    """Two read small files more slowly than one; without the GIL that may be otherwise."""
    slower = function(0.03, cpu=0.03, gil=0.015, pair_speedup=0.7, pair_parallelism=1.6)
    free = Machine(cpus=8, gil=False)
    assert best(slower, 1000, "thread", EIGHT).workers == 1
    assert best(slower, 1000, "thread", free).workers == 8
    assert best(slower, 1000, "process", EIGHT).workers == 8


def test_batches_are_sized_where_the_parent_would_limit():
    """Sixty-four workers on items of a tenth of a millisecond: several in a message."""
    costs = evolve(Costs(), process_start=0.0, process_worker=0.0)
    many = Machine(cpus=64)
    plan = best(function(0.6, cpu=0.6, gil=0.6), 1_000_000, "process", many, costs)
    assert plan.batch is not None
    assert plan.batch > 10


def test_batches_adapt_where_they_can():
    """Otherwise nobody need fix them."""
    assert best(function(3, cpu=3, gil=3), 1000, "process").batch is None


def test_a_hybrid_has_lanes_in_several_processes():
    """Otherwise it would be something simpler."""
    plan = best(function(10, cpu=5, gil=5), 1000, "hybrid", EIGHT)
    assert plan.workers == 8
    assert plan.concurrency >= 16


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("items", [0, 1, 2, 5])
@pytest.mark.parametrize("profile", [function(20), coroutine(20, held=1, cpu=1)])
def test_there_is_a_plan_for_few_items_too(strategy, items, profile):
    """On one core as well."""
    case = case_of(profile, Costs(), Machine(cpus=1), items)
    assert list(plans_for(case, strategy))
    plan, prediction = best_plan(case, strategy)
    assert plan.strategy == strategy
    assert plan.workers >= 1
    assert plan.concurrency <= max(2, items)
    assert prediction.seconds >= 0


def test_tiny_items_are_not_spread():
    """A microsecond each: starting anything costs more than all of them."""
    assert best(function(0.001, cpu=0.001, gil=0.001), 50, "thread", costs=Costs()).workers == 1
