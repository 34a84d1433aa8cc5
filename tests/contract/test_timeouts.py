"""Items that outlast their `timeout`."""

from __future__ import annotations

import math
import time
from functools import partial
from threading import Thread

import contract_acts as acts
import pytest
from contract_ways import only_inside, only_outside, small

from concurrent_choices import HybridStrategy, ItemTimeoutError, ProcessStrategy, run, stream
from concurrent_choices._run import _collect
from concurrent_choices._strategies._workers._hosting import _pump, _worker_queue
from concurrent_choices._strategies._workers._hosting._child import readable
from concurrent_choices._strategies._workers._hosting._host import Worker
from patience import with_ample_limit

LONG = 30
"""Seconds of an item that outlasts its timeout by far; it is released when its test ends."""

LIMIT = 0.05
"""Seconds for items that all outlast it, or of which it does not matter which do."""

pytestmark = pytest.mark.usefixtures("hurried")


@pytest.fixture
def strategy(lean):
    """As few processes as will do."""
    return lean


@with_ample_limit
def test_the_item_is_named(strategy, of_kind, limit):
    """The error says which item took too long, and what it was given."""
    with pytest.raises(ItemTimeoutError) as caught:
        run(of_kind(acts.hold), [0, LONG, 0], strategy=strategy, timeout=limit)
    error = caught.value
    assert (error.index, error.item, error.timeout) == (1, "30", limit)
    assert isinstance(error, TimeoutError)


HELD_UP = "event loop was held up", "cannot be stopped", "has ended since"
"""What the error of an item says that held its loop up: seen there, from beside it, or when it was back."""


def test_what_holds_its_loop_up_is_overdue_when_it_ends(strategy, outside):
    """Nobody could cancel it. In lanes inside a worker it is killed, or ends before that."""
    _, late, _ = run(
        acts.twin(acts.hold_up), [0, 0.3, 0], strategy=strategy, timeout=0.1, return_exceptions=True
    )
    assert isinstance(late, ItemTimeoutError)
    assert outside or any(words in str(late) for words in HELD_UP)


@only_inside
@pytest.mark.parametrize("tolerant", [True, False])
@with_ample_limit
def test_what_ends_a_run_ends_it_however_late(strategy, tolerant, limit):
    """As a `SystemExit`, or Ctrl-C, of a coroutine that held its loop up beyond its limit."""
    items = [0, 3 * limit, 0]
    with pytest.raises(acts.Ended):
        run(acts.hold_up_and_end, items, strategy=strategy, timeout=limit, return_exceptions=tolerant)


@with_ample_limit
def test_the_whole_message(strategy, kind, of_kind, outside, limit):
    """The message says what became of the call: cancelled, killed, or running on in its thread."""
    with pytest.raises(ItemTimeoutError) as caught:
        run(of_kind(acts.hold), [0, LONG, 0], strategy=strategy, timeout=limit)
    start = f"item 1 (30) took longer than timeout={limit:g} s; "
    text = str(caught.value)
    assert text.startswith(start)
    assert caught.value.__cause__ is None
    aftermath = text.removeprefix(start)
    if kind == "async def" and not outside:
        assert aftermath == "it was cancelled"
    elif not outside:
        assert aftermath == "its thread cannot be stopped and still runs it; only a process can be"
    else:
        assert any(word in aftermath for word in ("killed", "cancelled", "cannot be stopped"))


@with_ample_limit
def test_the_others_go_on(strategy, of_kind, limit):
    """With `return_exceptions` the error stands in its place, and all else is done."""
    items = [0, LONG, 0, 0.01, LONG, 0]
    results = run(of_kind(acts.hold), items, strategy=strategy, timeout=limit, return_exceptions=True)
    kinds = [type(result) is ItemTimeoutError for result in results]
    assert kinds == [False, True, False, False, True, False]


def test_the_caller_is_back_before_the_item_ends(strategy, of_kind):
    """Nobody waits for the end of what takes too long."""
    began = time.monotonic()
    with pytest.raises(ItemTimeoutError):
        run(of_kind(acts.hold), [LONG], strategy=strategy, timeout=LIMIT)
    assert time.monotonic() - began < LONG / 3


def test_quick_items_are_not_disturbed(strategy, of_kind):
    """A timeout that nothing outlasts changes nothing."""
    assert run(of_kind(acts.double), range(50), strategy=strategy, timeout=30) == list(range(0, 100, 2))


@with_ample_limit
def test_a_timeout_is_for_each_item(strategy, of_kind, limit):
    """A run may take longer than the timeout of its items."""
    items = [limit / 2] * 4
    strategy = small(strategy.name, concurrency=1, max_workers=1)
    assert run(of_kind(acts.hold), items, strategy=strategy, timeout=limit) == items


@pytest.mark.parametrize("timeout", [math.inf, 1e7, 1e12, 10**400])
def test_infinity_is_no_timeout(strategy, of_kind, timeout):
    """Infinity says that there is no limit, and so does what no clock can count to."""
    assert run(of_kind(acts.double), [1], strategy=strategy, timeout=timeout) == [2]


@with_ample_limit
def test_a_stream_goes_on_after_a_timeout(strategy, of_kind, limit):
    """Results come in order around the item that took too long."""
    results = stream(
        of_kind(acts.hold),
        [0, LONG, 0],
        strategy=strategy,
        timeout=limit,
        return_exceptions=True,
    )
    first, second, third = results
    assert (first, type(second), third) == (0, ItemTimeoutError, 0)


@with_ample_limit
def test_each_item_is_called_once_around_timeouts(strategy, of_kind, log, limit):
    """Neither the item that took too long nor those behind it are called twice."""
    log = log.with_name(f"calls-{limit:g}")  # what a shorter limit left behind may yet write
    items = [(str(log), seconds) for seconds in (0, LONG, 0.001, 0.002, 0.003)]
    run(of_kind(acts.logged_hold), items, strategy=strategy, timeout=limit, return_exceptions=True)
    made = sorted(acts.calls(log))
    if len(set(made)) < len(made):
        pytest.fail(f"called again: {made}")  # no longer limit makes that good
    assert made == ["0", "0.001", "0.002", "0.003", "30"]


@with_ample_limit
def test_a_coroutine_that_swallows_cancellation(strategy, limit):
    """It is given up like one that obeys; the others are done, and the run comes to its end."""
    fn = partial(acts.swallow_cancellation, seconds=limit + 0.5)
    results = run(fn, range(5), strategy=strategy, timeout=limit, return_exceptions=True)
    assert type(results[3]) is ItemTimeoutError
    assert results[:3] + results[4:] == [0, 1, 2, 4]


def test_a_coroutine_that_cleans_up(name, strategy, log):
    """What it does in its `finally` is done before the run ends, unless its process is killed."""
    items = [(str(log), number) for number in range(5)]
    results = run(acts.clean_up_slowly, items, strategy=strategy, timeout=LIMIT, return_exceptions=True)
    assert type(results[3]) is ItemTimeoutError
    assert acts.calls(log) == ([] if name == "process" else ["left"])


def test_a_coroutine_that_blocks(strategy):
    """One that blocks its loop is noticed when it lets go, or its process is killed."""
    results = run(acts.block, [0, 0.3, 0], strategy=strategy, timeout=0.1, return_exceptions=True)
    assert type(results[1]) is ItemTimeoutError
    assert all(result == 0 or type(result) is ItemTimeoutError for result in (results[0], results[2]))


@only_outside
def test_a_coroutine_that_blocks_for_good(strategy, monkeypatch):
    """Its process is killed, also where that would look after the time of its lanes itself."""
    monkeypatch.setattr(_worker_queue, "STUCK", LIMIT)
    results = run(acts.block, [0, 3600, 0], strategy=strategy, timeout=LIMIT, return_exceptions=True)
    assert type(results[1]) is ItemTimeoutError


@with_ample_limit
def test_others_in_hand_are_named(monkeypatch, limit):
    """Where a worker is killed with several items in hand, each error says so, and names them all."""
    monkeypatch.setattr(_worker_queue, "STUCK", LIMIT)
    strategy = HybridStrategy(1, 4)
    results = run(acts.block_together, range(3), strategy=strategy, timeout=limit, return_exceptions=True)
    said = "its worker had items 0, 1, 2 in hand at once; nobody knows which of them held it up"
    assert [(type(result), getattr(result, "__notes__", [])) for result in results] == [
        (ItemTimeoutError, [said])
    ] * 3


def test_a_timeout_error_of_the_items_own(strategy, of_kind):
    """A TimeoutError that the callable raises is its own, not ours."""
    with pytest.raises(TimeoutError, match="mine") as caught:
        run(of_kind(acts.raise_given), [TimeoutError("mine")], strategy=strategy, timeout=30)
    assert type(caught.value) is TimeoutError


def test_a_strategy_serves_after_a_timeout(name, of_kind):
    """Orphaned threads and killed workers are replaced, also inside a with block."""
    strategy = small(name)
    warm = strategy if hasattr(strategy, "__enter__") else None
    if warm is not None:
        warm.__enter__()
    try:
        with pytest.raises(ItemTimeoutError):
            run(of_kind(acts.hold), [LONG], strategy=strategy, timeout=LIMIT)
        assert run(of_kind(acts.double), range(4), strategy=strategy) == [0, 2, 4, 6]
    finally:
        if warm is not None:
            warm.__exit__(None, None, None)


def test_a_wire_that_nobody_has_read_is_no_silence(monkeypatch):
    """A worker that is stuck because its results fill the wire is not killed: whoever reads it was away."""
    monkeypatch.setattr(_collect, "UNTENDED", math.inf)  # nor is it read between two results
    with HybridStrategy(1, 64) as strategy:
        results = stream(bytes, [1 << 14] * 128, strategy=strategy, timeout=LONG, ordered=False)
        next(results)
        (worker,) = strategy._keeper._kept.workers
        with monkeypatch.context() as away:
            away.setattr(_worker_queue, "STUCK", -math.inf)
            for _ in range(32):  # more than come with one look
                assert readable(worker.link.fileno(), LONG)
                next(results)
        assert len(list(results)) == 128 - 1 - 32


def test_what_ends_before_its_worker_is_killed_is_no_loss(monkeypatch, tmp_path):
    """The kernel kills in its own time: what the worker says until then is heard, and not called again."""
    released, kill = tmp_path / "released", Worker.kill

    def kill_late(worker):
        if released.exists():
            kill(worker)
        else:
            released.touch()
            Thread(target=lambda: readable(worker.link.fileno(), LONG) and kill(worker)).start()

    def wait_for_it(item):
        while not released.exists():
            time.sleep(0.001)
        return item

    monkeypatch.setattr(_pump, "PARTING", LONG)
    monkeypatch.setattr(Worker, "kill", kill_late)
    strategy = ProcessStrategy(1, batch=1)
    (late,) = run(wait_for_it, [1], strategy=strategy, timeout=LIMIT, return_exceptions=True)
    assert str(late).endswith("it has ended since, and its outcome is discarded")


@pytest.mark.parametrize("moment", ["before the kill", "before the second look"])
@with_ample_limit
def test_an_item_that_ends_as_it_is_found_overdue_takes_no_other_with_it(
    monkeypatch, tmp_path, moment, limit
):
    """What its worker begins next is neither called overdue nor lost, and called once."""
    log, released = tmp_path / f"calls-{limit:g}", tmp_path / f"released-{limit:g}"
    kill, left = Worker.kill, _worker_queue.WorkerQueue.left

    def let_it_end(worker):
        """The worker ends the one, and is at the next."""
        if not released.exists():
            released.touch()
            while worker.page.started < 2:
                time.sleep(0.001)

    def kill_late(worker):
        let_it_end(worker)
        kill(worker)

    def look_early(queue, timeout):
        seconds = left(queue, timeout)
        if seconds <= 0:
            let_it_end(queue.worker)
        return seconds

    def wait_for_it(item):
        acts.logged((log, item))
        while not released.exists():
            time.sleep(0.001)
        time.sleep(limit / 5)
        return item

    if moment == "before the kill":
        monkeypatch.setattr(Worker, "kill", kill_late)
    else:
        monkeypatch.setattr(_worker_queue.WorkerQueue, "left", look_early)
    monkeypatch.setattr(_worker_queue.WorkerQueue, "room", 1)
    strategy = ProcessStrategy(1, batch=1)
    results = run(wait_for_it, range(3), strategy=strategy, timeout=limit, return_exceptions=True)
    assert results[1:] == [1, 2]
    assert sorted(acts.calls(log)) == ["0", "1", "2"]
