"""Kinds of callable, `def` and `async def`, in every strategy."""

from __future__ import annotations

import math
import operator
import weakref
from functools import partial, wraps

import contract_acts as acts
import pytest

from concurrent_choices import recommend, run

CALLABLES = {
    "partial": partial(acts.add, 5),
    "partial of partial": partial(partial(acts.add), 5),
    "async partial": partial(acts.add_awaited, 5),
    "partial of generated coroutine": partial(acts.add_generated, 5),
    "method": acts.Adder(5).method,
    "async method": acts.Adder(5).method_awaited,
    "partial of async method": partial(acts.Adder(5).method_awaited),
    "static method": acts.Adder.static,
    "class method": acts.Adder.of_class,
    "object": acts.Adder(5),
    "unruly object": acts.UnrulyAdder(),
    "async object": acts.AwaitedAdder(5),
    "partial of async object": partial(acts.AwaitedAdder(5)),
    "operator": partial(operator.add, 5),
}


@pytest.mark.parametrize("label", CALLABLES)
def test_importable_callables(strategy, label):
    """Partials, methods and callable objects are called like functions."""
    assert run(CALLABLES[label], range(4), strategy=strategy) == [5, 6, 7, 8]


def test_builtins(strategy):
    """Builtin functions, types and methods of builtin objects will do."""
    assert run(len, ["a", "bb"], strategy=strategy) == [1, 2]
    assert run(math.sqrt, [4, 9], strategy=strategy) == [2, 3]
    assert run(str, [4, 9], strategy=strategy) == ["4", "9"]
    assert run("{}!".format, [4, 9], strategy=strategy) == ["4!", "9!"]


def test_lambdas_and_closures(strategy):
    """What has no importable name travels too, with what it encloses."""
    amount = 5

    def add(number):
        return amount + number

    async def add_awaited(number):
        await acts.checkpoint()
        return amount + number

    assert run(lambda number: number + 5, range(4), strategy=strategy) == [5, 6, 7, 8]
    assert run(add, range(4), strategy=strategy) == [5, 6, 7, 8]
    assert run(add_awaited, range(4), strategy=strategy) == [5, 6, 7, 8]


def test_decorated_functions(strategy):
    """A wrapper of the caller's own is what runs, plain or async."""

    def plus_one(fn):
        @wraps(fn)
        def wrapper(number):
            return fn(number) + 1

        return wrapper

    def plus_one_awaited(fn):
        @wraps(fn)
        async def wrapper(number):
            return await fn(number) + 1

        return wrapper

    assert run(plus_one(acts.double), range(3), strategy=strategy) == [1, 3, 5]
    awaited = plus_one_awaited(acts.twin(acts.double))
    assert run(awaited, range(3), strategy=strategy) == [1, 3, 5]


def test_an_async_def_that_never_waits(strategy):
    """A coroutine without an await is a coroutine still."""

    async def double(number):
        return 2 * number

    assert run(double, range(100), strategy=strategy) == list(range(0, 200, 2))


def test_local_classes_keep_their_class(strategy, of_kind):
    """An instance of a class without an importable name comes back as one of that very class."""

    class Point:
        def __init__(self, x):
            self.x = x

    items = [Point(number) for number in range(3)]
    results = run(of_kind(acts.identity), items, strategy=strategy)
    assert [result.x for result in results] == [0, 1, 2]
    assert all(type(result) is Point for result in results)


gone = weakref.proxy(acts.Adder(5))


def may_use_what_is_gone(item):
    """Names it, but for no item there is."""
    return item if item >= 0 else gone.method(item)


def test_a_global_that_answers_no_question():
    """A proxy of what is gone raises whatever it is asked, so only the callable may."""
    assert run(may_use_what_is_gone, range(50)) == list(range(50))
    assert recommend(may_use_what_is_gone, range(50)).diagnosis
