"""Where the system gives few threads or processes, those do the work; where none, the error says so."""

from __future__ import annotations

import asyncio
import errno
import os
import sys
import threading
import time
from functools import partial

import contract_acts as acts
import pytest
from contract_ways import dismiss_resting, is_outside, only, parameters, resting, small

from concurrent_choices import ThreadStrategy, WorkerStartError, arun, recommend, run, stream
from concurrent_choices._engine._elastic_pool import ElasticPool
from concurrent_choices._strategies._workers._hosting._host import Host
from descriptors import no_descriptors
from interpreters import printed

ITEMS = range(60)
DONE = [2 * item for item in ITEMS]


@pytest.fixture
def few_threads(monkeypatch):
    """Limits how many threads of ours may run at a time."""
    start, started = threading.Thread.start, []

    def limit(most):
        def start_few(thread):
            if sum(each.is_alive() for each in started) >= most:
                raise RuntimeError("can't start new thread")
            start(thread)
            started.append(thread)

        monkeypatch.setattr(threading.Thread, "start", start_few)

    dismiss_resting()  # or a thread waits to do it already
    return limit


@pytest.mark.parametrize("most", [1, 2])
def test_few_threads(strategy, of_kind, few_threads, most):
    """As many lanes as there can be threads do all the work."""
    few_threads(most)
    assert run(of_kind(acts.double), ITEMS, strategy=strategy) == DONE


def test_threads_that_there_are_once_workers_at_rest_have_gone(monkeypatch, of_kind):
    """Each of those counts in what the system allows; they are sent home."""
    start = threading.Thread.start

    def start_beside_none(thread):
        if resting() and not thread.name.endswith("retire"):
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_beside_none)
    run(acts.double, [1], strategy="process")
    assert resting()
    assert run(of_kind(acts.double), ITEMS, strategy="thread") == DONE
    assert not resting()


async def block(item):
    time.sleep(2e-3)  # noqa: ASYNC251 - the mistake that threads are for
    return 2 * item


@pytest.fixture
def few_loops(monkeypatch):
    """Limits how many of asyncio's loops there may be at a time, as few descriptors do."""
    new_loop, made = asyncio.new_event_loop, []

    def limit(most):
        def make_few():
            if sum(not each.is_closed() for each in made) >= most:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            made.append(new_loop())
            return made[-1]

        monkeypatch.setattr(asyncio, "new_event_loop", make_few)

    return limit


@pytest.mark.parametrize("most", [3, 4])
@pytest.mark.parametrize("strategy", ["auto", ThreadStrategy(max_workers=8)], ids=["auto", "thread"])
def test_few_loops_for_coroutines_that_block_them(few_loops, strategy, most):
    """A thread that gets none leaves the items to those that have one."""
    few_loops(most)
    assert run(block, ITEMS, strategy=strategy) == DONE


def test_no_loop_for_coroutines_in_threads(few_loops):
    """The error is the system's."""
    few_loops(0)
    with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
        run(block, ITEMS, strategy="thread")


def test_no_loop_for_a_stream_of_coroutines(few_loops, monkeypatch):
    """The same, though the lane has found out before who started it goes on: nothing came, and no error."""
    monkeypatch.delitem(sys.modules, "uvloop", raising=False)  # or its loops were taken
    few_loops(0)
    start = ElasticPool._start_lane

    def start_and_wait(pool):
        started = start(pool)
        while pool.refusal is None:
            time.sleep(0)
        return started

    monkeypatch.setattr(ElasticPool, "_start_lane", start_and_wait)
    with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
        list(stream(block, ITEMS))


async def compute(item):
    until = time.thread_time() + 8e-3
    while time.thread_time() < until:
        pass
    return 2 * item


def here(fn, items):
    return asyncio.run(arun(fn, items))


@pytest.mark.parametrize("most", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("call", [run, here])
def test_few_threads_for_coroutines_that_block_their_loop(few_threads, call, most):
    """The loop goes on with them where no threads could take over, also where they are known to block."""
    call(block, ITEMS)
    few_threads(most)
    assert call(block, ITEMS) == DONE
    assert call(partial(block), ITEMS) == DONE


@pytest.mark.parametrize("most", [1, 2])
def test_few_threads_for_a_stream_of_coroutines(few_threads, most):
    """One is enough: its loop's."""
    few_threads(most)
    assert list(stream(block, ITEMS)) == DONE


@pytest.mark.parametrize("most", [1, 2])
def test_few_threads_beside_workers(few_threads, most):
    """Where no thread can let workers go afterwards, the caller's own does; the results are not lost."""
    few_threads(most)
    assert here(compute, ITEMS) == DONE


@only(lambda name: name in {"auto", "sequential"} or is_outside(name))
def test_no_threads(name, of_kind, few_threads):
    """Whoever can do without complains of nothing; workers that no thread could dismiss do not rest."""
    few_threads(0)
    assert run(of_kind(acts.double), ITEMS, strategy=small(name)) == DONE
    assert not resting()


@only(lambda name: name in {"thread", "asyncio", "uvloop", "anyio"})
def test_no_thread_for_those_who_need_one(name, few_threads):
    """The error says whose limit it is, and what would do without."""
    few_threads(0)
    with pytest.raises(RuntimeError, match="can't start new thread") as caught:
        run(acts.double, ITEMS, strategy=small(name))
    assert "sequential" in caught.value.__notes__[0]


@only(lambda name: name == "auto")
def test_a_stream_without_threads(name, of_kind, few_threads):
    """It needs one beside its caller, so it says so; it does not end early as if there were no items."""
    few_threads(0)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        list(stream(of_kind(acts.double), ITEMS, strategy=small(name)))


@pytest.mark.parametrize(
    "call",
    [
        lambda fn: run(fn, ITEMS, timeout=30),
        lambda fn: run(fn, ITEMS, timeout=30, strategy="sequential"),
        lambda fn: asyncio.run(arun(fn, ITEMS)),
    ],
    ids=["timeout", "timeout, sequential", "arun"],
)
def test_calls_without_threads_that_the_calling_one_cannot_make(few_threads, call):
    """The error says so, whoever needs the thread."""
    few_threads(0)
    with pytest.raises(RuntimeError, match="can't start new thread") as caught:
        call(acts.double)
    assert "sequential" in caught.value.__notes__[0]


@pytest.mark.parametrize("name", ["asyncio", "auto"])
def test_a_plain_iterator_that_no_thread_can_advance_beside_a_loop(few_threads, name):
    """Nobody waits for its items for ever."""
    few_threads(0)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        asyncio.run(arun(acts.twin(acts.double), iter(ITEMS), strategy=name))


@pytest.mark.parametrize("most", [2, 4])
def test_a_recommendation_with_few_threads(few_threads, most):
    """It goes without trying many calls at once, and says so."""
    few_threads(most)
    verdict = recommend(wait, ITEMS)
    assert "the system gives too few threads for" in str(verdict)
    assert verdict.run() == DONE


def wait(item):
    time.sleep(2e-3)
    return 2 * item


@only(lambda name: "initializer" in parameters(name))
def test_one_worker_comes_up(name, of_kind, log):
    """The others are not missed: it does all the work."""
    strategy = small(name, initializer=acts.come_up_alone, initargs=(str(log),))
    assert run(of_kind(acts.double), ITEMS, strategy=strategy) == DONE


@only(is_outside)
@pytest.mark.parametrize("left", [3, 6, 9])
def test_few_descriptors_for_workers(name, of_kind, left):
    """Those there are do all the work, where one finds all that it needs."""
    dismiss_resting()
    with small(name) as strategy:
        run(of_kind(acts.double), [1], strategy=strategy)  # its first worker is up, and all is loaded
        with no_descriptors(left):
            assert run(of_kind(acts.double), ITEMS, strategy=strategy) == DONE


@only(is_outside)
def test_a_time_limit_is_no_scarcity(name, of_kind, monkeypatch):
    """What a handler of signals raises as the second worker starts ends the run: it comes but once."""
    hire = Host.hire

    def hire_in_time(host):
        if host.workers:
            raise TimeoutError
        return hire(host)

    monkeypatch.setattr(Host, "hire", hire_in_time)
    with small(name) as strategy, pytest.raises(TimeoutError):
        run(of_kind(acts.double), ITEMS, strategy=strategy)


@only(lambda name: "initializer" in parameters(name))
def test_no_worker_comes_up(name, log):
    """The error says how many were tried, and how the last one ended."""
    log.touch()
    strategy = small(name, initializer=acts.come_up_alone, initargs=(str(log),))
    with pytest.raises(WorkerStartError, match=r"3 times in a row .* with exit code 3;"):
        run(acts.double, ITEMS, strategy=strategy)


SCARCE = """
import asyncio, os, resource, time
from concurrent_choices import run

async def compute(item):
    until = time.thread_time() + 0.004
    while time.thread_time() < until:
        pass

async def block(item):
    time.sleep(0.005)

asyncio.run(compute(0))
most = len(os.listdir("/proc/self/fd")) + {left}
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
print(len(run({fn}, range(200), strategy="{strategy}")))
"""


@pytest.mark.parametrize("fn", ["compute", "block"])
@pytest.mark.parametrize("left", [2, 4, 30])
def test_few_descriptors_for_coroutines(fn, left):
    """A run stays on the loop it has, or makes do with few more; nothing is said, and nothing raised."""
    assert printed("-c", SCARCE.format(fn=fn, left=left, strategy="auto")) == ["200"]


@pytest.mark.parametrize("left", [5, 20, 40])
def test_few_descriptors_for_loops_in_threads(left):
    """Threads that get no loop leave the items to the others, and no half-made loop is complained of."""
    assert printed("-c", SCARCE.format(fn="block", left=left, strategy="thread")) == ["200"]


SLOWLY_MADE = """
import asyncio, sys, threading, time
from concurrent_choices import run

opened, make = [], asyncio.new_event_loop

def watch(event, arguments):
    if event == "open" and threading.current_thread() is not threading.main_thread():
        opened.append(arguments[0])

def make_slowly():
    sys.addaudithook(watch)
    time.sleep(0.05)
    print(opened)
    return make()

async def rest(item):
    await asyncio.sleep(0.01)

asyncio.new_event_loop = make_slowly
run(rest, range(20))
"""


def test_nobody_opens_anything_while_a_loop_is_made():
    """It may be the last descriptor, without which the loop cannot be had."""
    assert printed("-c", SLOWLY_MADE) == ["[]"]
