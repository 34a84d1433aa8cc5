"""Locks that Ctrl-C does not leave locked."""

from __future__ import annotations

import signal
import threading

import pytest

from concurrent_choices._work._mutex import Mutex

INTERRUPTS = 50


class InterruptionError(Exception):
    """What the signal's handler raises."""


@pytest.fixture
def alarm():
    """Start a timer whose signal raises in this thread."""

    def interrupt(_number, _frame):
        raise InterruptionError

    before = signal.signal(signal.SIGALRM, interrupt)
    yield lambda: signal.setitimer(signal.ITIMER_REAL, 0.0005)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def take_until(alarm, lock):
    """Take it and give it back, again and again, from when the timer starts."""
    alarm()
    while True:
        with lock:
            pass


def is_free(lock):
    """Whether another thread could take it."""
    found = []

    def take():
        found.append(lock.acquire(blocking=False))
        if found == [True]:
            lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return found == [True]


def test_no_interruption_leaves_it_locked(alarm):
    """Wherever the signal comes between two instructions of a loop that takes it."""
    for _ in range(INTERRUPTS):
        lock = Mutex()
        with pytest.raises(InterruptionError):
            take_until(alarm, lock)
        assert is_free(lock)


def test_it_lets_one_thread_in():
    """Others wait until it is released, which an error in the block does as well."""
    lock = Mutex()
    with lock:
        assert not is_free(lock)
    assert is_free(lock)
    with pytest.raises(LookupError), lock:
        raise LookupError
    assert is_free(lock)


def test_who_has_it_may_take_it_again():
    """As often as it is released."""
    lock = Mutex()
    with lock, lock:
        pass
    assert is_free(lock)
