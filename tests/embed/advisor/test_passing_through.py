"""With an advisor applications begin, answer, fail and end as without, and it refuses what it cannot be."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import asynccontextmanager

import httpx
import labelled_service as labelled
import pytest
from advised_apps import PART, Parts, advise, make, plain
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from asgi_client import TestClient
from concurrent_choices import EndpointAdvisor, InvalidArgumentError


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


def test_what_is_told_of_the_end_may_raise(caplog):
    """Nobody else says so, since the application has ended: it is logged, with its traceback."""

    def tell(table):
        raise OSError("no disk")

    with TestClient(EndpointAdvisor(Starlette(), on_shutdown=tell)):
        pass
    assert "on_shutdown of EndpointAdvisor raised" in caplog.text
    assert "OSError: no disk" in caplog.text


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
