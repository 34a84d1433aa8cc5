"""`auto` itself, with the controller that decides by evidence."""

import asyncio
import gc
import logging
import os
import random
import threading
import time
import weakref
from contextlib import closing, redirect_stdout
from contextvars import Context, copy_context
from dataclasses import dataclass
from io import StringIO
from itertools import count
from math import inf
from pathlib import Path

import engine_acts as acts
import pytest
from engine_coroutines import STARTING as LOOP_STARTING
from engine_coroutines import LoopStrategy
from engine_fakes import ALONE, LANES, PAIR, STARTING, Scripted, ScriptedStrategy

from concurrent_choices import InvalidArgumentError, arun, run, stream
from concurrent_choices._engine import _conductor
from concurrent_choices._engine._auto import AutoStrategy
from concurrent_choices._engine._conductor import Conductor
from concurrent_choices._engine._elastic_pool import ElasticPool, explain_refusals
from concurrent_choices._engine._report import begin_report, run_report
from concurrent_choices._engine._succession import Succession
from concurrent_choices._engine._thread_limit import ThreadLimit
from concurrent_choices._facts._batch import Batch
from concurrent_choices._runtime._contexts import lanes_around
from concurrent_choices._strategies._lanes._thread_pool import ThreadPool
from concurrent_choices._work import _tap
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source
from patience import patient


def test_a_tiny_job_stays_here():
    """A few quick calls are made by the calling thread."""
    _, name = run(acts.where, [1])[0]
    assert name == threading.current_thread().name


def test_lanes_find_items_of_an_iterable_while_the_first_call_lasts(monkeypatch):
    """Only the calling thread may take them, and it is at a call of its own."""
    monkeypatch.setattr(_tap, "FEED_SECONDS", 60.0)
    begun, all_begun = [], threading.Event()

    def meet(item):
        begun.append(item)
        if len(begun) == 50:
            all_begun.set()
        return all_begun.wait(10)

    assert all(run(meet, iter(range(50)), strategy=ScriptedStrategy(LANES._replace(threads=50))))


def test_nested_runs_share_with_no_more_lanes_than_there_are_items():
    """Four items are four at a time at most, however many lanes are asked for: each has a fourth of all."""
    all_begun = threading.Barrier(4)

    def around(_item):
        all_begun.wait(10)
        return lanes_around.get()

    strategy = ScriptedStrategy(LANES._replace(threads=200))
    assert set(run(around, range(4), strategy=strategy)) == {1, 4}


def test_the_report_tells_of_the_last_run():
    """Name, items, time and what was arranged."""
    run(acts.double, range(1000))
    report = run_report()
    assert (report.callable, report.done) == ("double", 1000)
    assert report.seconds > 0
    assert str(report).startswith("double: 1000 items, ")


def test_the_report_belongs_to_its_context():
    """Two tasks of a loop see each its own."""

    async def one(fn):
        await arun(fn, range(50))
        return run_report().callable

    async def main():
        return await asyncio.gather(one(acts.double), one(acts.spin))

    assert asyncio.run(main()) == ["double", "spin"]


def test_the_report_is_found_where_nothing_has_run():
    """What was awaited in a cell of a notebook, or in a loop's task, ran in a context of its own."""
    asyncio.run(arun(acts.double, range(50)))
    assert Context().run(run_report).callable == "double"


def test_the_report_is_that_of_a_run_in_a_copy_of_the_context():
    """What `asyncio.run` or a task ran since, though this context had a run of its own before."""
    run(acts.spin, range(50))
    asyncio.run(arun(acts.double, range(50)))
    assert run_report().callable == "double"

    async def in_a_task():
        await asyncio.create_task(arun(acts.spin, range(50)))
        return run_report().callable

    assert asyncio.run(in_a_task()) == "spin"
    assert run_report().callable == "spin"
    run(acts.double, range(50))
    assert run_report().callable == "double"


def test_the_report_is_not_that_of_a_run_inside():
    """An item of the run had one of its own, and so in a context between."""

    def outer(item):
        return [run(acts.double, range(item)) for _ in range(2)]

    async def between():
        run_in_copy = copy_context()
        return await asyncio.to_thread(run_in_copy.run, run, outer, [50, 50])

    run(outer, [50, 50])
    assert run_report().callable.endswith("outer")
    asyncio.run(between())
    assert run_report().callable.endswith("outer")


def test_a_run_that_never_ended_hides_no_later_one():
    """A stream that somebody holds and has left: what `asyncio.run` is given has a report all the same."""
    left = stream(acts.spin, count())
    next(left)
    run(acts.spin, range(50))
    asyncio.run(arun(acts.double, range(50)))
    assert run_report().callable == "double"
    left.close()


def test_reports_of_runs_long_past_are_let_go_of():
    """However many follow one another, in this context and in copies."""
    run(acts.double, range(5))
    first = weakref.ref(run_report())

    async def two():
        await arun(acts.double, range(5))
        second = weakref.ref(run_report())
        await arun(acts.double, range(5))
        gc.collect()
        return second

    second = asyncio.run(two())
    run(acts.double, range(5))
    gc.collect()
    assert first() is None
    assert second() is None


def test_a_report_is_told_to_a_few_contexts_at_most():
    """A server that starts a task after each run keeps thousands of copies, which each run would tell."""
    kept = []
    for _ in range(100):
        begin_report("work").close(0)
        kept.append(copy_context())
    begin_report("last").close(0)
    assert sum(each.run(run_report).callable == "last" for each in kept) < 50


class Turning:
    """Quick for some items, then waiting: knows how many of those there were at once.

    Args:
        quick: How many items are quick.
    """

    def __init__(self, quick):
        self.quick = quick
        self.inside = self.most = 0
        self.lock = threading.Lock()

    def enter(self):
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)

    def leave(self):
        with self.lock:
            self.inside -= 1

    def call(self, item):
        """For `run` of a `def`."""
        if item >= self.quick:
            self.enter()
            time.sleep(0.03)
            self.leave()
        return item

    async def awaited(self, item):
        """The same on a loop."""
        if item >= self.quick:
            self.enter()
            await asyncio.sleep(0.03)
            self.leave()
        return item


@patient
@pytest.mark.parametrize(("quick", "then", "way"), [(31, 29, "call"), (3000, 24, "awaited")])
def test_a_batch_whose_items_turn_out_slow(quick, then, way):
    """Items that were claimed together because those before took no time need not wait for each other."""
    turning = Turning(quick)
    assert run(getattr(turning, way), range(quick + then)) == [*range(quick + then)]
    assert turning.most > then / 2


@patient
def test_waiting_work_gets_lanes_and_a_reason(caplog):
    """The first call is seen to wait, and others start beside it."""
    import time

    with caplog.at_level(logging.DEBUG, logger="concurrent_choices"):
        run(time.sleep, [0.05] * 20)
    report = run_report()
    assert report.steps[-1].stage == "waiting"
    assert "waiting" in report.steps[-1].reason
    assert any("thread ×" in record.getMessage() for record in caplog.records)


def test_lanes_without_a_clock_of_their_own(monkeypatch):
    """Under gevent's patches a thread is a greenlet, and the system knows none of that number."""
    monkeypatch.setattr(time, "pthread_getcpuclockid", acts.no_such_thread, raising=False)
    assert run(acts.nap, range(50)) == list(range(50))


def test_a_callable_bound_to_its_thread_is_kept_in_it():
    """A connection of sqlite3 is recognised before anything fails."""
    connection, read = acts.reader()
    try:
        assert run(read, range(400)) == list(range(400))  # fewer may be over before anybody has looked
    finally:
        connection.close()
    steps = run_report().steps
    assert {step.doing for step in steps} == {"this thread"}
    assert "belongs to the thread that made it" in steps[-1].reason


@pytest.mark.parametrize("timeout", [None, 60])
def test_calls_that_set_the_working_directory_have_it_to_themselves(timeout, tmp_path, monkeypatch):
    """However much they wait: in two threads one would find itself where the other has gone."""
    monkeypatch.chdir(tmp_path)
    folders = [tmp_path / str(number) for number in range(30)]
    for folder in folders:
        folder.mkdir()

    def enter(folder):
        os.chdir(folder)
        time.sleep(0.005)  # stands for a command that writes where it is
        return Path.cwd()

    assert run(enter, folders, timeout=timeout) == folders


@patient
def test_calls_that_set_the_working_directory_wait_in_workers(tmp_path):
    """In one thread of each, side by side."""

    def enter(_):
        os.chdir(tmp_path)
        time.sleep(0.01)
        return Path.cwd(), threading.current_thread() is threading.main_thread()

    assert set(run(enter, range(100))) == {(tmp_path, True)}
    assert run_report().steps[-1].stage == "outside"


def test_calls_that_redirect_what_is_printed_get_all_of_it():
    """Also once they have begun to wait in workers, and where the next run begins as this one ended."""

    def prints(item):
        with redirect_stdout(StringIO()) as told:
            print(item)
            if item < 300:
                sum(range(60_000))
            else:
                time.sleep(0.006)
                sum(range(20_000))
            print(item)
        return told.getvalue()

    for _ in range(2):
        assert run(prints, range(600)) == [f"{item}\n{item}\n" for item in range(600)]


def test_calls_that_seed_random_numbers_draw_their_own():
    """However much they wait: in two threads one would go on with what another has seeded."""

    def draws(seed):
        random.seed(seed)
        time.sleep(0.002)
        return random.random()

    before = random.getstate()
    expected = [draws(seed) for seed in range(60)]
    found = run(draws, range(60))
    random.setstate(before)
    assert found == expected


@dataclass(frozen=True)
class FrozenError(Exception):
    """Refuses attributes, a note among them."""

    message: str


def test_a_frozen_error_about_threads_is_explained():
    """How to do without other threads; the error arrives as any other."""
    error = FrozenError("signal only works in main thread")
    assert explain_refusals(Batch(0, [1, error]), tolerant=True) == [error]
    assert "thread_safe=False" in error.__notes__[0]


def test_an_error_that_a_call_returned_is_not_explained():
    """It is a value like any other, and whose it is may not want it changed."""
    error = ValueError("signal only works in main thread")
    assert explain_refusals(Batch(0, [1, error]), tolerant=False) == []
    assert not hasattr(error, "__notes__")


def test_not_thread_safe_means_this_thread():
    """`thread_safe=False`: no lane is started, however much it waits."""
    import time

    def name_of_thread(item):
        time.sleep(0.002)
        return threading.current_thread().name

    names = run(name_of_thread, range(40), strategy=AutoStrategy(thread_safe=False))
    assert set(names) == {threading.current_thread().name}


@pytest.mark.parametrize("answer", ["no", 0, None])
def test_what_is_neither_true_nor_false_is_refused(answer):
    """A word such as "no" would count as true."""
    with pytest.raises(InvalidArgumentError, match="must be True or False"):
        AutoStrategy(thread_safe=answer)


def test_not_thread_safe_with_a_timeout_means_one_thread():
    """Of each process; here not the calling one, which could not give up on an item that it is at."""
    import os
    import time

    def thread(item):
        time.sleep(0.002)
        return os.getpid(), threading.get_ident()

    threads = set(run(thread, range(40), strategy=AutoStrategy(thread_safe=False), timeout=60))
    assert len(threads) == len(dict(threads))
    assert (os.getpid(), threading.get_ident()) not in threads


@patient
def test_max_workers_is_a_ceiling():
    """Never more lanes at once than asked for, and as many."""
    peopled = Peopled()
    run(peopled, range(100), strategy=AutoStrategy(max_workers=3))
    if peopled.most > 3:
        pytest.fail(f"not by chance: {peopled.most}")
    assert peopled.most == 3


class Peopled:
    """A callable that waits, and knows how many of its calls there were at once."""

    def __init__(self):
        self.at_once = self.most = 0
        self.lock = threading.Lock()

    def __call__(self, item):
        with self.lock:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        time.sleep(2e-3)
        with self.lock:
            self.at_once -= 1
        return item


def conducted(fn, script, most):
    """A conductor of a run with so many threads at most, and the items that it has yet to perform."""
    job = Job(fn, Source(range(60)), report=begin_report("conducted"))
    return Conductor(
        job, lambda: Scripted(script), ThreadPool("concurrent_choices-auto"), eager=True, most=most
    )


@pytest.mark.parametrize("then", [ALONE, PAIR])
def test_a_ceiling_holds_through_every_switch(then):
    """Lanes that are to leave are still at their last items when the calling thread is to go on, or begin."""
    peopled = Peopled()
    conductor = conducted(peopled, 50 * [*10 * [LANES], *5 * [then]], most=3)
    with closing(conductor._thread_pool):
        assert sorted(item for batch in conductor.batches() for item in batch.values) == [*range(60)]
    assert peopled.most <= 3


def test_a_ceiling_holds_where_the_calling_thread_is_between_two_items(monkeypatch):
    """It has not begun the next when lanes are ordered, and has seen nothing yet of being relieved."""
    here, ordered, gone_on, resized = threading.get_ident(), *(threading.Event() for _ in range(3))
    claim, lanes, staff, resize = Source.claim, ThreadLimit.lanes, ElasticPool.staff, ElasticPool.resize
    beside = []

    def claim_late(source, limit=1):
        assert threading.get_ident() != here or ordered.wait(30)
        return claim(source, limit)

    def lanes_late(*args, **named):
        ordered.set()
        assert gone_on.wait(30)
        return lanes(*args, **named)

    def staff_and_tell(pool):
        if threading.get_ident() == here:
            gone_on.set()
        staff(pool)

    def resize_and_tell(pool, workers):
        resize(pool, workers)
        resized.set()

    def call(item):
        if threading.get_ident() == here:
            gone_on.set()
            assert resized.wait(30)
            beside.append(conductor._pool.workers)
        return item

    monkeypatch.setattr(Source, "claim", claim_late)
    monkeypatch.setattr(ThreadLimit, "lanes", lanes_late)
    monkeypatch.setattr(ElasticPool, "staff", staff_and_tell)
    monkeypatch.setattr(ElasticPool, "resize", resize_and_tell)
    conductor = conducted(call, [LANES], most=3)
    with closing(conductor._thread_pool):
        assert sorted(item for batch in conductor.batches() for item in batch.values) == [*range(60)]
    assert max(beside, default=0) < 3


@patient
def test_inside_a_with_block_the_threads_stay():
    """The second job runs in threads of the first."""

    def where(item):
        acts.nap(item)
        return threading.get_ident()

    with AutoStrategy(max_workers=3) as strategy:
        first = set(run(where, range(40), strategy=strategy))
        second = set(run(where, range(40), strategy=strategy))
    assert len(first) > 1
    assert len(first & second) > 1


def test_a_strategy_that_is_dropped_inside_its_block():
    """Its threads go with it: what was learnt in its runs does not hold it."""
    strategy = AutoStrategy(max_workers=3).__enter__()
    run(acts.nap, range(40), strategy=strategy)
    keeper = weakref.ref(strategy._keeper)
    del strategy
    until = time.monotonic() + 30
    while keeper() is not None and time.monotonic() < until:  # the ticker has yet to see that the run is over
        gc.collect()
    assert keeper() is None


def test_nobody_waits_for_workers_with_one_item_alone(monkeypatch):
    """There is no other that could be handed to them: nobody would even ask for them."""
    monkeypatch.setattr(Conductor, "_await_order", lambda _: pytest.fail("waits"))
    job = Job(acts.double, Source([1]), report=begin_report("double"))
    with closing(ThreadPool("concurrent_choices-auto")) as thread_pool:
        conductor = Conductor(job, lambda: Scripted([]), thread_pool, eager=True, patient=True)
        assert [list(batch.values) for batch in conductor.batches()] == [[2]]


def test_nobody_waits_any_more_once_the_calling_thread_is_to_go_on(monkeypatch):
    """Three items that a generator gave at once were too few for lanes, and waited 20 ms for an order."""
    monkeypatch.setattr(_conductor, "WAKING", inf)
    job = Job(acts.double, Source([1, 2, 3]), report=begin_report("double"))
    with closing(ThreadPool("concurrent_choices-auto")) as thread_pool:
        conductor = Conductor(job, lambda: Scripted([]), thread_pool, eager=True, patient=True)
        assert sorted(item for batch in conductor.batches() for item in batch.values) == [2, 4, 6]


def test_a_stream_whose_end_comes_in_the_midst_of_a_look():
    """The collector may find it in any thread, and in the ticker's while that looks after the same run."""
    started, ended = threading.Event(), threading.Event()
    strategy = ScriptedStrategy()

    def look(_sight):
        if started.is_set():
            results.close()
            ended.set()
        return ALONE

    strategy.controller.look = look
    results = stream(acts.nap, range(100), strategy=strategy)
    next(results)
    started.set()
    assert ended.wait(30)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2"])
def test_ceilings_are_checked(wrong):
    """The message names the argument."""
    with pytest.raises(ValueError, match="max_workers"):
        AutoStrategy(max_workers=wrong)


@pytest.mark.parametrize("most", [0, 3])
def test_a_system_that_gives_few_threads(monkeypatch, most):
    """Those lanes that can be started do the work; where there is none, the calling thread does."""
    start_few_threads(monkeypatch, most)
    assert run(acts.nap, range(40)) == list(range(40))


@pytest.mark.parametrize(
    ("fn", "strategy"),
    [
        (acts.times_factor, ScriptedStrategy(STARTING)),
        (acts.times_factor_awaited, LoopStrategy(LOOP_STARTING)),
    ],
)
def test_a_system_that_gives_no_thread_to_start_workers_in(monkeypatch, fn, strategy):
    """What computes stays in the calling thread."""
    start_few_threads(monkeypatch, 0)
    assert run(fn, range(600), strategy=strategy) == [2 * item for item in range(600)]


def start_few_threads(monkeypatch, most):
    """Refuse any more threads than so many to runs of `auto`."""
    start, started = threading.Thread.start, []

    def start_few(thread):
        if thread.name.startswith("concurrent_choices-auto"):
            if len(started) >= most:
                raise RuntimeError("can't start new thread")
            started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_few)


class Pressing:
    """Ctrl-C comes as it is looked at, before its call."""

    def __reduce__(self):
        raise KeyboardInterrupt


def test_ctrl_c_as_a_run_is_being_made_is_raised():
    """Nothing has been learnt of it then, nor is there anybody who could be asked."""
    with pytest.raises(KeyboardInterrupt):
        run(acts.double, [Pressing()])


async def identity(item):
    return item


@pytest.mark.parametrize(
    ("fn", "parting"),
    [(acts.double, ElasticPool), (identity, Succession)],
    ids=["def", "async def"],
)
def test_ctrl_c_as_a_run_is_being_closed_leaves_nothing_open(fn, parting, monkeypatch):
    """What it read from would stay open, and threads would wait for ever."""
    part, presses = parting.part, iter([KeyboardInterrupt])

    def press_and_part(parting):
        for error in presses:
            raise error
        part(parting)

    monkeypatch.setattr(parting, "part", press_and_part)
    with pytest.raises(KeyboardInterrupt):
        run(fn, range(3))
    report = run_report()
    assert report is not None
    assert report.seconds is not None
