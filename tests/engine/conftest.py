"""Ctrl-C, items that can be let go, and a look at what is left behind."""

import gc
import signal
import threading
import time

import engine_acts as acts
import pytest
from engine_keys import CtrlC

from concurrent_choices._runtime._switching import URGENT, _interval
from concurrent_choices._strategies._workers._hosting import _staffing


@pytest.fixture(scope="session", autouse=True)
def resting_workers_go_home():
    """Workers that wait for another call are sent home at the end."""
    yield
    with _staffing._lock:
        hosts = [host for host, *_ in _staffing._resting.values()]
        _staffing._resting.clear()
    for host in hosts:
        host.close()


def pytest_collection_modifyitems(items):
    """Where Ctrl-C strikes while a loop is made or closed, what is left to Python to close complains of it.

    A filter of the fixture's own would end before pytest has told what was collected in its teardown.
    """
    for item in items:
        if "ctrl_c" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))


@pytest.fixture
def ctrl_c():
    """Somebody who presses Ctrl-C."""
    pressing = CtrlC()
    before = signal.signal(signal.SIGINT, pressing.hear)
    yield pressing
    gc.collect()  # what was struck belongs to this test
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def uncollected():
    """Nobody looks for cycles meanwhile."""
    gc.disable()
    yield
    gc.enable()


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
    ) or URGENT in _interval._wanted.values():
        assert time.monotonic() < until, busy
        time.sleep(0.01)
