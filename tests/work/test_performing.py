"""Performing a claim: values, errors, contexts, and what nobody awaits."""

from __future__ import annotations

import gc
import warnings
import weakref
from contextvars import ContextVar, copy_context

import pytest

from concurrent_choices import Batch, Claim, UnawaitedError
from concurrent_choices._inspect._callables import touches_nothing
from concurrent_choices._work._perform import Performer, unawaited_among

MARK = ContextVar("mark", default=0)


def perform(fn, items, *, tolerant=False, start=0, **interrupting):
    """What a performer makes of some items."""
    quick = touches_nothing(fn)
    performer = Performer(fn, copy_context(), return_exceptions=tolerant, quick=quick)
    return performer(Claim(start, items), **interrupting)


def test_values():
    """A claim's values stand in order, from its own start."""
    assert perform(str, [1, 2], start=7) == Batch(7, ["1", "2"], None)


@pytest.mark.parametrize("fn", [lambda n: 6 // n, lambda n: divmod(6, n)[0]], ids=["quick", "careful"])
def test_an_error_ends_the_batch(fn):
    """Values before the error are kept, and the error is annotated."""
    batch = perform(fn, [1, 2, 0, 3], start=10)
    assert (batch.start, batch.values) == (10, [6, 3])
    assert type(batch.error) is ZeroDivisionError
    assert batch.error.__notes__ == ["raised by item 12: 0"]


@pytest.mark.parametrize("fn", [lambda n: 6 // n, lambda n: divmod(6, n)[0]], ids=["quick", "careful"])
def test_errors_in_their_place(fn):
    """Where exceptions are wanted as values, the rest goes on."""
    batch = perform(fn, [0, 2, 0], tolerant=True)
    assert batch.error is None
    assert batch.values[1] == 3
    assert [type(batch.values[place]) for place in (0, 2)] == [ZeroDivisionError] * 2


class Interrupted(list):
    """Items after the last of which a signal's handler raises."""

    def __init__(self, items, error):
        super().__init__(items)
        self.error = error

    def __iter__(self):
        yield from super().__iter__()
        raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), TimeoutError("the alarm")], ids=["Ctrl-C", "alarm"])
@pytest.mark.parametrize("tolerant", [False, True])
def test_what_comes_after_the_last_item_is_no_items_error(error, tolerant):
    """It ends the batch as it is: no item gets the blame, and no value is added."""
    batch = perform(lambda n: divmod(6, n)[0], Interrupted([1, 2], error), tolerant=tolerant)
    assert (batch.values, batch.error) == ([6, 3], error)
    assert not hasattr(error, "__notes__")


def test_what_is_no_ordinary_exception_is_no_value():
    """SystemExit and its like end the batch even then."""

    def leave(number):
        raise SystemExit(number)

    batch = perform(leave, [1, 2], tolerant=True)
    assert batch.values == []
    assert isinstance(batch.error, SystemExit)


def test_a_mark_for_each_item():
    """Whoever marks is asked before each item."""
    seen = []
    perform(seen.append, [1, 2, 3], mark=lambda: seen.append("mark") or True)
    assert seen == ["mark", 1, "mark", 2, "mark", 3]


def test_a_mark_that_refuses():
    """An item that may not start ends the batch, without an error."""
    assert perform(str, [1, 2, 3], start=5, mark=iter([True, True, False]).__next__) == Batch(5, ["1", "2"])
    assert perform(lambda n: n + 1, [1, 2], mark=lambda: False) == Batch(0, [])


def test_one_mark_for_a_quick_batch():
    """A function that touches nothing runs as a whole, with a mark for its first item."""
    marked = []
    perform(lambda n: n + 1, [1, 2, 3], mark=lambda: marked.append("mark") or True)
    assert marked == ["mark"]


@pytest.mark.parametrize("tolerant", [False, True])
def test_a_batch_that_is_interrupted(tolerant):
    """Whoever empties the list of what is due ends the batch after the item it is at, after an error too."""
    due = [2, 0, 1, 3, 4] if tolerant else [2, 1, 3, 4]

    def take(number):
        if number == 1:
            due.clear()
        return divmod(6, number)[0]

    batch = perform(take, list(due), tolerant=tolerant, due=due)
    assert [each for each in batch.values if isinstance(each, int)] == [3, 6]
    assert batch.error is None


@pytest.mark.parametrize(("fn", "raised"), [(lambda n: -n, StopIteration), (abs, RuntimeError)])
def test_stop_iteration_in_a_quick_batch(fn, raised):
    """It does not shorten the batch in silence; from C to C its kind is lost."""

    class Ending:
        def __abs__(self):
            raise StopIteration

        __neg__ = __abs__

    batch = perform(fn, [0, Ending(), 3])
    assert batch.values == [0]
    assert isinstance(batch.error, raised)


def test_contexts():
    """Each item has its own copy of the context given."""

    def change(number):
        before = MARK.get()
        MARK.set(number)
        return before

    assert perform(change, [1, 2, 3]).values == [0, 0, 0]
    assert MARK.get() == 0


async def nothing():
    """A coroutine for nobody."""


def test_unawaited_coroutines():
    """A coroutine among the values is closed and becomes the error of its item."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch = perform(lambda n: nothing() if n == 2 else n, [1, 2, 3], start=4)
    assert batch.values == [1]
    assert isinstance(batch.error, UnawaitedError)
    assert (batch.error.index, batch.error.item) == (5, "2")


def test_unawaited_coroutines_before_an_error():
    """None is left unclosed where a later item raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch = perform(lambda n: nothing() if n else 1 / n, [1, 2, 0])
    assert isinstance(batch.error, UnawaitedError)


def test_unawaited_coroutines_in_their_place():
    """Where exceptions are wanted as values, each coroutine is replaced by its error."""
    values = [1, nothing(), nothing()]
    batch = unawaited_among(Batch(3, values), ["a", "b", "c"], tolerant=True)
    assert batch.values[0] == 1
    assert [error.index for error in batch.values[1:]] == [4, 5]
    assert batch.error is None


@pytest.mark.parametrize("quick", [False, True])
def test_the_callable_is_let_go_of_at_once(quick):
    """It may hold gigabytes, which no collection of garbage should be needed for."""

    def fn(item):
        return item

    trace = weakref.ref(fn)
    gc.disable()
    try:
        Performer(fn, copy_context(), return_exceptions=False, quick=quick)(Claim(0, [1, 2]))
        del fn
        assert trace() is None
    finally:
        gc.enable()
