"""`auto` where calls are turned away, in threads and on a loop: whether it takes that for a crowd."""

import asyncio
import socket
import time

import pytest

from concurrent_choices import AutoStrategy, run, run_report

CROWD = "errors mean that too many calls are made at once"


@pytest.fixture
def closed_port():
    """One that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.mark.parametrize("form", ["def", "async def"])
def test_lanes_stay_where_nobody_listens(closed_port, form):
    """Of 500 calls of 20 ms all but the first were made one after the other."""

    def ask(_item):
        time.sleep(0.005)
        socket.create_connection(("127.0.0.1", closed_port))

    async def ask_beside(_item):
        await asyncio.sleep(0.005)
        await asyncio.open_connection("127.0.0.1", closed_port)

    results = run(ask if form == "def" else ask_beside, range(300), return_exceptions=True)
    assert set(map(type, results)) == {ConnectionRefusedError}
    assert CROWD not in str(run_report())


@pytest.mark.parametrize("form", ["def", "async def"])
def test_lanes_are_halved_where_somebody_does(form):
    """A server that is at its limit does nothing but refuse, once it has served some."""

    def ask(item):
        time.sleep(0.01)
        if item >= 60:
            raise ConnectionRefusedError

    async def ask_beside(item):
        await asyncio.sleep(0.01)
        if item >= 60:
            raise ConnectionRefusedError

    # So few that what they raise does not fill the GIL, which would be a reason for processes.
    strategy = AutoStrategy(max_workers=16) if form == "def" else "auto"
    run(ask if form == "def" else ask_beside, range(200), return_exceptions=True, strategy=strategy)
    assert CROWD in str(run_report())
