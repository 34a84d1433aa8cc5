"""Performing a claim of coroutines on a loop of its own: one task for many, and yet each item by itself."""

import asyncio
from contextvars import ContextVar, copy_context

import pytest

from concurrent_choices import Batch, Claim
from concurrent_choices._work._awaiter import Awaiter

COUNT = ContextVar("count", default=0)


@pytest.fixture
def awaiting():
    """Performs claims, and lets go of the loops at the end."""
    made = []

    def perform(fn, items, *, tolerant=False, mark=None):
        awaiter = Awaiter(fn, copy_context(), return_exceptions=tolerant)
        made.append(awaiter)
        return awaiter(Claim(7, items), mark)

    yield perform
    for awaiter in made:
        awaiter.stop()


async def divide(item):
    await asyncio.sleep(0)
    return 6 // item


async def count_up(item):
    COUNT.set(COUNT.get() + 1)
    await asyncio.sleep(0)
    return COUNT.get() * item


async def task(item):
    return asyncio.current_task()


async def give_up(item):
    raise asyncio.CancelledError


def test_values_stand_in_order(awaiting):
    """From the claim's own start."""
    assert awaiting(divide, [1, 2, 3]) == Batch(7, [6, 3, 2], None)


def test_one_task_serves_many(awaiting):
    """As long as none leaves anything behind."""
    assert len(set(awaiting(task, range(5)).values)) == 1


def test_no_item_sees_the_context_of_another(awaiting):
    """What one sets is gone when the next begins."""
    assert awaiting(count_up, [1, 2, 3]).values == [1, 2, 3]


def test_an_error_ends_the_batch(awaiting):
    """Values before it are kept, and it names the item."""
    batch = awaiting(divide, [1, 0, 3])
    assert (batch.values, type(batch.error)) == ([6], ZeroDivisionError)
    assert batch.error.__notes__ == ["raised by item 8: 0"]


def test_errors_in_their_place(awaiting):
    """Where exceptions are wanted as values, the rest goes on; a cancellation is none."""
    assert [type(value) for value in awaiting(divide, [0, 1], tolerant=True).values] == [
        ZeroDivisionError,
        int,
    ]
    assert isinstance(awaiting(give_up, [1], tolerant=True).error, asyncio.CancelledError)


def test_a_mark_ends_it_before_an_item(awaiting):
    """What was not started is not there."""
    assert awaiting(divide, [1, 2, 3], mark=iter([True, True, False]).__next__).values == [6, 3]


def test_one_that_was_stopped_begins_nothing():
    """Its claim fails as cancelled."""
    awaiter = Awaiter(divide, copy_context(), return_exceptions=False)
    awaiter.stop()
    batch = awaiter(Claim(0, [1]))
    assert (batch.values, type(batch.error)) == ([], asyncio.CancelledError)


async def leaves_a_task(item):
    return asyncio.create_task(asyncio.Event().wait())


def test_what_items_left_on_its_loops_is_cancelled_at_the_end():
    """As `asyncio.run` does."""
    awaiter = Awaiter(leaves_a_task, copy_context(), return_exceptions=False)
    (left,) = awaiter(Claim(0, [1])).values
    awaiter.stop()
    assert left.cancelled()


def test_it_is_stopped_where_a_loop_runs():
    """Its own are closed there, though nothing can run on them."""
    awaiter = Awaiter(current_loop, copy_context(), return_exceptions=False)
    (loop,) = awaiter(Claim(0, [1])).values

    async def stop():
        awaiter.stop()

    asyncio.run(stop())
    assert loop.is_closed()


async def current_loop(item):
    return asyncio.get_running_loop()
