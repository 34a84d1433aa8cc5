"""`arun` and `astream` inside running loops, asyncio's and trio's."""

from __future__ import annotations

import threading
import time
from contextlib import aclosing
from itertools import count

import anyio
import contract_acts as acts
import pytest
from contract_ways import DEADLINE, made_by, only, small

from concurrent_choices import (
    ItemTimeoutError,
    RunningLoopError,
    arun,
    astream,
    run,
    stream,
)
from patience import with_ample_limit

pytestmark = pytest.mark.usefixtures("hurried")


@pytest.fixture
def strategy(lean):
    """As few processes as will do."""
    return lean


class Counted:
    """An async iterable of numbers, which remembers whether it was closed."""

    def __init__(self, stop, error=None):
        self.stop, self.error, self.closed, self.given = stop, error, False, 0

    async def __aiter__(self):
        try:
            for number in range(self.stop):
                await acts.checkpoint()
                self.given += 1
                yield number
            if self.error is not None:
                raise self.error
        finally:
            self.closed = True


class Plain:
    """An async iterator that is no generator."""

    def __init__(self, stop):
        self.numbers = iter(range(stop))

    def __aiter__(self):
        return self

    async def __anext__(self):
        await acts.checkpoint()
        for number in self.numbers:
            return number
        raise StopAsyncIteration


async def listed(results):
    """All of an async iterator."""
    return [result async for result in results]


def test_results_in_input_order(strategy, of_kind, loop):
    """The async form gives the same list."""

    async def main():
        return await arun(of_kind(acts.double), range(60), strategy=strategy)

    assert loop(main) == list(range(0, 120, 2))


@pytest.mark.parametrize("ordered", [True, False], ids=["ordered", "as completed"])
def test_streams(strategy, of_kind, loop, ordered):
    """The async stream gives the same results, in order or as they come."""

    async def main():
        return await listed(astream(of_kind(acts.double), range(60), strategy=strategy, ordered=ordered))

    results = loop(main)
    assert (results if ordered else sorted(results)) == list(range(0, 120, 2))


@pytest.mark.parametrize("made", [Counted, Plain])
def test_async_iterables(strategy, of_kind, loop, made):
    """Items may come from an async iterable, generator or not."""

    async def main():
        results = await arun(of_kind(acts.double), made(30), strategy=strategy)
        streamed = await listed(astream(of_kind(acts.double), made(30), strategy=strategy))
        return results, streamed

    assert loop(main) == (list(range(0, 60, 2)),) * 2


def test_generators_and_infinite_iterators(strategy, of_kind, loop):
    """Plain iterators will do, endless ones for streams."""

    async def main():
        results = await arun(of_kind(acts.double), (n for n in range(20)), strategy=strategy)
        first = []
        async with aclosing(astream(of_kind(acts.double), count(), strategy=strategy)) as endless:
            async for result in endless:
                first.append(result)
                if len(first) == 20:
                    break
        return results, first

    assert loop(main) == (list(range(0, 40, 2)),) * 2


def test_no_items_and_one(strategy, of_kind, loop):
    """Nothing in, nothing out; and one."""

    async def main():
        fn = of_kind(acts.double)
        return [
            await arun(fn, [], strategy=strategy),
            await arun(fn, Counted(0), strategy=strategy),
            await arun(fn, [21], strategy=strategy),
        ]

    assert loop(main) == [[], [], [42]]


def test_each_item_once(strategy, of_kind, loop, log):
    """Each item of an async iterable is called exactly once."""

    async def items():
        for number in range(60):
            yield str(log), number

    async def main():
        return await arun(of_kind(acts.logged), items(), strategy=strategy)

    assert loop(main) == list(range(60))
    assert sorted(map(int, acts.calls(log))) == list(range(60))


def beside(task, fn, items, strategy):
    """What calls `arun` while another task goes on in its loop."""

    async def main():
        async with anyio.create_task_group() as group:
            group.start_soon(task)
            return await arun(fn, items, strategy=strategy)

    return main


@pytest.mark.parametrize("act", [acts.sleep_until_logged, acts.compute_until_logged])
def test_the_loop_is_never_blocked(strategy, loop, log, act):
    """While `def` callables sleep and compute, other tasks of the loop go on: the items wait for them."""
    ticks = 5

    async def ticker():
        for tick in range(ticks):
            await anyio.sleep(0.005)
            acts.logged((log, tick))

    assert loop(beside(ticker, act, [(str(log), ticks)] * 2, strategy)) == [True, True]


def test_a_slow_generator_does_not_block_the_loop(strategy, of_kind, loop):
    """A plain generator that takes its time is advanced elsewhere: it waits for a task of the loop."""
    ticked = threading.Semaphore(0)

    def items():
        for number in range(3):
            assert ticked.acquire(timeout=acts.PATIENCE)
            yield number

    async def ticker():
        for _ in range(3):
            await anyio.sleep(0.005)
            ticked.release()

    assert loop(beside(ticker, of_kind(acts.double), items(), strategy)) == [0, 2, 4]


def test_a_query_that_is_sent_as_its_iterator_is_made_does_not_block_the_loop(strategy, of_kind, loop):
    """Nor does what makes the iterator, which may do all the work: it waits for a task of the loop."""
    ticked = threading.Event()

    class Query:
        def __iter__(self):
            assert ticked.wait(acts.PATIENCE)
            return iter(range(3))

    async def ticker():
        await anyio.sleep(0.005)
        ticked.set()

    assert loop(beside(ticker, of_kind(acts.double), Query(), strategy)) == [0, 2, 4]


@only(lambda name: hasattr(made_by(name), "aexecute"))
def test_coroutines_run_on_the_callers_loop(name, strategy, loop):
    """Under the strategies that have an `aexecute`, clients of the running loop may be used."""
    seen = set()

    async def here(_item):
        await acts.checkpoint()
        seen.add(threading.get_ident())

    async def main():
        await arun(here, range(10), strategy=strategy)

    loop(main)
    assert seen == {threading.get_ident()}


@pytest.mark.parametrize("call", [run, stream])
def test_blocking_forms_are_refused(loop, call):
    """`run` and `stream` in a running loop name what to use instead, whole message included."""

    async def main():
        with pytest.raises(RunningLoopError) as caught:
            call(len, ["a"])
        return str(caught.value)

    instead = {run: "await arun(...)", stream: "async for ... in astream(...)"}[call]
    assert loop(main) == (
        f"{call.__name__}() would block the event loop that runs in this thread; use {instead} instead"
    )


def test_a_stream_made_before_the_loop_ran_is_refused_in_it(loop):
    """It blocked the loop without a word, for each item that was drawn."""
    drawn = stream(len, ["a"])

    async def main():
        with pytest.raises(RunningLoopError, match=r"async for ... in astream\(...\)"):
            next(drawn)

    loop(main)


def test_a_stream_may_be_what_gives_the_items(loop):
    """An iterator is drawn in another thread than the loop's."""
    drawn = stream(len, ["a", "bb"])
    assert loop(lambda: arun(acts.double, drawn)) == [2, 4]


def test_run_in_a_thread_beside_a_loop(strategy, of_kind, loop):
    """In another thread than the loop's, `run` is what to use."""

    async def main():
        return await anyio.to_thread.run_sync(lambda: run(of_kind(acts.double), range(5), strategy=strategy))

    assert loop(main) == [0, 2, 4, 6, 8]


def test_the_very_exception(strategy, of_kind, loop):
    """An item's exception reaches the awaiting caller, with its note."""

    async def main():
        with pytest.raises(acts.PlainError, match=r"^three") as caught:
            await arun(of_kind(acts.raise_plain), range(6), strategy=strategy)
        return caught.value.__notes__

    assert loop(main) == ["raised by item 3: 3"]


def test_exceptions_in_place(strategy, of_kind, loop):
    """`return_exceptions` works as in `run`."""

    async def main():
        return await arun(of_kind(acts.invert), Counted(3), strategy=strategy, return_exceptions=True)

    first, *rest = loop(main)
    assert type(first) is ZeroDivisionError
    assert rest == [1.0, 0.5]


def test_an_async_iterable_that_raises(strategy, of_kind, loop):
    """Its own exception comes after the results already due, and the iterable is closed."""
    items = Counted(5, ConnectionError("the shop has closed"))

    async def main():
        seen = []
        results = astream(of_kind(acts.double), items, strategy=strategy)
        try:
            async for result in results:
                seen.append(result)  # noqa: PERF401 - what came before the error is wanted
        except ConnectionError as error:
            seen.append(str(error))
        return seen

    assert loop(main) == [0, 2, 4, 6, 8, "the shop has closed"]
    assert items.closed


def test_an_async_iterable_that_is_cancelled(strategy, of_kind):
    """A CancelledError that comes out of the iterable itself ends the run; nobody waits for more."""
    import asyncio

    items = Counted(3, asyncio.CancelledError("no more"))

    async def main():
        with pytest.raises(asyncio.CancelledError):
            await arun(of_kind(acts.double), items, strategy=strategy)
        return True

    assert asyncio.run(main())


def test_an_async_iterable_is_closed_after_an_error(strategy, of_kind, loop):
    """When an item raises, the iterable behind it is left in order."""
    items = Counted(10_000)

    async def main():
        with pytest.raises(acts.PlainError):
            await arun(of_kind(acts.raise_plain), items, strategy=strategy)

    loop(main)
    assert items.closed


def test_look_ahead_is_bounded(name, of_kind, loop):
    """A stream takes no more ahead than allowed from an async iterable."""
    strategy = small(name)
    items = Counted(200)

    async def main():
        given = 0
        async with aclosing(astream(of_kind(acts.double), items, strategy=strategy, buffersize=8)) as results:
            async for _ in results:
                given += 1
                await anyio.sleep(0.001)
                assert items.given <= given + 8 + 1
                if given == 20:
                    break

    loop(main)


@with_ample_limit
def test_an_item_that_outlasts_its_timeout(strategy, of_kind, loop, limit):
    """Timeouts work as in `run`, and other items are done."""

    async def main():
        return await arun(
            of_kind(acts.hold), [0, 30, 0], strategy=strategy, timeout=limit, return_exceptions=True
        )

    first, second, third = loop(main)
    assert (first, type(second), third) == (0, ItemTimeoutError, 0)


def test_the_caller_is_cancelled(strategy, of_kind, loop):
    """Cancelling the task that awaits ends the work, soon."""
    began = time.monotonic()

    async def main():
        with anyio.move_on_after(0.1) as scope:
            await arun(of_kind(acts.hold), [30] * 4, strategy=strategy)
        return scope.cancelled_caught

    assert loop(main)
    assert time.monotonic() - began < 10


def test_no_task_is_left(strategy, of_kind):
    """After a run, a failure and an early end, the loop has only the caller's own task."""
    import asyncio

    async def main():
        fn = of_kind(acts.double)
        await arun(fn, range(10), strategy=strategy)
        with pytest.raises(acts.PlainError):
            await arun(of_kind(acts.raise_plain), Counted(10), strategy=strategy)
        async with aclosing(astream(fn, Counted(1000), strategy=strategy)) as results:
            async for _ in results:
                break
        until = time.monotonic() + DEADLINE
        while len(left := asyncio.all_tasks()) > 1 and time.monotonic() < until:  # noqa: ASYNC110 - none tells
            await asyncio.sleep(0.002)  # some may be on their way out
        return left - {asyncio.current_task()}

    assert asyncio.run(main()) == set()


@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")  # trio's own advice
def test_a_stream_abandoned(strategy, of_kind, loop):
    """A stream that is left without closing is ended with its loop at the latest."""

    async def main():
        async for result in astream(of_kind(acts.double), count(), strategy=strategy):
            if result >= 10:
                break

    loop(main)


def test_context_variables(strategy, of_kind, outside, loop):
    """The caller's are seen and nothing leaks, as in `run`."""

    async def main():
        acts.CALLER.set("the caller")
        seen = await arun(of_kind(acts.caller), range(10), strategy=strategy)
        leaks = await arun(of_kind(acts.change_sometimes), range(20), strategy=strategy)
        return seen, leaks, acts.CHANGED.get()

    seen = "nobody" if outside else "the caller"
    assert loop(main) == ([seen] * 10, [-1] * 20, -1)


def test_many_at_once(strategy, of_kind, loop):
    """Several runs can go on in one loop."""
    results = {}

    async def one(number):
        items = range(number, number + 5)
        results[number] = await arun(of_kind(acts.double), items, strategy=strategy)

    async def main():
        async with anyio.create_task_group() as group:
            for number in (0, 7):
                group.start_soon(one, number)

    loop(main)
    assert results == {n: [2 * m for m in range(n, n + 5)] for n in (0, 7)}


def test_what_is_no_ordinary_exception(strategy, of_kind, loop):
    """`sys.exit` in an item reaches whoever awaits."""

    async def main():
        with pytest.raises(SystemExit, match="enough"):
            await arun(of_kind(acts.raise_system_exit), range(6), strategy=strategy)
        return True

    assert loop(main)
