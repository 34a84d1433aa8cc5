"""What comes back: every result, in order, from every item called once."""

from __future__ import annotations

import os
from collections import Counter

import contract_acts as acts
import pytest
from contract_ways import NAMES, is_outside, only_inside, only_keeping, small

from concurrent_choices import run, stream


def test_results_in_input_order(strategy, of_kind):
    """Results stand where their items stood."""
    assert run(of_kind(acts.double), range(200), strategy=strategy) == list(range(0, 400, 2))


def test_each_item_is_called_exactly_once(strategy, of_kind, log):
    """However items are batched, handed over and split, none is called twice or left out."""
    items = [(str(log), number) for number in range(150)]
    run(of_kind(acts.logged), items, strategy=strategy)
    assert Counter(acts.calls(log)) == {str(number): 1 for number in range(150)}


def test_slow_and_quick_items_mixed(strategy, of_kind):
    """Results that finish out of order come back in order."""
    items = [0.03, 0, 0, 0.01, 0, 0.02, 0, 0]
    assert run(of_kind(acts.sleep), items, strategy=strategy) == items


def test_no_items(strategy, of_kind):
    """Nothing in, nothing out."""
    assert run(of_kind(acts.double), [], strategy=strategy) == []
    assert run(of_kind(acts.double), iter(()), strategy=strategy) == []


def test_one_item(strategy, of_kind):
    """One item needs no company."""
    assert run(of_kind(acts.double), [21], strategy=strategy) == [42]


def test_none_is_a_result(strategy, of_kind):
    """None, exceptions as values and other odd results are results."""
    items = [None, False, (), NotImplemented, ...]
    assert run(of_kind(acts.identity), items, strategy=strategy) == items


def test_exceptions_that_are_returned_are_results(strategy, of_kind):
    """An exception that is returned, not raised, is a value like any other."""
    (result,) = run(of_kind(acts.identity), [KeyError("as a value")], strategy=strategy)
    assert isinstance(result, KeyError)
    assert result.args == ("as a value",)


def test_results_that_refuse_comparison(strategy, of_kind):
    """Arrays, say, which answer `==` with anything but yes or no, are results like others."""
    results = run(of_kind(acts.make_incomparable), range(20), strategy=strategy)
    assert [result.label for result in results] == list(range(20))


@only_inside
def test_results_whose_class_has_no_hash(strategy, of_kind):
    """No set can hold the classes of these, nor can pickle find out how they travel."""
    results = run(of_kind(acts.make_unsettable), range(20), strategy=strategy)
    assert [result.label for result in results] == list(range(20))


def test_large_items_and_results(strategy, of_kind):
    """Megabytes travel like anything else, in both directions."""
    items = [bytes([number]) * (3 << 20) for number in range(3)]
    assert run(of_kind(acts.identity), items, strategy=strategy) == items


def test_as_completed_gives_the_same_results(strategy, of_kind):
    """Unordered streams give every result, in whatever order."""
    results = list(stream(of_kind(acts.double), range(100), strategy=strategy, ordered=False))
    assert sorted(results) == list(range(0, 200, 2))


@pytest.mark.parametrize("name", NAMES)
def test_by_name(name, of_kind):
    """A name will do for a strategy, and `auto` for none."""
    assert run(of_kind(acts.double), range(5), strategy=name) == [0, 2, 4, 6, 8]


def test_a_strategy_serves_again(strategy, of_kind):
    """The same strategy object serves one run after another."""
    for _ in range(3):
        assert run(of_kind(acts.double), range(5), strategy=strategy) == [0, 2, 4, 6, 8]


@only_keeping
def test_warm_inside_a_with_block(name, of_kind):
    """A strategy that is a context manager keeps its workers from one run to the next."""
    strategy = small(name)
    with strategy:
        first = set(run(of_kind(acts.where), range(20), strategy=strategy))
        second = set(run(of_kind(acts.where), range(20), strategy=strategy))
    assert len(first | second) <= 2


def test_there_is_a_strategy_of_each_sort():
    """Strategies inside this process and outside of it, and the suite takes none for the other sort."""
    seen = {name: os.getpid() not in run(acts.where, range(2), strategy=small(name)) for name in NAMES}
    assert seen == {name: is_outside(name) for name in NAMES}
    assert set(seen.values()) == {False, True}
