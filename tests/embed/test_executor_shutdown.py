"""The end of an executor: what was submitted is made or cancelled, and nothing of it is left."""

from __future__ import annotations

import gc
import os
import threading
import time
from concurrent.futures import CancelledError

import pytest
from executor_acts import where

from concurrent_choices import AdaptiveExecutor


def test_submitting_after_shutdown_is_refused():
    """As everywhere, nothing is taken after the end."""
    executor = AdaptiveExecutor()
    executor.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(pow, 2, 2)


def test_shutdown_finishes_what_was_submitted():
    """What waits at a shutdown is still done."""
    executor = AdaptiveExecutor(1)
    gate = threading.Event()
    first = executor.submit(gate.wait, 10)
    rest = [executor.submit(pow, 2, power) for power in range(20)]
    executor.shutdown(wait=False)
    gate.set()
    assert first.result(10)
    assert [future.result(10) for future in rest] == [2**power for power in range(20)]


def test_shutdown_can_cancel_what_waits():
    """With `cancel_futures` what has not begun is cancelled, and what runs ends."""
    executor = AdaptiveExecutor(1)
    begun, gate = threading.Event(), threading.Event()

    def hold():
        begun.set()
        return gate.wait(10)

    running = executor.submit(hold)
    begun.wait(10)
    waiting = [executor.submit(pow, 2, 2) for _ in range(5)]
    executor.shutdown(wait=False, cancel_futures=True)
    gate.set()
    assert running.result(10)
    assert all(future.cancelled() for future in waiting)
    with pytest.raises(CancelledError):
        waiting[0].result()


def test_a_shutdown_waits_for_a_call_in_the_caller():
    """All that was submitted has ended when it comes back."""
    gate, begun, end = threading.Event(), threading.Event(), threading.Event()
    executor = AdaptiveExecutor(1, max_queue=1, when_full="caller")
    executor.submit(gate.wait, 10)
    executor.submit(pow, 2, 2)
    caller = threading.Thread(target=executor.submit, args=(lambda: (begun.set(), end.wait(10)),))
    caller.start()
    begun.wait(10)
    gate.set()
    shutdown = threading.Thread(target=executor.shutdown)
    shutdown.start()
    shutdown.join(0.05)
    assert shutdown.is_alive()
    end.set()
    shutdown.join(10)
    caller.join(10)
    assert not shutdown.is_alive()


def test_what_came_back_from_the_processes_is_not_forgotten():
    """Calls that cannot travel wait for a thread; their futures say that they run: nothing cancels them."""
    gate = threading.Event()
    executor = AdaptiveExecutor(max_threads=1, max_processes=1, place="process")
    futures = [executor.submit(lambda _lock: gate.wait(60), threading.Lock()) for _ in range(3)]
    while not all(future.running() for future in futures):
        time.sleep(1e-3)
    executor.shutdown(wait=False, cancel_futures=True)
    gate.set()
    assert all(future.result(60) for future in futures)
    executor.shutdown()


def test_nothing_is_left_behind():
    """After a shutdown neither a thread nor a process of it lives."""
    before = set(threading.enumerate())
    with AdaptiveExecutor(max_processes=2, place="process") as executor:
        pids = {executor.submit(where, 1).result(30) for _ in range(4)}
    assert set(threading.enumerate()) <= before
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_dropping_it_ends_its_threads():
    """An executor nobody holds any more finishes its calls and lets its threads go."""
    executor = AdaptiveExecutor(2, thread_name_prefix="dropped")
    futures = [executor.submit(pow, 2, 2) for _ in range(10)]
    threads = [each for each in threading.enumerate() if each.name.startswith("dropped")]
    del executor
    gc.collect()
    assert [future.result(10) for future in futures] == [4] * 10
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
