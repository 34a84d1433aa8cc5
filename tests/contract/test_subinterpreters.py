"""Runs inside a subinterpreter, which has no daemon threads and may not fork: where there can be such."""

from __future__ import annotations

import sys

import pytest
from contract_ways import NAMES

from interpreters import interpreter

if sys.version_info < (3, 13):
    pytest.skip("older interpreters have none to try", allow_module_level=True)

CALLABLES = """
import asyncio, sys, time
sys.path[:] = {path!r}

def nap(item):
    time.sleep(1e-3)
    return item

async def awaited(item):
    await asyncio.sleep(1e-3)
    return item
"""

INSIDE = f"""{CALLABLES}
from concurrent_choices import run

for fn in nap, {{coroutine}}:
    assert run(fn, range(60), strategy={{name!r}}) == [*range(60)]
"""

LEFT_OPEN = f"""{CALLABLES}
from itertools import count
from concurrent_choices import stream

results = stream(nap, count(), strategy={{name!r}})
assert [next(results) for _ in range(40)] == [*range(40)]
"""

OTHERS = f"""{CALLABLES}
from concurrent_choices import Workload, arun, recommend

assert recommend(nap, range(60), verify=False).run() == [*range(60)]
assert recommend(Workload(awaited, range(60), items_count=100_000)).run() == [*range(60)]
assert asyncio.run(arun(nap, range(60), strategy="thread")) == [*range(60)]
"""

ADVISED = """
import asyncio, sys
sys.path[:] = {path!r}
from concurrent_choices import EndpointAdvisor

async def app(scope, receive, send):
    await asyncio.sleep(1e-3)

async def main():
    advisor = EndpointAdvisor(app, on_shutdown=None)
    for _ in range(3):
        await advisor({{"type": "http", "path": "/", "method": "GET", "headers": []}}, None, None)
    assert [each.requests for each in advisor.advice()] == [3]

asyncio.run(main())
"""

OUTSIDE = """
import _interpreters
inner = _interpreters.create()
failure = _interpreters.exec(inner, {inside!r})
_interpreters.destroy(inner)
assert failure is None, failure.formatted
print("done", end="")
"""


@pytest.mark.parametrize("name", NAMES)
def test_a_run_in_a_subinterpreter(name):
    """It gives its results, and nothing of it is in the way when the subinterpreter ends."""
    coroutine = "nap" if name == "uvloop" else "awaited"  # the uvloop package refuses to be loaded there
    inside = INSIDE.format(path=sys.path, name=name, coroutine=coroutine)
    assert_ends_well(inside)


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_left_open_in_a_subinterpreter(name):
    """It is closed before the subinterpreter waits for its threads."""
    assert_ends_well(LEFT_OPEN.format(path=sys.path, name=name))


def test_a_recommendation_and_a_run_beside_a_loop():
    """They have their calls made by threads that need not be daemons."""
    assert_ends_well(OTHERS.format(path=sys.path))


def test_an_advisor_whose_application_was_never_ended():
    """Its thread does not keep the subinterpreter."""
    assert_ends_well(ADVISED.format(path=sys.path))


def assert_ends_well(inside):
    done = interpreter("-c", OUTSIDE.format(inside=inside))
    assert (done.stdout, done.stderr) == ("done", "")
