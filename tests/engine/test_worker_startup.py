"""Worker processes that come up beside a run that may be over before they have."""

import os
import signal
import sys
import threading
import time
from itertools import repeat

import engine_acts as acts
import pytest
from engine_coroutines import LOOP, LoopStrategy
from engine_coroutines import STARTING as LOOP_STARTING
from engine_fakes import LANES, STARTING, ScriptedStrategy

from concurrent_choices import stream
from concurrent_choices._engine import _worker_startup
from concurrent_choices._engine._report import begin_report
from concurrent_choices._engine._tally import Done
from concurrent_choices._engine._urgency import Urgency
from concurrent_choices._engine._worker_startup import WorkerStartup
from concurrent_choices._engine._worker_transfer import Transfer
from concurrent_choices._engine._workforce import Workforce
from concurrent_choices._mutation._state import State
from concurrent_choices._strategies._workers._between._surroundings import surroundings
from concurrent_choices._strategies._workers._hosting import _host, _staffing
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source

MANY = 1000
"""Items whose results are weighed: what a run takes to begin is little beside them."""


@pytest.fixture
def barred():
    """What was said to keep a callable here."""
    return []


@pytest.fixture
def startup():
    """The processes of a run that has not begun."""
    job = Job(acts.SlowToLoad(), Source(range(3)), report=begin_report("slow"))
    startup = WorkerStartup(job, State(job.fn), Urgency())
    yield startup
    startup.close()


def test_who_has_left_listens_to_no_worker(startup, barred):
    """What they answer may be meant for the next run."""
    ordering = threading.Thread(target=startup.order, args=(1, 1, Done(), barred.append))
    ordering.start()
    while startup.host is None or not startup.host.workers:
        time.sleep(1e-3)
    startup.leave()
    ordering.join()
    assert (startup.ready, startup.obstacle) == (0, "")


def test_after_the_end_no_workers_are_ordered(startup, barred):
    """The run was over before the thread that orders them got its turn."""
    startup.close()
    startup.order(2, 1, Done(), barred.append)
    assert startup.host is None


def test_why_workers_do_not_come_up(startup, barred, monkeypatch):
    """They say so themselves, before they end."""
    monkeypatch.setattr(_staffing, "_resting", {})
    monkeypatch.setattr(_host, "surroundings", lambda: {**surroundings(), "recursion": -1})
    startup.order(1, 1, Done(), barred.append)
    assert "recursion" in barred[0]


def test_workers_that_somebody_still_orders_do_not_rest(startup, barred):
    """The next run would not be the only one to listen to them."""
    loading = threading.Event()

    def hold(_inside):
        loading.wait()
        return []

    startup._packed = hold
    ordering = threading.Thread(target=startup.order, args=(1, 1, Done(), barred.append))
    ordering.start()
    while startup.host is None or not startup.host.workers:
        time.sleep(1e-3)
    host = startup.host
    startup.close()
    assert host.closed
    loading.set()
    ordering.join()
    assert startup.ready == 0


def test_what_costs_more_to_carry_than_to_compute_stays(startup, barred):
    """No worker is started for it, and who decides is told why."""
    startup.order(2, 1, Done(items=100, cpu=1e-6, results=[bytes(1 << 20)] * 4), barred.append)
    assert startup.host is None
    assert barred == [startup.obstacle] == ["carrying items and results would cost more than it saves"]


@pytest.mark.parametrize("loaded", [False, True])
def test_workers_come_up_while_what_goes_by_value_is_weighed(barred, monkeypatch, loaded):
    """Weighing begins with importing cloudpickle then, unless that has been."""
    if loaded:
        pytest.importorskip("cloudpickle")
    else:
        monkeypatch.delitem(sys.modules, "cloudpickle", raising=False)
    job = Job(lambda item: item + 1, Source(range(3)), report=begin_report("lambda"))
    startup = WorkerStartup(job, State(job.fn), Urgency())
    there = []

    def weigh(_source, _done):
        there.append(startup.host is not None and len(startup.host.workers))
        return Transfer()

    monkeypatch.setattr(_worker_startup, "weighed", weigh)
    startup.order(2, 1, Done(items=3, cpu=1.0, results=[1, 2, 3]), barred.append)
    startup.close()
    assert there == [False if loaded else 2]
    assert (startup.ready, barred) == (2, [])


def test_results_that_could_not_come_back_keep_the_callable_here(startup, barred):
    """In a worker the call would be over, and its result lost."""
    results = [1, {"lock": threading.Lock()}, 2]
    startup.order(2, 1, Done(items=3, cpu=1.0, results=results), barred.append)
    assert startup.host is None
    assert barred == [startup.obstacle]
    assert "a result's value under 'lock' is a lock" in startup.obstacle


@pytest.mark.parametrize("others", [[], [1]], ids=["all", "not all"])
def test_items_none_of_which_can_travel_keep_the_callable_here(barred, others):
    """Each would be called here anyway; where others can, those are worth a worker."""
    items = [*[threading.Lock() for _ in range(3)], *others]
    startup = WorkerStartup(Job(id, Source(items), report=begin_report("id")), State(id), Urgency())
    startup.order(2, 1, Done(items=3, cpu=1.0, results=[1, 2, 3]), barred.append)
    host = startup.host
    startup.close()
    assert (host is None) == (not others)
    assert barred == ([] if others else [startup.obstacle])
    assert startup.obstacle.startswith("" if others else "an item is a lock (")


def test_items_that_are_listed_in_an_order_of_this_process_stay(barred, monkeypatch):
    """In a worker their order would be another one."""
    monkeypatch.setattr("concurrent_choices._transfer._hashed.hashes_are_set", lambda: False)
    job = Job(lambda item: [*item, 1], Source([{"a", "b"}] * 3), report=begin_report("list"))
    startup = WorkerStartup(job, State(job.fn), Urgency())
    startup.order(2, 1, Done(), barred.append)
    assert startup.host is None
    assert "calls go through sets that they are given" in barred[0]


def test_what_calls_change_is_found_out_before_workers_are_prepared(barred):
    """What starts them takes 0.1 s and more to import beside lanes that compute."""
    counter = acts.Counter()
    job = Job(counter.count, Source(range(3)), report=begin_report("count"))
    workforce = Workforce(job, State(job.fn))
    counter.count(1)
    workforce.order(2, 1, Done, barred.append)
    assert barred == ["calls change its object, which would be lost in another process"]
    assert (workforce.startup, job.report.witness) == (None, "its object")


def test_workers_that_were_killed_while_they_rested_are_replaced(barred):
    """Or no run could use processes until they had rested long enough to end, one after another."""
    for _ in range(2):
        job = Job(abs, Source(range(3)), report=begin_report("abs"))
        startup = WorkerStartup(job, State(job.fn), Urgency())
        startup.order(2, 1, Done(), barred.append)
        assert (startup.ready, barred) == (2, [])
        host = startup.host
        startup.close()
        os.kill(host.workers[0].pid, signal.SIGKILL)
        assert host.workers[0].process.wait(10) == -signal.SIGKILL
    assert len(host.workers) == 2


LARGE = bytes(1 << 22)


def large(_item):
    """There already, and long to carry: no clock can find it dearer to compute."""
    return LARGE


async def large_in_a_loop(_item):
    return large(_item)


@pytest.mark.parametrize(
    ("fn", "strategy", "first", "then"),
    [
        (large, ScriptedStrategy(), LANES, STARTING),
        (large_in_a_loop, LoopStrategy(), LOOP, LOOP_STARTING),
    ],
    ids=["lanes", "a loop"],
)
def test_results_are_weighed_wherever_they_were_made(fn, strategy, first, then):
    """Not only those of the calling thread."""
    controller = strategy.controller
    controller._script = (first if controller.sights[-1].done < MANY else then for _ in repeat(None))
    for _ in stream(fn, repeat(None), strategy=strategy):
        if controller.barred:
            break
    assert "carrying" in controller.barred
