"""How often the advisor looks: thorough at first, cheap for ever."""

from __future__ import annotations

from concurrent_choices._embed._advisor._allowance import FREE, LONGEST, LOOK, SHARE, Allowance


def after(allowance, looks, cost, routes=1):
    """The pause after so many looks."""
    return [allowance.pause(cost, routes) for _ in range(looks)][-1]


def test_it_looks_often_at_first():
    """What is free at first is not rationed."""
    assert after(Allowance(), 100, FREE / 200) == LOOK


def test_later_looks_cost_a_small_share():
    """In the long run a look's cost is a known share of the time until the next."""
    cost = 50e-6
    assert abs(cost / after(Allowance(), 5000, cost) - SHARE) < SHARE / 100


def test_dear_looks_still_happen():
    """However dear a look is, there is one now and then."""
    assert after(Allowance(), 1000, 0.1) == LONGEST


def test_a_new_route_is_looked_at_often():
    """A route that is met later gets its share of attention."""
    allowance = Allowance()
    after(allowance, 5000, 50e-6)
    assert allowance.pause(50e-6, 2) == LOOK
