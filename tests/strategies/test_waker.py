"""A waker wakes who waits, and writes nowhere else."""

from __future__ import annotations

import os
import threading

import pytest

from concurrent_choices._strategies._workers._hosting._waker import Waker


@pytest.fixture
def waker():
    """One that another thread than the test's waits for; its tests close it."""
    made: list[Waker] = []
    maker = threading.Thread(target=lambda: made.append(Waker()))
    maker.start()
    maker.join()
    return made[0]


def test_nothing_is_closed_under_a_ring(monkeypatch, waker):
    """The pipe's number may be that of a file of the user's as soon as it is closed."""
    write, closing = os.write, threading.Thread(target=waker.close)
    written: list[int] = []

    def held(descriptor, data):
        closing.start()
        closing.join(0.1)
        written.append(write(descriptor, data))

    monkeypatch.setattr(os, "write", held)
    waker.ring()
    closing.join(30)
    assert written == [1]


def test_a_ring_after_the_end_goes_nowhere(waker):
    """Who rings need not know that nobody waits any more."""
    waker.close()
    waker.ring()
