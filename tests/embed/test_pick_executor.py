"""`pick_executor`: the right kind of executor from a few sample calls."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from concurrent_choices import AdaptiveExecutor, InvalidArgumentError, pick_executor
from concurrent_choices._platform._processors import usable_cpus
from patience import patient


def nap(seconds, times=1):
    """Wait."""
    time.sleep(seconds * times)
    return os.getpid()


def spin(rounds):
    """Compute under the GIL."""
    total = 0
    for number in range(rounds):
        total += number
    return os.getpid()


@patient
def test_waiting_gets_many_threads():
    """For calls that wait it gives a plain thread pool that is larger than the default one."""
    with pick_executor(nap, [(0.005, 1)] * 8) as executor:
        assert type(executor) is ThreadPoolExecutor
        assert executor._max_workers > 8
        assert executor.submit(nap, 0.0).result() == os.getpid()


@pytest.mark.skipif(usable_cpus() < 2, reason="one core has nothing to gain by processes")
@patient
def test_computing_gets_processes():
    """For calls that compute under the GIL it gives worker processes."""
    with pick_executor(spin, [300_000] * 12) as executor:
        assert type(executor) is AdaptiveExecutor
        assert executor.submit(spin, 10).result(30) != os.getpid()


def test_what_cannot_travel_gets_threads():
    """Computing that cannot be sent anywhere stays in threads."""
    import threading

    lock = threading.Lock()

    def locked(rounds):
        with lock:
            return spin(rounds)

    with pick_executor(locked, [100_000] * 8) as executor:
        assert type(executor) is ThreadPoolExecutor


@pytest.mark.parametrize("samples", [[], 3, None])
def test_no_sample_is_refused(samples):
    """Nothing can be said without a single call."""
    with pytest.raises(InvalidArgumentError, match=r"^sample_args: must "):
        pick_executor(spin, samples)


def test_an_async_def_is_refused():
    """Executors call a `def`."""

    async def give():
        return 1

    with pytest.raises(InvalidArgumentError, match="async def"):
        pick_executor(give, [()])


def test_samples_that_all_raise_are_refused():
    """What failing takes says nothing of the calls to come."""
    with pytest.raises(InvalidArgumentError, match=r"^sample_args: .* the first TypeError\(") as refused:
        pick_executor(spin, [(1, 2, 3)] * 4)
    assert isinstance(refused.value.__cause__, TypeError)
