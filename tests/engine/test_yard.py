"""Worker processes that come up beside a run that may be over before they have."""

import threading
import time

import engine_acts as acts
import pytest

from concurrent_choices._engine._yard import Yard
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source
from concurrent_choices._work._state import State


@pytest.fixture
def yard():
    """The processes of a run that has not begun."""
    job = Job(acts.SlowToLoad(), Source(range(3)))
    yard = Yard(job, State(job.fn))
    yield yard
    yard.close()


def test_who_has_left_listens_to_no_worker(yard):
    """What they answer may be meant for the next run."""
    ordering = threading.Thread(target=yard.order, args=(1,))
    ordering.start()
    while yard.host is None or not yard.host.workers:
        time.sleep(1e-3)
    yard.leave()
    ordering.join()
    assert (yard.ready, yard.obstacle) == (0, "")


def test_after_the_end_no_workers_are_ordered(yard):
    """The run was over before the thread that orders them got its turn."""
    yard.close()
    yard.order(2)
    assert yard.host is None


def test_workers_that_somebody_still_orders_do_not_rest(yard):
    """The next run would not be the only one to listen to them."""
    loading = threading.Event()

    def hold():
        loading.wait()
        return ""

    yard._unfit_to_travel = hold
    ordering = threading.Thread(target=yard.order, args=(1,))
    ordering.start()
    while yard.host is None or not yard.host.workers:
        time.sleep(1e-3)
    host = yard.host
    yard.close()
    assert host.closed
    loading.set()
    ordering.join()
    assert yard.ready == 0
