"""The executor as its users meet it: every form of call, futures as others have them, and bad arguments."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import threading
from concurrent.futures import as_completed, wait
from functools import partial

import pytest
from executor_acts import spin
from executor_verdicts import why

from concurrent_choices import AdaptiveExecutor, InvalidArgumentError


def test_nested_calls_do_not_deadlock(executor):
    """Calls that wait for calls of their own make room for them, however deep."""

    def nested(depth):
        return 1 + executor.submit(nested, depth - 1).result() if depth else 0

    futures = [executor.submit(nested, 6) for _ in range(8)]
    assert [future.result(30) for future in futures] == [6] * 8


def test_submitting_from_everywhere(executor):
    """From many threads, from its own threads, and from the callbacks of its futures."""
    done = threading.Event()
    inner = []

    def called_back(_future):
        inner.append(executor.submit(pow, 3, 2))
        done.set()

    executor.submit(lambda: executor.submit(pow, 2, 2)).result().add_done_callback(called_back)
    results = []

    def many():
        results.extend(executor.submit(pow, 2, 3).result() for _ in range(50))

    threads = [threading.Thread(target=many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert done.wait(10)
    assert inner[0].result(10) == 9
    assert results == [8] * 400


def test_contextvars_are_carried(executor):
    """A call sees its submitter's context variables and leaks none of its own."""
    variable = contextvars.ContextVar("variable", default=0)
    variable.set(7)

    def look():
        seen = variable.get()
        variable.set(8)
        return seen

    assert [executor.submit(look).result() for _ in range(3)] == [7, 7, 7]
    assert variable.get() == 7


def test_a_coroutine_function_gives_its_coroutine(executor):
    """An `async def` is called like anything else, and never moved."""

    async def give():
        return 3

    assert asyncio.run(executor.submit(give).result()) == 3
    with AdaptiveExecutor(max_processes=1, place="process") as pinned:
        assert asyncio.run(pinned.submit(give).result()) == 3
        assert "async def" in why(pinned, give)


def test_its_futures_serve_asyncio(executor):
    """`wrap_future` and `run_in_executor` work as with any executor."""

    async def main():
        loop = asyncio.get_running_loop()
        one = await asyncio.wrap_future(executor.submit(pow, 2, 3))
        return one, await loop.run_in_executor(executor, pow, 2, 4)

    assert asyncio.run(main()) == (8, 16)


def test_its_futures_serve_wait_and_as_completed(executor):
    """Both helpers of `concurrent.futures` take them."""
    futures = [executor.submit(pow, 2, power) for power in range(5)]
    assert wait(futures).not_done == set()
    assert sorted(future.result() for future in as_completed(futures)) == [1, 2, 4, 8, 16]


def test_to_thread_is_seen_through(executor):
    """What asyncio wraps into `Context.run` is known by its own name, and may be moved."""

    async def main():
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        for _ in range(3):
            await loop.run_in_executor(executor, partial(context.run, spin, 10))

    asyncio.run(main())
    assert executor.explain()["spin"].calls == 3


@pytest.mark.parametrize("chunksize", [1, 7])
@pytest.mark.parametrize("buffersize", [None, 3])
def test_map_keeps_the_order(executor, chunksize, buffersize):
    """Results come in the order of the items, in chunks or not, ahead or not."""
    results = executor.map(pow, range(20), [2] * 20, chunksize=chunksize, buffersize=buffersize)
    assert list(results) == [number**2 for number in range(20)]


def test_map_with_a_buffer_takes_an_endless_iterable(executor):
    """With `buffersize`, items are taken only as results are."""
    from itertools import count

    taken = iter(executor.map(abs, count(), buffersize=4))
    assert [next(taken) for _ in range(10)] == list(range(10))


@pytest.mark.parametrize("chunksize", [1, 2])
def test_map_of_an_executor_that_nobody_else_holds(chunksize):
    """It is there for as long as there are items to come."""
    results = AdaptiveExecutor().map(abs, range(40), chunksize=chunksize, buffersize=4)
    gc.collect()
    assert list(results) == list(range(40))


@pytest.mark.parametrize("call", ["submit", "map", "map in chunks"])
def test_what_cannot_be_called_is_refused(executor, call):
    """At the call, rather than by each future, whose error would not say what to give."""
    calls = {
        "submit": lambda: executor.submit(3),
        "map": lambda: executor.map(3, [1], buffersize=1),
        "map in chunks": lambda: executor.map(3, [1], chunksize=2),
    }
    with pytest.raises(InvalidArgumentError) as caught:
        calls[call]()
    assert str(caught.value) == "fn: must be callable, not int; give the function itself, without calling it"


@pytest.mark.parametrize("argument", ["chunksize", "buffersize"])
@pytest.mark.parametrize("wrong", [0, 1.5, "two", True])
def test_map_refuses_what_is_no_whole_number(executor, argument, wrong):
    """The error comes at the call and names the argument."""
    with pytest.raises(InvalidArgumentError, match=f"^{argument}: must be a whole number from 1"):
        executor.map(abs, [1], **{argument: wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_threads": 0},
        {"max_threads": 1.5},
        {"max_processes": -1},
        {"max_queue": 0},
        {"when_full": "never"},
        {"place": "cloud"},
        {"limits": {pow: 0}},
        {"limits": {pow: True}},
        {"limits": [pow]},
    ],
)
def test_wrong_arguments_are_named(wrong):
    """An argument that cannot work is refused at once, by name."""
    with pytest.raises(InvalidArgumentError, match=next(iter(wrong))):
        AdaptiveExecutor(**wrong)
