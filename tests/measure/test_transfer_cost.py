"""Weighing what would travel, before there is a process to travel to."""

import sys

import cloudpickle
import pytest

from concurrent_choices._measure import _transfer_cost
from concurrent_choices._measure._transfer_cost import BYTE, Weight, in_messages, transfer_cost
from concurrent_choices._work._pace import LOAD, TRIP
from patience import patient

EACH = 1e-3


class Sealed:
    """What cannot travel."""

    def __reduce__(self):
        msg = "stays here"
        raise TypeError(msg)


@pytest.mark.parametrize("things", [[], [Sealed()], [1, Sealed()]])
def test_nothing_is_said_of_what_cannot_travel(things):
    """Whoever sends such a thing says why it cannot go."""
    assert transfer_cost(things, EACH).each == 0.0


def test_the_bytes_count():
    """A megabyte costs at least what moving it does, however quickly it is pickled."""
    assert transfer_cost([bytes(1 << 20), bytes(1 << 20)], EACH).each >= BYTE * (1 << 19)


@patient
def test_small_things_share_a_message():
    """A number costs its part of a message, not a message."""
    assert transfer_cost([*range(64)], EACH).each < transfer_cost([0], EACH).each


def test_a_view_is_not_copied():
    """Items may be what a source gives: a slice of a range, a tuple."""
    assert transfer_cost((1, 2, 3), EACH).each > 0.0


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
    monkeypatch.setattr(_transfer_cost.time, "thread_time_ns", lambda: ByValue.cpu)
    assert transfer_cost([ByValue()] * 4, EACH).each < 1e-3


@pytest.mark.parametrize("held", [1, 4, 40])
def test_what_things_share_is_in_each_message_once(held):
    """A class that travels by value is paid with each message, and an item pays its part of that."""
    weigh = messages(once=Weight(30_000, 800), more=Weight(1_000, 20))
    each, once = in_messages(range(64), weigh, TRIP / held, enough=10_000_000)
    assert each.took == pytest.approx(1_000 + 30_000 / held)
    assert each.size == pytest.approx(20 + 800 / held)
    assert once == pytest.approx((30_000, 800))


def test_a_message_carries_only_so_much():
    """Of things that fill one alone each has its own, however little its work takes."""
    weigh = messages(once=Weight(300_000, 800), more=Weight(1_000, LOAD))
    assert in_messages(range(64), weigh, 1e-6, enough=10_000_000)[0] == (301_000, LOAD + 800)


@patient
def test_a_table_that_all_things_name_is_no_part_of_each():
    """Items that share one are worth carrying, however large it is: messages are as long as it takes."""
    table = [float(number) for number in range(20_000)]
    alone = transfer_cost([(table, 0)], EACH).each
    assert transfer_cost([(table, number) for number in range(64)], EACH).each < alone / 8


def test_a_table_is_seen_however_long_it_takes_to_pickle():
    """Who spent his time on one item weighs two together where they name the same."""
    weighed = []

    def weigh(things):
        weighed.append(len(things))
        return Weight(20_000_000.0 + len(things), 1)

    table = [0.0]
    each, once = in_messages([(table, 0), (table, 1)], weigh, EACH, enough=10_000_000)
    assert weighed == [1, 2]
    assert each.took < 1_000_000
    assert once.took == 20_000_000
    in_messages([([0.0], 0), ([0.0], 1)], weigh, EACH, enough=10_000_000)
    in_messages([([0.0], 0)], weigh, EACH, enough=10_000_000)
    in_messages([1, 1], weigh, EACH, enough=10_000_000)
    assert weighed == [1, 2, 1, 1, 1]


def test_weighing_stops_when_it_takes_long():
    """What takes long to pickle is weighed once."""
    weighed = []

    def weigh(things):
        weighed.append(things)
        return Weight(20_000_000, 1)

    in_messages(range(64), weigh, EACH, enough=10_000_000)
    assert len(weighed) == 1


def messages(once, more):
    """How messages weigh which hold something once, and more with each thing."""

    def weigh(things):
        return Weight(*(all_ + len(things) * one for all_, one in zip(once, more, strict=True)))

    return weigh
