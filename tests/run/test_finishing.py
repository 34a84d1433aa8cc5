import asyncio
import copy
import errno
import gc
import os
import pickle
import threading
import time
from contextlib import nullcontext
from functools import partial
from types import SimpleNamespace

import pytest
import verdict_callables as callables
from attrs import evolve
from verdict_callables import Counted

from concurrent_choices import (
    InvalidArgumentError,
    ItemTimeoutError,
    Machine,
    Plan,
    Profile,
    Recommendation,
    WorkerStartError,
    Workload,
    recommend,
    run,
    run_report,
)
from concurrent_choices._facts._costs import Costs
from concurrent_choices._judge._recommend import recommend as judge
from concurrent_choices._platform._interpreter import gil_enabled
from concurrent_choices._run import _verdict
from concurrent_choices._run._elsewhere import Elsewhere
from concurrent_choices._run._leftover import SLOW
from concurrent_choices._strategies._workers._hosting import _staffing
from concurrent_choices._strategies._workers._hosting._host import Host
from concurrent_choices._strategies._workers._hosting._pump import Pump
from concurrent_choices._work import _tap
from patience import patient, with_ample_limit

gil = pytest.mark.skipif(not gil_enabled(), reason="threads are the answer where there is no GIL")


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 1000])
@pytest.mark.parametrize("make", [list, iter, set, lambda items: (item for item in items)])
def test_every_item_is_called_once(make, count):
    """Sampled, raced or run afterwards; results in input order."""
    fn = Counted(callables.double)
    results = recommend(fn, make(range(count))).run()
    assert results == [item * 2 for item in range(count)]
    assert fn.calls == dict.fromkeys(range(count), 1)


def test_calls_that_wait_are_called_once_too():
    """Several lanes try some of the items; the results of all are kept."""
    fn = Counted(callables.nap)
    results = recommend(fn, range(150)).run()
    assert results == [item * 2 for item in range(150)]
    assert fn.calls == dict.fromkeys(range(150), 1)


def test_coroutines_are_called_once():
    """On the loop of the sampler, or on the one of the strategy."""
    seen = []

    async def fn(item):
        seen.append(item)
        return await callables.rest(item)

    assert recommend(fn, range(100)).run() == [item * 2 for item in range(100)]
    assert sorted(seen) == list(range(100))


def through_a_semaphore(loops):
    """A coroutine function that holds what refuses a second loop, as somebody has to wait for it."""
    narrow = asyncio.Semaphore(3)

    async def fn(item):
        async with narrow:
            loops.add(asyncio.get_running_loop())
            return await callables.rest(item)

    return fn


def test_what_serves_one_loop_is_used_on_one():
    """Measuring and the rest of the work share it, and no race is held elsewhere."""
    loops = set()
    assert recommend(through_a_semaphore(loops), range(100)).run() == [item * 2 for item in range(100)]
    (loop,) = loops
    assert loop.is_closed()


def test_a_loop_that_nobody_goes_on_with_is_closed():
    """It is kept no longer than the verdict."""
    loops = set()
    verdict = recommend(through_a_semaphore(loops), range(100))
    (loop,) = loops
    assert not loop.is_closed()
    del verdict
    gc.collect()
    assert loop.is_closed()


def test_what_is_left_on_a_loop_that_nobody_goes_on_with_is_cancelled():
    """A client's own task, such as one that keeps connections alive."""
    turn, keepers = asyncio.Lock(), []

    async def fn(item):
        async with turn:
            if not keepers:
                keepers.append(asyncio.create_task(asyncio.Event().wait()))
        return await callables.rest(item)

    verdict = recommend(fn, range(100))
    del verdict
    gc.collect()
    assert keepers[0].cancelled()


@patient
def test_calls_under_way_share_their_loop_with_the_rest():
    """What hands a semaphore on wakes nobody on another loop."""
    narrow, gate = asyncio.Semaphore(1), threading.Event()

    async def fn(item):
        async with narrow:
            await asyncio.to_thread(gate.wait, 30)
            return item

    verdict = recommend(fn, range(5), budget=0.05)
    gate.set()
    assert verdict.run() == [*range(5)]


def test_a_verdict_runs_once():
    """Its items are used up then; the message says what to do."""
    verdict = recommend(callables.double, range(20))
    verdict.run()
    with pytest.raises(InvalidArgumentError, match=r"recommendation: has been run already.*recommend\(\)"):
        verdict.run()


@pytest.mark.parametrize(
    ("fn", "strategy", "place"),
    [
        (callables.compute, "process", (Pump, "_find_worker")),
        (callables.rest, "asyncio", (asyncio, "new_event_loop")),
    ],
    ids=["process", "asyncio"],
)
def test_a_verdict_that_could_not_begin_is_not_used_up(fn, strategy, place, monkeypatch):
    """As where there are no descriptors: what was called to measure is kept, and the rest may follow."""
    verdict = recommend(fn, iter(range(1000)), verify=False)
    verdict = evolve(verdict, plan=Plan(strategy=strategy, workers=1, concurrency=1))

    def refuse(*_):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as scarcity:
        scarcity.setattr(*place, refuse)
        with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
            verdict.run()
    assert verdict.run() == run(fn, range(1000))


@pytest.mark.parametrize("strategy", ["process", "hybrid"])
def test_a_verdict_whose_workers_do_not_come_up_is_not_used_up(strategy, monkeypatch):
    """They have begun nothing, though each was given items as it started: those have come back."""
    verdict = recommend(callables.compute, iter(range(1000)), verify=False)
    verdict = evolve(verdict, plan=Plan(strategy=strategy, workers=2, concurrency=2))
    hire = Host.hire

    def hire_and_kill(host):
        worker = hire(host)
        worker.kill()
        return worker

    with monkeypatch.context() as killing:
        killing.setattr(Host, "hire", hire_and_kill)
        killing.setattr(_staffing, "_wake", lambda: None)  # none are there from an earlier run
        with pytest.raises(WorkerStartError, match="ended before they were ready"):
            verdict.run()
    assert verdict.run() == run(callables.compute, range(1000))


@pytest.mark.parametrize("strategy", ["process", "hybrid"])
def test_a_verdict_whose_workers_cannot_load_the_callable_is_not_used_up(strategy, tmp_path, monkeypatch):
    """They have begun nothing either, though one could a moment before: what they were sent is back."""
    monkeypatch.setattr(_verdict, "elsewhere", lambda *_: Elsewhere())
    fn = callables.Unwelcome(tmp_path / "barrier")
    verdict = recommend(fn, iter(range(1000)), verify=False)
    verdict = evolve(verdict, plan=Plan(strategy=strategy, workers=2, concurrency=2))
    fn.barrier.touch()
    with pytest.raises(WorkerStartError, match="cannot load Unwelcome: LookupError"):
        verdict.run()
    fn.barrier.unlink()
    assert verdict.run() == run(fn, range(1000))


@pytest.mark.parametrize("strategy", ["process", "hybrid"])
def test_a_callable_that_workers_cannot_load_is_called_here(strategy):
    """It could be pickled, so that processes were chosen: only one of them finds that out."""
    fn = partial(callables.compute_beside, callables.Sealed())
    verdict = recommend(fn, iter(range(300)), verify=False)
    verdict = evolve(verdict, plan=Plan(strategy=strategy, workers=2, concurrency=2))
    assert verdict.run() == [callables.compute(item) for item in range(300)]


@pytest.mark.parametrize("strategy", ["sequential", "thread"])
def test_a_verdict_that_has_begun_is_used_up(strategy):
    """Also where that ended early: what was called is not called again."""
    bad = set()

    def fail_late(item):
        if item in bad:
            raise TimeoutError
        return callables.compute(1) and item

    fn = Counted(fail_late)
    verdict = recommend(fn, range(1000), verify=False)
    verdict = evolve(verdict, plan=Plan(strategy=strategy, workers=1, concurrency=1))
    bad.add(max({*range(1000)} - {*fn.calls}))
    with pytest.raises(TimeoutError):
        verdict.run(timeout=30)  # so that threads take items one by one, and without a lock
    with pytest.raises(InvalidArgumentError, match="has been run already"):
        verdict.run()
    assert set(fn.calls.values()) == {1}


@pytest.mark.parametrize(("bound", "count"), [(False, 1000), (True, 200)], ids=["anywhere", "on one loop"])
def test_what_the_iterable_raises_comes_after_the_calls_before(bound, count):
    """As in `run`: it gave all these items, and none of them is dropped."""
    called, turn = [], asyncio.Lock()

    def compute(item):
        callables.compute(item)
        called.append(item)

    async def rest(item):
        async with turn:
            await callables.rest(item)
        called.append(item)

    def items():
        yield from range(count)
        raise ConnectionError

    verdict = recommend(rest if bound else compute, items(), verify=False)
    assert len(called) < count
    with pytest.raises(ConnectionError):
        verdict.run()
    assert sorted(called) == [*range(count)]


def test_a_verdict_that_refused_is_not_used_up():
    """What a sampled item raised is raised before anything is done: it may be asked for all the rest."""
    verdict = recommend(callables.fail_at_first, range(20))
    with pytest.raises(ValueError, match="the first"):
        verdict.run()
    first, *rest = verdict.run(return_exceptions=True)
    assert isinstance(first, ValueError)
    assert rest == [*range(1, 20)]


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, asyncio.CancelledError])
def test_what_is_no_exception_is_no_result(error):
    """As in `run`: whoever wants to end the program is not put into a list."""

    def fn(item):
        if item == 0:
            raise error
        return item

    verdict = recommend(fn, range(10), verify=False)

    assert verdict.profile.errors
    with pytest.raises(error):
        verdict.run(return_exceptions=True)


def test_a_verdict_travels_without_its_work():
    """What it says can be pickled and copied; the items stay with the verdict, which can still run them."""
    verdict = recommend(callables.double, (item for item in range(20)))
    for copied in (pickle.loads(pickle.dumps(verdict)), copy.copy(verdict), copy.deepcopy(verdict)):
        assert type(copied) is Recommendation
        assert str(copied) == str(verdict)
        assert run(callables.double, [4], strategy=copied) == [8]
    assert verdict.run() == [item * 2 for item in range(20)]


@pytest.mark.parametrize("bad", [0, 2, 70, 999])
def test_an_item_that_raises_is_named_by_its_place_in_the_input(bad):
    """Not by its place among those that were left, and whoever called it."""

    def fn(item):
        if item == bad:
            message = "no"
            raise ValueError(message)
        return callables.compute(1) and item

    with pytest.raises(ValueError, match="no") as caught:
        recommend(fn, range(1000)).run()
    assert caught.value.__notes__[-1] == f"raised by item {bad}: {bad}"


@pytest.mark.parametrize(
    "error", [RuntimeError("Event loop is closed"), SystemExit(3)], ids=["with advice", "no Exception"]
)
def test_whatever_an_item_raises_names_it(error):
    """Also below the advice that some errors get, and where it ends the program."""
    left, bad = set(range(1000)), set()

    def fn(item):
        left.discard(item)
        if item in bad:
            raise error
        return callables.compute(1) and item

    verdict = recommend(fn, list(range(1000)), verify=False)
    last = max(left)
    bad.add(last)
    with pytest.raises(type(error)) as caught:
        verdict.run()
    assert f"raised by item {last}: {last}" in caught.value.__notes__


@pytest.mark.parametrize("of_kind", ["def", "async def", "async def on one loop"])
@with_ample_limit
def test_a_measured_call_that_does_not_come_back_outlasts_its_timeout_too(of_kind, limit):
    """Nobody waits for it for ever; where it holds the loop, others go on on another."""
    gate, turn = threading.Event(), asyncio.Lock()

    def fn(item):
        gate.wait(60 if item == 0 else 0)
        return item

    async def holds(item):
        return fn(item)

    async def holds_too(item):
        return fn(item) if turn else None

    chosen = {"def": fn, "async def": holds, "async def on one loop": holds_too}[of_kind]
    first, second = (recommend(chosen, range(5), budget=0.05) for _ in range(2))
    try:
        with pytest.raises(ItemTimeoutError, match="item 0"):
            first.run(timeout=limit)
        results = second.run(timeout=limit, return_exceptions=True)
    finally:
        gate.set()
    assert isinstance(results[0], ItemTimeoutError)
    assert results[1:] == [1, 2, 3, 4]


def test_exceptions_stand_in_their_places_if_asked_to():
    """Also those that were raised while measuring."""

    def fn(item):
        if item % 3 == 0:
            raise ValueError(item)
        return item

    results = recommend(fn, range(100)).run(return_exceptions=True)
    for index, result in enumerate(results):
        if index % 3:
            assert result == index
        else:
            assert isinstance(result, ValueError)
            assert result.__notes__ == [f"raised by item {index}: {index}"]


@pytest.mark.parametrize(("diagnosis", "adapts"), [("rate-limited", True), ("waiting", False)])
def test_where_calls_are_turned_away_the_rest_is_done_by_who_makes_do_with_fewer(diagnosis, adapts):
    """Sixteen threads kept on: of 500 calls to a server that takes 100 a second 383 were refused, now 20."""
    fn = Counted(callables.nap)
    four = Plan(strategy="thread", workers=4, concurrency=4)
    verdict = evolve(recommend(fn, range(60), verify=False), diagnosis=diagnosis, plan=four)
    run(callables.double, [1])
    earlier = run_report()  # of the run before, if the rest is not under "auto"
    assert verdict.run() == [item * 2 for item in range(60)]
    assert fn.calls == dict.fromkeys(range(60), 1)
    assert (run_report() is not earlier) == adapts
    assert max((step.lanes for step in run_report().steps), default=0) <= 4


@pytest.mark.parametrize("tolerant", [True, False])
def test_threads_give_way_to_refusals_that_come_only_now(tolerant):
    """The sample may be too small for a limit per second: of 500 calls 397 were refused, now 122."""
    late, refused = set(), set()

    def ask(item):
        if item in late and threading.current_thread().name.startswith("concurrent_choices-thread"):
            refused.add(item)
            raise callables.TooManyRequests(item)
        return callables.nap(item)

    fn = Counted(ask)
    sixteen = Plan(strategy="thread", workers=16, concurrency=16)
    told = {"bound": "io", "diagnosis": "waiting", "plan": sixteen}
    verdict = evolve(recommend(fn, range(600), verify=False, budget=0.05), **told)
    late.update(set(range(300, 600)).difference(fn.calls))
    with nullcontext() if tolerant else pytest.raises(callables.TooManyRequests):
        results = verdict.run(return_exceptions=tolerant)
        assert [item for item in range(600) if results[item] != item * 2] == sorted(refused)
        assert fn.calls == dict.fromkeys(range(600), 1)
        assert 1 <= max(step.lanes for step in run_report().steps) <= 8


def test_an_exception_that_is_given_back_is_a_result():
    """It was not raised, so nothing raises it."""
    results = recommend(ValueError, range(50)).run()
    assert [error.args for error in results] == [(item,) for item in range(50)]


@with_ample_limit
def test_an_item_that_outlasts_its_timeout(limit):
    """The timeout is for what is left; the error names the item by its place in the input."""
    release = threading.Event()

    def fn(item):
        if item == 40:
            release.wait(30)
        callables.nap(item)
        return item

    verdict = recommend(fn, [*range(41)], budget=0.02)
    try:
        with pytest.raises(TimeoutError) as caught:
            verdict.run(timeout=limit)
    finally:
        release.set()
    assert caught.value.index == 40


@patient  # on a busy machine the budget may be over before the first call
def test_a_call_under_way_is_waited_for_not_repeated():
    """A call that outlasts the budget is finished by `.run()`, and is made once."""
    release = threading.Event()

    def slow(item):
        if item == 0:
            release.wait(10)
        return item

    fn = Counted(slow)
    verdict = recommend(fn, range(10), budget=0.05)
    assert "had not come back" in str(verdict)
    release.set()
    assert verdict.run() == list(range(10))
    assert fn.calls == dict.fromkeys(range(10), 1)


class Incomparable(type):
    """Of classes that cannot be told equal, or unequal."""

    def __eq__(cls, other):
        raise RuntimeError("do not compare me")

    __hash__ = type.__hash__


class Answer(metaclass=Incomparable):
    pass


def test_results_whose_class_cannot_be_compared():
    """It is not asked whether it is that of errors, which it is not."""
    verdict = recommend(lambda _: Answer(), range(20))
    assert [type(each).__name__ for each in verdict.run()] == ["Answer"] * 20


@gil
@patient
def test_a_timeout_that_cannot_work_starts_nothing(monkeypatch):
    """Not even a worker process that would be asked what it finds."""
    verdict = recommend(Workload(callables.compute, range(600), items_count=100_000), machine=Machine(cpus=8))
    assert verdict.plan.strategy in {"process", "hybrid"}
    monkeypatch.setattr(_verdict, "elsewhere", lambda *_: pytest.fail("a worker was asked"))
    with pytest.raises(InvalidArgumentError, match="timeout"):
        verdict.run(timeout="soon")


@pytest.mark.parametrize(
    ("congestion", "tolerant", "chosen"),
    [(0.02, True, "auto"), (0.0, True, "thread"), (0.02, False, "thread")],
)
def test_few_calls_that_were_turned_away_are_no_limit_but_a_warning(congestion, tolerant, chosen):
    """A server that lets thirteen of sixteen in: 256 threads at once met it, and half of the calls failed."""
    profile = Profile(calls=20, wall=0.02, congestion=congestion, refused=0.0)
    work = judge(Workload(len, items_count=1000), profile, Costs(), Machine(cpus=2))
    verdict = _verdict.able(work, SimpleNamespace(fn=len, loop=None, used=False, results={}))
    assert (verdict.diagnosis, verdict.plan.strategy) == ("waiting", "thread")
    assert verdict._fit(tolerant=tolerant).name == chosen


def test_an_iterator_goes_on_while_calls_are_made(monkeypatch):
    """All of its items were drawn before the first call, so that neither went on beside the other."""
    monkeypatch.setattr(_tap, "FEED_SECONDS", -1.0)  # which no item takes less than
    called, threads, measured = set(), set(), threading.Event()

    def fn(item):
        called.add(item)
        return callables.nap(item)

    def items():
        for number in range(200):
            threads.add(threading.get_ident())
            yield number
            until = time.monotonic() + 30
            while measured.is_set() and number not in called:
                assert time.monotonic() < until
                time.sleep(0.001)

    verdict = recommend(fn, items(), verify=False)
    measured.set()
    assert verdict.run() == [item * 2 for item in range(200)]
    assert threads == {threading.get_ident()}


class Opened:
    """Gives each item after a moment; once it is `measured`, when those before have been called with."""

    def __init__(self):
        self.measured = threading.Event()
        self.given, self.called = set(), set()

    def __len__(self):
        return 200

    def __getitem__(self, place):
        time.sleep(2 * SLOW)
        until = time.monotonic() + 30
        while self.measured.is_set() and not self.called.issuperset(self.given):
            assert time.monotonic() < until
            time.sleep(0.001)
        self.given.add(place)
        return place


def test_a_data_set_that_is_slow_goes_on_while_calls_are_made(monkeypatch):
    """As an iterator does, though any of its items could be had first."""
    monkeypatch.setattr(_tap, "FEED_SECONDS", -1.0)
    items = Opened()

    def fn(item):
        items.called.add(item)
        return callables.nap(item)

    verdict = recommend(fn, items, verify=False)
    items.given.clear()  # some were only looked at
    items.measured.set()
    assert verdict.run() == [item * 2 for item in range(200)]
