"""What a handler of signals raises while something is pickled comes to the caller as it is."""

import signal
import sys
import types
from functools import partial
from importlib import _bootstrap

import pytest

from concurrent_choices import InvalidArgumentError, ProcessStrategy, run, stream
from concurrent_choices._engine._memory import key_of
from concurrent_choices._inspect._asking import answers, attributes_of, is_a
from concurrent_choices._inspect._words import reason_of, show
from concurrent_choices._mutation._marks import summed
from concurrent_choices._mutation._state import State
from concurrent_choices._mutation._within import element
from concurrent_choices._runtime._interrupted import by_handler
from concurrent_choices._strategies._workers._hosting._fork_client import ForkServer, can_serve_forks
from concurrent_choices._transfer._apart import being_imported, keep_apart
from concurrent_choices._transfer._imported import Imported
from concurrent_choices._transfer._obstacle import obstacle
from concurrent_choices._transfer._pickling import dump

SIGNAL = signal.SIGUSR1


class TimeUpError(Exception):
    """A time limit, as task queues have them."""


def end(_number, _frame):
    raise TimeUpError


class Ending:
    """A callable object that handles signals."""

    def __call__(self, _number, _frame):
        raise TimeUpError

    def method(self, _number, _frame):
        raise TimeUpError


class Slow:
    """A signal comes while it is pickled for the first time."""

    def __init__(self):
        self.comes = True

    def __reduce__(self):
        if self.comes:
            self.comes = False
            signal.raise_signal(SIGNAL)
        return int, ()


class Asking:
    """A signal comes while it is asked for its size."""

    @property
    def nbytes(self):
        signal.raise_signal(SIGNAL)


class Queried:
    """A signal comes when it is asked anything."""

    def _answer(self, *_):
        signal.raise_signal(SIGNAL)

    __class__ = __dict__ = nbytes = property(_answer)
    __len__ = __repr__ = __str__ = __hash__ = _answer


class QueriedFloat(float):
    """The same where it is asked for its words, which tell it from other numbers."""

    def __repr__(self):
        signal.raise_signal(SIGNAL)


class Rated:
    """Holds one."""

    def __init__(self):
        self.rate = QueriedFloat()


class QueriedError(Exception):
    """The same for its text."""

    def __str__(self):
        signal.raise_signal(SIGNAL)
        return ""


class Finding:
    """A signal comes while it looks for a module."""

    def find_spec(self, _name, _path=None):
        signal.raise_signal(SIGNAL)


class Stubborn:
    """Does not pickle."""

    def __reduce__(self):
        raise TimeUpError


@pytest.fixture(
    params=[end, Ending(), Ending().method, partial(end)], ids=["function", "object", "method", "partial"]
)
def handled(request):
    """A signal that is handled by what raises."""
    before = signal.signal(SIGNAL, request.param)
    yield
    signal.signal(SIGNAL, before)


def add(one, other):
    return one + other


def test_pickling_ends_by_what_a_handler_raises(handled):
    """It is not begun again by other means, in which it would be lost."""
    with pytest.raises(TimeUpError):
        dump(Slow())


def test_a_run_ends_by_what_a_handler_raises(handled):
    """Whether the callable was being pickled or an item was: neither is to blame."""
    with ProcessStrategy(max_workers=1) as workers:
        with pytest.raises(TimeUpError):
            run(partial(add, Slow()), [1], strategy=workers)
        with pytest.raises(TimeUpError):
            run(abs, [Slow()], strategy=workers)
        assert run(abs, [-1], strategy=workers) == [1]


@pytest.mark.parametrize("ask", [summed, being_imported, lambda slow: obstacle([slow], "it")])
def test_looking_ends_by_what_a_handler_raises(handled, ask, monkeypatch):
    """Wherever a value is pickled to learn something of it: that it cannot be would be no answer."""
    monkeypatch.setattr(_bootstrap, "_module_locks", {"another": None})  # as while that is imported
    with pytest.raises(TimeUpError):
        ask(Slow())


def test_weighing_ends_by_what_a_handler_raises(handled):
    """A stream does that again and again."""
    with pytest.raises(TimeUpError):
        list(stream(lambda _: Asking(), [1], strategy="sequential"))


@pytest.mark.parametrize(
    ("ask", "asked"),
    [
        (lambda thing: is_a(thing, int), Queried),
        (answers, Queried),
        (attributes_of, Queried),
        (lambda thing: element({"key": 1}, thing), Queried),
        (lambda thing: key_of(abs, thing, None), Queried),
        (lambda thing: State(abs, [thing]), Queried),
        (lambda thing: State(lambda _: thing), Rated),
        (show, Queried),
        (reason_of, QueriedError),
    ],
    ids=["class", "answers", "attributes", "hash", "size", "item", "words", "repr", "text"],
)
def test_asking_ends_by_what_a_handler_raises(handled, ask, asked):
    """However little of a thing is to be learnt."""
    with pytest.raises(TimeUpError):
        ask(asked())


@pytest.fixture
def module(monkeypatch):
    """One that no other process could import, with a function and what that names."""
    module = types.ModuleType("nowhere_to_be_found")
    exec("def fn(item): return SLOW", vars(module))
    module.SLOW = Slow()
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def test_comparing_modules_ends_by_what_a_handler_raises(handled, module):
    """Whose values are left out where they cannot be asked for."""
    with pytest.raises(TimeUpError):
        Imported(module.fn)


def test_finders_are_no_excuse(handled, module, monkeypatch):
    """They may raise what they like, but not for a handler."""
    monkeypatch.setattr(sys, "meta_path", [Finding(), *sys.meta_path])
    with pytest.raises(TimeUpError):
        keep_apart(module.fn)


@pytest.mark.skipif(not can_serve_forks(), reason="no fork server here")
def test_a_time_limit_is_no_refusal_of_the_system(monkeypatch):
    """Though a handler raises what the system may raise as well, as a worker is asked for."""

    def end_it(_number, _frame):
        raise TimeoutError

    before = signal.signal(SIGNAL, end_it)
    monkeypatch.setattr(ForkServer, "_ready", lambda _server: signal.raise_signal(SIGNAL))
    try:
        with pytest.raises(TimeoutError), ProcessStrategy(max_workers=1) as workers:
            run(abs, [1], strategy=workers)
    finally:
        signal.signal(SIGNAL, before)


def test_what_cannot_be_pickled_is_to_blame(handled):
    """The same error is the callable's where it is raised by its own code."""
    with pytest.raises(InvalidArgumentError, match="cannot be pickled"):
        run(partial(add, Stubborn()), [1], strategy="process")


def test_an_error_that_came_through_nothing_is_no_handlers():
    """One that was never raised, and one that is raised where it is asked about."""
    assert not by_handler(TimeUpError())
    with pytest.raises(TimeUpError) as caught:
        raise TimeUpError
    assert not by_handler(caught.value)
