"""Acts, scripted controllers, and a look at what is left behind."""

import threading
import time

import pytest

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


@pytest.fixture(autouse=True)
def no_threads_left():
    """After every test the threads of its run are gone; the ticker may rest for a moment."""
    yield
    until = time.monotonic() + 5
    while busy := [
        one.name for one in threading.enumerate() if one.name.startswith("concurrent_choices-auto")
    ]:
        assert time.monotonic() < until, busy
        time.sleep(0.01)
