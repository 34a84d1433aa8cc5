"""Ctrl-C, items that can be let go, and a look at what is left behind."""

import gc
import signal
import threading
import time
import warnings

import engine_acts as acts
import pytest
from engine_keys import CtrlC

from concurrent_choices._measure._switching import URGENT, _interval
from concurrent_choices._strategies._workers import _staffing


@pytest.fixture(scope="session", autouse=True)
def resting_workers_go_home():
    """Workers that wait for another call are sent home at the end."""
    yield
    with _staffing._lock:
        hosts = [host for host, _ in _staffing._resting.values()]
        _staffing._resting.clear()
    for host in hosts:
        host.close()


@pytest.fixture
def ctrl_c():
    """Somebody who presses Ctrl-C.

    Where that strikes while a loop is made or closed, its sockets are left to Python to close.
    """
    pressing = CtrlC()
    before = signal.signal(signal.SIGINT, pressing.hear)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "unclosed", ResourceWarning)
        yield pressing
        gc.collect()
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def released():
    """What an item holds on to here is let go when the test ends."""
    acts.RELEASE.clear()
    yield
    acts.RELEASE.set()


@pytest.fixture(autouse=True)
def no_threads_left():
    """After every test the threads of its run are gone; the ticker may rest for a moment.

    So is what they have asked of the interpreter, or the next test would find another switch interval.
    """
    yield
    until = time.monotonic() + 30
    while (
        busy := [one.name for one in threading.enumerate() if one.name.startswith("concurrent_choices-auto")]
    ) or URGENT in _interval._wanted:
        assert time.monotonic() < until, busy
        time.sleep(0.01)
