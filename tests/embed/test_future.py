"""The executor's own future waits and notifies as the standard library's does."""

from __future__ import annotations

import threading
from concurrent.futures import Future, as_completed, wait

import pytest

from concurrent_choices._embed._future import LeanFuture


def test_it_sets_all_that_a_future_sets():
    """A later Python's future with an attribute more would show here."""
    assert vars(LeanFuture()).keys() == vars(Future()).keys()


def test_all_who_wait_are_woken():
    """Several threads, with and without a limit, get the result that comes while they wait."""
    future, results = LeanFuture(), []
    threads = [
        threading.Thread(target=lambda limit=limit: results.append(future.result(limit)))
        for limit in (None, 60, None, 60)
    ]
    for thread in threads:
        thread.start()
    future.set_result(7)
    for thread in threads:
        thread.join()
    assert results == [7] * 4


def test_waiting_in_vain_ends_in_time_and_leaves_nothing():
    """Who has waited for long enough gets a TimeoutError, as often as it asks, and is forgotten."""
    future = LeanFuture()
    for limit in (0, -1, 1e-3):
        with pytest.raises(TimeoutError):
            future.result(limit)
        with pytest.raises(TimeoutError):
            future.exception(limit)
    assert not future._condition.waiting


def test_the_standard_library_waits_for_it_too():
    """`wait` and `as_completed` take it among others."""
    futures = [LeanFuture(), Future(), LeanFuture()]
    assert wait(futures, 0).not_done == set(futures)
    for number, future in enumerate(futures):
        future.set_result(number)
    assert wait(futures).done == set(futures)
    assert {future.result() for future in as_completed(futures)} == {0, 1, 2}
