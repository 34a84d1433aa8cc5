"""Numbers of other makes, such as NumPy's, as Python's own.

Counts and seconds often come out of arrays. They travel to workers, which should not have to import NumPy to
know how many they are.
"""

from __future__ import annotations

from contextlib import suppress
from operator import index
from typing import Any, TypeGuard, cast

__all__ = ["is_whole", "plain", "plain_int", "plain_int_or_none"]

_REAL = {"i", "u", "f"}
"""NumPy's kinds of what `int` and `float` are to Python: no truth values, complex numbers or text."""


def plain(number: Any) -> Any:
    """The `int` that a number is, or the `float`; whatever is no number of either kind stays what it is.

    So does a number that neither can hold; whoever wants one refuses it.
    """
    kind = type(cast("object", number))
    if kind in {int, float, bool, str, type(None)} or not _is_one_real(number):
        return number
    for convert, method in ((index, "__index__"), (float, "__float__")):
        if hasattr(kind, method):
            # Arrays and signalling NaNs cannot be converted, and raise one of these.
            with suppress(TypeError, ValueError, ArithmeticError):
                return convert(number)
    return number


def is_whole(number: object, least: int) -> TypeGuard[int]:
    """Whether something is an `int` of at least so many; True and False are none."""
    return isinstance(number, int) and not isinstance(number, bool) and number >= least


def plain_int(number: int) -> int:
    """An attrs converter: `plain`, with the type of a field that takes a whole number."""
    whole: int = plain(number)
    return whole


def plain_int_or_none(number: int | None) -> int | None:
    """The same for a field that may hold None too."""
    return None if number is None else plain_int(number)


def _is_one_real(number: Any) -> bool:
    """Whether NumPy would call it one real number, if it is NumPy's; its classes' methods do not tell."""
    return getattr(getattr(number, "dtype", None), "kind", "f") in _REAL and not getattr(number, "ndim", 0)
