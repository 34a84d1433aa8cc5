"""What a callable holds counts before worker processes are started for it."""

from __future__ import annotations

import pytest

from concurrent_choices._engine import _worker_data
from concurrent_choices._engine._automatic import Automatic
from concurrent_choices._engine._worker_data import seconds_to_send
from concurrent_choices._judge._controller._sight import Prior
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source

TABLE = list(range(1000))


def job():
    """One whose callable no worker can import, nor its table."""
    table = TABLE[:]
    return Job(lambda number: table[number], Source([1]))


def test_each_thing_takes_its_time():
    """Until a worker has them all."""
    assert 990 * _worker_data.EACH < seconds_to_send(job().fn) <= 1002 * _worker_data.EACH


@pytest.mark.parametrize("prior", [None, Prior("gil", lanes=1, each=0.1)])
def test_it_counts_in_every_run(prior, monkeypatch):
    """Workers that rest have imported what the last run needed, but hold nothing of it."""
    monkeypatch.setattr(_worker_data, "EACH", 9.0)
    limits = Automatic()._limits(job(), 1, prior, 1)
    assert not limits.ready_within(8000.0)
    assert limits.ready_within(10_000.0)
