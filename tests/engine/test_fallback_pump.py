"""Where workers do not come up, or end as they load a job, a run under `auto` goes on without them."""

from __future__ import annotations

import errno
import os

import pytest

from concurrent_choices import WorkerDiedError, WorkerStartError
from concurrent_choices._engine._elastic_pool import ElasticPool
from concurrent_choices._engine._fallback_pump import FallbackPump
from concurrent_choices._strategies._lanes._thread_pool import ThreadPool
from concurrent_choices._strategies._workers._host import Host
from concurrent_choices._work._job import Job
from concurrent_choices._work._pace import Pace
from concurrent_choices._work._source import Source


class Deadly:
    """Ends whoever loads it."""

    def __call__(self, item):
        return item

    def __reduce__(self):
        return os._exit, (3,)


def refuse():
    raise ValueError


@pytest.mark.parametrize(
    ("fn", "host", "reason"),
    [
        (Deadly(), {}, "3 ended as they loaded"),
        (abs, {"initializer": refuse}, "initializer raised ValueError"),
        (abs, {"initializer": os._exit, "initargs": (3,)}, "ended before they were ready"),
    ],
)
@pytest.mark.parametrize("alone", [False, True])
def test_it_gives_up(fn, host, reason, alone):
    """It says why, and leaves all items to others, those that were to travel by themselves too."""
    host, thread_pool, job = Host("auto", **host), ThreadPool("pool"), Job(fn, Source([1, 2, 3]))
    pump = FallbackPump(
        job, host, ElasticPool(job, thread_pool), workers=1, inside=1, watched=False, new_pace=Pace
    )
    if alone:
        pump._mishaps.single_out(job.source.claim(2), "")
    try:
        assert list(pump) == []
    finally:
        host.close()
        thread_pool.close()

    assert reason in pump.unfit
    left = []
    while claim := job.source.claim():
        left += claim.items
    assert sorted(left) == [1, 2, 3]


@pytest.mark.parametrize("error", [OSError(errno.EMFILE, "none left"), WorkerStartError("none left")])
@pytest.mark.parametrize("alone", [False, True])
def test_it_gives_up_where_the_last_worker_cannot_be_replaced(error, alone, monkeypatch):
    """As where the system lets no other process begin: the run goes on here."""

    def refuse(_):
        raise error

    monkeypatch.setattr(Host, "hire", refuse)
    host, thread_pool, job = Host("auto"), ThreadPool("pool"), Job(abs, Source([1, 2, 3]))
    pump = FallbackPump(
        job, host, ElasticPool(job, thread_pool), workers=1, inside=1, watched=False, new_pace=Pace
    )
    if alone:
        pump._mishaps.single_out(job.source.claim(2), "")
    try:
        assert list(pump) == []
    finally:
        host.close()
        thread_pool.close()

    assert "worker processes cannot be started here" in pump.unfit
    assert "none left" in pump.unfit
    left = []
    while claim := job.source.claim():
        left += claim.items
    assert sorted(left) == [1, 2, 3]


def test_items_that_workers_were_given_up_with_count_as_done():
    """What has become of them stands in their places, so a report must not leave them out."""
    job = Job(lambda item: os._exit(3) if item == 2 else item, Source(range(5)), return_exceptions=True)
    host, thread_pool = Host("auto"), ThreadPool("pool")
    pump = FallbackPump(
        job, host, ElasticPool(job, thread_pool), workers=1, inside=1, watched=False, new_pace=Pace
    )
    try:
        outcomes = {batch.start + at: value for batch in pump for at, value in enumerate(batch.values)}
    finally:
        host.close()
        thread_pool.close()

    assert isinstance(outcomes.pop(2), WorkerDiedError)
    assert outcomes == {0: 0, 1: 1, 3: 3, 4: 4}
    assert pump.items == 5
