"""Callables that hold what serves one event loop only."""

import asyncio
import threading
from functools import partial

import pytest

from concurrent_choices._inspect._bonds import WIDEST, is_loop_bound


class Client:
    """Entered by `async with`, as clients for coroutines are."""

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc_info):
        return None

    async def get(self, item):
        return item


class Crawler:
    def __init__(self, used):
        self.used = used

    async def visit(self, item):
        return await self.used.get(item)


class Mailbox(asyncio.Queue):
    """Not entered by anything, nor made by asyncio."""


class Limited:
    """All of its calls share a limit."""

    few = asyncio.Semaphore(2)

    async def get(self, item):
        async with self.few:
            return item

    @classmethod
    async def of_class(cls, item):
        return await cls().get(item)

    @staticmethod
    async def of_none(item):
        async with Limited.few:
            return item


class More(Limited):
    """Has the limit of what it derives from."""


class Engine:
    """Opens connections itself, as those of a library's part for asyncio do."""

    __module__ = "library.ext.asyncio.engine"


class Dynamic(type):
    """Classes that make up attributes, or fail to."""

    def __getattr__(cls, name):
        raise RuntimeError(name)


class Table(metaclass=Dynamic):
    pass


client, mailbox, engine, table = Client(), Mailbox(), Engine(), Table()
gate = asyncio.Semaphore(2)
lock = threading.Lock()


async def fetch(item):
    return await client.get(item)


async def wait_turn(item):
    async with gate:
        return item


async def post(item):
    await mailbox.put(item)


async def query(item):
    async with engine.connect() as connection:
        return await connection.scalar(item)


async def enter_one(item):
    async with Client() as own:
        return await own.get(item)


async def hold_a_lock(item):
    with lock:
        await asyncio.sleep(0)
    return item


async def look_up(item):
    return table, item


async def call(used, item):
    return await used.get(item)


def enclosing(used):
    async def visit(item):
        return await used.get(item)

    return visit


@pytest.mark.parametrize(
    "fn",
    [
        *(fetch, wait_turn, post, query, client.get, partial(call, client), partial(call, used=client)),
        *(Crawler(client).visit, enclosing(client), enclosing([client]), enclosing({"one": client})),
        *(
            partial(call, Crawler(client)),
            partial(call, [client]),
            partial(call, More()),
            Crawler(More()).visit,
        ),
        *(Limited().get, Limited.of_class, Limited.of_none, More().get, More.of_class),
    ],
)
def test_a_client_or_a_lock_for_coroutines_belongs_to_one_loop(fn):
    """Wherever the callable holds it."""
    assert is_loop_bound(fn)


@pytest.mark.parametrize(
    "fn", [enter_one, hold_a_lock, look_up, Crawler(None).visit, partial(call, None), asyncio.sleep]
)
def test_what_each_call_makes_and_what_threads_share_does_not(fn):
    """Classes, modules and functions serve any loop."""
    assert not is_loop_bound(fn)


class Row:
    """One of many, of a class that says much."""


for place in range(60):
    setattr(Row, f"column_{place}", place)


def test_what_objects_of_one_class_share_is_looked_at_once():
    """However many there are: what else the callable holds is still seen."""
    assert is_loop_bound(enclosing([[[client]], *(Row() for _ in range(WIDEST - 1))]))
