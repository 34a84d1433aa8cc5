"""Rounds are fair, failures are told, and every reading is kept."""

from __future__ import annotations

from contextlib import contextmanager
from random import Random

import pytest
from benchmarks.dispatch._case import Group, Row, Timed
from benchmarks.dispatch._harness import run_group


@contextmanager
def echo(closed=None):
    """A pool that gives its items back."""
    yield list
    if closed is not None:
        closed.append(True)


@contextmanager
def liar():
    """A pool that loses an item."""
    yield lambda items: list(items)[1:]


@contextmanager
def broken():
    """A pool that cannot start."""
    msg = "no pool today"
    raise OSError(msg)
    yield


def measured(*contestants, rounds=3, seed=1, warm_up=True):
    """Run one row of these contestants and give what was kept."""
    kept = []
    group = Group("group", [Row("row", "Title", contestants)], warm_up=warm_up)
    run_group(group, rounds, Random(seed), kept.append)
    return kept


def timed(name, opens=echo, **how):
    """A contestant over three items."""
    return Timed(name, 3, opens, **how)


def test_every_contestant_is_measured_once_in_each_round():
    """The warm-up round is not kept, the others are, each contestant once."""
    kept = measured(timed("a"), timed("b"))
    assert sorted((m.round, m.contestant) for m in kept) == [
        (number, name) for number in (1, 2, 3) for name in "ab"
    ]
    assert all(m.value >= 0 and m.items == 3 and m.unit == "s" for m in kept)


def test_the_seed_fixes_the_order():
    """The same seed gives the same order, and the places say what it was."""
    contestants = [timed(name) for name in "abcdef"]

    def order(seed):
        return [(m.contestant, m.place) for m in measured(*contestants, seed=seed, rounds=1)]

    assert order(1) == order(1)
    assert order(1) != order(2)


def test_a_warm_up_calls_once_more():
    """A group that wants no warm-up has one call less."""
    calls = []

    @contextmanager
    def counting():
        yield lambda items: calls.append(1) or list(items)

    measured(timed("a", counting), rounds=2)
    assert len(calls) == 3
    calls.clear()
    measured(timed("a", counting), rounds=2, warm_up=False)
    assert len(calls) == 2


@pytest.mark.parametrize(("opens", "error"), [(broken, "no pool today"), (liar, "wrong results for 3 items")])
def test_a_failure_is_told_and_the_others_go_on(opens, error, capsys):
    """One that cannot start, or answers wrongly, is reported once and takes no further part."""
    kept = measured(timed("bad", opens), timed("good"))
    failed = [m for m in kept if m.contestant == "bad"]
    assert [error in m.error for m in failed] == [True]
    assert failed[0].value is None
    assert sum(m.contestant == "good" for m in kept) == 3
    assert error in capsys.readouterr().err


def test_a_missing_package_is_listed_as_absent():
    """A peer that is not installed is no failure."""
    (only,) = measured(timed("peer", needs=("no_such_package_anywhere",)))
    assert only.absent == ["no_such_package_anywhere"]
    assert not only.error


def test_pools_are_closed():
    """Whatever was opened is closed after the last round, once."""
    closed = []
    measured(timed("a", lambda: echo(closed)), timed("bad", broken))
    assert closed == [True]
