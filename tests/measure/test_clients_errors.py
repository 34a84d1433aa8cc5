"""What clients of the network raise against real servers, and whether that tells of a crowd."""

import asyncio
import inspect
import socket
import struct
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from functools import partial

import aiohttp
import httpx
import pytest
import requests

from concurrent_choices import run
from concurrent_choices._measure._congestion import is_congestion

PATIENCE = 0.1
"""Seconds for which a server that says nothing is waited for."""


def ask_urllib(url):
    with urllib.request.urlopen(url, timeout=PATIENCE) as response:
        return response.read()


def ask_requests(url):
    return requests.get(url, timeout=PATIENCE).content


def ask_httpx(url):
    return httpx.get(url, timeout=PATIENCE, trust_env=False).content


async def ask_httpx_async(url):
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client:
        return (await client.get(url)).content


async def ask_aiohttp(url):
    timeout = aiohttp.ClientTimeout(total=PATIENCE)
    async with aiohttp.ClientSession(timeout=timeout) as session, session.get(url) as response:
        return await response.read()


async def ask_asyncio(url):
    """Of a name with several addresses this tells in words alone what happened to each."""
    address = httpx.URL(url)
    async with asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection(address.host, address.port)
        try:
            writer.write(b"?")
            return await reader.readexactly(1)
        finally:
            writer.close()


def wrapped(url):
    """As programs have errors of their own."""
    try:
        return ask_urllib(url)
    except urllib.error.URLError as error:
        msg = "the page cannot be had"
        raise LookupError(msg) from error


CLIENTS = [ask_urllib, ask_requests, ask_httpx, ask_httpx_async, ask_aiohttp, ask_asyncio]


def error_of(client, url):
    """What a client raises, asked in this process."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - each has classes of its own
        asyncio.run(client(url)) if inspect.iscoroutinefunction(client) else client(url)
    return caught.value


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def reset(connection):
    """End a connection as a server does that wants no more of them."""
    connection.recv(1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def hang_up(connection):
    """End it without an answer, as others do."""
    connection.recv(65536)
    connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def server(serve):
    """Does something to each connection, one after the other; gives its address."""
    kept = []

    def accept():
        try:
            while True:
                kept.append(listener.accept()[0])
                serve(kept[-1])
        except OSError:
            return  # closed

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
    for connection in kept:
        connection.close()


@pytest.mark.parametrize("client", [*CLIENTS, wrapped])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_refused_connection_whoever_tells_of_it(client, host):
    """Few clients raise what the system did; httpx says only that all attempts failed."""
    assert is_congestion(error_of(client, f"http://{host}:{closed_port()}/"))


@pytest.mark.parametrize("client", CLIENTS)
def test_a_connection_that_is_reset_while_it_is_read(client):
    """As by a server that has too many of them."""
    with server(reset) as url:
        assert is_congestion(error_of(client, url))


@pytest.mark.parametrize("client", [*CLIENTS[:-1], wrapped])
def test_a_connection_that_is_closed_without_an_answer(client):
    """To urllib and requests it was reset; and it is chance which is seen where a server closes it."""
    with server(hang_up) as url:
        assert is_congestion(error_of(client, url))


@pytest.mark.parametrize("client", CLIENTS)
def test_a_server_that_does_not_answer_in_time(client):
    """As one with too much to do."""
    with server(lambda _: None) as url:
        assert is_congestion(error_of(client, url))


@pytest.mark.parametrize("client", [*CLIENTS, wrapped])
def test_a_name_that_is_not_known_is_no_crowd(client, monkeypatch):
    """However few ask for it, they are told the same. Nobody is asked here: only numbers are known."""
    look_up = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, port, *_, **__: look_up(host, port, flags=socket.AI_NUMERICHOST)
    )
    assert not is_congestion(error_of(client, "http://nobody.invalid:80/"))


@pytest.mark.parametrize("client", [ask_urllib, ask_requests, ask_httpx, wrapped])
def test_errors_from_worker_processes_tell_as_much(client):
    """There they come with the words of their traceback, not with what led to them."""
    url = f"http://127.0.0.1:{closed_port()}/"
    (error,) = run(partial(client), [url], strategy="process", return_exceptions=True)
    assert is_congestion(error)
    with server(hang_up) as url:
        (error,) = run(partial(client), [url], strategy="process", return_exceptions=True)
    assert is_congestion(error)
