"""What is left behind: nothing, after whatever happened, however often."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref
from contextlib import closing
from itertools import count
from pathlib import Path

import contract_acts as acts
import psutil
import pytest
from contract_ways import (
    children,
    descriptors,
    dismiss_resting,
    eventually,
    only_keeping,
    only_outside,
    resting,
    shown_descriptors,
    small,
    threads,
)

from concurrent_choices import ItemTimeoutError, WorkerDiedError, arun, run, stream
from concurrent_choices._strategies._workers._hosting import _parting, _staffing


def one_of_each(strategy, of_kind, *, outside):
    """A success, a failure, a timeout, an early end and, where it is survivable, a death."""
    run(of_kind(acts.double), range(10), strategy=strategy)
    with pytest.raises(acts.PlainError):
        run(of_kind(acts.raise_plain), range(10), strategy=strategy)
    with pytest.raises(ItemTimeoutError):
        run(of_kind(acts.hold), [0, 1], strategy=strategy, timeout=0.02)
    results = stream(of_kind(acts.double), count(), strategy=strategy)
    next(results)
    results.close()
    if outside:
        with pytest.raises(WorkerDiedError):
            run(of_kind(acts.exit_at_three), range(5), strategy=strategy)


def test_nothing_grows(hurried, name, lean, of_kind, outside):
    """A second round of successes, failures and ends holds no more descriptors or threads."""
    strategy = lean
    one_of_each(strategy, of_kind, outside=outside)
    acts.RELEASE.set()
    dismiss_resting()
    assert eventually(lambda: not threads())
    before, threads_before = descriptors(), threading.active_count()
    acts.RELEASE.clear()
    one_of_each(strategy, of_kind, outside=outside)
    acts.RELEASE.set()
    dismiss_resting()
    assert eventually(lambda: not threads())
    assert eventually(lambda: descriptors() <= before)
    assert eventually(lambda: threading.active_count() <= threads_before)


@only_keeping
def test_tasks_that_a_coroutine_leaves_are_ended(tmp_path, strategy):
    """Once the run is over, as where `asyncio.run` ends, though its workers stay for another."""
    paths = [tmp_path / str(number) for number in range(4)]
    with strategy:
        assert run(acts.leave_task, paths, strategy=strategy) == [False] * 4
        assert eventually(lambda: all(map(Path.exists, paths)))


def lanes():
    """Our threads but for the ticker, which waits a moment for another run."""
    return {thread for thread in threads() if "ticker" not in thread.name}


@only_keeping
def test_a_with_block_leaves_nothing(name, of_kind, outside):
    """At the end of the block all its workers are gone, at once."""
    strategy = small(name)
    dismiss_resting()
    with strategy:
        seen = set(run(of_kind(acts.where), range(10), strategy=strategy))
    assert not resting()
    assert not outside or not any(map(psutil.pid_exists, seen))
    assert not lanes()


@only_keeping
def test_an_error_in_a_with_block_leaves_nothing(name, of_kind):
    """The same where the block ends in an error."""
    strategy = small(name)
    with pytest.raises(KeyError), strategy:  # noqa: PT012 - the block is what is tested
        run(of_kind(acts.double), range(10), strategy=strategy)
        raise KeyError
    assert not lanes()
    assert not children()


@only_keeping
def test_a_strategy_abandoned_inside_its_with_block(name, of_kind):
    """One that was entered and never left holds no processes once it is collected."""
    strategy = small(name)
    strategy.__enter__()
    run(of_kind(acts.double), range(10), strategy=strategy)
    del strategy
    gc.collect()


@only_keeping
def test_a_strategy_entered_twice(name, of_kind):
    """A with block inside a with block of the same strategy loses nothing."""
    strategy = small(name)
    with strategy, strategy:
        assert run(of_kind(acts.double), range(3), strategy=strategy) == [0, 2, 4]


@only_outside
def test_resting_workers_end_by_themselves(strategy, monkeypatch):
    """Workers that nobody calls again are gone after a while."""
    dismiss_resting()
    monkeypatch.setattr(_staffing, "REST", 0.1)
    seen = set(run(acts.where, range(10), strategy=strategy))
    assert eventually(lambda: not any(map(psutil.pid_exists, seen)))
    assert not resting()


@pytest.fixture
def a_long_rest(monkeypatch):
    """Workers rest for as long as the test takes: on a busy machine two seconds are soon over."""
    dismiss_resting()
    monkeypatch.setattr(_staffing, "REST", 600.0)
    yield
    dismiss_resting()


@only_outside
@pytest.mark.usefixtures("a_long_rest")
def test_resting_workers_hold_what_is_known(strategy):
    """No more descriptors than are forgiven, or every test would send them home and the next start others."""
    before = descriptors()
    run(acts.where, range(10), strategy=strategy)
    assert resting()
    assert eventually(lambda: descriptors() <= before), shown_descriptors()


@only_outside
@pytest.mark.usefixtures("a_long_rest")
def test_resting_workers_serve_again(strategy):
    """Within a moment a second run finds the workers of the first."""
    first = set(run(acts.where, range(10), strategy=strategy))
    second = set(run(acts.where, range(10), strategy=strategy))
    assert first & second


def spoil(strategy):
    with pytest.raises(acts.PlainError):
        run(acts.raise_plain, range(10), strategy=strategy)


def spoil_in_a_loop(strategy):
    with pytest.raises(acts.PlainError):
        asyncio.run(arun(acts.raise_plain, range(10), strategy=strategy))


def spoil_a_stream(strategy):
    with pytest.raises(acts.PlainError):
        list(stream(acts.raise_plain, range(10), strategy=strategy))


@only_outside
@pytest.mark.usefixtures("a_long_rest")
@pytest.mark.parametrize("spoil", [spoil, spoil_in_a_loop, spoil_a_stream])
def test_workers_serve_again_after_an_item_has_failed(name, spoil, monkeypatch):
    """That it raised is no fault of theirs; and to start others would take longer than most calls."""
    monkeypatch.setattr(_parting, "MERCY", 10.0)  # of a busy machine
    strategy = small(name, max_workers=1)
    first = set(run(acts.where, range(10), strategy=strategy))
    spoil(strategy)
    assert set(run(acts.where, range(10), strategy=strategy)) == first


@pytest.mark.usefixtures("a_long_rest")
def test_a_worker_serves_again_after_one_of_its_lanes_has_failed(monkeypatch, log):
    """Also where others were in the middle of something."""
    monkeypatch.setattr(_parting, "MERCY", 10.0)  # of a busy machine
    strategy = small("hybrid", max_workers=1)
    first = set(run(acts.where, range(10), strategy=strategy))
    with pytest.raises(acts.PlainError):
        run(acts.linger, [(str(log), 0), (str(log), -1)], strategy=strategy)
    assert set(run(acts.where, range(10), strategy=strategy)) == first


@only_outside
@pytest.mark.usefixtures("a_long_rest")
def test_workers_of_a_stream_that_is_given_up_end(strategy):
    """Whoever closes it may be the interpreter at its end, which lets no thread start."""
    with closing(stream(acts.where, range(10), strategy=strategy)) as begun:
        next(begun)
    assert not resting()


@only_outside
def test_warm_workers_hold_no_more_from_run_to_run(name, of_kind):
    """However many runs a worker serves, it has no more open than after the first of them."""
    with small(name, max_workers=1) as strategy:
        held = [min(run(of_kind(acts.descriptors_held), range(3), strategy=strategy)) for _ in range(12)]

        def no_more():
            """Lanes of a run before may be on their way out; what is kept of each run only grows."""
            held.append(min(run(of_kind(acts.descriptors_held), range(3), strategy=strategy)))
            return held[-1] <= held[0]

        assert eventually(no_more), held


@only_outside
@pytest.mark.usefixtures("a_long_rest")
def test_a_loop_around_run_piles_up_no_threads(strategy):
    """However often `run` is called, few threads wait to send its workers home."""
    before = threading.active_count()  # tests of other folders leave some, of anyio for instance
    for _ in range(30):
        run(acts.double, [1, 2], strategy=strategy)
    assert eventually(lambda: threading.active_count() < before + 10)


def test_items_and_results_are_let_go(strategy, of_kind):
    """After a run nothing of ours holds on to what went in and came out."""

    class Item:
        pass

    items = [Item() for _ in range(5)]
    traces = [weakref.ref(item) for item in items]
    results = run(of_kind(acts.identity), items, strategy=strategy)
    traces += [weakref.ref(result) for result in results]
    del items, results
    gc.collect()
    assert eventually(lambda: not any(trace() for trace in traces))


@only_keeping
def test_a_warm_strategy_lets_go_of_the_last_job(name, of_kind):
    """Between two runs, warm workers do not keep the items of the first alive here."""

    class Item:
        pass

    strategy = small(name)
    with strategy:
        item = Item()
        trace = weakref.ref(item)
        run(of_kind(acts.class_of), [item], strategy=strategy)
        del item
        gc.collect()
        assert eventually(lambda: trace() is None)


def test_memory_of_large_results_is_let_go(strategy, of_kind):
    """Megabytes that came through shared memory go with the objects that held them."""
    results = run(of_kind(acts.identity), [bytearray(2 << 20)] * 3, strategy=strategy)
    assert [len(result) for result in results] == [2 << 20] * 3


async def block(item):
    time.sleep(0.05)  # noqa: ASYNC251 - what a loop is given up for
    return item


def test_a_loop_given_up_at_its_last_item():
    """The thread that was to go on elsewhere goes home, though nothing is left for it."""
    assert asyncio.run(arun(block, range(2))) == [0, 1]
    assert eventually(lambda: not lanes())
