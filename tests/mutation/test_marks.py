"""Marks of values: the same for what is the same in another process, whatever order its sets have there."""

from __future__ import annotations

from functools import wraps
from types import SimpleNamespace

import pytest

from concurrent_choices._mutation._marks import MOST, mark_of

# Small integers that leave a remainder of 0 collide, so that a set has them in the order they came in.
ONE, OTHER = set([8, 16]), set([16, 8])  # noqa: C405 - a literal may be made in another order


class Own(set):
    """A set of a class of the user's own."""


class Node:
    """One of a graph, with all others beside it."""

    def __init__(self):
        self.beside = set()


def complete(size):
    """A graph in which each node is reached from each."""
    nodes = [Node() for _ in range(size)]
    for node in nodes:
        node.beside = {*nodes} - {node}
    return nodes


def called_deep(call, depth):
    """What it gives when so many calls are around it."""
    return called_deep(call, depth - 1) if depth else call()


@pytest.mark.parametrize(
    "make",
    [
        lambda held: held,
        lambda held: [held, 1],
        lambda held: {"a": (held,)},
        lambda held: frozenset([frozenset(held), 7]),
        lambda held: SimpleNamespace(held=held),
        Own,
        lambda held: frozenset([(SimpleNamespace.__name__, frozenset(held))]),
    ],
    ids=["set", "list", "dict", "frozenset", "object", "derived", "tuple"],
)
def test_order_within_sets(make):
    """It counts for nothing; what they hold does, also in a set inside something else."""
    assert list(ONE) != list(OTHER)
    assert mark_of(make(ONE)) == mark_of(make(OTHER))
    assert mark_of(make(ONE)) != mark_of(make({8, 17}))


@pytest.mark.parametrize("make", [frozenset, lambda held: [frozenset(held)]], ids=["alone", "in a list"])
def test_order_within_frozen_sets_that_are_too_large_to_be_looked_at_whole(make):
    """As far as that they do not look like sets: a table of words was another in each process."""
    one, other = ([*first, "x" * MOST] for first in (ONE, OTHER))
    assert list(frozenset(one)) != list(frozenset(other))
    assert mark_of(make(one)) == mark_of(make(other))


def test_bytes_like_those_of_a_set():
    """What has no sets may look as if it had: its order counts."""
    floats = [each / 1000 for each in range(9000)]
    assert mark_of(floats) != mark_of(floats[::-1])
    assert mark_of(floats) == mark_of(list(floats))


def test_very_large_sets_are_counted():
    """To look at all would take seconds, in which nothing else runs."""
    many = {(each,) for each in range(1 << 15)}
    assert mark_of(many) == mark_of({(each, each) for each in many}) != mark_of({*many, 1})


def test_frozen_sets_too_large_to_be_looked_at_as_they_are():
    """What tells that they are sets comes after all of their elements."""
    huge = (1 << 8 * MOST) + 5  # for which the last place in a set of three is kept
    one, other = frozenset([8, 16, huge]), frozenset([16, 8, huge])
    assert list(one) != list(other)
    assert mark_of(one) == mark_of(other) != mark_of(frozenset([8, 24, huge]))


@pytest.mark.parametrize("size", [1, 3, 30])
def test_sets_whose_elements_hold_them(size):
    """Each way through a graph was gone, until there were too many calls; other processes are in fewer."""
    nodes = complete(size)
    nodes[0].beside.add(nodes[0])
    mark = mark_of(nodes)
    assert called_deep(lambda: mark_of(nodes), 50) == mark
    nodes[-1].beside.add(1)
    assert mark_of(nodes) != mark


def test_sets_that_many_sets_share():
    """Each of the sets that hold it would be gone into, twice as many on each floor."""
    shared: frozenset[object] = frozenset("a")
    for _ in range(40):
        shared = frozenset([(shared, 1), (shared, 2)])
    assert mark_of(shared) == mark_of(frozenset(shared)) != mark_of(frozenset([shared]))


def test_what_derived_sets_are_besides_their_elements():
    """Their class, and their attributes."""
    one, other = Own(ONE), Own(ONE)
    other.label = "other"
    assert len({mark_of(one), mark_of(other), mark_of(ONE)}) == 3
    one.itself, other.itself = one, other
    assert mark_of(one) != mark_of(other)


def test_a_function_is_told_by_where_it_is_written():
    """Whatever somebody calls it; what attrs gives to all its classes is called after the last of them."""

    def function():
        """One that cannot be found by its name."""

    marks = set()
    for name in ("One.function", "Other.function"):
        function.__qualname__, function.__module__ = name, name.lower()
        marks.add(mark_of(function))
    assert len(marks) == 1


def test_a_function_is_told_by_what_it_stands_around():
    """One decorator's functions are all written in one place."""

    def around(function):
        @wraps(function)
        def wrapper():
            """Around any of them."""

        return wrapper

    assert mark_of(around(complete)) != mark_of(around(called_deep))
