"""Strategies beside a loop that runs already."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import deque
from contextvars import ContextVar

import anyio
import pytest

from concurrent_choices import arun
from concurrent_choices._facts._batch import Batch
from concurrent_choices._strategies._lanes._any_loop import Background
from concurrent_choices._strategies._lanes._native import _Mailbox

LAST = ContextVar("last", default=-1)

BACKENDS = ["asyncio", "trio"]


async def remember(item):
    LAST.set(item)
    return item


async def double(item):
    await anyio.sleep(0.001)
    return 2 * item


def run_anew(item):
    return anyio.run(double, item)


@pytest.mark.parametrize("fn", [double, run_anew])
@pytest.mark.parametrize("backend", BACKENDS)
def test_anyio_is_at_home_on_loops_beside_the_callers(backend, fn):
    """What says which library runs in the caller's context is not for items that left its loop."""

    async def main():
        return await arun(fn, range(5), strategy="thread")

    assert anyio.run(main, backend=backend) == [0, 2, 4, 6, 8]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there are no eager tasks before Python 3.12")
def test_lanes_of_a_loop_whose_tasks_are_eager_do_not_pile_up():
    """Each item changes its context, so another lane takes its place, and begins when the loop turns."""

    async def main():
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        return await arun(remember, range(2000), strategy="asyncio")

    assert asyncio.run(main()) == [*range(2000)]


class Preempted(deque):
    """Between a look whether anything is there and its answer, another thread acts."""

    def __init__(self, act):
        super().__init__()
        self.act = act

    def __len__(self):
        count = super().__len__()
        if self.act is not None:
            other, self.act = threading.Thread(target=self.act), None
            other.start()
            other.join()
        return count


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_last_batch_is_not_lost(backend):
    """It may come, and the end with it, just after somebody has looked."""

    def end():
        mail.send(Batch(0, ["last"]))
        mail.close()

    async def main():
        nonlocal mail
        mail = _Mailbox()
        mail._batches = Preempted(end)
        return [batch async for batch in mail]

    mail = None
    assert anyio.run(main, backend=backend) == [Batch(0, ["last"])]


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_cancelled_before_it_begins_has_ended(backend):
    """Nobody waits a moment for it."""

    async def main():
        background = Background(anyio.sleep_forever)
        background.cancel()
        with anyio.fail_after(10):
            await background._done.wait()

    anyio.run(main, backend=backend)
