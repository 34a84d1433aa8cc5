"""What is found and said of an endpoint: labelled ones, full pools, who holds the GIL, and the line."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections import Counter
from itertools import count
from types import ModuleType

import anyio.to_thread
import labelled_service as labelled
import pytest
from advised_apps import advise
from fastapi import FastAPI

from concurrent_choices._embed import _offload
from concurrent_choices._embed._advise._drive import drive
from concurrent_choices._embed._advise._exchange import Request
from concurrent_choices._embed._advise._openapi import requests_of
from concurrent_choices._embed._advisor._lines import place_of
from concurrent_choices._embed._advisor._route_table import RouteTable
from concurrent_choices._embed._advisor._rules import LOOKS, Means, _most, means_of, say
from concurrent_choices._embed._advisor._visit import LoopThread, Visit, pool_limiter
from meanwhile import meanwhile
from patience import TRIES, patient


@pytest.fixture(scope="module")
def labels():
    """What is said of the application with known endpoints.

    Real measurements may be spoilt by a neighbour, so each endpoint gets some chances to be judged right.
    """
    said, asked = {}, requests_of(labelled.app)
    for _ in range(4 * TRIES):  # of the few that were judged wrong
        said |= {each.path: each for each in advise(labelled.app, asked)}
        wrong = [path for path, (finding, *_) in labelled.LABELS.items() if said[path].finding != finding]
        beginnings = tuple(path.partition("{")[0] for path in wrong)
        asked = [each for each in asked if each.path.startswith(beginnings)]
        if not asked:
            break
    return said


@pytest.mark.parametrize("path", labelled.LABELS)
def test_a_labelled_endpoint_is_judged_right(labels, path):
    """Each endpoint gets its own finding, and the line that is to blame."""
    said = labels[path]
    assert labelled.is_right(labelled.LABELS[path], said.finding, said.where), said


def test_the_sentence_names_the_call(labels):
    """The advice says how long, where, what is called there, and what to do."""
    text = labels["/sleeps"].text
    assert text.startswith("`async def` blocks the loop ")
    assert "(time.sleep): make it `def`, or offload that line" in text


@patient
def test_a_full_pool_is_noticed():
    """Where requests queue for the threads, the advice is to have more."""

    async def slow_start(scope, receive, send):
        await labelled.app(scope, receive, send)

    table = advise(slow_start, ["/waits"], times=240, at_once=120)
    assert table.routes[0].finding == "threads full"
    assert "its 40 threads are full" in table.routes[0].text


@patient
def test_a_limiter_of_its_own_is_no_full_pool():
    """Who waits for that would not wait less if there were more threads."""
    app = FastAPI()
    limiters = []

    @app.get("/limited")
    async def limited() -> None:
        limiters[:] = limiters or [anyio.CapacityLimiter(1)]
        await anyio.to_thread.run_sync(time.sleep, 0.02, limiter=limiters[0])

    table = advise(app, ["/limited"], times=8, at_once=4)
    assert (table.routes[0].finding, table.routes[0].queued) == ("fine", 0)


def test_a_step_that_no_task_takes():
    """Anyio finds no loop there, and so no pool: the request goes on all the same."""
    waits = []

    async def main():
        limiter = anyio.CapacityLimiter(1)
        limiter.acquire_on_behalf_of_nowait("me")

        async def request():
            await limiter.acquire_on_behalf_of("another")

        def step():
            timed = Visit(LoopThread(threading.get_ident()), closely=True).timed(request())
            waits.append(timed.send(None))
            timed.close()

        loop, caught = asyncio.get_running_loop(), []
        loop.set_exception_handler(lambda _loop, context: caught.append(context["exception"]))
        loop.call_soon(step)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert caught == []

    asyncio.run(main())
    assert len(waits) == 1


@patient
def test_a_busy_loop_is_no_full_pool():
    """A request that waits for its turn on the loop, with threads to spare, does not queue for a thread."""
    app = FastAPI()

    @app.get("/hog")
    async def hog() -> int:
        return time.sleep(0.02) or 1  # noqa: ASYNC251 - what holds the loop

    @app.get("/quick")
    def quick() -> int:
        return 1

    table = advise(app, ["/quick", "/hog"] * 4, times=5, at_once=8)
    said = next(each for each in table if each.path == "/quick")
    assert (said.finding, said.queued) == ("fine", 0)


def test_nothing_limits_threads_while_anyio_is_being_imported(monkeypatch):
    """Another thread may be at it while a request comes, which must be answered all the same."""
    monkeypatch.setitem(sys.modules, "anyio.to_thread", ModuleType("anyio.to_thread"))
    assert pool_limiter() is None


def test_a_route_that_never_answered_is_not_fine():
    """Where each request raised or was given up, nobody has seen what it does."""

    async def raising(_scope, _receive, _send):
        raise ValueError

    done = drive(raising, [Request("/")], times=4, at_once=2, timeout=5)
    (advice,) = done.advice
    assert (advice.finding, done.answered) == ("unknown", 0)
    assert "it never answered" in str(done.advice)


@pytest.mark.parametrize(("gil", "words"), [(1.0, "20.0 ms under the GIL"), (None, "perhaps under the GIL")])
def test_what_was_not_seen_of_the_gil_is_not_claimed(gil, words):
    """A route that computed in threads beside others is told so, with its doubt."""
    seconds = {"wall": 0.02, "held": 0.0, "loop_cpu": 0.0, "blocked": 0.0, "queued": 0.0, "pooled": 0.02}
    finding, text, _ = say(Means(timed=9, **seconds, thread_cpu=0.02, gil=gil, threads=40, is_async=False))
    assert finding == "computes under the GIL"
    assert words in text


@pytest.mark.parametrize(
    ("seen", "share"),
    [
        ({}, None),
        ({"side_wall": 10**9, "side_cpu": 10**9}, 1.0),
        ({"side_wall": 10**9, "side_cpu": 2 * 10**9}, 0.0),
        ({"side_wall": 10**9, "side_cpu": 10**9, "alone": LOOKS, "alone_held": LOOKS // 2}, 0.5),
    ],
)
def test_who_holds_the_gil_is_told_by_what_was_seen_best(seen, share):
    """A route that computed alone; then its threads side by side."""
    route = RouteTable().route_of({"method": "GET", "path": "/"})
    for name, value in seen.items():
        setattr(route, name, value)
    assert means_of(route, 40).gil == share


@pytest.mark.parametrize(
    ("is_async", "fine", "full"),
    [
        (
            True,
            "`async def` is right: a `def` in it works",
            "`async def` is fine, but its 40 threads are full",
        ),
        (False, "`def` is right: it works", "`def` is fine, but its 40 threads are full"),
        (None, "nothing to change: it works", "`def` is fine, but its 40 threads are full"),
    ],
)
def test_a_handler_is_called_what_it_is(is_async, fine, full):
    """An `async def` whose dependencies work in threads is no `def`."""
    seconds = {"wall": 0.03, "held": 0.0, "loop_cpu": 0.0, "blocked": 0.0, "pooled": 0.02, "thread_cpu": 0.0}
    known = {"timed": 9, "gil": None, "threads": 40, "is_async": is_async}
    for queued, words in ((0.0, fine), (0.02, full)):
        _, text, _ = say(Means(**seconds, **known, queued=queued))
        assert text.startswith(words)


def test_offload_is_no_culprit():
    """What holds the loop there can only be the GIL, and the line that offloads is as it should be."""
    inside = "import sys\ndef wait():\n    return place_of(sys._getframe())"
    space = {"place_of": place_of}
    exec(compile(inside, _offload.__file__, "exec"), space)
    assert space["wait"]() == ("", "")
    assert place_of(sys._getframe())[0].startswith(__file__)


def test_lines_that_are_found_meanwhile_do_not_end_the_advice():
    """Without the GIL the sampler finds new ones while the others are compared."""
    lines = Counter({("file.py", "0"): 9})

    def sample():
        for number in count(1):
            lines["file.py", str(number)] += 1
            if number % 300 == 0:
                for line in range(number - 299, number + 1):
                    del lines["file.py", str(line)]
            yield

    with meanwhile(sample()):
        for _ in range(6000):
            assert _most(lines) == ("file.py", "0")
