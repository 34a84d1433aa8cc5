"""Without more threads, descriptors, or clocks of threads, calls are made all the same, or say why not."""

from __future__ import annotations

import os
import threading
import time
from contextvars import copy_context

import pytest
from executor_acts import large, where
from executor_verdicts import why

from concurrent_choices import AdaptiveExecutor, NotPicklableError
from concurrent_choices._embed._calls._tasks import Task
from concurrent_choices._embed._core import FEW
from concurrent_choices._platform._processors import usable_cpus
from descriptors import no_descriptors


@pytest.mark.parametrize("waiting", [0, 1])
def test_where_no_more_threads_can_be_started(waiting):
    """What waits is done by the threads there are."""
    gate, before = threading.Event(), round(usable_cpus()) + FEW + waiting
    with AdaptiveExecutor() as executor:
        futures = [executor.submit(gate.wait, 60) for _ in range(before)]
        size = threading.stack_size(1 << 46)  # more than there is
        try:
            futures += [executor.submit(gate.wait, 60) for _ in range(6)]
            time.sleep(0.05)  # so that more are tried
        finally:
            threading.stack_size(size)
            gate.set()
        assert all(future.result(60) for future in futures)


def test_a_call_that_no_further_thread_can_be_started_for():
    """It waits for one of those there are, and who submits it is told of no error."""
    gate = threading.Event()
    with AdaptiveExecutor() as executor:
        held = executor.submit(gate.wait, 60)
        size = threading.stack_size(1 << 46)
        try:
            future = executor.submit(len, "abc")
        finally:
            threading.stack_size(size)
            gate.set()
        assert held.result(60)
        assert future.result(60) == 3


def refuse_threads(patch, meanwhile):
    """No thread for a call can be started, which is seen after something else has happened."""
    start = threading.Thread.start

    def refuse(thread):
        if not thread.name.startswith("tests"):
            start(thread)
            return
        meanwhile()
        msg = "can't start new thread"
        raise RuntimeError(msg)

    patch.setattr(threading.Thread, "start", refuse)


def test_what_waits_while_all_threads_come_to_rest_is_made(core, monkeypatch):
    """They rest by the time it is known that no further one can be started, and one of them makes it."""
    gate = threading.Event()
    held = core.submit(gate.wait, (60,), {})
    account = core.accounts.of(len)
    waiting = Task(len, ("abc",), {}, account, copy_context(), 2, 1)

    def rest():
        gate.set()
        while not core._dispatch._idle:
            time.sleep(1e-3)

    with monkeypatch.context() as patched:
        refuse_threads(patched, rest)
        with core._dispatch.lock:
            core._dispatch.backlog.add(waiting)
        core._dispatch.spread()
    assert held.result(60)
    assert waiting.result(60) == 3


def test_a_shutdown_does_not_wait_for_a_thread_that_cannot_be_started(core, monkeypatch):
    """It had begun to wait for the call, and is told that it is not made."""
    shutdown = threading.Thread(target=core.join, daemon=True)

    def begin_to_wait():
        core.close()
        shutdown.start()
        while not core._dispatch.ended._waiters:
            time.sleep(1e-3)

    refuse_threads(monkeypatch, begin_to_wait)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        core.submit(len, ("abc",), {})
    shutdown.join(60)
    assert not shutdown.is_alive()


def test_where_no_thread_can_be_started_for_the_processes():
    """Computing stays in the threads there are, and `explain` says why."""
    with AdaptiveExecutor() as executor:
        executor.submit(len, "").result()
        size = threading.stack_size(1 << 46)
        try:
            for _ in range(20):
                while not executor._core._dispatch._idle:  # it still thinks about the last call
                    time.sleep(0)
                executor.submit(where, 200_000).result(60)
        finally:
            threading.stack_size(size)
        assert "no thread could be started" in why(executor, where)


def test_where_no_thread_can_be_started_at_all():
    """A call that nobody will ever make says so, and nobody waits for it at the end."""
    with AdaptiveExecutor(place="process") as executor:
        size = threading.stack_size(1 << 46)
        try:
            future = executor.submit(where, 1)
        finally:
            threading.stack_size(size)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            future.result(60)


def test_where_there_are_no_descriptors():
    """Threads and what hands calls to the processes do without; no call is forgotten."""
    with AdaptiveExecutor() as executor, no_descriptors():
        futures = [executor.submit(time.sleep, 0.01) for _ in range(60)]
        futures += [executor.submit(where, 50_000) for _ in range(60)]
        assert [future.exception(60) for future in futures] == [None] * 120


def test_where_there_are_no_descriptors_for_worker_processes():
    """What belongs to them is made in threads."""
    with AdaptiveExecutor(place="process") as executor:
        with no_descriptors():
            assert executor.submit(where, 1).result(60) == os.getpid()
        assert executor.submit(where, 1).result(60)


def test_where_there_are_no_descriptors_for_large_results():
    """A result that cannot be held is its call's failure, and the others go on."""
    with AdaptiveExecutor(place="process", max_processes=1) as executor:
        executor.submit(large, 0).result(60)
        with no_descriptors():
            with pytest.raises(NotPicklableError, match="Too many open files"):
                executor.submit(large, 1).result(60)
            assert executor.submit(abs, -1).result(60) == 1
        assert len(executor.submit(large, 2).result(60)) == 3 << 20


def test_threads_without_a_clock_of_their_own(monkeypatch):
    """Under gevent's patches a thread is a greenlet, and the system knows none of that number."""

    def no_such_thread(_ident):
        raise ProcessLookupError

    monkeypatch.setattr(time, "pthread_getcpuclockid", no_such_thread, raising=False)
    gate = threading.Event()
    with AdaptiveExecutor() as executor:
        futures = [
            executor.submit(gate.wait, 60) for _ in range(FEW + os.cpu_count() + 1)
        ]  # so that one waits
        gate.set()
        assert all(future.result(60) for future in futures)
        watch = next(each for each in threading.enumerate() if each.name == "executor-watch")
        assert watch.is_alive()
