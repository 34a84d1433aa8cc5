"""What wakes the lanes of a loop, and how seldom."""

from __future__ import annotations

import asyncio
import signal
import sys

import pytest

from concurrent_choices import arun, astream
from concurrent_choices._strategies._lanes import _feeding
from concurrent_choices._strategies._lanes._asyncio import run_tasks
from concurrent_choices._strategies._lanes._asyncio_host import AsyncioHost
from concurrent_choices._strategies._lanes._task_pool import TaskPool
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source

ITEMS = 2000


async def given():
    for item in range(ITEMS):
        yield item


async def gives_way(item):
    await asyncio.sleep(0)
    return item


def counted(monkeypatch, owner, name):
    """How often a method is called from now on, as the length of a list."""
    calls, method = [], getattr(owner, name)

    def call(*arguments):
        calls.append(name)
        return method(*arguments)

    monkeypatch.setattr(owner, name, call)
    return calls


def test_what_the_loop_itself_brings_wakes_it_without_its_socket(monkeypatch):
    """It would write to itself and read it, for each item, and again for each result."""

    async def main():
        posted = counted(monkeypatch, asyncio.get_running_loop(), "call_soon_threadsafe")
        assert [item async for item in astream(gives_way, given(), strategy="asyncio")] == [*range(ITEMS)]
        return len(posted)

    assert asyncio.run(main()) < ITEMS / 10


def test_lanes_that_are_at_an_item_are_not_woken_for_the_next(monkeypatch):
    """They look for it by themselves."""
    woken = counted(monkeypatch, AsyncioHost, "wake")
    assert asyncio.run(arun(gives_way, given(), strategy="sequential")) == [*range(ITEMS)]
    assert len(woken) < ITEMS / 4


def test_what_brings_items_brings_many_at_a_time(monkeypatch):
    """It is not woken for each result that is taken."""
    rung = []

    class Noted(_feeding.Bell):
        def ring(self):
            rung.append(self)
            super().ring()

    monkeypatch.setattr(_feeding, "Bell", Noted)
    asyncio.run(arun(gives_way, given(), strategy="sequential"))
    assert len(rung) < ITEMS / 4


@pytest.mark.parametrize("rings", [True, False])
def test_to_wait_takes_no_task(rings):
    """Lanes of a stream wait for every item, each time for so long at most."""

    async def main():
        loop, made = asyncio.get_running_loop(), []

        def make(loop, body, **more):
            made.append(body)
            return asyncio.Task(body, loop=loop, **more)

        loop.set_task_factory(make)
        host = AsyncioHost()
        if rings:
            loop.call_soon(host.wake)
        await host.wait(60 if rings else 1e-3)
        return len(made)

    assert asyncio.run(main()) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no alarms")
def test_a_signals_handler_may_stop_a_job_whose_loop_sleeps():
    """What wakes a loop in its own thread would have to wait for the end of that sleep."""
    late, batches = [], []

    async def sleep(seconds):
        asyncio.get_running_loop().call_later(seconds / 2, late.append, seconds)  # ends the loop's sleep
        await asyncio.sleep(seconds)

    job = Job(sleep, Source([10]))
    before = signal.signal(signal.SIGALRM, lambda *_: job.stop())
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        run_tasks(TaskPool(job, batches.append, 1), job.on_stop)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert (late, batches) == ([], [])
