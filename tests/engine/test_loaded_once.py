"""What workers have loaded as they came up is neither pickled again when they get items, nor read again."""

import os
import signal
from functools import cache

import engine_acts as acts
import pytest

from concurrent_choices._engine import _worker_startup
from concurrent_choices._engine._elastic_pool import ElasticPool
from concurrent_choices._engine._fallback_pump import FallbackPump
from concurrent_choices._engine._report import begin_report
from concurrent_choices._engine._tally import Done
from concurrent_choices._engine._urgency import Urgency
from concurrent_choices._engine._worker_startup import WorkerStartup
from concurrent_choices._mutation._state import State
from concurrent_choices._strategies._lanes._thread_pool import ThreadPool
from concurrent_choices._strategies._workers._hosting import _job_frames
from concurrent_choices._work._job import Job
from concurrent_choices._work._pace import Pace
from concurrent_choices._work._source import Source


@pytest.fixture
def packed(monkeypatch):
    """An entry for each time that a callable was pickled for workers."""
    packed = []
    for module in (_worker_startup, _job_frames):

        def dump_callable(fn, value, dump=module.dump_callable):
            packed.append(value)
            return dump(fn, value)

        monkeypatch.setattr(module, "dump_callable", dump_callable)
    return packed


@pytest.fixture
def thread_pool():
    """Threads, of which none is needed."""
    pool = ThreadPool("pool")
    yield pool
    pool.close()


@pytest.fixture
def pump(thread_pool):
    """Makes what hands items to the worker of a run, once that has loaded the callable."""
    startups, bar = [], [].append

    def new_pump(job):
        if not startups:
            startups.append(WorkerStartup(job, State(job.fn), Urgency()))
            startups[0].order(1, 1, Done(), bar)
        host, sent = startups[0].hand_over()
        return FallbackPump(
            job,
            host,
            ElasticPool(job, thread_pool),
            workers=1,
            inside=1,
            watched=False,
            new_pace=Pace,
            sent=sent,
        )

    yield new_pump
    startups[0].close()


@pytest.fixture
def path(tmp_path):
    """Where those are noted who read the callable."""
    return tmp_path / "readers"


@pytest.fixture
def called_late(monkeypatch):
    """Has a callable called once between being sent to workers and being handed over to them."""

    def call_late(fn, hand_over=WorkerStartup.hand_over):
        def hand_over_late(startup):
            fn(0)
            return hand_over(startup)

        monkeypatch.setattr(WorkerStartup, "hand_over", hand_over_late)
        return Job(fn, Source([1, 2, 3]), report=begin_report("called late"))

    yield call_late
    acts.own_settings.cache_clear()


def new_job(path):
    return Job(acts.TellsReaders(path), Source([1, 2, 3]), report=begin_report("tells"))


def results_of(pump):
    return [value for batch in pump for value in batch.values]


def readers(path):
    return [int(pid) for pid in path.read_text().split()]


def test_a_callable_goes_to_workers_once(pump, packed, path):
    """One that holds much takes long to be pickled and to be read, and all would wait for that twice."""
    dealing = pump(new_job(path))
    assert results_of(dealing) == [1, 2, 3]
    assert len(packed) == 1
    assert readers(path) == [worker.pid for worker in dealing._host.workers]


def test_who_takes_a_workers_place_is_sent_the_callable(pump, path):
    """It has loaded nothing."""
    dealing = pump(new_job(path))
    worker = dealing._host.workers[0]
    os.kill(worker.pid, signal.SIGKILL)
    worker.process.wait(10)
    assert results_of(dealing) == [1, 2, 3]
    assert readers(path) == [worker.pid, dealing._host.workers[0].pid]


def test_a_callable_that_was_called_is_sent_anew(pump, packed, path):
    """Calls may have changed what it holds there; not here, or it would not leave again."""
    results_of(pump(new_job(path)))
    dealing = pump(new_job(path))
    assert results_of(dealing) == [1, 2, 3]
    assert readers(path) == [dealing._host.workers[0].pid] * 2
    assert len(packed) == 1


def test_a_callable_that_could_not_be_loaded_is_not_gone_on_with(pump, path):
    """Why is said once more: whoever hands items out listens only from then on."""
    path.mkdir()
    dealing = pump(new_job(path))
    assert results_of(dealing) == []
    assert "a worker process cannot load it (IsADirectoryError" in dealing.unfit


def test_what_a_call_has_made_once_since_goes_with_the_callable(pump, called_late):
    """Each worker would make another, where a plain loop has one for all items."""

    @cache
    def settings():
        return [os.getpid()]

    dealing = pump(called_late(lambda _item: settings()))
    assert results_of(dealing) == [[os.getpid()]] * 3


def test_what_a_call_has_put_into_what_is_made_once_goes_with_the_callable(pump, called_late):
    """It was there as the callable was sent, and empty."""

    @cache
    def settings():
        return []

    def ask(_item):
        if not settings():
            settings().append(os.getpid())
        return settings()

    settings()
    assert results_of(pump(called_late(ask))) == [[os.getpid()]] * 3


def test_what_a_call_has_made_once_since_in_a_module_is_compared(pump, called_late):
    """Workers import that module, and make their own: calls stay here where that is not the same."""
    dealing = pump(called_late(acts.ask_own_settings))
    assert results_of(dealing) == []
    assert "own_settings() has another value there than here" in dealing.unfit
