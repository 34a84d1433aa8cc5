"""Loops that strategies make have threads for what items in flight do in threads."""

import asyncio
import threading

import pytest

from concurrent_choices import AnyioStrategy, AsyncioStrategy, UvloopStrategy, run


@pytest.mark.parametrize("strategy", [AsyncioStrategy, UvloopStrategy, AnyioStrategy])
def test_items_that_wait_in_threads_do_so_at_once(strategy):
    """All of these meet, or none is let through: a loop by itself has four threads more than processors."""
    meeting = threading.Barrier(40)

    async def meet(_):
        await asyncio.to_thread(meeting.wait, 60)

    run(meet, range(40), strategy=strategy(concurrency=40))
