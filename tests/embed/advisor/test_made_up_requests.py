"""What an application is asked to judge it: requests that are given, or made up from its description."""

from __future__ import annotations

import asyncio

import labelled_service as labelled
import orders_service as orders
import pytest
from advised_apps import PART, advise, make, plain
from fastapi import FastAPI

from concurrent_choices import InvalidArgumentError
from concurrent_choices._embed._advise._drive import drive
from concurrent_choices._embed._advise._exchange import Request
from concurrent_choices._embed._advise._openapi import requests_of


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


def test_no_such_method():
    """A method that HTTP does not have is named, with those it has."""
    with pytest.raises(InvalidArgumentError, match="'FETCH'"):
        requests_of(orders.app, ["FETCH"])
