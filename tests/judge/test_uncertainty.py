from math import hypot

import pytest
from attrs import evolve
from judge_cases import FREE, MS, TWO, function

from concurrent_choices._facts._costs import Costs
from concurrent_choices._facts._plan import Plan
from concurrent_choices._facts._profile import Payload
from concurrent_choices._judge._formulas import _case, case_of
from concurrent_choices._judge._uncertainty import standard_error

SEQUENTIAL = Plan(strategy="sequential")
THREADS = Plan(strategy="thread", workers=2, concurrency=2)
PROCESSES = Plan(strategy="process", workers=2, concurrency=2)


def error(profile, plan, costs=FREE, items=100):
    return standard_error(case_of(profile, costs, TWO, items), plan)


def test_a_steady_item_leaves_the_error_of_the_model_and_the_mean():
    """Twenty percent of the model and one of the clock, of 0.5 s."""
    assert error(function(5), SEQUENTIAL) == pytest.approx(0.5 * hypot(0.2, 0.01), rel=1e-3)


def test_more_calls_make_it_smaller():
    """An irregular item, seen ten times or a thousand times."""
    irregular = function(5, wall_sd=5 * MS)
    often = evolve(irregular, calls=1000)
    assert error(irregular, SEQUENTIAL) == pytest.approx(0.5 * hypot(0.2, 10**-0.5), rel=1e-3)
    assert error(often, SEQUENTIAL) < 0.5 * 0.21


def test_a_few_calls_say_little_of_the_longest():
    """As many lanes as items wait for the longest, of which ten calls know less than a thousand."""
    lanes = Plan(strategy="thread", workers=100, concurrency=100)
    uneven = function(5, wall_sd=5 * MS, wall_max=15 * MS)
    often = evolve(uneven, calls=1000)
    assert error(uneven, lanes) > 5 * MS > 1.2 * error(often, lanes)


def test_sizes_that_tell_leave_less_doubt():
    """Of how calls differ only what the sizes of their items do not account for is chance."""
    uneven = function(5, wall_sd=5 * MS)
    told = evolve(uneven, by_size=0.99)
    assert error(told, SEQUENTIAL) == pytest.approx(0.5 * hypot(0.2, 0.1 * 10**-0.5), rel=1e-3)


def test_a_single_call_says_little():
    """Half of it, to be honest."""
    assert error(evolve(function(5), calls=1), SEQUENTIAL) > 0.24


def test_doubt_about_the_gil_matters_to_threads_and_not_to_one_lane():
    """Nothing seen of it: threads might be twice as slow as predicted; one lane does not care."""
    sure, unsure = function(5, cpu=5, gil=2.5), evolve(function(5, cpu=5, gil=2.5), gil_se=0.3)
    assert error(unsure, THREADS) > 1.5 * error(sure, THREADS)
    assert error(unsure, SEQUENTIAL) == pytest.approx(error(sure, SEQUENTIAL), rel=0.01)


def test_an_unmeasured_gil_is_doubtful():
    """Its error is larger than the witness's."""
    unseen = function(5, cpu=5, gil=0, missing=("gil: nobody looked",))
    seen = function(5, cpu=5, gil=5)
    assert error(unseen, THREADS) > error(seen, THREADS)


def test_payload_matters_to_processes():
    """Three pickled items are a small sample."""
    heavy = function(5, cpu=5, payload=Payload(item_seconds=5 * MS))
    assert error(heavy, PROCESSES) > 1.2 * error(function(5, cpu=5), PROCESSES)
    assert error(heavy, THREADS) == error(function(5, cpu=5), THREADS)


def test_start_up_is_uncertain_too():
    """Most of a short job in processes is start-up."""
    assert error(function(5, cpu=5, gil=5), PROCESSES, Costs(), 4) > 5 * MS


def test_passing_the_gil_on_is_doubtful_where_calls_are_short():
    """Half of 30 us under the GIL: getting it back takes nothing or 20 us more. Of 3 ms that is nothing."""
    costs = evolve(FREE, switch=20e-6)
    short, long = function(0.03, cpu=0.03, gil=0.015), function(3, cpu=3, gil=1.5)
    assert error(short, THREADS, costs) > 2 * error(short, THREADS)
    assert error(long, THREADS, costs) < 1.1 * error(long, THREADS)
    assert error(short, SEQUENTIAL, costs) == error(short, SEQUENTIAL)


def test_what_is_moved_for_one_plan_serves_all(monkeypatch):
    """Demands are derived by bisection: for each of seven strategies anew, that was 40 % of a verdict."""
    derived = []
    monkeypatch.setattr(_case, "case_of", lambda *given: derived.append(given) or case_of(*given))
    heavy = function(5, cpu=5, gil=4.75, payload=Payload(item_seconds=MS))
    case = case_of(heavy, Costs(), TWO, 1234)
    assert standard_error(case, THREADS) > 0 < standard_error(case, PROCESSES)
    assert len(derived) == 3
