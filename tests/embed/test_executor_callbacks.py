"""What happens once a call has ended: callbacks, reviews, logs, and futures that others have ended."""

from __future__ import annotations

import gc
import logging
import sys
import threading
import time
import weakref
from concurrent.futures import wait

import pytest
from executor_acts import spin
from executor_verdicts import PATIENCE
from pool_calls import appear

from concurrent_choices import AdaptiveExecutor


def test_a_callback_may_wait_for_another_call(executor):
    """The thread that it is called in counts as busy until it comes back, so the call gets another one."""
    gate, done = threading.Event(), threading.Event()
    first = executor.submit(gate.wait)

    def called_back(_future):
        assert executor.submit(pow, 2, 3).result(60) == 8
        done.set()

    first.add_done_callback(called_back)
    gate.set()
    assert done.wait(60)


@pytest.mark.parametrize("place", ["thread", "process"])
def test_a_callback_that_exits_ends_no_thread_of_ours(place, tmp_path):
    """What futures let through is logged: other calls are made, and the shutdown comes back."""
    with AdaptiveExecutor(max_threads=1, place=place) as executor:
        future = executor.submit(appear, tmp_path / "go on")
        future.add_done_callback(lambda _: sys.exit("the callback's own business"))
        (tmp_path / "go on").touch()
        wait([future])
        assert executor.submit(spin, 3).result() == 3


def test_a_future_that_somebody_else_has_ended_is_named_as_such(caplog):
    """The log does not say that a callback raised."""
    gate = threading.Event()
    with AdaptiveExecutor(max_threads=1) as executor:
        future = executor.submit(gate.wait, 60)
        while not future.running():
            time.sleep(1e-3)
        future.set_result("mine")
        gate.set()
    assert future.result() == "mine"
    assert "somebody else has ended its future" in caplog.text
    assert "callback" not in caplog.text


@pytest.mark.parametrize("place", ["thread", "process"])
def test_a_waiting_future_that_somebody_else_has_ended_stops_nobody(place, tmp_path, caplog):
    """Its call is not made, the log says so, and the calls after it are."""
    with AdaptiveExecutor(max_threads=1, max_processes=1, place=place) as executor:
        first = executor.submit(appear, tmp_path / "go on")
        ended = [executor.submit(appear, tmp_path / "never") for _ in range(3)]
        for future in ended:
            future.set_result("mine")
        (tmp_path / "go on").touch()
        wait([first])
        assert executor.submit(spin, 3).result(60) == 3
    assert [future.result() for future in ended] == ["mine"] * 3
    assert "somebody else has ended its future" in caplog.text


def test_what_fails_while_a_callable_is_reviewed_ends_no_thread(caplog):
    """A fault there is logged: other calls are made, and the shutdown comes back."""

    def fail(_task):
        raise SystemExit

    with AdaptiveExecutor(max_threads=1) as executor:
        executor._core._dispatch._on_learnt = fail
        assert [executor.submit(spin, 3).result(60) for _ in range(3)] == [3, 3, 3]
    assert "could not be used" in caplog.text


def test_a_result_is_its_callers_alone_while_the_callable_is_reviewed(executor, monkeypatch):
    """A review may take long, and a large result would stay in memory until its end."""
    reviewing, gate = threading.Event(), threading.Event()

    def review(_account, _fn):
        reviewing.set()
        gate.wait(PATIENCE)

    monkeypatch.setattr(executor._core._dispatch, "_on_learnt", review)
    executor.submit(Result).result(PATIENCE)
    result = executor.submit(Result).result(PATIENCE)  # from the second on
    seen = weakref.ref(result)
    del result
    assert reviewing.wait(PATIENCE)
    assert seen() is None
    gate.set()


class Result:
    """What a call gives."""


def fail(rounds, _result):
    """Compute, and raise."""
    spin(rounds)
    raise KeyError(rounds)


@pytest.mark.parametrize("rounds", [0, 100_000])
def test_what_failed_is_not_kept_until_the_collector_comes(rounds):
    """An error's traceback holds the frames of those who made the call: none of them holds its future."""
    gc.disable()
    try:
        with AdaptiveExecutor(max_threads=1) as executor:
            seen = []
            for _ in range(20):
                argument = Result()
                seen.append(weakref.ref(argument))
                assert isinstance(executor.submit(fail, rounds, argument).exception(60), KeyError)
            del argument
            executor.submit(len, "").result(60)  # in the same thread
            assert [each() for each in seen] == [None] * 20
    finally:
        gc.enable()


class Raising(logging.Handler):
    """As one whose disk is full."""

    def emit(self, record):
        raise RuntimeError(record.getMessage())


def test_a_log_that_raises_does_not_end_a_thread():
    """Calls would wait for it for ever."""
    handler = Raising()
    logging.getLogger().addHandler(handler)
    try:
        with AdaptiveExecutor(max_threads=1, max_processes=0) as executor:
            begun = threading.Event()
            first = executor.submit(begun.wait, 10)
            first.add_done_callback(lambda future: future.missing)
            begun.set()
            assert first.result(10)
            assert executor.submit(abs, -1).result(10) == 1
    finally:
        logging.getLogger().removeHandler(handler)
