import asyncio
import functools
import itertools
import math
import socket
import sqlite3
import sys
import threading
import time

import pytest
import verdict_callables as callables

from concurrent_choices import InvalidArgumentError, Machine, Workload, recommend, run, run_report
from concurrent_choices._run import _choosing
from patience import patient


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3,), "fn: "),
        ((len,), "items: are missing"),
        ((Workload(len, []), []), "items: belong in the Workload"),
        ((len, 3), "items: "),
    ],
)
def test_arguments_that_cannot_work(arguments, message):
    """The error names the argument and the way out; nothing was called."""
    with pytest.raises(InvalidArgumentError, match=message):
        recommend(*arguments)


@pytest.mark.parametrize("budget", [0, -1, "1", None, True])
def test_a_budget_is_seconds(budget):
    """More than none of them."""
    with pytest.raises(InvalidArgumentError, match="budget: must be seconds above 0"):
        recommend(len, ["a"], budget=budget)


def test_a_budget_without_end():
    """It says that there is no bound."""
    assert recommend(callables.double, [21], budget=math.inf).run() == [42]


@pytest.mark.parametrize("cpus", [0, -1, math.inf, math.nan, 10**400, "four", "4", None])
def test_processors_that_cannot_be(cpus):
    """A made-up machine has a number of processors above 0."""
    with pytest.raises(InvalidArgumentError, match="cpus: must be a number above 0, such as 64, not "):
        Machine(cpus=cpus)


@pytest.mark.parametrize("wrong", [{"memory": "x"}, {"memory": -1}, {"gil": "no"}, {"gil": None}])
def test_machines_that_cannot_be(wrong):
    """They are refused where they are described, not in the midst of a prediction."""
    with pytest.raises(InvalidArgumentError, match=f"{next(iter(wrong))}: must be "):
        Machine(**wrong)


def test_more_items_than_any_list_could_hold():
    """No figure could be reckoned for them."""
    with pytest.raises(InvalidArgumentError, match=r"items_count: must be no more than 9,223,\d"):
        Workload(abs, items_count=10**400)


def test_a_machine_is_one():
    """A number of processors is none; the error says so before anything is called."""
    with pytest.raises(InvalidArgumentError, match=r"machine: must be a Machine, such as Machine\(cpus=64\)"):
        recommend(pytest.fail, ["called"], machine=64)


def test_no_items():
    """Nothing to measure, nothing to do, and no error."""
    verdict = recommend(callables.double, [])
    assert (verdict.items, verdict.bound, verdict.diagnosis) == (0, "unknown", "unknown")
    assert verdict.plan.strategy == "sequential"
    assert verdict.run() == []


def test_one_item():
    """It is called to measure; its result is what `.run()` gives."""
    verdict = recommend(callables.double, [21])
    assert verdict.plan.strategy == "sequential"
    assert verdict.run() == [42]


def test_an_infinite_generator():
    """A sample is taken from it; the number of items is assumed, and the verdict says so."""
    verdict = recommend(callables.double, itertools.count())
    assert not verdict.items_known
    assert "were assumed" in str(verdict)


@pytest.mark.parametrize("bad", [lambda item: True, lambda item: item == 0, lambda item: item == 2])
def test_a_callable_that_raises(bad):
    """On every, on the first, on the third item: there is a verdict, and `.run()` raises."""

    def fn(item):
        if bad(item):
            message = "no"
            raise ValueError(message)
        return item

    verdict = recommend(fn, range(100))
    assert verdict.profile.errors > 0
    assert "of the sampled calls raised" in str(verdict)
    with pytest.raises(ValueError, match="no"):
        verdict.run()


@pytest.mark.parametrize(("bad", "hopeless"), [(2, False), (3, True)])
def test_a_callable_that_raises_in_its_first_calls_only(bad, hopeless, monkeypatch):
    """After two it goes on; after three it is left alone, whatever more calls would have told."""
    monkeypatch.setattr(_choosing, "SAMPLING", 10.0)  # or on a busy host time is up before three were called
    calls = []

    def fails_at_first(item):
        time.sleep(5e-3)
        calls.append(item)
        if len(calls) <= bad:
            raise ValueError

    verdict = recommend(fails_at_first, range(200), budget=10.0)
    assert (verdict.profile.errors == 1.0) == ("Nothing to go by" in str(verdict)) == hopeless
    assert (len(calls) == bad) == hopeless


@patient
def test_a_port_that_nobody_listens_at():
    """It was called "rate-limited" and given one lane: 300 calls of 20 ms took 6.4 s, now 0.2."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()

    def ask(item):
        time.sleep(5e-3)
        socket.create_connection(address)

    verdict = recommend(ask, range(300))
    told = " ".join(str(verdict).split())
    assert (verdict.bound, verdict.diagnosis) == ("unknown", "failing")
    assert "no sampled call succeeded (first error: ConnectionRefusedError: [Errno" in told
    assert "turned away" not in told
    assert set(map(type, verdict.run(return_exceptions=True))) == {ConnectionRefusedError}
    assert max(step.lanes for step in run_report().steps) > 1


@patient
def test_an_error_whose_repr_is_long():
    """That of aiohttp's began with its arguments, and was cut off before it said what was wrong."""

    class ConnectorError(Exception):
        def __str__(self):
            return f"Cannot connect to host {self.args[1]}"

    def fn(item):
        raise ConnectorError("key" * 50, "localhost")

    assert "(first error: ConnectorError: Cannot connect to host localhost)" in recommend(fn, [1, 2]).reason


def test_an_error_that_cannot_be_shown():
    """Its own words may raise, or fill a page; the verdict says of what kind it is."""

    class MuteError(Exception):
        def __repr__(self):
            raise TypeError

        __str__ = __repr__

    def fn(item):
        raise MuteError

    verdict = recommend(fn, range(100))
    assert "MuteError whose repr raises TypeError" in str(verdict)
    with pytest.raises(MuteError):
        verdict.run()


@patient
def test_a_callable_that_never_returns():
    """The budget holds, and the verdict says what is known."""
    release = threading.Event()
    start = time.monotonic()
    verdict = recommend(lambda item: release.wait(30), range(3), budget=0.1)
    took = time.monotonic() - start
    release.set()
    assert took < 5
    assert (verdict.bound, verdict.diagnosis) == ("io", "waiting")
    assert "had not come back after" in str(verdict)
    assert "lower bound" in " ".join(str(verdict).split())


def test_items_that_cannot_be_pickled():
    """Processes are out, with the reason; the rest goes on."""
    verdict = recommend(lambda lock: lock.locked(), [threading.Lock() for _ in range(30)])
    assert "the item" in verdict.estimate("process").obstacle
    assert verdict.run() == [False] * 30


def test_a_connection_made_in_this_thread():
    """SQLite refuses other threads: it is asked in this one, and threads are not advised."""
    connection = sqlite3.connect(":memory:")
    try:
        verdict = recommend(lambda item: connection.execute("select ?", (item,)).fetchone()[0], range(50))
        assert verdict.run() == list(range(50))
    finally:
        connection.close()


def test_a_lock_of_an_event_loop():
    """Threads have a loop each, on which it fails, processes one each, too: they are not advised."""
    few = asyncio.Semaphore(4)

    async def fn(item):
        async with few:
            time.sleep(0.002)  # noqa: ASYNC251 - what asks for threads
            return item

    verdict = recommend(fn, range(100), verify=False)
    for elsewhere in ("thread", "process", "hybrid"):
        assert "one event loop only" in verdict.estimate(elsewhere).obstacle
    assert verdict.run() == list(range(100))


def test_a_callable_that_starts_threads():
    """They come and go within the calls."""

    def fn(item):
        thread = threading.Thread(target=callables.double, args=(item,))
        thread.start()
        thread.join()
        return item

    assert recommend(fn, range(60)).run() == list(range(60))


def test_a_callable_that_changes_the_switch_interval():
    """Measuring sets it for a moment; what the callable set last is not this library's business."""
    before = sys.getswitchinterval()
    try:
        assert recommend(lambda item: sys.setswitchinterval(0.004), range(20)).run() == [None] * 20
    finally:
        sys.setswitchinterval(before)


def test_the_switch_interval_is_restored():
    """Looking sets it for a moment only."""
    before = sys.getswitchinterval()
    recommend(callables.compute, range(300))
    assert sys.getswitchinterval() == before


def test_a_callable_that_calls_run():
    """A run within is a run like any other."""

    def fn(item):
        return run(callables.double, [item, item], strategy="thread")

    assert recommend(fn, range(30)).run() == [[item * 2, item * 2] for item in range(30)]


def broken(count):
    yield from range(count)
    message = "no more"
    raise RuntimeError(message)


def test_an_iterable_that_raises_at_once():
    """There is nothing to say, so its own exception comes out."""
    with pytest.raises(RuntimeError, match="no more"):
        recommend(callables.double, broken(0))


def test_an_iterable_that_raises_later():
    """The verdict is of the items before, and says so; `.run()` raises."""
    verdict = recommend(callables.double, broken(3))
    assert "After 3 items the iterable raised RuntimeError('no more')." in str(verdict)
    with pytest.raises(RuntimeError, match="no more"):
        verdict.run()


def test_an_iterator_that_ended_is_counted():
    """Nothing need be assumed then."""
    verdict = recommend(callables.double, iter(range(5)))
    assert verdict.items_known
    assert verdict.items == 5


def test_no_thread_is_left_behind():
    """Of the witness, the lanes and the trials."""
    before = set(threading.enumerate())
    recommend(callables.nap, range(50)).run()
    for thread in set(threading.enumerate()) - before:
        thread.join(30)  # it may be on its way out still
        assert not thread.is_alive()


def test_items_that_come_one_await_after_the_other():
    """They cannot be sampled here, and the error says who takes them."""

    async def items():
        yield 1

    with pytest.raises(InvalidArgumentError, match="astream"):
        recommend(abs, items())


def test_a_callable_that_refuses_the_thread_of_sampling():
    """Where nobody could foresee it the verdict names the way out, and imagines no other machines."""
    connection = functools.cache(lambda: sqlite3.connect(":memory:"))
    connection()

    def ask(item):
        return connection().execute("select ?", (item,)).fetchone()

    verdict = recommend(ask, range(200))
    connection().close()

    assert verdict.profile.errors == 1.0
    assert verdict.changes == ()
    assert any('run(fn, items, strategy="sequential") calls it in yours' in note for note in verdict.notes)


def test_a_coroutine_that_needs_trio():
    """Sampling is done on asyncio: the verdict says so, and how to run it."""

    async def fn(item):
        message = "must be called from async context"
        raise RuntimeError(message)

    told = str(recommend(fn, range(20)))
    assert "no sampled call succeeded" in told
    assert 'AnyioStrategy(backend="trio")' in told
