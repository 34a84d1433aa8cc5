"""Where workers do not come up, or end as they load a job, a run under `auto` goes on without them."""

from __future__ import annotations

import errno
import os
from contextlib import closing, contextmanager

import pytest

from concurrent_choices import WorkerDiedError, WorkerStartError
from concurrent_choices._engine._elastic_pool import ElasticPool
from concurrent_choices._engine._fallback_pump import FallbackPump
from concurrent_choices._strategies._lanes._thread_pool import ThreadPool
from concurrent_choices._strategies._workers._hosting._host import Host
from concurrent_choices._work._job import Job
from concurrent_choices._work._pace import Pace
from concurrent_choices._work._source import Source


@contextmanager
def working(job, host):
    """What hands the items of a job to one worker of a host, with a thread pool to fall back on."""
    with closing(host), closing(ThreadPool("pool")) as thread_pool:
        pool = ElasticPool(job, thread_pool)
        yield FallbackPump(job, host, pool, workers=1, inside=1, watched=False, new_pace=Pace)


def left_of(job):
    """The items that nobody has."""
    left = []
    while claim := job.source.claim():
        left += claim.items
    return sorted(left)


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
    job = Job(fn, Source([1, 2, 3]))
    with working(job, Host("auto", **host)) as pump:
        if alone:
            pump._mishaps.single_out(job.source.claim(2), "")
        assert list(pump) == []
    assert reason in pump.unfit
    assert left_of(job) == [1, 2, 3]


@pytest.mark.parametrize("error", [OSError(errno.EMFILE, "none left"), WorkerStartError("none left")])
@pytest.mark.parametrize("alone", [False, True])
def test_it_gives_up_where_the_last_worker_cannot_be_replaced(error, alone, monkeypatch):
    """As where the system lets no other process begin: the run goes on here."""

    def refuse(_):
        raise error

    monkeypatch.setattr(Host, "hire", refuse)
    job = Job(abs, Source([1, 2, 3]))
    with working(job, Host("auto")) as pump:
        if alone:
            pump._mishaps.single_out(job.source.claim(2), "")
        assert list(pump) == []
    assert "worker processes cannot be started here" in pump.unfit
    assert "none left" in pump.unfit
    assert left_of(job) == [1, 2, 3]


def test_items_that_workers_were_given_up_with_count_as_done():
    """What has become of them stands in their places, so a report must not leave them out."""
    job = Job(lambda item: os._exit(3) if item == 2 else item, Source(range(5)), return_exceptions=True)
    with working(job, Host("auto")) as pump:
        outcomes = {batch.start + at: value for batch in pump for at, value in enumerate(batch.values)}
    assert isinstance(outcomes.pop(2), WorkerDiedError)
    assert outcomes == {0: 0, 1: 1, 3: 3, 4: 4}
    assert pump.items == 5
