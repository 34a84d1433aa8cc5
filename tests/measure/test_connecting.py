"""Calls that connect first: every thread does so once, or every coroutine in flight."""

import asyncio
import threading
import time

import pytest
from measure_fakes import FakeClock

from concurrent_choices._measure._bench import Bench
from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._measure._evidence import Evidence, profile_of
from concurrent_choices._measure._figures import Block, Lane, Trial
from concurrent_choices._measure._lane_trials import Trials
from concurrent_choices._measure._profiler import profile
from concurrent_choices._measure._sample import Sample
from concurrent_choices._runtime._hand import OwnHand
from patience import patient

MS = 1_000_000
NOTHING = Block(0, 0, 0, 0, 0)


def block(milliseconds, cpu=0.0, calls=1):
    return Block(0, calls, int(milliseconds * MS), int(cpu * MS), 0)


CALLS = [block(10), block(10)]
CONNECTS = Sample(block(100), CALLS)


def trials_of(sample):
    return Trials(Bench(abs, range(10), clock=FakeClock(), is_async=False, hand=OwnHand), sample)


@pytest.mark.parametrize(
    ("sample", "seconds"),
    [
        (CONNECTS, 0.09),
        (Sample(block(100, cpu=60), CALLS), 0.03),  # the rest is no connection, but an import or a cache
        (Sample(block(5), CALLS), 0.0),
        (Sample(block(100), [block(10, cpu=9)]), 0.0),  # of calls that compute, the first may load something
        (Sample(None, CALLS), 0.0),
    ],
)
def test_what_the_first_call_waited_longer(sample, seconds):
    """That may be what it took to connect."""
    assert sample.connecting == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("sample", "lane", "wall", "late"),
    [
        (CONNECTS, Lane(block(130), block(30, calls=3), apart=True), 30, 0.12),
        (CONNECTS, Lane(block(100), NOTHING, apart=False), 10, 0.09),
        (CONNECTS, Lane(block(200), NOTHING, apart=False), 110, 0.09),  # it queued as well
        (Sample(block(10), CALLS), Lane(block(20), NOTHING, apart=False), 20, 0.0),  # it queued
    ],
)
def test_lanes_are_judged_without_what_they_took_to_connect(sample, lane, wall, late):
    """Threads with a connection each, dear ones, looked as if they queued for something."""
    trials = trials_of(sample)
    assert trials._settled(lane).wall == pytest.approx(wall * MS)
    assert trials._usually_late(0.0) == pytest.approx(late)


def test_what_lanes_queue_for_at_first_is_no_connection():
    """They begin at once, and those that compute do so in turn; nor is what may be chance."""
    trials = trials_of(Sample(block(10), [block(10, cpu=2)]))
    for _ in range(5):
        trials._settled(Lane(block(15), block(10), apart=True))
    assert trials._usually_late(0.0) == pytest.approx(0.001)
    assert trials._usually_late(1.0) == 0.0


@pytest.mark.parametrize(
    ("sample", "trials", "excess"),
    [
        (CONNECTS, [], 0.09),
        (CONNECTS, [Trial(2, 0.1, 1.0, 2.0, late=0.05), Trial(16, 0.1, 1.0, 16.0, late=0.07)], 0.07),
        (CONNECTS, [Trial(2, 0.1, 1.0, 2.0)], 0.0),  # whoever connected did so once for all
        (CONNECTS, [Trial(2, 0.1, 1.0, 2.0, late=0.0005)], 0.0),
    ],
)
def test_what_each_lane_pays(sample, trials, excess):
    """As the widest trial has shown; without one, it may be what the first call has."""
    assert profile_of(Evidence(sample=sample, trials=trials)).lane_excess == pytest.approx(excess)


@patient
@pytest.mark.parametrize("is_async", [False, True])
def test_calls_that_connect_are_not_in_each_others_way(is_async):
    """One after another was recommended for them, in twenty times the time of threads."""
    local, idle = threading.local(), []

    def ask(item):
        if not hasattr(local, "connection"):
            time.sleep(0.09)
            local.connection = item
        time.sleep(0.03)

    async def ask_beside(item):
        connection = idle.pop() if idle else await asyncio.sleep(0.09, item)
        await asyncio.sleep(0.03)
        idle.append(connection)

    fn = ask_beside if is_async else ask
    found = profile(fn, range(200), clock=SystemClock(), budget=0.25, is_async=is_async).profile
    assert found.pair_speedup is None or found.pair_speedup > 1.5
    # On a slow host there is but a pair, of which one coroutine finds the connection of the sample.
    assert 0.09 / 2 * 0.9 < found.lane_excess < 0.09 * 1.5
