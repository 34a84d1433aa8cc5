"""How far streams work ahead of who takes the results."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing
from itertools import count

import pytest

from concurrent_choices import ThreadStrategy, astream, stream
from concurrent_choices._run._collect import Window
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source

LANES = 2

FEW = 10
"""More than lanes have in hand by the time that the first result is there."""


class Weighty:
    """An array of a gigabyte, as far as it tells."""

    nbytes = 1 << 30


class Gate:
    """A callable whose calls but the first wait to be let through; it says when more began than should."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.open = threading.Event()
        self.passed = threading.Event()

    def __call__(self, number: int) -> Weighty:
        if number:
            self.open.wait(30)
        if number >= self.most:
            self.passed.set()
        return Weighty()


@pytest.fixture
def window():
    """A window over a source that two lanes draw from, and what it lets out."""

    def made(**options):
        source = Source(count(), window=64, **options)
        source.window.staffed(LANES)
        return Window(Job(abs, source)), source

    return made


def test_results_that_weigh_much_are_few(window):
    """One for each lane, and one besides."""
    heavy, source = window()
    heavy.arrived([Weighty()])
    assert source.room == LANES + 1


def test_results_that_weigh_little_are_as_many_as_ever(window):
    """Also after one that weighed much, in time; and a bound that was asked for stays."""
    light, source = window()
    light.arrived([0])
    assert source.room == 64
    fixed, source = window(fixed=True)
    fixed.arrived([Weighty()])
    assert source.room == 64


def test_what_weighed_much_is_forgotten(window, monkeypatch):
    """Those that come later count."""
    monkeypatch.setattr("concurrent_choices._run._collect.UNWEIGHED", -1.0)
    mixed, source = window()
    mixed.arrived([Weighty()])
    for _ in range(100):
        mixed.arrived([0])
    assert source.room == 64


def test_what_all_results_share_weighs_nothing(window, monkeypatch):
    """From the second on it is known, and then there is room as ever."""
    monkeypatch.setattr("concurrent_choices._run._collect.UNWEIGHED", -1.0)
    sharing, source = window()
    model = Weighty()
    sharing.arrived([(0, model)])
    sharing.arrived([(1, model)])
    assert source.room == 64


def test_results_that_take_long_to_weigh_are_seldom_weighed(window, monkeypatch):
    """Ten times as long passes before the next; each may hold what all share, as a large frozen set."""
    clock = count(100)  # a second later at each look
    monkeypatch.setattr("concurrent_choices._run._collect.time.perf_counter", lambda: next(clock))
    slow, source = window()
    slow.arrived([0])
    for _ in range(8):
        slow.arrived([Weighty()])
    assert source.room == 64
    for _ in range(8):
        slow.arrived([Weighty()])
    assert source.room == LANES + 1


def test_a_stream_of_large_results_does_not_run_ahead():
    """A caller who has taken one and takes his time finds few others."""
    gate = Gate(FEW)
    results = stream(gate, range(100), strategy=ThreadStrategy(max_workers=LANES))
    next(results)
    gate.open.set()
    assert not gate.passed.wait(0.1)
    results.close()


def test_nor_does_an_async_one():
    """The same beside a loop."""
    gate = Gate(FEW)

    async def take_one() -> None:
        async with aclosing(astream(gate, count(), strategy=ThreadStrategy(max_workers=LANES))) as results:
            await anext(results)
            gate.open.set()
            assert not gate.passed.wait(0.1)

    asyncio.run(take_one())


class Pairs:
    """A strategy that gives two results when it has both; it says when it waits for the second item."""

    name = "pairs"

    def __init__(self) -> None:
        self.waits = threading.Event()

    def execute(self, job):
        """Claim two items after each other, while the caller may still be at the last two."""
        while (first := job.claim()) is not None:
            held = [job.perform(first)]
            if first.start:
                self.waits.set()
            if (second := job.claim()) is not None:
                held.append(job.perform(second))
            yield from held


def test_a_strategy_that_holds_results_back_gets_its_items_though_the_window_shrinks():
    """It waits for one beside the loop, where results that weigh much are taken meanwhile."""
    pairs = Pairs()

    async def take_all() -> int:
        taken = asyncio.Semaphore(0)

        async def items():
            for number in range(3):
                yield number
            for _ in range(2):
                await taken.acquire()
            yield 3

        count = 0
        async with aclosing(astream(lambda n: Weighty() if n else n, items(), strategy=pairs)) as results:
            async for _ in results:
                if not count:
                    await asyncio.to_thread(pairs.waits.wait, 30)
                    await asyncio.sleep(0.02)
                count += 1
                taken.release()
        return count

    assert asyncio.run(asyncio.wait_for(take_all(), 30)) == 4
