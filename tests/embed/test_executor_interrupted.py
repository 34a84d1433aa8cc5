"""Ctrl-C while a call is submitted, waits for room, or starts a thread: nobody is held up by it."""

from __future__ import annotations

import signal
import sys
import threading
import time
from functools import partial

import pytest

from concurrent_choices import AdaptiveExecutor
from concurrent_choices._embed._core import FEW
from concurrent_choices._embed._processes import _in_tray
from concurrent_choices._embed._threads import _dispatch, _stall_monitor
from concurrent_choices._platform._processors import usable_cpus
from interruption import strike_after


def test_ctrl_c_stops_a_caller_that_makes_a_call():
    """It strikes in the caller's own thread: to leave it to the future would let the caller go on."""
    gate = threading.Event()
    with AdaptiveExecutor(1, max_queue=1, when_full="caller") as executor:
        executor.submit(gate.wait, 10)
        executor.submit(pow, 2, 2)
        with pytest.raises(KeyboardInterrupt):
            executor.submit(signal.raise_signal, signal.SIGINT)
        gate.set()


def test_ctrl_c_while_a_submitter_waits_holds_up_nobody(monkeypatch):
    """It may strike wherever a caller waits for room; the executor goes on."""
    gate = threading.Event()
    with AdaptiveExecutor(1, max_queue=1) as executor:
        waiting = [executor.submit(gate.wait, 10), executor.submit(pow, 2, 2)]
        monkeypatch.setattr(executor._core._room, "wait", lambda: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            executor.submit(pow, 2, 5)
        gate.set()
        assert [future.result(10) for future in waiting] == [True, 4]


@pytest.mark.parametrize("calls", range(24))
def test_ctrl_c_while_a_call_is_submitted_holds_up_nobody(executor, calls):
    """It may strike after any call that submitting makes: the lock is let go of, and others go on."""
    executor.submit(pow, 2, 2).result(10)
    while not executor._core._dispatch._idle:
        time.sleep(1e-3)
    strike_after(calls, partial(executor.submit, pow, 2, 3))
    later = []
    other = threading.Thread(target=lambda: later.append(executor.submit(pow, 2, 4).result()), daemon=True)
    other.start()
    other.join(10)
    assert later == [16]


@pytest.mark.parametrize("calls", range(16, 34))
def test_ctrl_c_while_a_call_is_sent_to_a_worker_holds_up_no_shutdown(calls):
    """What was counted is there: it is made, or was never taken."""
    executor = AdaptiveExecutor(place="process")
    executor.submit(pow, 2, 2).result(60)
    strike_after(calls, partial(executor.submit, pow, 2, 3))
    end = threading.Thread(target=executor.shutdown, daemon=True)
    end.start()
    end.join(20)
    assert not end.is_alive()


def made_though_struck(calls, *, rests):
    """What calls that wait give as Ctrl-C strikes a caller that has made one itself, and gives its place up.

    A thread has come to rest by then, or none has, so that one is started.
    """
    gate = []
    with AdaptiveExecutor(1, max_queue=1, when_full="caller") as executor:
        idle = executor._core._dispatch._idle

        def turn(what):
            while what == "wait" and not gate:
                time.sleep(1e-3)
            if what == "open":  # without a call, so that they can be counted
                gate[:] = [True]
                while not idle:
                    pass
                if not rests:
                    lane = idle[-1]
                    del idle[-1]
                    lane.mail.put(None)
            return what

        calls_before = [executor.submit(turn, "wait") for _ in range(2)]
        strike_after(calls, partial(executor.submit, turn, "open"))
        gate.append(True)
        return [future.result(20) for future in calls_before]


@pytest.mark.parametrize("calls", range(30, 130))
def test_ctrl_c_while_a_caller_makes_a_call_holds_up_nobody(calls):
    """What waits for the caller's place gets it: no thread looks for it, as all have come to rest."""
    assert made_though_struck(calls, rests=True) == ["wait", "wait"]


def spare_the_start_of_threads(monkeypatch):
    """Have Ctrl-C not strike in the standard library meanwhile, whose locks it leaves locked on 3.14."""

    def new_thread(target, name):
        made = threading.Thread(target=target, name=name, daemon=True)
        start = made.start

        def start_unstruck():
            strike = sys.getprofile()
            sys.setprofile(None)
            start()
            sys.setprofile(strike)

        made.start = start_unstruck
        return made

    monkeypatch.setattr(_dispatch, "new_thread", new_thread)


@pytest.mark.parametrize("calls", range(100, 180))
def test_ctrl_c_while_a_thread_is_started_for_a_call_that_waits(calls, monkeypatch):
    """It waits on, and is made: the caller whose place it gets has begun to start a thread, as none rests."""
    spare_the_start_of_threads(monkeypatch)
    assert made_though_struck(calls, rests=False) == ["wait", "wait"]


def interrupted(module, monkeypatch, moment):
    """Have Ctrl-C strike as a module starts its first thread: before that begins, or after."""

    def new_thread(target, name):
        made = threading.Thread(target=target, name=name, daemon=True)
        start = made.start

        def strike():
            monkeypatch.undo()
            if moment == "after":
                start()
            raise KeyboardInterrupt

        made.start = strike
        return made

    monkeypatch.setattr(module, "new_thread", new_thread)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_ctrl_c_while_the_thread_of_the_processes_starts_holds_up_nobody(moment, monkeypatch):
    """The next call has it begin, where it has not."""
    with AdaptiveExecutor(place="process") as executor:
        interrupted(_in_tray, monkeypatch, moment)
        with pytest.raises(KeyboardInterrupt):
            executor.submit(pow, 2, 2)
        assert executor.submit(pow, 2, 3).result(60) == 8


@pytest.mark.parametrize("moment", ["before", "after"])
def test_ctrl_c_while_the_watching_thread_starts_holds_up_nobody(moment, monkeypatch):
    """The next call that waits has it begin, where it has not, so that calls that stand still make room."""
    gate = threading.Event()

    def turn(what):
        return gate.set() if what == "open" else gate.wait(60)

    with AdaptiveExecutor() as executor:
        first = [executor.submit(turn, "wait") for _ in range(round(usable_cpus()) + FEW)]
        interrupted(_stall_monitor, monkeypatch, moment)
        with pytest.raises(KeyboardInterrupt):
            executor.submit(turn, "wait")
        executor.submit(turn, "open")
        assert all(future.result(60) for future in first)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_shutdown_after_ctrl_c_has_struck_as_the_watching_thread_started(moment, monkeypatch):
    """It has no thread to wait for that never began."""
    gate = threading.Event()
    executor = AdaptiveExecutor(1)
    first = executor.submit(gate.wait, 60)
    interrupted(_stall_monitor, monkeypatch, moment)
    with pytest.raises(KeyboardInterrupt):
        executor.submit(pow, 2, 2)
    gate.set()
    executor.shutdown()
    assert first.result(0)
