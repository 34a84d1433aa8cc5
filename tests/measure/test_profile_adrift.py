"""Calls that do not come back while they are profiled: known as far as they got, and never made again."""

import asyncio
import threading
import time

import pytest
from measure_fakes import FakeWitness
from profiled import ends, real

from concurrent_choices._measure._bench import Bench
from concurrent_choices._measure._profiler import profile_at
from concurrent_choices._runtime._hand import DaemonHand
from patience import patient


@patient
def test_a_call_that_never_returns():
    """The budget holds, what is known is said, and the call is not made again."""
    gate, calls = threading.Event(), []

    def work(item):
        calls.append(item)
        gate.wait()
        return "at last"

    before = time.monotonic()
    sample = real(work, range(10), budget=0.2)
    spent = time.monotonic() - before

    assert len(sample.in_flight) == 1
    (adrift,) = sample.in_flight
    assert spent < 5
    assert "had not come back" in str(sample.profile.missing)
    assert sample.profile.calls == 0
    assert sample.profile.wall >= 0.15
    assert sample.profile.cpu < 0.5 * sample.profile.wall
    assert [at for at, _ in sample.feed.rest()] == list(range(1, 10))
    gate.set()
    assert list(adrift.result(10).outcomes) == ["at last"]
    assert calls == [0]


@patient
def test_a_later_call_that_never_returns():
    """What was learnt before stands, and the items behind it are left."""
    gate = threading.Event()

    def work(item):
        if item == 3:
            gate.wait()
        return item

    sample = real(work, iter(range(10)), budget=0.2)
    gate.set()

    assert sample.in_flight
    assert sample.profile.calls >= 1
    assert ends(sample) == {at: at for at in range(10)}


@patient
def test_what_a_later_call_has_taken_is_its_own(clock):
    """The calls of the same round that came back before it have times of their own."""
    gate = threading.Event()

    def work(item):
        clock.spend(wall=0.3 if item == 5 else 0.002, cpu=0.001)
        if item == 5:
            gate.wait()

    bench = Bench(work, iter(range(10)), clock=clock, is_async=False, hand=DaemonHand)
    profile = profile_at(bench, FakeWitness(), 0.25).profile
    gate.set()

    assert profile.calls >= 4
    assert profile.wall_max == pytest.approx(0.3)
    assert "item 5 had not come back after 0.3 s" in str(profile.missing)


@patient
def test_a_coroutine_that_never_returns():
    """An await without end costs the budget too; let go, it ends in its own loop."""
    started = []

    async def work(item):
        started.append((asyncio.get_running_loop(), event := asyncio.Event()))
        await event.wait()
        return "at last"

    sample = real(work, range(5), budget=0.2)
    assert len(sample.in_flight) == len(started) == 1
    (adrift,) = sample.in_flight
    loop, event = started[0]
    loop.call_soon_threadsafe(event.set)

    assert list(adrift.result(10).outcomes) == ["at last"]
    assert len(started) == 1


@patient
def test_a_call_that_hangs_among_lanes():
    """In a trial of lanes too, nobody waits longer than the budget, and nothing is called twice."""
    gate, calls, callers = threading.Event(), [], []

    def work(item):
        calls.append(item)
        caller = threading.get_ident()
        callers.append(caller)
        if caller != callers[0]:
            gate.wait()  # also where several lanes do
        time.sleep(0.01)
        return item

    sample = real(work, range(10_000), budget=1.0)
    gate.set()
    late = [each.result(10) for each in sample.in_flight]

    assert sample.in_flight
    assert "pair_speedup: 2 calls at once did not come back in time" in sample.profile.missing
    assert len(calls) == len(set(calls)) == len(sample.results) + sum(len(r.outcomes) for r in late)
