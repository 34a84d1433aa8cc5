"""The advisor on real applications: right findings, right lines, and nothing changed by it."""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
import sys
import threading
import time
import warnings
from collections import Counter
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from itertools import count
from types import ModuleType

import anyio.to_thread
import httpx
import labelled_service as labelled
import orders_service as orders
import pytest
from fastapi import APIRouter, FastAPI
from packaging.version import Version
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from concurrent_choices import EndpointAdvisor, InvalidArgumentError
from concurrent_choices._embed import _offload
from concurrent_choices._embed._advise._drive import AT_ONCE, PATIENCE, TIMES, drive
from concurrent_choices._embed._advise._exchange import Request
from concurrent_choices._embed._advise._openapi import requests_of
from concurrent_choices._embed._advisor._lines import place_of
from concurrent_choices._embed._advisor._rate import ROW
from concurrent_choices._embed._advisor._route_table import MOST, RouteTable
from concurrent_choices._embed._advisor._rules import LOOKS, Means, _most, means_of, say
from concurrent_choices._embed._advisor._visit import LoopThread, Visit, pool_limiter
from meanwhile import meanwhile
from patience import TRIES, patient

with warnings.catch_warnings():  # newer releases would rather have another client, which does the same
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

# `make lowest` has one that does not, and then only names of parameters are known: docs/embedding.md.
TELLS_ROUTES = Version(version("starlette")) >= Version("1.7")
PART = "/api/parts/{number:int}" if TELLS_ROUTES else "/api/parts/{number}"


def advise(app, requests=None, *, times=TIMES, at_once=AT_ONCE):
    """What is said of an application after some requests, or those that it describes."""
    asked = requests_of(app) if requests is None else [Request.of(each) for each in requests]
    return drive(app, asked, times=times, at_once=at_once, timeout=PATIENCE).advice


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


async def plain(scope, receive, send):
    """An application without any routing."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"fine"})


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


async def lingers():
    """What blocks the loop, for tasks other than that of the request."""
    time.sleep(0.01)  # noqa: ASYNC251 - as above


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


def test_any_application_is_known_by_its_paths():
    """Without routing, requests are told apart by path, and the lifespan need not be known."""
    table = advise(plain, ["/a", "/b"], times=4)
    assert {each.path for each in table} == {"/a", "/b"}


def test_paths_without_end_are_bounded():
    """An application with a path for every request fills no memory."""
    table = advise(plain, [f"/{number}" for number in range(700)], times=1)
    assert len(table.routes) <= 501


HERE = ("127.0.0.1", 80)


class Parts(HTTPEndpoint):
    """An endpoint that is a class."""

    def get(self, request):
        """Answer."""
        return PlainTextResponse("part")


async def chat(socket):
    """Echo."""
    await socket.accept()
    await socket.send_text(await socket.receive_text())
    await socket.close()


async def fails(request):
    """Raise."""
    raise KeyError("inside")


def make(**settings):
    """A Starlette application with an advisor."""
    app = Starlette(
        routes=[
            Mount("/api", routes=[Route("/parts/{number:int}", Parts)]),
            Route("/fails", fails),
            WebSocketRoute("/chat", chat),
        ]
    )
    tables = []
    app.add_middleware(EndpointAdvisor, on_shutdown=tables.append, **settings)
    return app, tables


def test_starlette_routes_have_their_templates():
    """A mounted class-based endpoint is named by its whole template, and known to be a def."""
    app, tables = make()
    with TestClient(app) as client:
        for number in range(3):
            assert client.get(f"/api/parts/{number}").text == "part"
    said = tables[0].routes[0]
    assert (said.method, said.path, said.requests) == ("GET", PART, 3)
    assert (said.handler, said.style) == ("Parts", "def")


def test_an_application_that_gives_an_awaitable():
    """It need not be a coroutine: an endpoint that is a class may be the whole application."""
    table = advise(Parts, ["/"], times=2)
    assert [(each.path, each.requests) for each in table] == [("/", 2)]
    assert TestClient(EndpointAdvisor(Parts)).get("/").text == "part"


def test_an_application_that_raises_before_it_gives_an_awaitable():
    """That is a request which has ended, as any other."""

    class Picky:
        def __init__(self, scope, receive, send):
            raise ValueError(scope["path"])

    advisor = EndpointAdvisor(Picky, on_shutdown=None)
    with pytest.raises(ValueError, match="/"):
        TestClient(advisor).get("/")
    assert [each.requests for each in advisor.advice()] == [1]
    assert [loop.active for loop in advisor._loops.values()] == [0]


def test_included_routers_have_their_prefix():
    """A route of an included router is named with its prefix."""
    router = APIRouter(prefix="/items")

    @router.get("/{number}")
    async def item(number: int) -> int:
        return number

    app = FastAPI()
    app.include_router(router, prefix="/v1")
    table = advise(app, times=3)
    assert [each.path for each in table] == ["/v1/items/{number}"]


@pytest.mark.parametrize("framework", [FastAPI, Starlette])
def test_paths_without_a_route_are_few(framework, tmp_path):
    """Files of a mount are one route, what nobody answers is one, and parameters have their names."""

    async def answer(request):
        return PlainTextResponse("fine")

    app = framework()
    app.mount("/{tenant}/files", StaticFiles(directory=tmp_path))
    app.mount("/sub", Starlette(routes=[Mount("/deep", routes=[Route("/{one}", answer)])]))
    app.add_route("/items/{number}", answer)
    (tmp_path / "a.css").touch()
    asked = ["/t1/files/a.css", "/t2/files/b/c.css", "/sub/x/y", "/sub/deep/1", "/sub/deep/1/2"]
    table = advise(app, [*asked, "/items/1", "/items/2", "/no/such", "/nothing"], times=1)
    assert sorted(each.path for each in table) == [
        "(no route)",
        "/items/{number}",
        "/sub/deep/{one}",
        "/sub/deep/{path}",
        "/sub/{path}",
        "/{tenant}/files/{path}",
    ]


def test_made_up_methods_and_paths_take_no_places():
    """A client may make up as many as it likes: routes that have a handler are told apart all the same."""

    async def answer(request):
        return PlainTextResponse("fine")

    app = Starlette(routes=[Route("/items/{number}", answer), Mount("/sub", routes=[Route("/", answer)])])
    made_up = [f"M{number} /items/1" for number in range(20)] + [f"M{number} /no" for number in range(20)]
    table = advise(app, [*made_up, "GET /no", "/items/1", "/sub/"], times=1)
    assert sorted((each.method, each.path, each.requests) for each in table) == [
        ("", "(no route)", 21),
        ("(other)", "/items/{number}", 20),
        ("GET", "/items/{number}", 1),
        ("GET", "/sub/", 1),
    ]
    assert "\n(no route): " in str(table)


def test_what_has_no_handler_takes_no_place_of_what_has_one():
    """When there are many paths that say nothing of a handler, one with a handler is told apart still."""
    table = RouteTable()
    for number in range(MOST + 5):
        table.route_of({"method": "GET", "path": f"/{number}"})
    told = table.route_of({"method": "GET", "path": "/last", "endpoint": fails, "router": None})
    assert (told.path, told.handler.name) == ("/last", "fails")
    assert len(table) == MOST + 2


async def named(request):
    """Answer with what the path says."""
    return PlainTextResponse(str(request.path_params))


@pytest.mark.skipif(not TELLS_ROUTES, reason="Starlette before 1.7 does not tell which route it was")
@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["/n/7/z", "/n/007/z"], {"/n/{number}/z"}),
        (["/f/1.5/z", "/f/1.50/z"], {"/f/{share}/z"}),
        ([f"/u/{spelt}/z" for spelt in ("A" * 32, "a" * 8 + "-aaaa" * 3 + "-" + "a" * 12)], {"/u/{key}/z"}),
        (["/s/s/z", "/s/z/z", "/s/a/z"], {"/s/{name}/z"}),
        (["/s/s/y/s", "/s/y/y/a"], {"/s/{name}/y/{last}"}),
        (["/p/7", "/p/07"], {"/p/{number}"}),
    ],
)
def test_parameters_of_mounts_have_their_names_however_they_are_written(paths, names):
    """A converted value may be written in several ways, and be called what a segment is called."""
    app = FastAPI()
    within = [Route("/z", named), Route("/y/{last}", named)]
    for path in ("/n/{number:int}", "/f/{share:float}", "/u/{key:uuid}", "/s/{name}"):
        app.mount(path, Starlette(routes=within))
    app.add_route("/p/{number:int}", named)
    table = advise(app, paths, times=1)
    assert {each.path.replace("{number:int}", "{number}") for each in table} == names


def test_plain_routes_of_fastapi_are_told_apart():
    """Whatever their endpoints are; parameters may be equal to one another, or span segments."""

    async def answer(request, text="fine"):
        return PlainTextResponse(text)

    class Answers:
        async def __call__(self, scope, receive, send):
            await PlainTextResponse("fine")(scope, receive, send)

    app = FastAPI()
    app.add_route("/graphql", Answers())
    app.add_route("/other", Answers())
    app.add_route("/part", partial(answer, text="part"))
    app.add_route("/pairs/{n}/{m}", answer)
    app.add_route("/files/{rest:path}", answer)
    table = advise(app, ["/graphql", "/other", "/part", "/pairs/1/1", "/files/", "/files/a/b"], times=1)
    assert sorted(each.path for each in table) == [
        "/files/{rest}",
        "/graphql",
        "/other",
        "/pairs/{n}/{m}",
        "/part",
    ]
    assert next(each.handler for each in table if each.path == "/part").endswith(".answer")


def test_websockets_pass_through():
    """A websocket works as without the advisor."""
    app, tables = make()
    with TestClient(app) as client, client.websocket_connect("/chat") as socket:
        socket.send_text("hello")
        assert socket.receive_text() == "hello"
    assert tables[0].routes == ()


def test_streams_pass_through():
    """A streaming answer arrives whole."""
    with TestClient(EndpointAdvisor(labelled.app, on_shutdown=None)) as client:
        assert client.get("/streams/5").text == "01234"


def test_errors_pass_through():
    """What an endpoint raises is raised, and counted as a request."""
    app, tables = make()
    with TestClient(app) as client, pytest.raises(KeyError, match="inside"):
        client.get("/fails")
    assert tables == [] or tables[0].routes[0].path == "/fails"


def test_an_advisor_inside_of_another_says_nothing_of_what_it_did_not_time():
    """The outer one times the requests; the inner one counts them, failed ones too, and shows no table."""
    app, tables = make()
    inner = EndpointAdvisor(app, on_shutdown=tables.append)
    with TestClient(EndpointAdvisor(inner, on_shutdown=None), raise_server_exceptions=False) as client:
        for _ in range(3):
            client.get("/api/parts/1")
            client.get("/fails")
    assert tables == []
    assert {(each.path, each.requests, each.finding) for each in inner.advice()} == {
        (PART, 3, "unknown"),
        ("/fails", 3, "unknown"),
    }


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


def test_an_application_started_again_is_seen_again():
    """As in a test-suite that starts it for every test: each time it is seen what holds the loop."""

    async def hold(request):
        visit = advisor._loops[threading.get_ident()].visit
        until = time.monotonic() + 60
        while not visit.lines and time.monotonic() < until:
            time.sleep(1e-3)  # noqa: ASYNC251 - holding the loop is what it is for
        return PlainTextResponse("seen" if visit.lines else "unseen")

    advisor = EndpointAdvisor(Starlette(routes=[Route("/", hold)]), on_shutdown=None)
    for _ in range(3):
        with TestClient(advisor) as client:
            assert client.get("/").text == "seen"


def test_where_no_thread_can_be_started_requests_are_answered():
    """The advisor sees less then, and nobody is refused."""
    advisor = EndpointAdvisor(labelled.app, on_shutdown=None)
    client = TestClient(advisor)
    with client:  # its loop's thread is there
        size = threading.stack_size(1 << 46)
        try:
            assert client.get("/awaits").status_code == 200
        finally:
            threading.stack_size(size)
        assert client.get("/awaits").status_code == 200


def test_a_failing_lifespan_fails_as_without():
    """A start-up that raises is not hidden, and no table is shown for it."""

    @asynccontextmanager
    async def broken(app):
        raise OSError("no database")
        yield

    tables = []
    app = Starlette(lifespan=broken)
    app.add_middleware(EndpointAdvisor, on_shutdown=tables.append)
    with pytest.raises(OSError, match="no database"), TestClient(app):
        pass
    assert tables == []
    with pytest.raises(RuntimeError, match="start-up failed"):
        advise(app, ["/"])


def ask(  # noqa: PLR0913 - a request
    where, settings, *, headers=(), client=HERE, server=HERE, host=b"localhost", version="1.1", **more
):
    """Ask an advisor for its page; status, headers and body."""
    advisor = EndpointAdvisor(plain, on_shutdown=None, **settings)
    sent = []

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "http_version": version,
        "method": "GET",
        "path": where,
        "headers": [(b"host", host), *headers],
        "client": client,
        "server": server,
        **more,
    }
    asyncio.run(advisor(scope, None, send))
    return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]


def test_the_page_is_off_unless_asked_for():
    """Without a path the application answers everything itself."""
    assert ask("/advice", {})[2] == b"fine"


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (None, 401),
        (b"Bearer wrong", 401),
        (b"Bearer ", 401),
        (b"Basic !!!", 401),
        (b"Basic " + base64.b64encode(b"me:wrong"), 401),
        (b"Digest pass", 401),
        (b"Bearer pass", 200),
        (b"basic " + base64.b64encode(b"me:pass"), 200),
    ],
)
@pytest.mark.parametrize("path", ["/advice", "/advice.json"])
def test_the_secret_is_needed(path, given, status):
    """Whoever does not know the secret sees nothing, however he says it."""
    headers = [] if given is None else [(b"authorization", given)]
    settings = {"path": "/advice", "secret": "pass\n"}  # as read from a file
    got, answered, body = ask(path, settings, headers=headers)
    assert got == status
    assert (b"www-authenticate" in answered) == (status == 401)
    assert (b"Advice" in body or b"routes" in body) == (status == 200)


@pytest.mark.parametrize(
    ("circumstances", "status"),
    [
        ({}, 200),
        ({"client": ("::1", 1), "server": ("::1", 80), "host": b"[::1]:80"}, 200),
        ({"client": ("::1", 1), "server": ("::1", 80), "host": b"[::1]"}, 200),
        ({"server": ("localhost", 8000), "host": b"localhost:8000"}, 200),  # by httpx.ASGITransport
        ({"server": ("shop.example", 8000)}, 404),
        ({"client": ("testclient", 1)}, 404),
        ({"client": ("10.1.2.3", 1)}, 404),
        ({"server": ("10.1.2.3", 80)}, 404),
        ({"client": None}, 404),
        ({"server": ("/run/socket", None)}, 404),
        ({"host": b"evil.example"}, 404),
        ({"headers": [(b"x-forwarded-for", b"8.8.8.8")]}, 404),
        ({"headers": [(b"x-forwarded-proto", b"https")]}, 404),
        ({"headers": [(b"via", b"1.1 proxy")]}, 404),
        ({"version": "1.0"}, 404),
    ],
)
def test_without_a_secret_only_this_machine_sees_it(circumstances, status):
    """Without a secret nobody from elsewhere gets in, nor through a proxy, nor by another name."""
    assert ask("/advice", {"path": "/advice"}, **circumstances)[0] == status


def test_the_json_can_be_read_back():
    """The JSON holds what the table holds."""
    app, _ = make(path="/advice", secret="pass")
    with TestClient(app, headers={"authorization": "Bearer pass"}) as client:
        client.get("/api/parts/1")
        said = client.get("/advice.json").json()
        page = client.get("/advice").text
    assert said["routes"][0]["path"] == PART
    assert PART in page
    assert json.dumps(said)


def test_the_page_of_an_application_that_a_proxy_shows_under_another_path():
    """Servers put that path before every request's."""
    app, _ = make(path="/advice", secret="pass")
    with TestClient(app, root_path="/api", headers={"authorization": "Bearer pass"}) as client:
        assert client.get("/advice").status_code == 200
        assert client.get("/api/advice").status_code == 200
        assert client.get("/api/advice.json").json()


@pytest.mark.parametrize(
    ("page", "root", "where", "shown"),
    [
        ("/advice", None, "/advice", True),
        ("/advice", "/", "/advice", True),
        ("/advice", "/ad", "/advice", True),
        ("/advice", "/api/", "/api/advice", True),
        ("/ops/advice", "/ops", "/ops/advice", True),  # as one writes it who mounts it under /ops
        ("/advice", "/ops", "/opsadvice", False),
        ("/advice", "/ops", "/other/advice", False),
    ],
)
def test_the_page_under_any_root_path(page, root, where, shown):
    """It is where its path says, with or without what servers and mounts put before it."""
    assert (ask(where, {"path": page}, root_path=root)[2] != b"fine") == shown


@pytest.mark.parametrize("method", ["POST", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", ["/advice", "/advice.json"])
def test_the_page_is_only_read(path, method):
    """Nothing else can be done with it, which is said to those only who may see it."""
    status, headers, _ = ask(path, {"path": "/advice"}, method=method)
    assert (status, headers[b"allow"]) == (405, b"GET, HEAD")
    assert ask(path, {"path": "/advice"}, method="HEAD")[0] == 200
    assert ask(path, {"path": "/advice", "secret": "pass"}, method=method)[0] == 401


def test_what_is_told_of_the_end_may_raise(caplog):
    """Nobody else says so, since the application has ended: it is logged, with its traceback."""

    def tell(table):
        raise OSError("no disk")

    with TestClient(EndpointAdvisor(Starlette(), on_shutdown=tell)):
        pass
    assert "on_shutdown of EndpointAdvisor raised" in caplog.text
    assert "OSError: no disk" in caplog.text


@pytest.mark.parametrize(
    "wrong",
    [
        {"path": "advice"},
        {"path": "/"},
        {"path": 5},
        {"path": "/a", "secret": ""},
        {"secret": " \n"},
        {"secret": 5},
        {"secret": b"x"},
        {"on_shutdown": 7},
    ],
)
def test_wrong_settings_are_refused(wrong):
    """What could never match, is known to everybody, hides the application or cannot be called, by name."""
    with pytest.raises(InvalidArgumentError, match=f"^{list(wrong)[-1]}: must"):
        EndpointAdvisor(plain, **wrong)


@pytest.mark.parametrize("app", [3, None, "app:app"])
def test_what_is_no_application_is_refused(app):
    """At once, and not at the first request."""
    with pytest.raises(InvalidArgumentError) as caught:
        EndpointAdvisor(app)
    assert str(caught.value) == f"app: must be an ASGI application itself, such as FastAPI(), not {app!r}"


def test_advise_needs_a_request():
    """An application that describes nothing needs to be told what to ask for."""
    with pytest.raises(InvalidArgumentError, match="requests"):
        advise(plain)
    with pytest.raises(InvalidArgumentError, match="begin with"):
        advise(plain, ["relative"])


def test_advise_goes_on_after_an_error():
    """An endpoint that raises does not end the drive."""
    app, _ = make()
    table = advise(app, ["/fails", Request("/api/parts/1")], times=3)
    assert {each.path for each in table} == {"/fails", PART}


@pytest.mark.parametrize("error", [asyncio.CancelledError(), SystemExit(3)])
def test_a_drive_goes_on_after_what_ends_tasks(error):
    """An endpoint that raises it ends its own request only."""

    async def app(scope, receive, send):
        if scope["type"] == "http":
            raise error

    found = drive(app, [Request("/")], times=2, at_once=1, timeout=10.0)
    assert found.troubles == (f"GET / raised {error!r} (2 of 2)",)


def test_a_description_that_cannot_be_used():
    """What to ask for has to be given then, and the error says so."""
    app = FastAPI()
    app.openapi = lambda: None
    with pytest.raises(InvalidArgumentError, match=r"requests: must be given: .* cannot be used"):
        advise(app)


def test_a_path_is_what_stands_before_its_query():
    """Two slashes at its beginning are no host, as they would be in a URL."""
    scope = Request("//items?one=1#end").scope({})
    assert (scope["path"], scope["query_string"]) == ("//items", b"one=1")


def test_parameters_are_made_up_from_the_description():
    """Path parameters get values that their description allows."""
    paths = {request.path for request in requests_of(labelled.app)}
    assert "/streams/1" in paths


def test_only_harmless_requests_are_made_unasked():
    """What may change data is left alone."""
    assert [str(request) for request in requests_of(orders.app)] == ["GET /orders?ids=1&urgent=true"]


def test_bodies_are_made_up_from_the_description():
    """Requests with bodies are made when asked for, and the application can read them."""
    asked = requests_of(orders.app, ["GET", "POST", "put"])
    found = drive(orders.app, asked, times=2, at_once=1, timeout=10.0)
    assert found.troubles == ()
    assert [request.method for request in asked] == ["GET", "POST", "PUT", "POST"]


def test_of_many_requests_some_stand_for_others():
    """When so many come that few are timed, their number is kept, and each route has about its share."""

    async def app(scope, receive, send):
        await asyncio.sleep(0)

    advisor = EndpointAdvisor(app, on_shutdown=None)

    async def drive():
        for number in range(6000):
            scope = {"type": "http", "method": "GET", "path": f"/{number % 2}"}
            await advisor(scope, None, None)

    asyncio.run(drive())
    counted = [route.requests for route in advisor.advice()]
    assert 6000 <= sum(counted) < 6000 + 2 * ROW
    assert min(counted) > 1500


def test_no_such_method():
    """A method that HTTP does not have is named, with those it has."""
    with pytest.raises(InvalidArgumentError, match="'FETCH'"):
        requests_of(orders.app, ["FETCH"])


def test_many_requests_leave_nothing_behind():
    """Thousands of requests are answered without error, and what is kept does not grow with them."""
    advisor = EndpointAdvisor(labelled.app, on_shutdown=None)

    async def drive():
        transport = httpx.ASGITransport(advisor)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            for _ in range(100):
                answers = await asyncio.gather(*(client.get("/tiny") for _ in range(10)))
                assert all(answer.status_code == 200 for answer in answers)

    asyncio.run(drive())
    assert advisor.advice().routes[0].requests == 1000


def test_nothing_limits_threads_while_anyio_is_being_imported(monkeypatch):
    """Another thread may be at it while a request comes, which must be answered all the same."""
    monkeypatch.setitem(sys.modules, "anyio.to_thread", ModuleType("anyio.to_thread"))
    assert pool_limiter() is None


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
