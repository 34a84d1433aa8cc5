"""What can be told of a callable before it is called."""

from __future__ import annotations

import math
from functools import partial, wraps

import pytest

from concurrent_choices._work._callables import is_async, is_generator, name_of, touches_nothing


async def fetch(item):
    return item


def plain(item):
    return item


def numbers(item):
    yield item


async def async_numbers(item):
    yield item


class Thing:
    """Calls of several kinds."""

    async def __call__(self, item):
        return item

    async def method(self, item):
        return item

    def plain(self, item):
        return item


class Generating:
    """A call that makes a generator."""

    def __call__(self, item):
        yield item


@wraps(fetch)
def disguised(item):
    return item


@pytest.mark.parametrize("fn", [fetch, partial(fetch), partial(partial(fetch)), Thing(), Thing().method])
def test_async(fn):
    """Coroutine functions are seen through partials, methods and callable objects."""
    assert is_async(fn)
    assert not is_generator(fn)


@pytest.mark.parametrize(
    "fn", [plain, len, str, Thing, Thing().plain, partial(plain), lambda n: n, disguised]
)
def test_not_async(fn):
    """What is no coroutine function is none, not even one that wraps another."""
    assert not is_async(fn)
    assert not is_generator(fn)


@pytest.mark.parametrize(
    "fn", [numbers, async_numbers, partial(numbers), Generating(), Generating().__call__]
)
def test_generators(fn):
    """Generator functions of both kinds are seen."""
    assert is_generator(fn)


def test_names():
    """A callable is called what a person calls it."""
    assert name_of(plain) == "plain"
    assert name_of(partial(partial(plain))) == "plain"
    assert name_of(Thing()) == "Thing"
    assert name_of(Thing().method) == "Thing.method"
    assert name_of(len) == "len"


OUTSIDE = 3


@pytest.mark.parametrize(
    "fn",
    [
        lambda n: n,
        lambda n: n * n + 1,
        lambda n: None,
        lambda n: n if n > 2 else -n,
        lambda n: (n, n),
        abs,
        math.sqrt,
    ],
)
def test_functions_that_touch_nothing(fn):
    """Arithmetic on the argument alone is proven harmless."""
    assert touches_nothing(fn)


@pytest.mark.parametrize(
    "fn",
    [
        lambda n: n + OUTSIDE,
        lambda n: n.bit_length(),
        lambda n: [m + 1 for m in n],
        lambda n: (yield n),
        lambda n: __import__("os"),
        lambda n: n(),
        len,
        partial(plain),
        Thing(),
        fetch,
    ],
)
def test_functions_that_may_touch_something(fn):
    """Names from outside, attributes and calls leave it open."""
    assert not touches_nothing(fn) or fn is fetch


def test_enclosed_names_may_be_anything():
    """A closure reaches what it encloses."""
    amount = 5
    assert not touches_nothing(lambda n: n + amount)
