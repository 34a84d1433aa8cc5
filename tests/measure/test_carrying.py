"""Weighing what would travel, before there is a process to travel to."""

import sys

import cloudpickle
import pytest

from concurrent_choices._measure import _carrying
from concurrent_choices._measure._carrying import BYTE, carrying


class Sealed:
    """What cannot travel."""

    def __reduce__(self):
        msg = "stays here"
        raise TypeError(msg)


@pytest.mark.parametrize("things", [[], [Sealed()], [1, Sealed()]])
def test_nothing_is_said_of_what_cannot_travel(things):
    """Whoever sends such a thing says why it cannot go."""
    assert carrying(things) == 0.0


def test_the_bytes_count():
    """A megabyte costs at least what moving it does, however quickly it is pickled."""
    assert carrying([bytes(1 << 20)] * 2) >= BYTE * (1 << 19)


def test_small_things_share_a_message():
    """A number costs its part of a message, not a message."""
    assert carrying([*range(64)]) < carrying([0])


def test_a_view_is_not_copied():
    """Items may be what a source gives: a slice of a range, a tuple."""
    assert carrying((1, 2, 3)) > 0.0


class ByValue:
    """What the first pickling of has cloudpickle imported, which takes a second."""

    cpu = 0

    def __reduce__(self):
        if "cloudpickle" not in sys.modules:
            sys.modules["cloudpickle"] = cloudpickle
            ByValue.cpu += 1_000_000_000
        return int, ()


def test_an_import_is_no_part_of_what_carrying_costs(monkeypatch):
    """The items of a script, of a class defined there, are worth carrying in its first run too."""
    monkeypatch.delitem(sys.modules, "cloudpickle")
    monkeypatch.setattr(_carrying.time, "thread_time_ns", lambda: ByValue.cpu)
    assert carrying([ByValue()] * 4) < 1e-3
