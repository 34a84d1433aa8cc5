"""Payloads for the trip: plain pickle, cloudpickle where that fails, buffers beside."""

from __future__ import annotations

import pickle
from array import array

import pytest

from concurrent_choices import Batch, Claim, NotPicklableError, RemoteError
from concurrent_choices._strategies._workers._between._outcome import Scrutiny, pack_outcome
from concurrent_choices._strategies._workers._between._portable_errors import Carried
from concurrent_choices._transfer._pickling import OUT_OF_BAND_FROM, dump, load


class Stubborn:
    """Does not pickle."""

    def __reduce__(self):
        raise TypeError("stays here")


def fail():
    """What a pickle may call when it is read."""
    raise LookupError("cannot land")


class Crashing:
    """Pickles, and does not unpickle."""

    def __reduce__(self):
        return fail, ()


class PickyError(Exception):
    """Can be called by keyword only."""

    def __init__(self, *, code):
        super().__init__(f"code {code}")
        self.code = code


class DoublingError(Exception):
    """Called with its `args`, it says things twice."""

    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code


class SlottedError(Exception):
    """Keeps what it holds outside `__dict__`."""

    __slots__ = ("code",)

    def __init__(self, *, code):
        super().__init__(f"code {code}")
        self.code = code


class ElsewhereError(Exception):
    """Says something else in each process, and each time."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code

    def __str__(self):
        return f"code {self.code} at {id(self)}"


class HoldingError(Exception):
    """Holds what does not pickle."""

    def __init__(self, what):
        super().__init__("held")
        self.what = what


class MissingPathError(OSError):
    """Holds, in C, what only its `__init__` can set."""

    def __init__(self, path):
        super().__init__(2, "gone", path)


class LeavingError(SystemExit):
    """The same, and its text does not tell."""

    def __init__(self, *, code):
        super().__init__(code)


def test_plain_values():
    """What pickle can do, pickle does, in one frame."""
    frames = dump({"a": [1, 2.5, None]})
    assert len(frames) == 1
    assert load(frames) == {"a": [1, 2.5, None]}


def test_lambdas_and_local_classes():
    """What has no importable name travels by value."""
    factor = 3

    class Local:
        def times(self, number):
            return factor * number

    assert load(dump(lambda number: factor * number))(2) == 6
    assert load(dump(Local()))
    assert load(dump(Local().times))(3) == 9


def test_large_buffers_travel_beside():
    """Buffers of a megabyte and more are frames of their own; smaller ones are not."""
    large = pickle.PickleBuffer(bytearray(OUT_OF_BAND_FROM))
    small = pickle.PickleBuffer(bytearray(10))
    frames = dump([large, small])
    assert len(frames) == 2
    assert memoryview(frames[1]).nbytes == OUT_OF_BAND_FROM
    assert [len(memoryview(it)) for it in load(frames)] == [OUT_OF_BAND_FROM, 10]


def test_arrays():
    """NumPy arrays come back equal, contiguous or not."""
    numpy = pytest.importorskip("numpy")
    square = numpy.arange(1 << 18).reshape(512, 512).astype("f8")
    for value in (square, square[::2, ::3], square.T, numpy.zeros((0, 3)), array("d", [1.0])):
        back = load([bytes(frame) for frame in dump(value)])
        assert numpy.array_equal(back, value)


def outcome(values, error=None, *, tolerant=False):
    """What arrives of a batch."""
    claim = Claim(4, ["a", "b", "c"])
    packed = pack_outcome(claim, Batch(4, values, error), tolerant=tolerant, scrutiny=Scrutiny(len))
    return load([bytes(frame) for frame in packed])


def test_an_outcome():
    """Values arrive as they are, without an error."""
    assert outcome([1, "two", None]) == ([1, "two", None], None)


@pytest.mark.parametrize("obstacle", [Stubborn, Crashing])
def test_a_value_that_cannot_travel_ends_the_batch(obstacle):
    """Those before it arrive, and its item is named."""
    values, error = outcome([1, obstacle(), 3])
    assert values == [1]
    assert isinstance(error, NotPicklableError)
    assert (error.index, error.item, error.what) == (5, "'b'", "result")


@pytest.mark.parametrize("obstacle", [Stubborn, Crashing])
def test_a_value_that_cannot_travel_in_its_place(obstacle):
    """Where exceptions are wanted as values, the others arrive around it."""
    values, error = outcome([1, obstacle(), 3], tolerant=True)
    assert (values[0], values[2], error) == (1, 3, None)
    assert isinstance(values[1], NotPicklableError)


def test_an_error_carries_its_traceback():
    """An exception travels with the text of its traceback."""
    try:
        fail()
    except LookupError as caught:
        _, error = outcome([1], caught)
    assert type(error) is Carried
    assert isinstance(error.error, LookupError)
    assert 'raise LookupError("cannot land")' in error.text


def test_an_error_that_cannot_travel():
    """A stand-in with its name, its message and its traceback goes instead."""
    _, error = outcome([1], HoldingError(Stubborn()))
    assert isinstance(error.error, RemoteError)
    assert error.error.type_name.endswith("HoldingError")
    assert (error.error.index, error.error.message) == (5, "held")


@pytest.mark.parametrize(
    "sent", [PickyError(code=7), DoublingError(7), SlottedError(code=7), ElsewhereError(7)], ids=repr
)
def test_an_error_that_cannot_be_called_with_its_args(sent):
    """It arrives as any other object would: with all it holds, and the words it had."""
    _, error = outcome([1], sent)
    got = error.error
    assert (type(got), got.args, got.code) == (type(sent), sent.args, 7)
    assert str(got).startswith("code 7")


@pytest.mark.parametrize("sent", [MissingPathError("p"), LeavingError(code=3)], ids=repr)
def test_an_error_that_would_arrive_in_part(sent):
    """A stand-in goes instead of one without its path, or without its exit code."""
    _, error = outcome([1], sent)
    assert isinstance(error.error, RemoteError)


def test_a_kind_is_tried_once():
    """Scrutiny looks at the first result of each kind and remembers."""
    scrutiny = Scrutiny(len)
    assert not scrutiny.doubts([1, "a", (1, 2)])
    assert scrutiny.doubts([1, Crashing()])
    assert scrutiny.doubts([Crashing()])
    assert not scrutiny.doubts([(3, 4)])


def raised(error):
    """An error with a traceback of its own."""
    try:
        raise error
    except type(error) as caught:
        return caught


@pytest.mark.parametrize(
    "result", [LookupError("not here"), PickyError(code=7), raised(DoublingError(7))], ids=repr
)
def test_an_error_that_is_a_result(result):
    """It arrives as it would if it were raised; the text of its traceback with it, if it was."""
    values, error = outcome([1, result, 3])
    assert (values[0], values[2], error) == (1, 3, None)
    assert type(values[1]) is Carried
    assert (type(values[1].error), str(values[1].error)) == (type(result), str(result))
    assert bool(values[1].text) == (result.__traceback__ is not None)


@pytest.mark.parametrize(
    "held",
    [LookupError("not here"), PickyError(code=7), SlottedError(code=7), raised(DoublingError(7))],
    ids=repr,
)
@pytest.mark.parametrize(
    "first", ["a", ("a", 1), (HoldingError(Stubborn()), 1)], ids=["other", "alike", "worse"]
)
def test_an_error_that_a_result_holds(held, first):
    """It arrives as it would by itself, also where results of its kind were tried before or cannot travel."""
    values, _ = outcome([first, ("b", held), {"c": [held]}], tolerant=True)
    for got in (values[1][1], values[2]["c"][0]):
        assert (type(got), got.args, str(got)) == (type(held), held.args, str(held))
        assert getattr(got, "code", 7) == 7


def test_an_error_that_is_a_result_and_cannot_travel():
    """No stand-in takes its place: nobody has asked for errors there."""
    values, error = outcome([1, HoldingError(Stubborn()), 3])
    assert values == [1]
    assert isinstance(error, NotPicklableError)
