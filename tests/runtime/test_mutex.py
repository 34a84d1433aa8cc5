"""Locks that Ctrl-C does not leave locked."""

from __future__ import annotations

import os

import pytest

from concurrent_choices._runtime._mutex import Mutex
from interpreters import printed
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


FORK = """
import os, threading, time
from importlib import import_module
from operator import attrgetter

lock = attrgetter("{holder}")(import_module("{module}"))
held = threading.Event()

def hold():
    with lock:
        held.set()
        time.sleep(60)

threading.Thread(target=hold, daemon=True).start()
held.wait()
if not (child := os.fork()):
    os._exit(not lock.acquire(blocking=False))
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.parametrize(
    ("module", "holder"),
    [
        ("concurrent_choices._runtime._own_loops", "_making"),
        ("concurrent_choices._runtime._switching", "_interval._lock"),
        ("concurrent_choices._strategies._workers._hosting._staffing", "_lock"),
        ("concurrent_choices._embed._offload", "_lock"),
    ],
)
def test_what_all_runs_share_is_free_in_a_fork(module, holder):
    """Whatever another thread was at: a fork that reads a stream hung in one of 500 (measured)."""
    code = FORK.format(module=module, holder=holder)
    assert printed("-W", "ignore::DeprecationWarning", "-c", code) == ["0"]
