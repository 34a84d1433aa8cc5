"""The command `advise`, from its arguments to its exit code."""

from __future__ import annotations

import json
import sys

import pytest

from concurrent_choices._cli import main
from patience import patient

SERVICE = """
import time
from contextlib import asynccontextmanager

from fastapi import FastAPI, Header


@asynccontextmanager
async def no_database(app):
    raise OSError("no database")
    yield


app = FastAPI()
broken = FastAPI(lifespan=no_database)
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


def wsgi(environ, start_response):
    return []
"""


@pytest.fixture
def service(here, monkeypatch):
    """A module with applications, and some that cannot be imported."""
    for name in ("service", "needy", "faulty"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (here / "service.py").write_text(SERVICE)
    (here / "needy.py").write_text("import no_such_framework")
    (here / "faulty.py").write_text("raise ValueError('no settings')")


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
    assert said == {("POST", "/orders"): 3, ("GET", "/mine"): 3, ("GET", "/nowhere"): 3}
    assert err.splitlines()[1:] == [
        "concurrent-choices: GET /nowhere was refused with status 404 (3 of 3)",
    ]


def test_a_factory_is_called(service, capsys):
    """As servers have it: what is named makes the application."""
    assert main(["advise", "service:make", "/", "--factory", "--times", "2"]) == 0
    assert "GET /" in capsys.readouterr().out


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
        (["service:make", "--factory"], "must hold a request"),
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
        (["service:broken", "/"], "start-up failed"),
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
