"""A job, as a strategy of somebody else's sees it."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from concurrent_choices import Claim, ItemTimeoutError, Job
from concurrent_choices._runtime._contexts import lanes_around, share
from concurrent_choices._work._source import Source
from patience import with_ample_limit


def job_over(items, fn=str, **conditions):
    """A job over some items."""
    return Job(fn, Source(items), **conditions)


def test_claiming_and_performing():
    """Claims one after another, performed, make the whole."""
    job = job_over(range(5))
    values = []
    while claim := job.claim(2):
        values += job.perform(claim).values
    assert values == list("01234")


def test_an_async_def_is_performed_on_a_loop():
    """`perform` awaits coroutines, each under the failure contract."""

    async def invert(number):
        await asyncio.sleep(0)
        return 1 / number

    job = job_over([1, 2, 0, 4], invert, return_exceptions=True)
    batch = job.perform(job.claim(4))
    job.stop()
    assert batch.values[:2] == [1.0, 0.5]
    assert type(batch.values[2]) is ZeroDivisionError
    assert batch.values[2].__notes__ == ["raised by item 2: 0"]


def test_an_async_def_that_raises():
    """Without `return_exceptions` the error ends the batch."""

    async def fail(number):
        raise LookupError(number)

    job = job_over([1], fail)
    batch = job.perform(job.claim())
    job.stop()
    assert isinstance(batch.error, LookupError)


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_many_threads_may_perform(kind):
    """Several claims are performed at once, each in its thread; coroutines on a loop each."""
    together = threading.Barrier(3)

    def meet(number):
        together.wait(10)
        return number

    async def meet_awaited(number):
        return meet(number)

    job = job_over(range(3), meet if kind == "def" else meet_awaited, timeout=30)
    claims = [job.claim(), job.claim(), job.claim()]
    with ThreadPoolExecutor(3) as pool:
        batches = list(pool.map(job.perform, claims))
    job.stop()
    assert [batch.values for batch in batches] == [[0], [1], [2]]


def test_stopping_cancels_a_coroutine_that_is_performed():
    """The thread that performs it is free soon, and what is performed later is not begun."""
    begun = threading.Event()

    async def sleep(seconds):
        begun.set()
        await asyncio.sleep(seconds)

    job = job_over([30, 0], sleep)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(job.perform, job.claim())
        assert begun.wait(10)
        late = job.claim()
        job.stop()
        assert isinstance(future.result(10).error, asyncio.CancelledError)
    assert isinstance(job.perform(late).error, asyncio.CancelledError)


@pytest.mark.parametrize("timeout", [None, 600])
def test_stopping_lets_a_claim_start_no_further_item(timeout):
    """The thread that performs it is free after the call it is in."""
    called = []

    def stop_at_the_first(number):
        called.append(number)
        job.stop()

    job = job_over(range(3), stop_at_the_first, timeout=timeout)
    assert job.perform(job.claim(3)).values == [None]
    assert called == [0]


@with_ample_limit
def test_a_def_that_is_given_up_on(limit):
    """The claim goes on behind it, in another thread; without tolerance it ends there."""
    release = threading.Event()

    def hold(seconds):
        release.wait(seconds)
        return seconds

    tolerant = job_over([0, 30, 0], hold, timeout=limit, return_exceptions=True)
    strict = job_over([0, 30, 0], hold, timeout=limit)
    batches = [job.perform(job.claim(3)) for job in (tolerant, strict)]
    release.set()
    for job in (tolerant, strict):
        job.stop()
    assert [type(value) for value in batches[0].values] == [int, ItemTimeoutError, int]
    assert batches[1].values == [0]
    assert isinstance(batches[1].error, ItemTimeoutError)


def test_a_claim_waits_for_pushed_items():
    """Where items come from an async iterable, claiming waits for them."""
    source = Source.pushed()
    job = Job(str, source)
    asked = threading.Event()
    source.on_hunger(asked.set)
    claims = []
    claimer = threading.Thread(target=lambda: claims.extend([job.claim(1), job.claim(1)]))
    claimer.start()
    assert asked.wait(10)
    source.push(["a"])
    source.end()
    claimer.join(10)
    assert claims == [Claim(0, ["a"]), None]


def test_stopping_wakes_a_claim_that_waits():
    """`stop` ends a claim that waits for items that will not come."""
    source = Source.pushed()
    job = Job(str, source)
    asked = threading.Event()
    source.on_hunger(asked.set)
    claimer = threading.Thread(target=job.claim)
    claimer.start()
    assert asked.wait(10)
    job.stop()
    claimer.join(10)
    assert not claimer.is_alive()


def test_whoever_asks_is_told_of_the_stop():
    """Callbacks are called at the stop, and at once where it has been."""
    job, told = job_over([1]), []
    job.on_stop(lambda: told.append("at"))
    job.stop()
    job.on_stop(lambda: told.append("after"))
    assert told == ["at", "after"]
    assert job.claim() is None


@pytest.mark.parametrize(("around", "wanted", "given"), [(1, 8, 8), (2, 8, 4), (3, 8, 2), (32, 8, 1)])
def test_workers_are_shared(around, wanted, given):
    """A nested run gets its part of the workers, at least one."""
    token = lanes_around.set(around)
    try:
        assert share(wanted) == given
    finally:
        lanes_around.reset(token)


def test_items_know_how_many_lanes_are_around():
    """The figure travels in the context of the items, and multiplies."""
    job = job_over([1], lambda _item: lanes_around.get())
    job.crowd(4)
    job.crowd(3)
    assert job.perform(job.claim()).values == [12]
    assert lanes_around.get() == 1


def test_the_items_context_is_replaced_not_changed():
    """Without the GIL a lane may be copying it meanwhile, and would copy what is freed."""
    job = job_over([1, 2], lambda _item: lanes_around.get())
    before = job.context
    job.surround(4)
    assert before.get(lanes_around, 1) == 1
    assert job.perform(job.claim()).values == [4]
    job.crowd(3)
    assert job.perform(job.claim()).values == [12]
