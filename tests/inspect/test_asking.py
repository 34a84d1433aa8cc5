"""What a thing is, told without its own hooks."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from concurrent_choices._inspect._asking import DEEP, WIDE, inside_of, is_frozen, is_logger, some_of


def nested(deep):
    """A tuple in a tuple, and so on."""
    inside = 1
    for _ in range(deep):
        inside = (inside,)
    return inside


class Number(int):
    """May have attributes, which may be set."""


@pytest.mark.parametrize(
    "thing", [1, 1.5, 1j, True, "a", b"a", None, (), (1, ("a", None)), frozenset({1}), nested(DEEP)]
)
def test_what_cannot_change(thing):
    """Numbers, texts, and tuples of such."""
    assert is_frozen(thing)


@pytest.mark.parametrize(
    "thing", [[], {}, (1, []), Number(1), bytearray(), object(), (1,) * (WIDE + 1), nested(10**5)]
)
def test_what_may_change_for_all_that_is_looked_at(thing):
    """What holds something else, and what is long or deep."""
    assert not is_frozen(thing)


def test_nothing_is_a_logger_while_logging_is_being_imported(monkeypatch):
    """Another thread may be at it, and has not come to the class."""
    monkeypatch.setitem(sys.modules, "logging", ModuleType("logging"))
    assert not is_logger("a")


def growing(most):
    """Gives numbers until another thread has added one, which raises."""
    yield from range(most)
    raise RuntimeError("dictionary changed size during iteration")


@pytest.mark.parametrize(("most", "taken"), [(200, 200), (199, 100), (30, 25), (1, 1), (0, 0)])
def test_what_others_add_to_meanwhile_is_taken_in_part(most, taken):
    """As much as can be had at once, where it grows after so many; or nothing."""
    assert some_of(lambda: growing(most), 200) == list(range(taken))


class Table(dict):
    """A container that has attributes."""


def test_what_is_inside_of_a_thing():
    """Its attributes come first; of either there are no more than asked for."""
    table = Table(a=1, b=2)
    table.name, table.kind = "one", "two"
    assert inside_of(table, 9) == ["one", "two", 1, 2]
    assert inside_of(table, 1) == ["one", 1]
    assert inside_of(1, 9) == []
