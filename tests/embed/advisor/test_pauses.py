"""How often the advisor looks: thorough at first, cheap for ever."""

from __future__ import annotations

import pytest

from concurrent_choices._embed._advisor._pauses import FREE, LONGEST, LOOK, QUIET, SHARE, Pauses
from concurrent_choices._embed._advisor._rate import AT_ONCE, EACH_SECOND, FIRST, Rate


def after(pauses, looks, cost, *, found=True):
    """The pause after so many looks."""
    return [pauses.pause(cost, 1, found=found) for _ in range(looks)][-1]


def test_it_looks_often_at_first():
    """What is free at first is not rationed."""
    assert after(Pauses(), 100, FREE / 200) == LOOK


def test_later_looks_cost_a_small_share():
    """In the long run a look's cost is a known share of the time until the next."""
    cost = 100e-6
    assert abs(cost / after(Pauses(), 5000, cost) - SHARE) < SHARE / 100


def test_dear_looks_still_happen():
    """However dear a look is, there is one now and then."""
    assert after(Pauses(), 1000, 0.1) == LONGEST


def test_a_new_route_is_looked_at_often():
    """A route that is met later gets its share of attention."""
    pauses = Pauses()
    assert after(pauses, 5000, 100e-6) > LOOK
    assert pauses.pause(100e-6, 2, found=False) == LOOK


def test_where_there_is_nothing_to_see_it_looks_less_often():
    """Until there is something."""
    pauses = Pauses()
    assert after(pauses, 100, 10e-6, found=False) == QUIET
    assert after(pauses, 1, 10e-6) == LOOK


def timed(rate, start, requests):
    """How many of a second's requests are timed."""
    count = untimed = 0
    for number in range(requests):
        untimed = untimed or rate.untimed(start + number / requests)
        count += not untimed
        untimed = max(0, untimed - 1)
    return count


def test_the_first_requests_are_all_timed():
    """However fast they come."""
    assert timed(Rate(), 1.0, FIRST) == FIRST


@pytest.mark.parametrize("requests", [200, 1000, 20_000])
def test_of_many_only_some_are_timed(requests):
    """What timing costs in a second does not grow with the requests."""
    rate = Rate()
    timed(rate, 0.0, FIRST)
    counts = [timed(rate, float(second), requests) for second in range(1, 17)]
    assert 0.7 * EACH_SECOND < sum(counts) / len(counts) <= EACH_SECOND + 1


def test_after_a_rest_more_are_timed():
    """For whoever comes in bursts."""
    rate = Rate()
    timed(rate, 0.0, FIRST + 1000)
    assert AT_ONCE <= timed(rate, 20.0, 1000) <= AT_ONCE + EACH_SECOND


def test_few_are_all_timed_even_after_many():
    """Some may go by before that is noticed."""
    rate = Rate()
    timed(rate, 0.0, FIRST + 20_000)
    few = EACH_SECOND - 1
    counts = [timed(rate, 1.0 + 1.1 * second, few) for second in range(60)]
    assert counts[-1] == few
