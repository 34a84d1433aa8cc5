"""Lanes of a loop beside other tasks of it, on asyncio and on trio."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import anyio
import anyio.lowlevel
import pytest

from concurrent_choices import AnyioStrategy, AsyncioStrategy, arun, run
from concurrent_choices._strategies._lanes import _task_pool
from concurrent_choices._work import _tap
from concurrent_choices._work._pace import Pace

ITEMS = 2000

pytestmark = pytest.mark.parametrize("backend", ["asyncio", "trio"])


@pytest.fixture
def short_breath(monkeypatch):
    """Items are claimed one by one, and each takes as long as others of the loop are to wait."""
    monkeypatch.setattr(_task_pool, "BREATH", 1e-9)
    monkeypatch.setattr(_task_pool, "Pace", partial(Pace, 1))


def turns_beside(fn, backend):
    """How often a loop turns while `arun` calls that, which gives back its items."""
    turns = [0]

    async def turn():
        while True:
            await anyio.lowlevel.checkpoint()
            turns[0] += 1

    async def main():
        async with anyio.create_task_group() as group:
            group.start_soon(turn)
            results = await arun(fn, range(ITEMS), strategy="asyncio")
            group.cancel_scope.cancel()
        return results

    assert anyio.run(main, backend=backend) == [*range(ITEMS)]
    return turns[0]


async def never_waits(item):
    return item


@pytest.mark.usefixtures("short_breath")
def test_lanes_that_never_wait_let_the_loop_turn_as_often_as_one_does(backend):
    """However many there are, others of the loop wait for one of them, not for all."""
    assert turns_beside(never_waits, backend) > ITEMS / 4


def test_lanes_that_are_told_to_let_the_loop_turn_do_so_between_two_items(monkeypatch, backend):
    """Those of one claim need not be as quick as the ones before them were."""
    monkeypatch.setattr(_task_pool, "Pace", partial(Pace, ITEMS))
    serve, pools = _task_pool.TaskPool.serve, []

    def noted(pool, host):
        pools.append(pool)
        return serve(pool, host)

    async def takes_long(item):
        pools[0].turn_soon()
        return item

    monkeypatch.setattr(_task_pool.TaskPool, "serve", noted)
    assert turns_beside(takes_long, backend) > ITEMS / 4


@pytest.mark.usefixtures("short_breath")
def test_a_caller_whose_results_never_cease_can_be_cancelled(backend):
    """On asyncio, anyio passes over who has got something at each turn of the loop."""
    called = []

    async def note(item):
        called.append(item)

    async def cancel(scope):
        while not called:
            await anyio.lowlevel.checkpoint()
        scope.cancel()

    async def main():
        async with anyio.create_task_group() as group:
            with anyio.CancelScope() as scope:
                group.start_soon(cancel, scope)
                await arun(note, range(ITEMS), strategy="sequential")

    anyio.run(main, backend=backend)
    assert len(called) < ITEMS


class EndedError(Exception):
    """What the first of two items raises."""


@pytest.mark.parametrize("ended_by", ["an item", "the caller"])
def test_nothing_is_begun_once_it_has_ended(monkeypatch, backend, ended_by):
    """Not by a lane whose item takes no notice of its cancellation, though others were claimed with it."""
    monkeypatch.setattr(_task_pool, "Pace", partial(Pace, ITEMS))
    begun = []

    async def main():
        both = anyio.Event()

        async def resist(item):
            begun.append(item)
            if item == 0:
                await both.wait()
                if ended_by == "an item":
                    raise EndedError
                scope.cancel()
            both.set()
            with suppress(anyio.get_cancelled_exc_class()):
                await anyio.sleep_forever()

        with anyio.CancelScope() as scope, suppress(EndedError):
            await arun(resist, range(ITEMS), strategy=AsyncioStrategy(concurrency=2))

    anyio.run(main, backend=backend)
    assert begun == [0, 1]


def test_what_one_lane_has_claimed_another_begins(monkeypatch, backend):
    """The one that was at work when nothing could be claimed, and ends then, leaves another its place."""
    monkeypatch.setattr(_task_pool, "Pace", partial(Pace, ITEMS))
    begun, seen = [], []

    async def turns():
        for _ in range(100):
            await anyio.lowlevel.checkpoint()

    async def first_alone(begins):
        yield 0
        await begins.wait()
        await turns()
        for item in (1, 2, 3):
            yield item

    async def main():
        first, second = anyio.Event(), anyio.Event()

        async def call(item):
            begun.append(item)
            if item == 0:
                first.set()
                await second.wait()
            if item == 1:
                second.set()
                await turns()
                seen.extend(begun)

        await arun(call, first_alone(first), strategy=AsyncioStrategy(concurrency=2))

    anyio.run(main, backend=backend)
    assert 2 in seen


def test_items_in_flight_go_on_while_others_are_waited_for(backend, monkeypatch):
    """Where each takes its time to come, those before it are held up by one of them, not by all."""
    monkeypatch.setattr(_tap, "FEED_SECONDS", -1.0)  # any time is long
    ended, seen = [], []

    def items():
        for item in range(9):
            seen.append(len(ended))
            yield item

    async def turns(item):
        await anyio.lowlevel.checkpoint()
        ended.append(item)

    run(turns, items(), strategy=AnyioStrategy(20, backend=backend))
    assert seen[-1] > 0
    assert len(ended) == 9
