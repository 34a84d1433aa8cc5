import asyncio
import contextvars
import errno
import gc
import inspect
import os
import threading

import pytest

from concurrent_choices._measure import _sample_loop
from concurrent_choices._measure._sample_loop import KeptLoop, SampleLoop
from concurrent_choices._runtime._hand import DaemonHand


@pytest.fixture
def loop(clock):
    """A loop for sampling, and its end."""
    made = SampleLoop(clock)
    yield made
    made.close()


def run(loop, fn):
    """Await a coroutine function on it."""
    return loop.run(fn(), contextvars.copy_context())


def test_a_coroutine_for_which_no_loop_starts_is_closed(loop, monkeypatch):
    """There may be no descriptors for one; Python would complain that it was never awaited."""

    def refuse():
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(_sample_loop, "new_loop", refuse)
    work = where()
    with pytest.raises(OSError, match=os.strerror(errno.EMFILE)):
        loop.run(work, contextvars.copy_context())
    assert inspect.getcoroutinestate(work) == inspect.CORO_CLOSED


async def leaves_a_task():
    """What a client does that keeps its connections alive."""
    return asyncio.create_task(asyncio.Event().wait())


def kept_with_a_task(loop):
    """A loop that is kept with such a task on it, and the task."""
    hand, left = DaemonHand(), []
    hand.do(lambda: left.append(run(loop, leaves_a_task)), 30)
    hand.close()
    return KeptLoop(hand, loop), *left


async def where():
    """The loop that it runs on."""
    return asyncio.get_running_loop()


def test_all_coroutines_run_on_one_loop(loop):
    """It starts with the first, and is closed at the end."""
    first, second = run(loop, where), run(loop, where)
    assert first is second
    loop.close()
    assert first.is_closed()


def test_a_loop_that_is_taken_is_as_any_other(loop):
    """It stays open for who goes on with it, who does not pay for the timing."""
    running = run(loop, where)
    taken = loop.take()
    loop.close()
    assert taken is running
    assert "run_in_executor" not in vars(taken)
    assert not taken.is_closed()
    taken.close()


def test_what_is_left_on_a_loop_is_cancelled_at_its_end(loop):
    """As `asyncio.run` does."""
    left = run(loop, leaves_a_task)
    loop.close()
    assert left.cancelled()


def test_a_loop_that_nobody_goes_on_with_is_ended(loop):
    """With what is left on it, also where another loop runs in this thread."""
    kept, left = kept_with_a_task(loop)
    dropped = [kept]
    del kept

    async def drop():
        dropped.clear()
        gc.collect()

    asyncio.run(drop())
    assert left.cancelled()


def test_a_fork_leaves_its_parents_loop_alone(loop, monkeypatch):
    """They share what tells of descriptors."""
    kept, left = kept_with_a_task(loop)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    del kept
    gc.collect()
    assert not left.cancelled()


def test_a_loop_is_given_once_its_calls_are_over(loop):
    """Those that did not come back in time run on it still."""
    hand, gate, landed = DaemonHand(), threading.Event(), threading.Event()

    async def slow():
        gate.wait(30)
        landed.set()

    hand.begin(lambda: run(loop, slow))
    hand.close()
    kept, given = KeptLoop(hand, loop), []
    taker = threading.Thread(target=lambda: given.append((kept.take(), landed.is_set())))
    taker.start()
    gate.set()
    taker.join(30)
    ((taken, after),) = given
    assert after
    assert not taken.is_running()
    taken.close()


def test_nobody_waits_for_a_loop_with_calls_under_way(loop, monkeypatch):
    """It is ended once they are over, by a thread of its own."""
    monkeypatch.setattr(_sample_loop, "FAREWELL", 30.0)
    hand, begun, gate, left = DaemonHand(), threading.Event(), threading.Event(), []

    async def slow():
        left.append(await leaves_a_task())
        begun.set()
        gate.wait(30)

    hand.begin(lambda: run(loop, slow))
    hand.close()
    assert begun.wait(30)
    kept = KeptLoop(hand, loop)
    del kept
    assert not left[0].done()
    farewell = next(each for each in threading.enumerate() if each.name.endswith("farewell"))
    gate.set()
    farewell.join(30)
    assert left[0].cancelled()
