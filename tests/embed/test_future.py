"""The executor's own future waits and notifies as the standard library's does."""

from __future__ import annotations

import threading
import weakref
from concurrent.futures import CancelledError, Future, InvalidStateError, as_completed, wait
from contextvars import Context
from functools import partial

import pytest

from concurrent_choices import AdaptiveExecutor
from concurrent_choices._embed._accounting._account import Account
from concurrent_choices._embed._calls._tasks import Task
from interruption import INTERRUPTS, InterruptionError, interruption, is_free, strike_after


def future_of_a_call():
    """As the executor makes it."""
    return Task(
        print,
        (),
        {},
        Account("print", (print,), start=1, most=1, processes=1, ceiling=None, cpus=1),
        Context(),
        1,
        1,
    )


def test_it_sets_all_that_a_future_sets():
    """A later Python's future with an attribute more would show here."""
    assert not [name for name in vars(Future()) if not hasattr(future_of_a_call(), name)]


def test_all_who_wait_are_woken():
    """Several threads, with and without a limit, get the result that comes while they wait."""
    future, results = future_of_a_call(), []
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
    future = future_of_a_call()
    for limit in (0, -1, 1e-3):
        with pytest.raises(TimeoutError):
            future.result(limit)
        with pytest.raises(TimeoutError):
            future.exception(limit)
    assert not future._condition.waiting


def test_the_standard_library_waits_for_it_too():
    """`wait` and `as_completed` take it among others."""
    futures = [future_of_a_call(), Future(), future_of_a_call()]
    assert wait(futures, 0).not_done == set(futures)
    for number, future in enumerate(futures):
        future.set_result(number)
    assert wait(futures).done == set(futures)
    assert {future.result() for future in as_completed(futures)} == {0, 1, 2}


def ask_for_ever(future):
    """Ask for its result, again and again."""
    while True:
        future.result()


def test_no_interruption_of_who_asks_leaves_it_locked():
    """Whoever asks next would wait for ever; on CPython 3.14 a plain lock has a gap for it."""
    for _ in range(INTERRUPTS):
        future = future_of_a_call()
        future.set_result(1)
        with pytest.raises(InterruptionError), interruption():
            ask_for_ever(future)
        assert is_free(future._condition)


def test_it_ends_but_once():
    """A second end is refused, whatever the first was; nobody is told twice."""
    cancelled, failed, told = future_of_a_call(), future_of_a_call(), []
    failed.add_done_callback(told.append)
    failed.set_exception(ValueError("first"))
    assert cancelled.cancel()
    for future in (cancelled, failed):
        with pytest.raises(InvalidStateError):
            future.set_result(1)
        with pytest.raises(InvalidStateError):
            future.set_exception(KeyError())
    assert told == [failed]
    with pytest.raises(CancelledError):
        cancelled.result()
    with pytest.raises(ValueError, match="first"):
        failed.result()


def test_the_error_of_a_call_does_not_keep_its_future():
    """The traceback of who asked holds no frame that holds the future."""
    future = future_of_a_call()
    future.set_exception(ValueError("kept"))
    seen = weakref.ref(future)
    with pytest.raises(ValueError, match="kept") as caught:
        future.result()
    del future
    assert caught.value.__traceback__ is not None
    assert seen() is None


class Large:
    """What a call is given, and nobody wants to keep."""


def test_a_call_that_is_over_is_not_kept_by_its_future():
    """Done or cancelled, in a thread or a process: futures may be kept for long, what they were given not."""
    with AdaptiveExecutor(max_threads=1) as executor, AdaptiveExecutor(place="process") as processes:
        gate, given = threading.Event(), [Large() for _ in range(4)]
        seen = [weakref.ref(each) for each in given]
        blocking = executor.submit(gate.wait, 60)
        futures = [
            executor.submit(id, given[0]),
            executor.submit(id, given[1]),
            executor.submit(int, given[2]),
            processes.submit(id, given[3]),
        ]
        assert futures[1].cancel()
        given.clear()
        gate.set()
        assert blocking.result(60)
        wait(futures, 60)
    assert isinstance(futures[2].exception(), TypeError)
    assert [each() for each in seen] == [None] * 4


@pytest.mark.parametrize("calls", range(16))
def test_ctrl_c_while_somebody_waits_is_ctrl_c(calls):
    """It may strike after any call that waiting makes, and no complaint of a lock stands in its place."""
    future = future_of_a_call()
    strike_after(calls, partial(future.result, 0.01))
    assert is_free(future._condition)
