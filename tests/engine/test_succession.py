"""Who goes on where a loop leaves off: not before it does, and not for ever; and who waits for lanes."""

import threading

from concurrent_choices._engine._elastic_pool import ElasticPool
from concurrent_choices._engine._succession import Takeover
from concurrent_choices._facts._batch import Batch
from concurrent_choices._strategies._lanes._outbox import Outbox
from concurrent_choices._strategies._lanes._thread_pool import ThreadPool
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source


def test_the_rest_is_not_begun_before_it_is_left():
    """A loop that still takes items could leave none, and nobody to say so."""
    left = threading.Event()

    def rest():
        yield Batch(0, [left.is_set()])

    takeover = Takeover(Job(str, Source([1])), rest())
    left.set()
    takeover.begin()
    assert [batch.values for batch in takeover.batches()] == [[True]]


def test_who_waits_for_lanes_is_told_that_others_took_the_last_item():
    """There is no lane that could."""
    job = Job(str, Source([1, 2]))
    pool = ElasticPool(job, ThreadPool("test"))
    pool.workers = 1
    job.claim(2)
    pool.staff()
    pool.wait()
    assert not pool.busy


def test_who_waits_for_lanes_asks_others_for_items_not_itself(monkeypatch):
    """That ended its wait as it began: beside a full window it took a core, and the GIL from its lanes."""
    asked, rung = [], []
    monkeypatch.setattr(Outbox, "ring", lambda _: rung.append("itself"))
    job = Job(str, Source(iter([1, 2]), window=1))
    pool = ElasticPool(job, ThreadPool("test"))
    job.source.on_hunger(lambda: asked.append(1))
    job.claim()
    monkeypatch.setattr(pool, "wait", lambda: asked.append("then waits"))
    pool.rest()
    assert asked == [1, "then waits"]
    assert rung == []
