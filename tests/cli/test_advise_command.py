"""The command `advise`, from its arguments to its exit code."""

from __future__ import annotations

import json
import sys

import pytest

from concurrent_choices._cli import main
from patience import patient

SERVICE = """
import asyncio
import time
from contextlib import asynccontextmanager

from fastapi import FastAPI, Header

from concurrent_choices import EndpointAdvisor


@asynccontextmanager
async def no_database(app):
    raise OSError("no database")
    yield


@asynccontextmanager
async def bad_end(app):
    yield
    raise OSError("no flush")


@asynccontextmanager
async def endless(app):
    await asyncio.Event().wait()
    yield


app = FastAPI()
broken = FastAPI(lifespan=no_database)
ending = FastAPI(lifespan=bad_end)
stuck = FastAPI(lifespan=endless)
advised = FastAPI(lifespan=bad_end)
advised.add_middleware(EndpointAdvisor)


def plain(start, end):
    async def answer(scope, receive, send):
        if scope["type"] == "lifespan":
            if start:
                raise start
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            raise end
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body"})

    return answer


raising = plain(None, OSError("no flush"))
ignorant = plain(ValueError("no lifespan"), None)
giving_up = plain(asyncio.CancelledError(), None)
number = 1


@app.get("/sleeps/{times}")
async def sleeps(times: int) -> int:
    time.sleep(0.01)
    return times


@app.get("/fails")
async def fails() -> int:
    raise KeyError("inside")


@app.get("/mine")
async def mine(authorization: str = Header()) -> str:
    return authorization


@app.post("/orders")
async def order(order: dict[str, str]) -> str:
    return order["name"]


def make():
    return FastAPI()


class Shy(Exception):
    def __repr__(self):
        raise KeyError


async def shy(scope, receive, send):
    raise Shy


def wsgi(environ, start_response):
    return []
"""


@pytest.fixture
def service(here, monkeypatch):
    """A module with applications, and some that cannot be imported."""
    for name in ("service", "needy", "faulty", "leaving"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (here / "service.py").write_text(SERVICE)
    (here / "needy.py").write_text("import no_such_framework")
    (here / "faulty.py").write_text("raise ValueError('no settings')")
    (here / "leaving.py").write_text("raise SystemExit(3)")


@patient
def test_advice_on_what_the_application_describes(service, capsys):
    """The table on standard output; what went wrong on standard error; exit code 0."""
    assert main(["advise", "service:app"]) == 0
    out, err = capsys.readouterr()
    assert "GET /sleeps/{times}: `async def` blocks the loop" in out
    line = SERVICE.splitlines().index("    time.sleep(0.01)") + 1
    assert f"service.py:{line} (time.sleep)" in " ".join(out.split())
    assert "POST" not in out
    assert err.splitlines() == [
        "making requests of service:app ...",
        "concurrent-choices: GET /fails raised KeyError('inside') (20 of 20)",
    ]


def test_advice_on_given_requests(service, capsys):
    """Method, path, body and headers are taken from the command line; JSON comes out."""
    given = ['post /orders {"name": "tea"}', "/mine", "GET /nowhere", "--header", "Authorization: me"]
    assert main(["advise", "service:app", *given, "--times", "3", "--json"]) == 0
    out, err = capsys.readouterr()
    said = {(each["method"], each["path"]): each["requests"] for each in json.loads(out)["routes"]}
    assert said == {("POST", "/orders"): 3, ("GET", "/mine"): 3, ("", "(no route)"): 3}
    assert err.splitlines()[1:] == ["concurrent-choices: GET /nowhere was refused with status 404 (3 of 3)"]


def test_a_factory_is_called(service, capsys):
    """As servers have it: what is named makes the application."""
    assert main(["advise", "service:make", "/", "--factory", "--times", "2"]) == 0
    assert "(no route)" in capsys.readouterr().out


def test_requests_behind_options(service, capsys):
    """Wherever a request stands, it is one; what looks like an option and is none is refused."""
    assert main(["advise", "service:app", "--times", "2", "/mine", "--json", "/nowhere"]) == 0
    said = {each["path"] for each in json.loads(capsys.readouterr().out)["routes"]}
    assert said == {"/mine", "(no route)"}
    with pytest.raises(SystemExit, match="2"):
        main(["advise", "service:app", "/mine", "--time5"])


@pytest.mark.parametrize("name", ["ending", "advised"])
def test_an_end_that_fails_is_told(service, capsys, name):
    """The advice is given all the same; an advisor that the application has itself stays silent."""
    assert main(["advise", f"service:{name}", "/", "--times", "2"]) == 0
    out, err = capsys.readouterr()
    assert "(no route)" in out
    assert "the application's shutdown failed" in err
    assert "too few requests" not in err


def test_a_lifespan_that_raises(service, capsys):
    """After its start-up that is told; instead of one it means that the application has no lifespan."""
    told = "concurrent-choices: the application's lifespan raised OSError('no flush')\n"
    for name, trouble in (("raising", told), ("ignorant", ""), ("giving_up", "")):
        assert main(["advise", f"service:{name}", "/", "--times", "2"]) == 0
        out, err = capsys.readouterr()
        assert "GET /" in out
        assert err.partition("...\n")[2] == trouble


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere:app"], "there is no module nowhere"),
        (["service.inner:app"], "there is no module service.inner"),
        (["service:none"], "has no attribute 'none'; write it as MODULE:APP"),
        (["service"], "write it as service:APP"),
        (["needy:app"], "needy needs no_such_framework, which is not installed here"),
        (["service:number"], "is no ASGI application but 'int'"),
        (["service:make"], "add --factory"),
        (["service:wsgi"], "looks like WSGI"),
        (["service:wsgi", "--factory"], "takes arguments"),
        (["service:make", "--factory"], "must be named, such as"),
        (["service:app", "orders"], 'paths begin with "/"'),
        (["service:app", "--header", "me"], "must be 'NAME: VALUE'"),
        (["service:app", "--times", "0"], "times: must be above 0"),
        (["service:app", "--method", "FETCH"], "must be among DELETE, GET"),
    ],
)
def test_arguments_that_cannot_work(service, capsys, arguments, message):
    """Exit code 2, and a line that names the argument and the way out."""
    assert main(["advise", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.splitlines()[-1].startswith("concurrent-choices: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["faulty:app"], "faulty:app raised ValueError('no settings')"),
        (["leaving:app"], "leaving:app raised SystemExit(3)"),
        (["service:shy", "/", "--times", "2"], "GET / raised <Shy whose repr raises KeyError> (2 of 2)"),
        (["service:broken", "/"], "start-up failed"),
        (["service:stuck", "/", "--timeout", "0.01"], "start-up has not ended within the 0.01 s of timeout"),
        (["service:app", "/fails", "--times", "2"], "GET /fails raised KeyError('inside') (2 of 2)"),
        (
            ["service:app", "--method", "post", "--times", "2"],
            "POST /orders raised KeyError('name') (2 of 2)",
        ),
    ],
)
def test_an_application_that_raises(service, capsys, arguments, message):
    """Exit code 1, and what it raised."""
    assert main(["advise", *arguments]) == 1
    assert message in capsys.readouterr().err
