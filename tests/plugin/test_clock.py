"""The clock that leaves out the way into a loop and back."""

from __future__ import annotations

import asyncio

import pytest

from concurrent_choices._plugin._clock import InsideClock


class Hand:
    """A clock that is moved by hand."""

    def __init__(self):
        self.at = 100.0

    def __call__(self):
        return self.at

    def pass_(self, seconds):
        """Let time pass."""
        self.at += seconds


def hop_of(hand, there, back):
    """A way into a loop that takes so long there and so long back."""

    def hop(coroutine_function):
        hand.pass_(there)
        try:
            return asyncio.run(coroutine_function())
        finally:
            hand.pass_(back)

    return hop


def test_only_the_time_inside_counts():
    """Between two readings lie the seconds of the coroutine, not those of the hop."""
    hand = Hand()
    clock = InsideClock(hand)

    async def work():
        hand.pass_(3.0)
        return "done"

    before = clock()
    assert clock.visit(hop_of(hand, 5.0, 7.0), work) == "done"
    assert clock() - before == pytest.approx(3.0)


def test_time_outside_of_visits_counts_as_ever():
    """Where nothing hops, it is the clock it was given."""
    hand = Hand()
    clock = InsideClock(hand)
    before = clock()
    hand.pass_(2.0)
    assert clock() - before == pytest.approx(2.0)


def test_an_error_inside_is_timed_and_raised():
    """What the coroutine raises comes through, and its time is not lost either."""
    hand = Hand()
    clock = InsideClock(hand)

    async def fail():
        hand.pass_(1.0)
        raise LookupError

    before = clock()
    with pytest.raises(LookupError):
        clock.visit(hop_of(hand, 5.0, 5.0), fail)
    assert clock() - before == pytest.approx(1.0)
