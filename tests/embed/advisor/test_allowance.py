"""How often the advisor looks: thorough at first, cheap for ever."""

from __future__ import annotations

from concurrent_choices._embed._advisor._allowance import FREE, LONGEST, LOOK, QUIET, SHARE, Allowance
from concurrent_choices._embed._advisor._middleware import MANY, SELDOM, Rate


def after(allowance, looks, cost, *, found=True):
    """The pause after so many looks."""
    return [allowance.pause(cost, 1, found=found) for _ in range(looks)][-1]


def test_it_looks_often_at_first():
    """What is free at first is not rationed."""
    assert after(Allowance(), 100, FREE / 200) == LOOK


def test_later_looks_cost_a_small_share():
    """In the long run a look's cost is a known share of the time until the next."""
    cost = 100e-6
    assert abs(cost / after(Allowance(), 5000, cost) - SHARE) < SHARE / 100


def test_dear_looks_still_happen():
    """However dear a look is, there is one now and then."""
    assert after(Allowance(), 1000, 0.1) == LONGEST


def test_a_new_route_is_looked_at_often():
    """A route that is met later gets its share of attention."""
    allowance = Allowance()
    assert after(allowance, 5000, 100e-6) > LOOK
    assert allowance.pause(100e-6, 2, found=False) == LOOK


def test_where_there_is_nothing_to_see_it_looks_less_often():
    """Until there is something."""
    allowance = Allowance()
    assert after(allowance, 100, 10e-6, found=False) == QUIET
    assert after(allowance, 1, 10e-6) == LOOK


def timed(rate, start, requests):
    """How many of a second's requests are timed."""
    count = skip = 0
    for number in range(requests):
        if skip:
            skip -= 1
            continue
        skip = rate.skip(start + number / requests)
        count += 1
    return count


def test_few_requests_are_all_timed():
    """Second after second."""
    rate = Rate()
    assert [timed(rate, 1.1 * second, 50) for second in range(3)] == [50, 50, 50]


def test_of_many_only_some_are_timed():
    """At first, and after a rest, more are, for whoever comes in bursts."""
    rate = Rate()
    first, later, rested = (timed(rate, start, 1000) for start in (1.0, 2.0, 10.0))
    assert later <= 1000 / SELDOM + 1
    assert first == rested > MANY
