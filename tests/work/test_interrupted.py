"""What a handler of signals raises while something is pickled comes to the caller as it is."""

import signal
from functools import partial

import pytest

from concurrent_choices import InvalidArgumentError, ProcessStrategy, run
from concurrent_choices._work._interrupted import by_handler
from concurrent_choices._work._pickling import dump

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
