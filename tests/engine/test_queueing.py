"""What another thread is seen to do: whether it has had a core since it was looked at."""

import sys
import threading
import time

import pytest

from concurrent_choices._engine import _observer
from concurrent_choices._engine._elastic_pool import ElasticPool
from concurrent_choices._engine._lateness import Lateness
from concurrent_choices._engine._observer import Observer
from concurrent_choices._engine._tally import Queueing, Tally
from concurrent_choices._mutation._state import State
from concurrent_choices._strategies._lanes._thread_pool import ThreadPool
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nobody else tells of a thread's turns")


def test_a_thread_that_rests_has_not_gone_on_until_it_is_woken():
    """However late the looks come."""
    asked, answered, over = threading.Event(), threading.Event(), threading.Event()

    def body():
        asked.wait()
        answered.set()
        over.wait()

    thread = threading.Thread(target=body)
    thread.start()
    queueing = Queueing(thread)
    try:
        queueing.read()
        while queueing.is_queueing() or queueing.has_gone_on():  # it is on its way into its first wait
            time.sleep(0.001)
            queueing.read()
        turns = queueing.turns
        asked.set()
        answered.wait()
        assert queueing.has_gone_on()
        queueing.read()
        assert queueing.turns > turns
    finally:
        over.set()
        thread.join()
        queueing.close()


@pytest.mark.parametrize("queues", [True, False])
def test_a_sight_of_a_call_that_queues_is_rough(monkeypatch, queues):
    """What it has queued for so far is counted twice, which the next sight does not."""
    monkeypatch.setattr(Queueing, "is_queueing", lambda _self: queues)
    monkeypatch.setattr(_observer, "DOUBT", 60.0)
    job, tally = Job(str, Source([1])), Tally()
    tally.began = time.monotonic() - 3600
    began = time.monotonic(), time.process_time()
    pool, state, lateness = ElasticPool(job, ThreadPool("test")), State(str, [1]), Lateness()
    observer = Observer(pool, tally, state, lateness, began=began, stands_in=False)
    assert observer.sight(None, alone=True).rough is queues
    observer.close()
