"""Giving way, between two batches, to a thread that has something urgent to do."""

import sys
import threading

import pytest

from concurrent_choices._engine._elastic_pool import ElasticPool
from concurrent_choices._engine._urgency import Urgency
from concurrent_choices._strategies._lanes._thread_pool import ThreadPool
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source


@pytest.fixture
def urgency():
    return Urgency()


@pytest.fixture
def gave_way(urgency):
    """A thread that gives way, and the event that it sets afterwards."""
    after = threading.Event()

    def body():
        urgency.give_way()
        after.set()

    return threading.Thread(target=body), after


def test_nobody_is_waited_for_where_nothing_is_urgent(urgency, gave_way):
    """A claim that is over holds nobody up."""
    thread, after = gave_way
    with urgency.claimed():
        pass
    thread.start()
    assert after.wait(10.0)
    thread.join()


def test_the_next_batch_begins_once_the_last_claim_is_over(urgency, gave_way, monkeypatch):
    """Of two claims, the longer one is waited for."""
    monkeypatch.setattr("concurrent_choices._engine._urgency.LONGEST", 60.0)
    thread, after = gave_way
    with urgency.claimed():
        with urgency.claimed():
            thread.start()
        assert not after.is_set()
    assert after.wait(10.0)
    thread.join()


def test_lanes_begin_no_item_before_what_is_urgent_is_done(urgency, gave_way):
    """One that begins takes the GIL from who imports what starts workers, at each of its files."""
    thread, after = gave_way
    with urgency.claimed():
        thread.start()
        assert not after.wait(0.2)
    assert after.wait(10.0)
    thread.join()


def test_who_is_missed_gives_way_for_a_moment_only(urgency, monkeypatch):
    """A loop serves many items, and the calling thread may be the only one at work."""
    monkeypatch.setattr("concurrent_choices._engine._urgency.LONGEST", 60.0)
    after = threading.Event()
    thread = threading.Thread(target=lambda: (urgency.give_way_briefly(), after.set()))
    with urgency.claimed():
        thread.start()
        assert after.wait(10.0)
    thread.join()


def test_what_takes_long_is_not_waited_for(urgency, gave_way):
    """A claim that lasts holds nobody up for as long."""
    thread, after = gave_way
    with urgency.claimed():
        thread.start()
        assert after.wait(10.0)
    thread.join()


def test_lanes_give_way_between_two_items(urgency, monkeypatch):
    """Many that compute would take the GIL from who starts workers at each of its system calls."""
    monkeypatch.setattr("concurrent_choices._engine._urgency.LONGEST", 60.0)
    called = []
    job = Job(called.append, Source([1, 2]))
    pool = ElasticPool(job, ThreadPool("test"), urgency=urgency)
    pool.resize(1)
    with urgency.claimed():
        pool.staff()
        while not list(pool.collect()):
            pool.wait()
        assert called == [1]
    while pool.busy:
        pool.wait()
    assert called == [1, 2]


def test_a_claim_ends_where_something_goes_wrong(urgency, gave_way):
    """After an error inside a claim nobody waits, and the switch interval is what it was."""
    thread, after = gave_way
    usual = sys.getswitchinterval()
    with pytest.raises(ZeroDivisionError), urgency.claimed():
        raise ZeroDivisionError
    assert sys.getswitchinterval() == usual
    thread.start()
    assert after.wait(10.0)
    thread.join()
