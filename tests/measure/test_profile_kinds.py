"""What real callables of each kind look like by real clocks: loops, waiting, locks, coroutines, children."""

import asyncio
import hashlib
import sys
import threading
import time
from pathlib import Path

import pytest
from profiled import gil, real, sleep

from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._measure._profiler import profile
from concurrent_choices._measure._trial import SELDOM
from concurrent_choices._platform._processors import usable_cpus
from patience import patient


def count_up(item):
    return sum(number * number for number in range(5000))


LARGE = bytes(3_000_000)  # made beforehand: whoever is interrupted while he makes it holds the GIL until then


def digest(item):
    return hashlib.sha256(LARGE).digest()


@gil
@patient
def test_a_python_loop():
    """It computes, and holds the GIL."""
    seen = real(count_up, range(10_000)).profile

    assert seen.cpu + seen.queued > 0.7 * seen.wall
    assert seen.gil > 0.7 * seen.cpu
    assert (seen.pair_speedup or 1.0) < 1.4  # None: nothing could be said for certain on a busy machine


@gil
@pytest.mark.skipif(usable_cpus() < 2, reason="on one core the witness is in the way of who hashes")
@patient
def test_hashing():
    """It computes, and does not hold the GIL."""
    seen = real(digest, range(10_000)).profile

    assert seen.cpu + seen.queued > 0.7 * seen.wall
    unseen = any(each.startswith("gil") for each in seen.missing)  # too few looks on a busy machine
    assert unseen or seen.gil < SELDOM * seen.cpu


@patient
def test_sleeping():
    """It waits, and lanes wait side by side."""
    seen = real(sleep, range(10_000)).profile

    assert seen.blocked > 0.6 * seen.wall
    assert (seen.pair_speedup or 0.0) > 1.5
    assert seen.ramp
    assert seen.ramp[0][1] > 2.5
    assert seen.blocking_calls >= 0.9


@patient
def test_a_lock():
    """What lets one in at a time is no faster with two."""
    lock = threading.Lock()

    def work(item):
        with lock:
            time.sleep(0.002)

    seen = real(work, range(10_000)).profile

    assert (seen.pair_speedup or 1.0) < 1.5
    assert "closure cell 'lock'" in seen.payload.obstacle


@patient
def test_a_coroutine_that_blocks_its_loop():
    """The line that blocks is named."""

    async def work(item):
        await asyncio.sleep(0)
        time.sleep(0.005)  # noqa: ASYNC251 - the fault to be found

    seen = real(work, range(1000)).profile

    assert seen.loop_held > 0.8 * seen.wall
    assert seen.loop_cpu < 0.5 * seen.loop_held
    assert seen.blocks_at == f"{__file__}:{work.__code__.co_firstlineno + 2}"


@patient
def test_a_coroutine_that_awaits():
    """It holds its loop for next to nothing, and nobody is blamed."""

    async def work(item):
        await asyncio.sleep(0.01)

    seen = real(work, range(1000)).profile

    assert seen.loop_held < 0.5 * seen.wall
    assert (seen.pair_speedup or 0.0) > 1.5


@patient
def test_child_processes():
    """The CPU time of children that were waited for is the callable's doing."""
    import subprocess

    def work(item):
        subprocess.run([sys.executable, "-S", "-c", "sum(range(10**5))"], check=True)

    seen = real(work, range(100)).profile

    assert seen.children > seen.cpu


@patient
@pytest.mark.skipif(not Path("/proc/thread-self/children").exists(), reason="nobody tells whose they are")
def test_child_processes_that_outlast_the_budget():
    """They seemed to wait: of ten that compute for a second each, ten were to run at once on two cores."""
    import subprocess

    def work(item):
        code = "import time\nwhile time.process_time() < 0.3: pass"
        subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)

    sample = profile(work, range(2), clock=SystemClock(), budget=0.1, is_async=False)
    for flight in sample.in_flight:
        flight.result(30)

    assert sample.profile.wall_at_least
    assert sample.profile.children > sample.profile.cpu
