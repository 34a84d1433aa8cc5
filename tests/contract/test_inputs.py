"""Kinds of input: containers, generators, infinite iterators, users' iterables."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from itertools import count, islice

import contract_acts as acts
import pytest
from contract_ways import eventually, only_outside

from concurrent_choices import recommend, run, stream
from concurrent_choices._work import _tap

MAPPING = {3: "c", 1: "a", 2: "b"}
ITERABLES = {
    "list": lambda: [3, 1, 2],
    "tuple": lambda: (3, 1, 2),
    "range": lambda: range(3, 0, -1),
    "dict": lambda: MAPPING,
    "keys": MAPPING.keys,
    "values": MAPPING.values,
    "items": MAPPING.items,
    "set": lambda: {3, 1, 2},
    "frozenset": lambda: frozenset((3, 1, 2)),
    "deque": lambda: deque((3, 1, 2)),
    "bytes": lambda: b"cab",
    "bytearray": lambda: bytearray(b"cab"),
    "str": lambda: "cab",
    "map": lambda: map(int, "312"),
    "generator": lambda: (number for number in (3, 1, 2)),
}


class Iterated:
    """An iterable of a user's own."""

    def __iter__(self):
        yield from (3, 1, 2)


class Indexed:
    """An iterable of the old kind: numbered from 0 until it raises IndexError."""

    def __getitem__(self, place):
        return (3, 1, 2)[place]


class ListAndMore(list):
    """A subclass of list whose iteration differs from its contents."""

    def __iter__(self):
        return (item * 10 for item in list.__iter__(self))


def test_builtin_iterables(strategy, of_kind):
    """Whatever can be iterated can be run over: containers, views, maps, generators."""
    for label, make in ITERABLES.items():
        results = run(of_kind(acts.double), make(), strategy=strategy)
        assert (label, results) == (label, [item * 2 for item in make()])


class Named(dict):
    """Has its items for attributes, as many a configuration; asked for others it raises KeyError."""

    __getattr__ = dict.__getitem__


def test_what_raises_for_attributes_that_it_has_not(strategy, of_kind):
    """Nobody asks it for more than iterating needs."""
    assert run(of_kind(acts.double), Named({3: "c", 1: "a"}), strategy=strategy) == [6, 2]


def test_what_raises_for_attributes_that_it_has_not_can_be_measured(of_kind):
    """Nor does `recommend`."""
    assert recommend(of_kind(acts.double), Named({3: "c", 1: "a"}), verify=False).run() == [6, 2]


@pytest.mark.parametrize("kind_of_iterable", [Iterated, Indexed])
def test_iterables_of_users(strategy, of_kind, kind_of_iterable):
    """`__iter__` or `__getitem__` is enough."""
    assert run(of_kind(acts.double), kind_of_iterable(), strategy=strategy) == [6, 2, 4]


def test_a_subclass_of_list_is_iterated(strategy, of_kind):
    """What a subclass gives when iterated counts, not what the list under it holds."""
    assert run(of_kind(acts.double), ListAndMore([1, 2]), strategy=strategy) == [20, 40]


def test_an_infinite_iterator(strategy, of_kind):
    """A stream over an endless iterator gives as much as is asked for."""
    results = stream(of_kind(acts.double), count(), strategy=strategy)
    assert list(islice(results, 50)) == list(range(0, 100, 2))
    results.close()


def test_generators_are_advanced_in_the_calling_thread(strategy, of_kind):
    """A generator may hold a cursor or a lock of the thread that made it."""
    seen = set()

    def items():
        for number in range(60):
            seen.add(threading.get_ident())
            yield number

    run(of_kind(acts.double), items(), strategy=strategy)
    list(stream(of_kind(acts.double), items(), strategy=strategy))
    assert seen == {threading.get_ident()}


@only_outside
def test_what_an_iterable_has_given_is_begun_while_it_takes_its_time(strategy, of_kind, log, monkeypatch):
    """It may be slow to give more, which nobody can begin before."""
    monkeypatch.setattr(_tap, "FEED_SECONDS", -1.0)  # which no item takes less than

    def items():
        yield str(log), 0
        assert eventually(lambda: acts.calls(log))
        yield str(log), 1

    assert run(of_kind(acts.logged), items(), strategy=strategy) == [0, 1]


def test_generators_may_have_loops_of_their_own(strategy, of_kind):
    """They know nothing of the one that their items may be awaited on."""

    def items():
        for number in range(40):
            yield asyncio.run(asyncio.sleep(0, number))

    assert run(of_kind(acts.double), items(), strategy=strategy) == list(range(0, 80, 2))


def test_look_ahead_is_bounded(strategy, of_kind):
    """A stream takes no more ahead than it was allowed, however slowly its results are taken."""
    taken = count()
    pulled = []

    def items():
        for number in taken:
            pulled.append(number)
            yield number

    results = stream(of_kind(acts.double), items(), strategy=strategy, buffersize=8)
    for given in range(1, 31):
        next(results)
        assert len(pulled) <= given + 8
    results.close()


def test_one_item_ahead_is_enough(strategy, of_kind):
    """The smallest buffer still goes through everything."""
    results = stream(of_kind(acts.double), iter(range(20)), strategy=strategy, buffersize=1)
    assert list(results) == list(range(0, 40, 2))


def test_nothing_is_pulled_before_a_stream_is_asked(strategy, of_kind):
    """Calling `stream` pulls nothing; the first `next` does."""
    pulled = []

    def items():
        for number in range(3):
            pulled.append(number)
            yield number

    results = stream(of_kind(acts.double), items(), strategy=strategy)
    assert pulled == []
    assert list(results) == [0, 2, 4]


def test_an_iterable_that_raises_half_way(strategy, of_kind):
    """Its own exception reaches the caller, from `run` at once."""

    def items():
        yield 1
        yield 2
        raise ConnectionError("the shop has closed")

    with pytest.raises(ConnectionError, match=r"^the shop has closed$"):
        run(of_kind(acts.double), items(), strategy=strategy)


@pytest.mark.parametrize("ordered", [True, False], ids=["ordered", "as completed"])
def test_results_already_due_come_before_the_iterables_error(strategy, of_kind, ordered):
    """A stream gives all that was taken from the iterable, and then what the iterable raised."""

    def items():
        yield from range(10)
        raise ConnectionError("the shop has closed")

    results = stream(of_kind(acts.double), items(), strategy=strategy, ordered=ordered)
    due = [next(results) for _ in range(10)]
    assert sorted(due) == list(range(0, 20, 2))
    with pytest.raises(ConnectionError, match=r"^the shop has closed$"):
        next(results)


@pytest.mark.parametrize("error", [GeneratorExit, SystemExit])
def test_what_an_iterable_raises_may_be_no_exception(strategy, of_kind, error):
    """It does not end the run as if there were no more items, though tasks and generators may end with it."""

    def items():
        yield from [1e-3] * 40
        raise error("the shop has closed")

    with pytest.raises(error, match=r"^the shop has closed$"):
        run(of_kind(acts.sleep), items(), strategy=strategy)
    results = stream(of_kind(acts.sleep), items(), strategy=strategy)
    assert [next(results) for _ in range(40)] == [1e-3] * 40
    with pytest.raises(error, match=r"^the shop has closed$"):
        next(results)


def test_an_iterable_whose_iteration_cannot_begin(strategy, of_kind):
    """What `__iter__` raises is raised at the call."""

    class Broken:
        def __iter__(self):
            raise LookupError("no beginning")

    with pytest.raises(LookupError, match=r"^no beginning$"):
        run(of_kind(acts.double), Broken(), strategy=strategy)


def test_a_generator_is_closed_after_an_error(strategy, of_kind):
    """A generator that is left half-way is not kept alive by what was raised."""
    closed = []

    def items():
        try:
            yield from range(1, 1000)
        finally:
            closed.append(True)

    given = items()
    with pytest.raises(TypeError):
        run(of_kind(acts.invert), (n if n < 5 else None for n in given), strategy=strategy)
    given.close()
    assert closed == [True]


def test_a_run_that_pulls_from_a_stream(strategy, of_kind):
    """The results of one stream can be the items of another."""
    inner = stream(of_kind(acts.double), range(20), strategy=strategy)
    outer = stream(of_kind(acts.double), inner, strategy=strategy)
    assert list(outer) == list(range(0, 80, 4))


def test_a_stream_made_in_one_thread_and_read_in_another(strategy, of_kind):
    """The thread that takes the results is the one that advances the iterable."""
    seen, results = set(), []

    def items():
        for number in range(10):
            seen.add(threading.get_ident())
            yield number

    made = stream(of_kind(acts.double), items(), strategy=strategy)
    reader = threading.Thread(target=lambda: results.extend(made))
    reader.start()
    reader.join()
    assert results == list(range(0, 20, 2))
    assert seen == {reader.ident}
