"""What can be told of a callable before it is called."""

from __future__ import annotations

import asyncio
import inspect
import math
import sys
import types
from functools import partial, partialmethod, wraps

import pytest

from concurrent_choices._inspect._callables import is_async, is_generator, name_of, touches_nothing


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


class Decorator:
    """What a decorator may make of a `def`: it binds as a method does."""

    def __get__(self, owner, kind=None):
        return self

    async def __call__(self, item):
        return item


class Generating:
    """A call that makes a generator."""

    def __call__(self, item):
        yield item


class Unhashable(type):
    """Classes that have no hash."""

    __eq__ = object.__eq__
    __hash__ = None


class Odd(metaclass=Unhashable):
    """One of them, whose objects are called."""

    def __call__(self, item):
        return item


class Client:
    """A method made of another."""

    async def request(self, verb):
        return verb

    def count(self, most):
        yield from range(most)

    get = partialmethod(request, "GET")
    two = partialmethod(count, 2)


@types.coroutine
def awaited(item):
    yield from asyncio.sleep(0).__await__()
    return item


class Awaited:
    """A call that makes a generator which is awaited."""

    @types.coroutine
    def __call__(self, item):
        yield from awaited(item)


class Unruly:
    """Raises what it likes for a name that it does not know."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __call__(self, item):
        return item


@wraps(fetch)
def disguised(item):
    return item


def test_what_has_no_hash_can_be_told():
    """A callable's class is compared with others, and looked up nowhere."""
    assert not is_async(Odd())
    assert not is_generator(Odd())


def test_what_raises_if_asked_for_a_name_can_be_told():
    """An executor would just call it."""
    assert not is_async(Unruly())
    assert not is_generator(Unruly())
    assert name_of(Unruly()) == "Unruly"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there are no marks before Python 3.12")
def test_what_is_marked_as_async_is():
    """Frameworks mark a plain function, or a class, that gives a coroutine."""

    def marked(item):
        return fetch(item)

    class Marked:
        """A class of this test, as a mark stays."""

    assert not is_async(marked)
    inspect.markcoroutinefunction(marked)
    inspect.markcoroutinefunction(Marked)
    assert is_async(marked)
    assert is_async(Marked)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="inspect looks through them from Python 3.13 on")
def test_methods_made_of_others_are_what_those_are():
    """A `partialmethod` of the class is a plain function, which hides what it calls."""
    assert is_async(Client.get)
    assert is_generator(Client.two)


@pytest.mark.parametrize(
    "fn",
    [
        *(fetch, partial(fetch), partial(partial(fetch)), Thing(), Thing().method, Decorator()),
        *(awaited, partial(awaited), Awaited()),  # generators that `await` takes, by `types.coroutine`
    ],
)
def test_async(fn):
    """Coroutine functions are seen through partials, methods and callable objects."""
    assert is_async(fn)
    assert not is_generator(fn)


@pytest.mark.parametrize(
    "fn", [plain, len, str, str.upper, Thing, Thing().plain, partial(plain), lambda n: n, disguised]
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


class Answering:
    def __getattr__(self, name):
        return lambda: name

    def __call__(self, item):
        return item


def test_the_name_of_what_answers_whatever_it_is_asked_for():
    """What is no text is no name."""
    assert name_of(Answering()) == "Answering"


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
