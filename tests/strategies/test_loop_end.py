"""Loops that strategies make do not wait at their end for items that do not."""

import asyncio
import threading

import anyio
import anyio.to_thread
import pytest

from concurrent_choices import run
from interpreters import printed

LONG = 30
"""Seconds after which an item ends by itself."""


class Resisting:
    """The first item raises when the second has begun, which takes no notice of its cancellation."""

    def __init__(self):
        self.begun, self.free = asyncio.Event(), threading.Event()
        self.has_ended = False

    async def __call__(self, item):
        if item == 0:
            await self.begun.wait()
            raise ZeroDivisionError
        self.begun.set()
        await self.resist()
        self.has_ended = True


class InThread(Resisting):
    async def resist(self):
        await anyio.to_thread.run_sync(self.free.wait, LONG)


class InLoop(Resisting):
    async def resist(self):
        until = anyio.current_time() + LONG
        while anyio.current_time() < until:
            try:
                await anyio.sleep_until(until)
            except anyio.get_cancelled_exc_class():
                pass


@pytest.mark.parametrize("strategy", ["asyncio", "uvloop", "anyio"])
@pytest.mark.parametrize("item", [InThread, InLoop])
def test_what_resists_is_left(strategy, item):
    """As Ctrl-C is to be back within half a second."""
    resisting = item()
    with pytest.raises(ZeroDivisionError):
        run(resisting, range(2), strategy=strategy)
    assert not resisting.has_ended
    resisting.free.set()


INTERRUPTED = """
import _socket
from concurrent_choices import run

def interrupt(*_):
    raise KeyboardInterrupt

async def end(_item):
    _socket.socketpair = interrupt  # which uvloop asks as it starts, and so at the end once more

try:
    run(end, [1], strategy="uvloop")
except KeyboardInterrupt:
    print("interrupted")
"""


UNREADABLE = """
import sys
from concurrent_choices import run

async def end(_item):
    pass

sys.modules["concurrent.futures.thread"] = None
try:
    run(end, [1], strategy="asyncio")
except ImportError:
    print("refused")
"""


def test_no_loop_is_left_where_its_threads_cannot_be_loaded():
    """As for want of a descriptor to read their module by: Python complains of loops that are not closed."""
    assert printed("-c", UNREADABLE) == ["refused"]


def test_ctrl_c_as_a_loop_starts_for_its_end():
    """It comes out as it is, and not as an error of what was to be closed."""
    assert printed("-c", INTERRUPTED) == ["interrupted"]


AT_EXIT = """
import atexit
from concurrent_choices import run

async def negate(number):
    return -number

atexit.register(lambda: print(sum(run(negate, range(6000), strategy="{name}"))))
"""


@pytest.mark.parametrize("name", ["asyncio", "uvloop", "anyio", "auto", "thread"])
def test_a_run_at_exit(name):
    """It has its loop, though neither thread pools for its items nor uvloop can be loaded by then."""
    assert printed("-c", AT_EXIT.format(name=name)) == ["-17997000"]
