"""What counts as a number, whoever made it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from concurrent_choices._facts._numbers import is_whole, plain

numpy = pytest.importorskip("numpy")


class Unwilling:
    """It has the method, and raises, as NumPy's arrays do."""

    def __index__(self):
        raise TypeError("only integer scalar arrays can be converted to a scalar index")

    def __repr__(self):
        return "Unwilling()"


@pytest.mark.parametrize(
    ("number", "kept"),
    [
        (numpy.int64(3), 3),
        (numpy.float32(0.5), 0.5),
        (numpy.array(3), 3),
        (numpy.array(0.5), 0.5),
        (Fraction(1, 2), 0.5),
        (Decimal("0.5"), 0.5),
    ],
)
def test_numbers_of_another_make(number, kept):
    """They become Python's own, arrays without a dimension too."""
    assert (plain(number), type(plain(number))) == (kept, type(kept))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "value",
    [
        numpy.array([1, 2]),
        numpy.array([0.5]),
        numpy.bool_(1),
        numpy.complex128(1),
        numpy.str_("5"),
        numpy.timedelta64(5, "s"),
        Decimal("sNaN"),
        Fraction(10**400),
        Unwilling(),
    ],
    ids=repr,
)
def test_what_is_no_number_stays_what_it_is(value):
    """It is for an argument's own check to refuse it, by the argument's name."""
    assert plain(value) is value


@pytest.mark.parametrize(
    ("value", "verdict"), [(1, True), (0, False), (True, False), (1.0, False), ("1", False), (None, False)]
)
def test_whole_numbers(value, verdict):
    """True is no number, and 1.0 is not whole."""
    assert is_whole(value, 1) is verdict
