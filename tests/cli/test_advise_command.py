"""The command `advise`, from its arguments to its exit code."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from concurrent_choices._cli import main
from interpreters import SECONDS
from patience import patient, with_ample_limit

SERVICE = """
import asyncio
import sys
import time
from contextlib import asynccontextmanager, suppress

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
holding = FastAPI()
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


@holding.get("/holds")
async def holds() -> int:
    print("holding", file=sys.stderr, flush=True)
    time.sleep(600)


@holding.get("/clings")
async def clings() -> int:
    while True:
        with suppress(Exception):
            time.sleep(600)


@holding.get("/stays")
async def stays() -> int:
    print("holding", file=sys.stderr, flush=True)
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(600)


@holding.get("/interrupts")
async def interrupts() -> int:
    raise KeyboardInterrupt


@asynccontextmanager
async def leaves(app):
    sys.exit(3)
    yield


leaving_at_start = FastAPI(lifespan=leaves)


def in_thread() -> int:
    print("holding", file=sys.stderr, flush=True)
    time.sleep(600)


holding.get("/threaded")(in_thread)


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
        (["./service.py:app"], "write it as service:app from its folder"),
        (["shop/service.py"], "write it as service:APP from its folder"),
        (["needy:app"], "needy needs no_such_framework, which is not installed here"),
        (["service:number"], "is no ASGI application but 'int'"),
        (["service:make"], "add --factory"),
        (["service:wsgi"], "looks like WSGI"),
        (["service:wsgi", "--factory"], "takes arguments"),
        (["service:make", "--factory"], "must be named, such as"),
        (["service:app", "orders"], 'paths begin with "/"'),
        (["service:app", "--header", "me"], "must be 'NAME: VALUE'"),
        (["service:app", "--times", "0"], ": --times: must be above 0"),
        (["service:app", "--at-once", "0"], ": --at-once: must be above 0"),
        (["service:app", "--method", "FETCH"], "must be among DELETE, GET"),
    ],
)
def test_arguments_that_cannot_work(service, capsys, arguments, message):
    """Exit code 2, and a line that names the argument and the way out."""
    assert main(["advise", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert len(err.splitlines()) == 1
    assert err.startswith("concurrent-choices: ")


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


ADVISE = [sys.executable, "-m", "concurrent_choices", "advise", "service:holding"]
FEW = ["--at-once", "1", "--times", "2"]

HURRIED = """
import sys
from concurrent_choices._cli import program
from concurrent_choices._embed._advise import _drive, _watch
_drive.GRACE = _watch.GRACE = 0.5  # it is waited for to its end, more than once
sys.exit(program())
"""


def advised(*requests, limit, app="holding"):
    """The command in a process of its own, which may be ended; exit code, output and errors."""
    command = [sys.executable, "-c", HURRIED, "advise", f"service:{app}"]
    done = subprocess.run(
        [*command, *requests, "--timeout", str(limit), *FEW],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, " ".join(done.stdout.split()), done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no signal that raises")
@with_ample_limit
def test_a_handler_that_holds_the_loop_is_interrupted(service, limit):
    """It has not answered in time, its line is named, and the other requests are made."""
    code, out, err = advised("/holds", "/nowhere", limit=limit)
    line = SERVICE.splitlines().index("    time.sleep(600)") + 1
    assert code == 0
    assert "GET /holds: `async def` blocks the loop" in out
    assert f"service.py:{line} (time.sleep)" in out
    assert "(no route)" in out
    assert "GET /holds was not answered in time (2 of 2)" in err


@pytest.mark.skipif(sys.platform == "win32", reason="there is no signal that raises")
@with_ample_limit
def test_a_handler_that_cannot_be_interrupted_ends_the_command(service, limit):
    """The line that holds the loop is named, and the exit code tells."""
    code, out, err = advised("/clings", limit=limit)
    assert (code, out) == (3, "")
    assert "service.py:" in err
    assert "(time.sleep), and cannot be interrupted: given up" in err


@pytest.mark.parametrize("path", ["/stays", "/threaded"])
@with_ample_limit
def test_what_does_not_end_is_left_behind(service, path, limit):
    """A task that is not to be cancelled, and a thread: neither is waited for, and the rest is told."""
    code, out, err = advised(path, "/nowhere", limit=limit)
    assert code == 0
    assert "(no route)" in out
    assert f"GET {path} was not answered in time (2 of 2)" in err
    assert "does not end, though told to: it is left behind" in err


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("path", ["/holds", "/stays", "/threaded"])
def test_one_interrupt_is_enough(service, path):
    """Whatever the application is at when Ctrl-C comes."""
    with subprocess.Popen([*ADVISE, path], stderr=subprocess.PIPE, text=True) as command:
        while "holding" not in command.stderr.readline():
            pass
        command.send_signal(signal.SIGINT)
        _, err = command.communicate(timeout=120)
    assert command.returncode == 130
    assert err.splitlines()[-1] == "concurrent-choices: interrupted"


@with_ample_limit
def test_what_ends_programs_is_told_in_one_line(service, limit):
    """From a handler and from a lifespan: asyncio's traceback of its tasks would say nothing more."""
    making = "making requests of service:holding ...\n"
    assert advised("/interrupts", limit=limit) == (130, "", f"{making}concurrent-choices: interrupted\n")
    code, out, err = advised("/", limit=limit, app="leaving_at_start")
    assert (code, out) == (1, "")
    assert "never retrieved" not in err
