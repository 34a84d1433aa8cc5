"""Streams in a process that forks: what its child has of them."""

from __future__ import annotations

import os

import pytest

from interpreters import printed

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="has forks")

BEGIN = """
import asyncio, os, signal, time, warnings
from itertools import count
from concurrent_choices import ConcurrentChoicesError, astream, stream

warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads

def nap(item):
    time.sleep(0.002)
    return item

async def anap(item):
    await asyncio.sleep(0.002)
    return item

def at_once(coroutine):  # what it gives without waiting for anything
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError

def in_child(act):
    child = os.fork()
    if not child:
        signal.alarm(20)  # which kills what waits for ever
        try:
            print(act(), flush=True)
        except ConcurrentChoicesError as error:
            print(error, flush=True)
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""

BEGUN = (
    "it had begun to call {fn} as this process was forked, and whatever works for it is in the parent; "
    "read it there, or call"
)


@pytest.fixture
def fn(kind):
    """A callable of the scripts."""
    return "nap" if kind == "def" else "anap"


def told(code):
    """What a script prints."""
    return printed("-c", BEGIN + code)


def test_a_stream_that_has_begun(name, fn):
    """A fork that reads it is told so, whatever was in hand, and can close it; the parent reads on."""
    lines = told(f"""
results = stream({fn}, count(), strategy="{name}")
for _ in range(40):
    next(results)
in_child(lambda: next(results))
in_child(results.close)
print(next(results))
results.close()
""")
    refused = f"stream: {BEGUN.format(fn=fn)} stream here, after the fork"
    alone = (name, fn) == ("sequential", "nap")  # all that works for it is the thread that reads it
    assert lines == ["40" if alone else refused, "None", "40"]


def test_a_stream_that_has_not_begun(name, fn):
    """A fork reads it like its parent: nothing has been started for it."""
    lines = told(f"""
results = stream({fn}, [1, 2], strategy="{name}")
in_child(lambda: list(results))
print(list(results))
""")
    assert lines == ["[1, 2]"] * 2


def test_an_async_stream_that_has_begun(name, fn):
    """The same on the loop that the fork has a copy of, on a new one, and in the midst of a coroutine."""
    lines = told(f"""
async def begin():
    for _ in range(40):
        await anext(results)

async def read():
    return await anext(results)

async def in_the_midst():
    in_child(lambda: at_once(read()))
    in_child(lambda: at_once(results.aclose()))

results = astream({fn}, count(), strategy="{name}")
loop = asyncio.new_event_loop()
loop.run_until_complete(begin())
in_child(lambda: loop.run_until_complete(read()))
in_child(lambda: asyncio.run(read()))
loop.run_until_complete(in_the_midst())
print(loop.run_until_complete(read()))
loop.run_until_complete(results.aclose())
loop.close()
""")
    refused = f"astream: {BEGUN.format(fn=fn)} astream here, after the fork"
    assert lines == [refused] * 3 + ["None", "40"]


def test_an_async_stream_that_has_not_begun(name, fn):
    """A fork reads it like its parent, each on a loop of its own."""
    lines = told(f"""
async def read():
    return [result async for result in results]

results = astream({fn}, [1, 2], strategy="{name}")
in_child(lambda: asyncio.run(read()))
print(asyncio.run(read()))
""")
    assert lines == ["[1, 2]"] * 2
