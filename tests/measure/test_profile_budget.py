"""How much of a job profiling makes and how long it takes: a budget, a share of the work, enough."""

import pytest
from measure_fakes import FakeWitness
from profiled import Called, sampled

from concurrent_choices._measure._allowance import AFTERWARDS, Allowance
from concurrent_choices._measure._bench import Bench
from concurrent_choices._measure._profiler import profile_at
from concurrent_choices._runtime._hand import OwnHand


@pytest.mark.parametrize(("budget", "calls"), [(0.0, 1), (0.05, 1), (0.25, 2)])
def test_the_budget(clock, budget, calls):
    """What would not come back in time is not begun; the first call is always made."""
    fn = Called(clock, wall=0.1)

    sampled(fn, range(1000), clock=clock, budget=budget)

    assert len(fn.items) == calls


def test_slow_calls_may_take_a_twentieth_of_the_work(clock):
    """Where that is more than the budget, and no more than the caller allows."""
    fn = Called(clock, wall=0.3)

    profile_at(Bench(fn, range(100), clock=clock, is_async=False, hand=OwnHand), FakeWitness(), 0.2, most=1.0)

    assert 0.9e9 <= clock.wall() <= 1.0e9


def test_of_a_twentieth_some_is_kept_for_judging():
    """A verdict is due by then, and sampling took all of it."""
    allowance = Allowance.of(0, 0.2, 10.0, 100)

    assert allowance.after(int(0.3e9)) == pytest.approx((1.5 - AFTERWARDS) * 1e9)


def test_a_slow_beginning_is_no_slow_work(clock):
    """What only the first call took says nothing of the whole, of which sampling may take its part."""
    fn = Called(clock, wall=0.001)
    fn.times = {"wall": 0.3}
    fn.result = lambda item: fn.times.update(wall=0.001)

    profile_at(
        Bench(fn, range(1000), clock=clock, is_async=False, hand=OwnHand), FakeWitness(), 0.2, most=1.0
    )

    assert len(fn.items) == 2


def test_a_slow_beginning_leaves_time_to_watch(clock):
    """Two more calls were made where new memory took 150 ms of 200, and what they do was not seen."""
    fn = Called(clock, wall=0.15)
    fn.result = lambda item: fn.times.update(wall=0.0025)

    sampled(fn, range(60), clock=clock, budget=0.2)

    assert len(fn.items) > 8


def test_few_slow_calls_get_the_budget(clock):
    """A twentieth of three calls is nothing."""
    fn = Called(clock, wall=0.3)

    profile_at(Bench(fn, range(3), clock=clock, is_async=False, hand=OwnHand), FakeWitness(), 0.2, most=1.0)

    assert len(fn.items) == 1


def test_enough_is_enough(clock):
    """Calls that all take the same time need no second of sampling."""
    fn = Called(clock, wall=0.001)

    sampled(fn, range(100_000), clock=clock, budget=10.0)

    assert clock.wall() < 0.2e9


@pytest.mark.parametrize(("growth", "calls"), [(0.0, 3), (0.01, 6)])
def test_two_long_waits_that_are_alike_are_enough(clock, growth, calls):
    """What time is left is better spent on several lanes at once."""
    fn = Called(clock, wall=0.022)
    fn.result = lambda item: fn.times.update(wall=fn.times["wall"] + growth)

    sampled(fn, range(100_000), clock=clock, budget=1.5)

    assert len(fn.items) == calls


@pytest.mark.parametrize("looked_up", [True, False])
def test_waiting_for_items_is_not_calling(clock, looked_up):
    """An iterable that takes longer than the budget to give its first item has that item called."""

    class Slow(list):
        def __getitem__(self, place):
            clock.spend(wall=1.0)
            return super().__getitem__(place)

    def slow():
        clock.spend(wall=1.0)
        yield from range(100)

    fn = Called(clock, wall=0.01)
    sample = sampled(fn, Slow(range(100)) if looked_up else slow(), clock=clock, budget=0.5)

    assert sample.profile.wall == pytest.approx(0.01)


def test_half_of_few_items_is_spared_for_trials(clock):
    """One lane does not use up what two are to be tried on; where all is next to nothing, it may."""
    few, tiny = Called(clock, wall=0.005, cpu=0.005), Called(clock, wall=0.000_5)

    sampled(few, range(20), clock=clock)
    sampled(tiny, range(20), clock=clock)

    assert len(few.items) == 10
    assert len(tiny.items) == 20


def given_slowly(clock, seconds):
    """Numbers that take their time to come."""
    for number in range(1000):
        clock.spend(wall=seconds)
        yield number


def test_what_is_slow_to_give_items_is_asked_for_no_more_than_there_is_time_for(clock):
    """A round of quick calls had 27 items brought, a tenth of a second each, for a budget of a quarter."""
    fn = Called(clock, wall=0.0001)

    profile = sampled(fn, given_slowly(clock, 0.1), clock=clock, budget=0.25).profile

    assert len(fn.items) <= 5
    assert profile.source == pytest.approx(0.1)
    assert profile.wall == pytest.approx(0.0001)
