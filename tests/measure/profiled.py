"""How tests profile, with exact instruments or real ones, and what several of them have profiled."""

import inspect
import sys
import time

import pytest
from measure_fakes import FakeWitness

from concurrent_choices._measure._bench import Bench
from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._measure._profiler import profile, profile_at
from concurrent_choices._runtime._hand import OwnHand


class Called:
    """A callable that says what time its calls take, and counts them."""

    def __init__(self, clock, *, result=None, **times):
        self.clock = clock
        self.times = times
        self.items = []
        self.result = result or (lambda item: item)

    def __call__(self, item):
        self.items.append(item)
        self.clock.spend(**self.times)
        return self.result(item)


def sampled(fn, items, *, clock, budget=1.0, share=None):
    """Profile with exact instruments, in this thread."""
    is_async = inspect.iscoroutinefunction(fn)
    bench = Bench(fn, items, clock=clock, is_async=is_async, hand=OwnHand)
    return profile_at(bench, FakeWitness(share), budget)


def real(fn, items, budget=3.0):
    """Profile until enough is known: on a busy machine that takes longer, but seldom the whole budget."""
    return profile(
        fn,
        items,
        clock=SystemClock(),
        budget=budget,
        is_async=inspect.iscoroutinefunction(fn),
    )


def ends(sample):
    """What the whole job gives: outcomes of calls, be they late, and the items that were not called with."""
    called = sample.results | {
        index: outcome
        for late in (each.result(10) for each in sample.in_flight)
        for index, outcome in enumerate(late.outcomes, late.start)
    }
    whole = dict(sample.feed.rest())
    assert not whole.keys() & called.keys()
    return whole | called


def sleep(item):
    time.sleep(0.01)


gil = pytest.mark.skipif(hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled(), reason="needs a GIL")
