"""What cannot travel, or would find other things in another process, goes on in this one."""

import threading
from contextlib import closing
from contextvars import copy_context
from itertools import count, islice, takewhile
from random import Random, gauss, randint

import engine_acts as acts
import pytest
from engine_coroutines import OUTSIDE as LOOP_OUTSIDE
from engine_coroutines import STARTING as LOOP_STARTING
from engine_coroutines import LoopStrategy
from engine_moves import outside, some_after_the_move, until_told

from concurrent_choices import RemoteError, run, stream
from concurrent_choices._engine import _worker_startup
from concurrent_choices._engine._worker_transfer import stranded
from concurrent_choices._mutation._state import State
from concurrent_choices._transfer import _pretences


def test_what_cannot_travel_stays():
    """A callable that holds a lock is no error; it goes on here."""
    lock = threading.Lock()

    def locked(item):
        with lock:
            return acts.spun(item)

    strategy = outside()
    with closing(stream(locked, count(), strategy=strategy)) as results:
        before = sum(1 for _ in takewhile(lambda _: not strategy.controller.barred, results))
        assert [*islice(results, 200)] == [*range(before + 1, before + 201)]
    assert strategy.controller.barred.startswith("the enclosing 'lock' is a threading.Lock, which serves")


@pytest.mark.parametrize("known", [True, False], ids=["known", "not yet known"])
def test_what_gives_what_cannot_travel_stays(monkeypatch, known):
    """A result that a loop would give is no error here either, if there was one when items would go over."""
    if not known:
        monkeypatch.setattr(_worker_startup, "stranded", lambda _results, tolerant: "")

    def locked(item):
        return acts.spin(item) and threading.Lock()

    strategy = outside()
    with closing(stream(locked, count(), strategy=strategy)) as results:
        assert any(strategy.controller.barred for _ in results)
        assert len([*islice(results, 200)]) == 200
    assert "could not come back" in strategy.controller.barred


class Unhashable(type):
    """Classes that have no hash, whose instances pickle therefore refuses."""

    __eq__ = object.__eq__
    __hash__ = None


class Odd(metaclass=Unhashable):
    """One of them."""


def test_a_result_whose_class_has_no_hash_is_what_keeps_items_here():
    """Not workers that could not be started: the words name the result, as of any other."""
    said = stranded([1, Odd()], tolerant=False)
    assert said.startswith("a result is an Odd (")
    assert "unhashable type" in said  # the whole of what CPython up to 3.13 says, and the end of it later


class LockedError(Exception):
    def __init__(self):
        self.lock = threading.Lock()


def test_errors_that_cannot_travel_keep_nothing_here():
    """They come back as what they say."""

    def fails(item):
        acts.spin(item)
        if item % 2:
            raise LockedError

    strategy = outside()
    with closing(stream(fails, count(), strategy=strategy, return_exceptions=True)) as results:
        assert any(isinstance(each, RemoteError) for each in results)
        assert sum(isinstance(each, LockedError | RemoteError) for each in islice(results, 200)) == 100
    assert strategy.controller.barred == ""


def numpys():
    return pytest.importorskip("numpy.random")


def test_drawing_from_what_all_share_changes_nothing():
    """A method that `from random import randint` binds is as `random.randint`: each process has its own."""

    def throws(item):
        return acts.spun(item) + randint(1, 6), gauss(0, 1)

    state = State(throws)
    throws(1)
    assert not state.is_held
    assert state.lost_elsewhere() == ""
    strategy = outside()
    assert len(set(some_after_the_move(throws, strategy, 300))) == 300
    assert (strategy.report.witness, strategy.controller.barred) == ("", "")


@pytest.mark.parametrize("make", [Random, lambda seed: numpys().default_rng(seed)], ids=["random", "numpy"])
def test_drawing_from_ones_own_generator_is_a_change(make):
    """Copies of it would draw the same numbers in all workers, so what holds one stays."""
    rng, same = make(3), make(3)

    def throws(item):
        return acts.spin(item) and rng.random()

    assert State(throws).lost_elsewhere() == "the enclosing 'rng'"  # before the first call has come to draw
    strategy = outside()
    drawn = run(throws, range(300), strategy=strategy)
    assert drawn == [same.random() for _ in range(300)]
    assert strategy.report.witness == "the enclosing 'rng'"


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_what_was_set_in_a_module_stays(kind, monkeypatch):
    """A worker would import the module and find what the module itself sets."""
    monkeypatch.setattr(acts, "FACTOR", 3)
    if kind == "def":
        fn, strategy = acts.times_factor, outside()
    else:
        fn, strategy = acts.times_factor_awaited, LoopStrategy(LOOP_STARTING, LOOP_OUTSIDE)
    assert run(fn, until_told(strategy, range(300)), strategy=strategy) == list(range(0, 900, 3))
    assert "engine_acts.FACTOR has another value there than here" in strategy.controller.barred


def test_what_was_set_in_an_object_without_a_pickle_stays(monkeypatch):
    """It is compared by what it holds, not by its class alone."""
    monkeypatch.setattr(acts, "GUARDED", acts.Guarded())  # as the module has it
    strategy = outside()
    assert len(some_after_the_move(acts.times_depth, strategy, 100)) == 100

    acts.GUARDED.depths[1] = 3
    strategy = outside()
    items = until_told(strategy, range(300))
    assert run(acts.times_depth, items, strategy=strategy) == list(range(0, 900, 3))
    assert "engine_acts.GUARDED has another value there than here" in strategy.controller.barred


def test_a_function_without_a_name_that_was_registered_stays(monkeypatch):
    """A worker would find the one that the module itself has registered."""
    strategy = outside()
    assert len(some_after_the_move(acts.times_handled, strategy, 100)) == 100

    monkeypatch.setitem(acts.HANDLERS, "times", lambda item: 3 * item)
    monkeypatch.setattr(_pretences, "put_there", list)  # as if no test had put it there
    strategy = outside()
    items = until_told(strategy, range(300))
    assert run(acts.times_handled, items, strategy=strategy) == list(range(0, 900, 3))
    assert "engine_acts.HANDLERS has another value there than here" in strategy.controller.barred


def test_what_takes_a_lock_of_a_module_stays():
    """Each worker would import one of its own, which keeps out nobody."""
    strategy = outside()
    items = until_told(strategy, range(300))
    assert run(acts.times_in_turn, items, strategy=strategy) == list(range(0, 600, 2))
    assert "the global 'TURN' is a threading.Lock" in strategy.controller.barred


def test_what_is_set_in_this_context_stays():
    """A worker would find the variable's default."""
    strategy = outside()
    context = copy_context()
    context.run(acts.FACTOR_HERE.set, 3)
    items = until_told(strategy, range(300))
    assert context.run(run, acts.times_factor_here, items, strategy=strategy) == list(range(0, 900, 3))
    assert "engine_acts.FACTOR_HERE has another value there" in strategy.controller.barred


def test_what_a_module_sets_moves():
    """A callable that uses what its module has set from the start may go."""
    strategy = outside()
    assert len(some_after_the_move(acts.times_factor, strategy, 500)) == 500
    assert not strategy.controller.barred
