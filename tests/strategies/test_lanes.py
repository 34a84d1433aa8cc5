"""Outbox, thread pool and keeper: where batches wait, where threads come from, what stays warm."""

from __future__ import annotations

import asyncio
import gc
import os
import queue
import sys
import threading
import time
import weakref
from collections import deque
from contextvars import copy_context
from functools import partial
from math import inf
from types import SimpleNamespace

import pytest

from concurrent_choices import (
    AsyncioStrategy,
    Batch,
    ClosedStrategyError,
    ItemTimeoutError,
    ThreadStrategy,
    run,
)
from concurrent_choices._runtime._new_thread import new_thread, start
from concurrent_choices._strategies._lanes import _threads
from concurrent_choices._strategies._lanes._asyncio_host import AsyncioHost
from concurrent_choices._strategies._lanes._keeper import Keeper
from concurrent_choices._strategies._lanes._outbox import Outbox
from concurrent_choices._strategies._lanes._thread_pool import JobThreads, ThreadPool
from concurrent_choices._strategies._lanes._threads import Lane, LanePool
from concurrent_choices._strategies._workers._hosting._host import Host
from concurrent_choices._strategies._workers._hosting._pump import Pump
from concurrent_choices._work import _source, _tap
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source


@pytest.fixture
def thread_pool():
    """A thread pool that is sent home."""
    made = ThreadPool("pool")
    yield made
    made.close()


def test_batches_in_the_order_of_their_coming():
    """What was put is taken, once."""
    outbox = Outbox(inf)
    outbox.put(Batch(0, [1]))
    outbox.put(Batch(1, [2]))
    assert len(outbox) == 2
    assert [batch.start for batch in outbox.take()] == [0, 1]
    assert outbox.take() == []


@pytest.mark.parametrize("linger", [inf, 1e-3])
def test_an_error_wakes_whoever_waits(linger):
    """However long results may rest, an error does not."""
    outbox = Outbox(linger)
    waiter = threading.Thread(target=outbox.wait, args=(60,))
    waiter.start()
    outbox.put(Batch(0, [], ValueError()))
    waiter.join(30)
    assert not waiter.is_alive()


def test_a_result_wakes_a_caller_who_dozes():
    """Where somebody looks at results, the first of them wakes him."""
    outbox = Outbox(1e-3)
    waiter = threading.Thread(target=outbox.wait, args=(60,))
    waiter.start()
    while not outbox._dozing:
        pass
    outbox.put(Batch(0, [1]))
    waiter.join(30)
    assert not waiter.is_alive()


def test_a_ring_is_not_lost():
    """A ring before the wait ends it at once; rings do not add up."""
    outbox = Outbox(inf)
    outbox.ring()
    outbox.ring()
    outbox.wait(60)
    outbox.wait(0)


def test_no_wait_is_deaf_to_ctrl_c():
    """A signal that comes just before a wait is handled after it: none lasts long, whatever it was asked."""
    Outbox(inf).wait(10**9)
    Outbox(1e-3).wait(10**9)


def test_a_wait_that_is_over_already():
    """What is left of a time may have passed when it is asked for."""
    Outbox(inf).wait(-1e-9)


def test_a_task_that_fails_is_heard():
    """What no item raised, but a lane itself, is raised to whoever waits, and not in a minute."""

    async def fail(_context):
        raise LookupError

    async def main():
        async with AsyncioHost() as host:
            host.spawn(fail, copy_context())
            await host.wait(60)

    with pytest.raises(LookupError):
        asyncio.run(main())


def test_a_task_that_fails_as_its_host_ends_is_noticed():
    """The last lane says that there is nothing left to do before it has ended itself."""

    async def fail(_own):
        host.wake()
        raise LookupError

    async def main():
        nonlocal host
        async with AsyncioHost() as host:
            host.spawn(fail, copy_context())
            await host.wait(60)

    host = None
    with pytest.raises(LookupError):
        asyncio.run(main())


def test_a_thread_pool_reuses_its_threads(thread_pool):
    """A second body runs in the thread of the first, once that is idle."""
    seen, done = [], threading.Event()

    def body():
        seen.append(threading.current_thread())
        done.set()

    thread_pool.start(body)
    assert done.wait(30)
    while not thread_pool._idle:
        pass
    done.clear()
    thread_pool.start(body)
    assert done.wait(30)
    assert len(set(seen)) == 1


def test_a_thread_pool_grows(thread_pool):
    """Nobody waits for a thread that is busy."""
    barrier = threading.Barrier(4, timeout=30)
    for _ in range(3):
        thread_pool.start(barrier.wait)
    barrier.wait()
    assert len(thread_pool._threads) == 3


def test_a_thread_pool_keeps_no_body_alive(thread_pool):
    """What a body held is gone while its thread waits for the next."""

    class Held:
        pass

    held, done = Held(), threading.Event()
    trace = weakref.ref(held)

    def body(held=held):
        done.set()

    thread_pool.start(body)
    del held, body
    assert done.wait(30)
    while not thread_pool._idle:
        pass
    gc.collect()
    assert trace() is None


def test_a_thread_that_cannot_be_started(thread_pool, monkeypatch):
    """The body is refused, and those that could be started go on and end."""
    done = threading.Event()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_more_threads)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            thread_pool.start(print)
    thread_pool.start(done.set)
    assert done.wait(30)


def test_where_there_are_no_daemon_threads(thread_pool, monkeypatch):
    """As in a subinterpreter: those of another kind do the work, and end with the pool."""
    thread, done = threading.Thread, threading.Event()

    def refuse_daemons(*, daemon, **named):
        if daemon:
            raise RuntimeError("daemon threads are disabled in this (sub)interpreter")
        return thread(daemon=daemon, **named)

    monkeypatch.setattr(threading, "Thread", refuse_daemons)
    thread_pool.start(done.set)
    assert done.wait(30)
    (only,) = thread_pool._threads
    thread_pool.close()
    only.join(30)
    assert not only.is_alive()


def test_a_thread_pool_in_a_fork(thread_pool):
    """It has none of its parent's threads, and starts its own."""
    done = threading.Event()
    thread_pool.start(done.set)
    assert done.wait(30)
    while not thread_pool._idle:
        pass
    done.clear()
    if not (child := os.fork()):
        thread_pool.start(done.set)
        os._exit(0 if done.wait(30) else 1)
    assert os.waitpid(child, 0)[1] == 0


def no_more_threads(_thread):
    raise RuntimeError("can't start new thread")


def test_a_closed_thread_pool_has_no_threads():
    """After `close` its idle threads are gone."""
    thread_pool, done = ThreadPool("pool"), threading.Event()
    thread_pool.start(done.set)
    assert done.wait(30)
    thread_pool.close()
    assert not any(thread.is_alive() for thread in thread_pool._threads)


def test_a_thread_of_one_job_ends_once_that_is_over():
    """Until a body says so it rests for the next one, as nobody knows yet that there will be none."""
    threads, turns = JobThreads("pool"), queue.SimpleQueue()
    for over in (False, True):
        rested = threading.Event()
        threads.start(lambda over=over: turns.put(threading.current_thread()) or over, rested.set)
        assert rested.wait(30)
    first, second = turns.get(), turns.get()
    assert first is second
    first.join(30)
    assert not first.is_alive()


def test_a_thread_of_one_job_leaves_no_body_behind():
    """One may wait for it whose own thread could not be started."""
    threads, served = JobThreads("pool"), threading.Event()
    threads.start(lambda: threads._bodies.put((served.set, None)) or True)
    assert served.wait(30)
    threads.close()


def test_a_thread_pool_is_closed_while_a_thread_is_about_to_start(monkeypatch):
    """Ctrl-C, or whoever ends a run, may come between; the thread does what it was to do, and ends."""
    thread_pool, done = ThreadPool("pool"), threading.Event()

    def close_and_start(thread):
        monkeypatch.undo()
        thread_pool.close()
        thread.start()

    monkeypatch.setattr(threading.Thread, "start", close_and_start)
    thread_pool.start(done.set)
    assert done.wait(30)


class Thing:
    """Something that can be closed."""

    def __init__(self):
        self.closed = 0

    def close(self):
        self.closed += 1


def test_a_keeper_lends_what_it_keeps():
    """Inside, every job has the same thing; afterwards it is closed."""
    keeper = Keeper("test", Thing)
    keeper.open()
    with keeper.lend() as first, keeper.lend() as second:
        assert first is second
    assert not first.closed
    keeper.close()
    assert first.closed == 1


def test_a_keeper_makes_one_for_a_single_job():
    """Outside, each job has its own, closed behind it, also after an error."""
    keeper = Keeper("test", Thing)
    with pytest.raises(KeyError), keeper.lend() as lent:
        raise KeyError
    assert lent.closed == 1


def test_a_closed_keeper_refuses():
    """Nothing is lent or opened after the end."""
    keeper = Keeper("test", Thing)
    keeper.open()
    keeper.close()
    with pytest.raises(ClosedStrategyError), keeper.lend():
        pass
    with pytest.raises(ClosedStrategyError):
        keeper.open()


def test_a_keeper_that_is_dropped():
    """What it kept is closed with it, once."""
    keeper = Keeper("test", Thing)
    keeper.open()
    kept = keeper._kept
    del keeper
    gc.collect()
    assert kept.closed == 1


def job_of(*items):
    return Job(abs, Source(items), timeout=1.0)


def test_what_a_lane_fails_of_is_raised_though_it_is_the_last(thread_pool):
    """It is none of an item's errors; unheard, items would be missing and nobody knew why."""

    def body(_lane):
        msg = "odd"
        raise ValueError(msg)

    with pytest.raises(ValueError, match="odd"):
        list(LanePool(job_of(1), thread_pool, workers=1, body=lambda lane: (lane.claim(), body(lane))))


def fail(*_):
    raise LookupError


def fails_between_batches(monkeypatch, batches, step, tend):
    """Whoever sees to lanes does not raise what a step of that has failed of; the next batch does."""
    with monkeypatch.context() as patch:
        patch.setattr(batches, step, fail)
        tend()
    with pytest.raises(LookupError):
        list(batches)


def test_what_fails_between_two_batches_is_raised_in_place_of_the_next(thread_pool, monkeypatch):
    """Results that are due come first, whose taking is when lanes are seen to."""
    pool = LanePool(job_of(1, 2), thread_pool, workers=1)
    fails_between_batches(monkeypatch, pool, "staff", pool.tend)


def test_what_workers_fail_of_between_two_batches_is_raised_in_place_of_the_next(monkeypatch):
    """The same of those in other processes."""
    host = Host("process")
    pump = Pump(job_of(1, 2), host, workers=1)
    fails_between_batches(monkeypatch, pump, "_deal", pump._tend)
    host.close()


def test_time_limits_hold_while_results_are_taken(thread_pool):
    """Who takes them may take his time, and items begin meanwhile."""
    gate = threading.Event()
    pool = LanePool(Job(gate.wait, Source([60]), timeout=1e-3), thread_pool, workers=1)
    pool.staff()
    (lane,) = pool._lanes
    while time.monotonic() - lane.since <= 1e-3:
        time.sleep(1e-3)
    pool.tend()
    gate.set()
    assert isinstance(pool.outbox.take()[0].error, ItemTimeoutError)


def test_time_limits_of_workers_hold_while_results_are_taken():
    """The same of items in other processes: they would end, and be as good as those in time."""
    host = Host("process")
    pump = Pump(Job(time.sleep, Source([60]), timeout=0.05), host, workers=1)
    pump._deal()
    (queue,) = pump._queues.values()
    while not queue.worker.page.since or queue.left(0.05) > 0:
        time.sleep(1e-3)
    pump._tend()
    (late,) = pump._out
    assert list(pump) == [late]
    host.close()
    assert isinstance(late.error, ItemTimeoutError)


@pytest.mark.parametrize("error", [None, ValueError, SystemExit])
def test_what_ends_too_late_in_a_worker_is_overdue_though_nobody_gave_it_up(error):
    """Whoever does was busy, or asked for no more results; what ends a run ends it however late."""

    def linger(seconds):
        time.sleep(seconds)
        if error is not None:
            raise error

    host = Host("process")
    pump = Pump(Job(linger, Source([0.02]), timeout=0.01, return_exceptions=True), host, workers=1)
    pump._deal()
    while not pump._out:
        pump._hear_all(1.0)
    (batch,) = pump
    host.close()
    if error is SystemExit:
        assert isinstance(batch.error, SystemExit)
    else:
        (late,) = batch.values
        assert isinstance(late, ItemTimeoutError)
        assert "has ended since" in str(late)


def test_as_many_loops_are_woken_as_there_are_items(thread_pool):
    """Of those with room: others would find nothing, and keep the GIL from who draws the results."""
    pool = LanePool(job_of(1, 2), thread_pool, workers=4)
    woken = []
    for number, room in enumerate([False, True, True, True]):
        pool.nudges[partial(woken.append, number)] = SimpleNamespace(has_room=room, is_idle=room)
    pool.invite()
    assert woken == [1, 2]
    pool.job.stop()
    pool.invite()
    assert woken == [1, 2, 0, 1, 2, 3]  # there will be no more, so that all shall end


def test_a_loop_at_an_item_is_not_the_only_one_to_be_woken(thread_pool):
    """The item may block it, and another loop be idle meanwhile."""
    pool = LanePool(job_of(1), thread_pool, workers=4)
    woken = []
    for number, idle in enumerate([False, True, True]):
        pool.nudges[partial(woken.append, number)] = SimpleNamespace(has_room=True, is_idle=idle)
    pool.invite()
    assert woken == [0, 1]


def test_nobody_waits_for_the_next_item_while_results_are_due(thread_pool, monkeypatch):
    """One that takes its time may never come."""
    monkeypatch.setattr(_source, "LONG", -1.0)  # any time is long
    job = Job(abs, Source(iter(range(9)), window=9))
    job.source.feed(1)
    LanePool(job, thread_pool, workers=2).tend()
    assert job.source._pulled == 1


def test_results_that_nobody_takes_any_more_do_not_cut_the_last_wait_short(thread_pool, monkeypatch):
    """It began anew at once, and so took a core until the lanes had ended."""
    pool = LanePool(job_of(1, 2), thread_pool, workers=2)
    pool._lanes.add(Lane(pool))
    pool.outbox.put(Batch(0, [1]))
    there = []

    def wait(_seconds):
        there.append(len(pool.outbox))
        pool._lanes.clear()

    monkeypatch.setattr(pool.outbox, "wait", wait)
    pool.part()
    assert there == [0]


def test_a_lane_is_not_given_up_for_the_item_before(thread_pool):
    """Between a look at how long it has been at it and giving up it may end that, and begin the next."""
    lane = Lane(LanePool(job_of(1, 2), thread_pool, workers=1))
    first = lane.claim()
    lane.mark()
    then = lane.since
    assert lane.hand_over(first, Batch(0, [1]))
    second = lane.claim()
    assert lane.abandon(then) is None
    while lane.since in {then, inf}:  # clocks may be slow
        lane.mark()
    assert lane.abandon(then) is None
    assert lane.abandon(lane.since) == second


def test_what_ends_too_late_is_overdue_though_nobody_gave_it_up(thread_pool):
    """Whoever does may have waited for the GIL until then."""
    job = Job(abs, Source([1, 2]), timeout=1e-9)
    pool = LanePool(job, thread_pool, workers=1)
    lane = Lane(pool)
    claim = lane.claim()
    lane.mark()
    while time.monotonic() - lane.since <= 1e-9:  # clocks may be slow
        pass
    assert not lane.hand_over(claim, Batch(0, [1]))
    (batch,) = pool.outbox.take()
    assert isinstance(batch.error, ItemTimeoutError)
    assert "has ended since" in str(batch.error)


def test_what_ends_a_run_ends_it_however_late(thread_pool):
    """As a `SystemExit`, in the place of one of which nobody knows why it took so long."""
    pool = LanePool(Job(abs, Source([1, 2]), timeout=1e-9), thread_pool, workers=1)
    lane = Lane(pool)
    claim, end = lane.claim(), SystemExit(3)
    lane.mark()
    while time.monotonic() - lane.since <= 1e-9:  # as above
        pass
    assert not lane.hand_over(claim, Batch(0, [], end))
    assert pool.outbox.take()[0].error is end


def test_no_thread_is_awaited_where_the_interpreter_ends(monkeypatch):
    """It would never begin, and `Thread.start` would wait for ever."""
    monkeypatch.setattr(sys, "is_finalizing", lambda: True)
    with pytest.raises(RuntimeError, match="the interpreter ends"):
        start(new_thread(print, "late"))


class Looking(deque):
    """Looks, as another thread may, at what there is as soon as something is added."""

    def __init__(self, look):
        super().__init__()
        self.look = look
        self.seen = []

    def append(self, each):
        super().append(each)
        self.seen.append(self.look())


def test_what_was_not_started_is_back_before_the_batch_is_there(thread_pool):
    """Or the caller, who takes that and finds the source finished, might end the run without it."""
    job = Job(abs, Source([1, 2, 3]))
    pool = LanePool(job, thread_pool, workers=2)
    claim = job.source.claim(3)
    batches = pool.outbox._batches = Looking(lambda: job.source.finished)
    pool.deliver(claim, Batch(0, [1]))
    assert (batches.seen, job.source.ready) == ([False], 2)


@pytest.mark.parametrize("strategy", ["thread", "asyncio", "uvloop", "anyio"])
def test_items_that_come_slowly_are_in_flight_together(strategy):
    """One begins while those before it still wait, though the iterable gives one at a time."""
    gate = threading.Barrier(4)

    def items():
        for item in range(20):
            time.sleep(2e-3)
            yield item

    def meet(_):
        gate.wait(30)
        time.sleep(2e-3)  # or the lane of who comes last, and waits for nobody, would take two
        return True

    assert run(meet, items(), strategy=strategy) == [True] * 20


@pytest.mark.parametrize(
    "strategy", [ThreadStrategy(max_workers=2), AsyncioStrategy(concurrency=2)], ids=lambda each: each.name
)
def test_a_slow_iterable_is_asked_for_more_while_all_lanes_work(strategy, monkeypatch):
    """Else they would wait for it once they are free: two lanes of 10 ms took 1.45 s for what takes 1.04."""
    monkeypatch.setattr(_tap, "FEED_SECONDS", -1.0)  # which no item takes less than
    third = threading.Event()

    def items():
        yield from (0, 1)
        third.set()
        yield 2

    assert run(lambda _: third.wait(30), items(), strategy=strategy) == [True, True, True]


@pytest.mark.parametrize(
    ("options", "long", "lacks"),
    [
        ({}, 0.0, True),
        ({"linger": 1e-3}, 0.0, False),
        ({"timeout": 1.0}, 0.0, False),
        ({"timeout": 1.0}, inf, True),
    ],
    ids=["nobody waits", "somebody waits", "an item may be overdue", "it is not that slow"],
)
def test_nothing_is_kept_waiting_for_an_item_that_may_take_long(
    options, long, lacks, thread_pool, monkeypatch
):
    """A result that is due comes first, and so does an item whose time is up."""
    monkeypatch.setattr(_tap, "FEED_SECONDS", -1.0)
    monkeypatch.setattr(_source, "LONG", long)
    source = Source(iter(range(9)))
    pool = LanePool(Job(abs, source, **options), thread_pool, workers=2)
    assert not pool.lacks_items  # nobody knows yet how slow it is
    source.feed(1)
    assert pool.lacks_items is lacks
    while source.ready < pool._appetite:
        source.feed(pool._appetite)
    assert not pool.lacks_items
    source.close()
    assert not pool.lacks_items


def test_no_more_is_kept_ready_than_lasts_a_while(thread_pool, monkeypatch):
    """Five hundred pictures lay in memory for four threads; short calls alone need many at once."""
    source = Source(iter(range(999)))
    pool = LanePool(Job(abs, source), thread_pool, workers=4)
    monkeypatch.setattr(pool, "staff", lambda: None)

    def ready_where_a_while_is(seconds):
        monkeypatch.setattr(_threads, "LASTING", seconds)
        source.claim(source.ready)
        pool.feed()
        while source.ready < pool._appetite:
            pool.feed()
        return source.ready

    assert [ready_where_a_while_is(seconds) for seconds in (inf, inf, 0.0, inf)] == [8, 16, 16, 32]
