"""What other threads of the program compute beside a run."""

import sys
import threading
import time
from math import inf

import pytest

from concurrent_choices._engine._bystanders import Bystanders

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the clocks of others are numbered as on Linux"
)


class Spinner:
    """A thread that computes until it is told to stop."""

    def __enter__(self):
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._spin)
        self.thread.start()
        return self

    def _spin(self):
        while not self.over.is_set():
            sum(range(100))

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def spent_beside(bystanders, *ours):
    """Give the others time to compute, and ask."""
    began = time.process_time()
    while time.process_time() - began < 0.05:
        time.sleep(0.001)
    return bystanders.spent(inf, lambda: set(ours))


def test_a_thread_that_was_there_before_is_told_of():
    """What it has computed stays when it ends."""
    with Spinner() as other:
        bystanders = Bystanders()
        spent = spent_beside(bystanders, threading.get_native_id())
        assert spent > 0.0
    assert not other.thread.is_alive()
    assert bystanders.spent(inf, set) >= spent


def test_a_run_s_own_threads_and_later_ones_are_no_bystanders():
    """An idle thread of a pool may become a lane, and who begins later may be an item's."""
    with Spinner() as lane:
        bystanders = Bystanders()
        with Spinner():
            assert spent_beside(bystanders, threading.get_native_id(), lane.thread.native_id) < 0.01


def test_what_a_lane_did_stays_the_run_s_when_it_has_left():
    """Its thread goes on in the pool: others have used no more than the run's accounts leave."""
    with Spinner() as lane:
        bystanders = Bystanders()
        spent_beside(bystanders, threading.get_native_id(), lane.thread.native_id)
        time.sleep(0.02)
        assert bystanders.spent(0.004, set) <= 0.004


def test_nobody_is_asked_where_everything_is_accounted_for(monkeypatch):
    """Each clock costs something to read, and there may be a thousand threads."""
    bystanders = Bystanders()
    monkeypatch.setattr(time, "clock_gettime", None)
    assert bystanders.spent(0.0, set) == 0.0
