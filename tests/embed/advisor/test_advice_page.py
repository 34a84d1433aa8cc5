"""The advisor's page: where it is, who may see it, and what its JSON holds."""

from __future__ import annotations

import asyncio
import base64
import json

import pytest
from advised_apps import PART, make, plain

from asgi_client import TestClient
from concurrent_choices import EndpointAdvisor

HERE = ("127.0.0.1", 80)


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
