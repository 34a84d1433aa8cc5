"""Requests are told apart by their routes, as the framework knows them, and of made-up ones few are kept."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
from advised_apps import PART, TELLS_ROUTES, advise, fails, make, plain
from fastapi import APIRouter, FastAPI
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from asgi_client import TestClient
from concurrent_choices import EndpointAdvisor
from concurrent_choices._embed._advisor._rate import ROW
from concurrent_choices._embed._advisor._route_table import MOST, RouteTable


def test_any_application_is_known_by_its_paths():
    """Without routing, requests are told apart by path, and the lifespan need not be known."""
    table = advise(plain, ["/a", "/b"], times=4)
    assert {each.path for each in table} == {"/a", "/b"}


def test_paths_without_end_are_bounded():
    """An application with a path for every request fills no memory."""
    table = advise(plain, [f"/{number}" for number in range(700)], times=1)
    assert len(table.routes) <= 501


def test_starlette_routes_have_their_templates():
    """A mounted class-based endpoint is named by its whole template, and known to be a def."""
    app, tables = make()
    with TestClient(app) as client:
        for number in range(3):
            assert client.get(f"/api/parts/{number}").text == "part"
    said = tables[0].routes[0]
    assert (said.method, said.path, said.requests) == ("GET", PART, 3)
    assert (said.handler, said.style) == ("Parts", "def")


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
