"""Locks that Ctrl-C does not leave locked."""

from __future__ import annotations

import pytest

from concurrent_choices._runtime._mutex import Mutex
from interruption import INTERRUPTS, InterruptionError, interruption, is_free


def take_for_ever(lock):
    """Take it and give it back, again and again."""
    while True:
        with lock:
            pass


def test_no_interruption_leaves_it_locked():
    """Wherever the signal comes between two instructions of a loop that takes it."""
    for _ in range(INTERRUPTS):
        lock = Mutex()
        with pytest.raises(InterruptionError), interruption():
            take_for_ever(lock)
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
