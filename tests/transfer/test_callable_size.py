"""How much travels with a callable is told from a few things, which stand for the others."""

from functools import partial
from types import SimpleNamespace

import pytest

from concurrent_choices._transfer._callable_size import count_pickled

TABLE = {number: [number, str(number)] for number in range(1000)}


def importable():
    return TABLE


def holding(thing):
    """A function that no worker can import, and what it holds."""
    return lambda: thing


class Holder:
    """Has a table, and a method that needs none."""

    def __init__(self, table):
        self.table = table

    def method(self):
        """Takes its object with it nevertheless."""


def knotted():
    """Things that hold each other."""
    knot = []
    knot.append({"knot": knot})
    return knot


@pytest.mark.parametrize(
    ("fn", "count"),
    [
        (holding(TABLE), 3001),
        (holding(holding(TABLE)), 3001),
        (holding(partial(print, TABLE)), 3001),
        (partial(importable, TABLE, key=[1] * 10), 3001 + 11),
        (Holder(TABLE).method, 3002),
        (Holder(TABLE), 3002),
        (holding([SimpleNamespace(x=1.0, y="2") for _ in range(100)]), 301),
        (holding([(1, 2), (3, 4)]), 7),
        (holding("text" * 1000), 1),
    ],
)
def test_what_travels_is_counted(fn, count):
    """Each number and text is one, and so is what holds them."""
    assert count_pickled(fn) == pytest.approx(count, abs=3)


@pytest.mark.parametrize("fn", [importable, len, holding(pytest), holding(importable), holding(Holder)])
def test_what_is_imported_does_not_travel(fn):
    """However much it holds there."""
    assert count_pickled(fn) <= 1


def test_a_walk_ends():
    """Whatever holds what."""
    assert count_pickled(holding(knotted())) == 3
    deep = [[[[[[[[number] * 9] * 9] * 9] * 9] for _ in range(9)] for number in range(9)] for _ in range(9)]
    assert count_pickled(holding(deep)) > 0
