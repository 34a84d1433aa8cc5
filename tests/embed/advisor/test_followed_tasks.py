"""Requests are followed into the tasks they make, which look and begin as they would without an advisor."""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
import time

import anyio
import anyio.to_thread
import pytest
from advised_apps import advise
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from asgi_client import TestClient
from concurrent_choices import EndpointAdvisor
from patience import patient


async def lingers():
    """What blocks the loop, for tasks other than that of the request."""
    time.sleep(0.01)  # noqa: ASYNC251 - what holds the loop


async def gathers(request):
    """Works in tasks of its own; one is over before it begins."""
    asyncio.ensure_future(lingers()).cancel()
    await asyncio.gather(lingers(), lingers())
    return PlainTextResponse()


async def streams(request):
    """Works while its answer is sent."""

    async def lines():
        await lingers()
        yield "line"

    return StreamingResponse(lines())


async def blocks(request):
    """Works where its request is answered, be that in a task of a middleware."""
    await lingers()
    return PlainTextResponse()


@pytest.mark.parametrize("endpoint", [gathers, streams, blocks])
@pytest.mark.parametrize(
    "around", [[], [Middleware(BaseHTTPMiddleware, dispatch=lambda request, then: then(request))]]
)
@patient
def test_requests_are_followed_into_their_tasks(endpoint, around):
    """What a handler does in other tasks, or where a middleware runs it in one, is seen."""
    app = Starlette(routes=[Route("/", endpoint)], middleware=around)
    (said,) = advise(app, ["/"], times=8)
    assert said.finding == "blocks the loop"
    assert "time.sleep" in said.text


def answer(endpoint):
    """What came of one request, as an advisor's route has it."""
    advisor = EndpointAdvisor(Starlette(routes=[Route("/", endpoint)]), on_shutdown=None)
    with TestClient(advisor) as client:
        client.get("/")
    return next(iter(advisor._routes))


def test_a_task_that_is_followed_looks_like_itself():
    """Its coroutine has its name and its state, for those who look at tasks, as anyio does."""
    seen = []

    async def looks(request):
        task = asyncio.create_task(lingers())
        coroutine = task.get_coro()
        seen.extend((coroutine.__qualname__, inspect.getcoroutinestate(coroutine), "lingers" in repr(task)))
        await task
        seen.append(inspect.getcoroutinestate(coroutine))
        return PlainTextResponse()

    answer(looks)
    assert seen == ["lingers", inspect.CORO_CREATED, True, inspect.CORO_CLOSED]


def test_tasks_are_made_by_the_applications_own_factory():
    """It is asked inside of a request too, is there afterwards, and may be set in a request."""
    made = []

    def factory(loop, coroutine, **options):
        made.append(coroutine.__name__)
        return asyncio.Task(coroutine, loop=loop, **options)

    async def sets(request):
        asyncio.get_running_loop().set_task_factory(factory)
        await asyncio.sleep(0)
        await asyncio.create_task(lingers())
        assert asyncio.get_running_loop().get_task_factory() is not factory  # it is asked by ours
        return PlainTextResponse()

    async def application(scope, receive, send):
        if scope["type"] == "http":
            await advisor(scope, receive, send)
            assert asyncio.get_running_loop().get_task_factory() is factory

    advisor = EndpointAdvisor(Starlette(routes=[Route("/", sets)]), on_shutdown=None)
    assert TestClient(application).get("/").status_code == 200
    assert "lingers" in made


def test_what_is_no_coroutine_is_refused_as_ever():
    """A mistake is the same inside of a request that is timed: no task, and Python's own words."""
    told = []

    async def mistaken(request):
        for mistake in (asyncio.get_running_loop().create_future(), lingers):
            with pytest.raises(TypeError, match="a coroutine was expected") as caught:
                asyncio.get_running_loop().create_task(mistake)
            told.append(repr(mistake) in str(caught.value))
        return PlainTextResponse()

    answer(mistaken)
    assert told == [True, True]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="tasks begin eagerly from 3.12 on")
def test_what_a_task_does_as_soon_as_it_is_made_counts_once():
    """Where tasks begin eagerly, their first step is a part of the step that makes them."""

    async def eager(request):
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        await asyncio.sleep(0)
        await asyncio.create_task(lingers())
        return PlainTextResponse()

    route = answer(eager)
    assert route.held < route.wall


@pytest.mark.skipif(sys.version_info < (3, 12), reason="tasks begin eagerly from 3.12 on")
def test_task_groups_of_anyio_where_tasks_begin_eagerly():
    """They know the factory by its code, which ours shows, and have tasks begin later: they are followed."""

    async def groups(request):
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        await asyncio.sleep(0)
        async with anyio.create_task_group() as group:
            group.start_soon(lingers)
        return PlainTextResponse()

    route = answer(groups)
    assert route.held >= 0.01


def test_what_a_task_does_after_the_answer_does_not_count():
    """A request may start what goes on for ever."""
    tasks, more = [], asyncio.Event()

    async def goes_on():
        await more.wait()
        await lingers()
        await anyio.to_thread.run_sync(time.sleep, 0.001)

    async def leaves(request):
        tasks.append(asyncio.create_task(goes_on()))
        return PlainTextResponse()

    async def application(scope, receive, send):
        if scope["type"] == "http":
            await advisor(scope, receive, send)
            visit = advisor._loops[threading.get_ident()].visit
            before = visit.held, visit.pooled
            more.set()
            await tasks[0]
            assert (visit.held, visit.pooled) == before

    advisor = EndpointAdvisor(Starlette(routes=[Route("/", leaves)]), on_shutdown=None)
    assert TestClient(application).get("/").status_code == 200
    assert tasks[0].done()
