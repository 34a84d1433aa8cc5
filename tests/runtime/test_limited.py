"""A coroutine's time limit is its own: what others do to the loop before it begins does not count."""

import asyncio
import time

import pytest

from concurrent_choices._runtime._limited import OverdueError, limited

LIMIT = 0.2


async def held_up_before(coroutine):
    """Have a coroutine begin only once its loop has been held up for longer than it may take."""
    outcome = asyncio.create_task(limited(coroutine, LIMIT))
    await asyncio.sleep(0)  # it is about to begin
    time.sleep(1.5 * LIMIT)  # noqa: ASYNC251 - what is looked at
    return await outcome


def test_what_had_to_wait_for_its_turn_is_in_time():
    """The loop may have had a hundred others that compute and came first."""

    async def quick():
        return "done"

    assert asyncio.run(held_up_before(quick())) == "done"


def test_what_had_to_wait_for_its_turn_may_be_overdue_all_the_same():
    """Its seconds begin when it does."""
    with pytest.raises(OverdueError, match="cancelled"):
        asyncio.run(held_up_before(asyncio.sleep(60)))
