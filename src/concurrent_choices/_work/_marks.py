"""Marks of what values hold, the same in every process: whether a module is elsewhere what it is here.

Workers import this, so it imports next to nothing: `pickle` and what finds the values here would cost each
of them 15 ms.
"""

from __future__ import annotations

import sys
from _contextvars import ContextVar
from types import FunctionType
from zlib import crc32

from .._facts._lean import TYPE_CHECKING
from ._asking import ATOMS, of_type
from ._code import parameters_of
from ._generators import dump_to

if TYPE_CHECKING:
    from pickle import PickleBuffer
    from typing import Any

__all__ = ["CONTAINERS", "compare", "keeps_one", "mark_of", "summed", "value_at"]

MOST = 1 << 18
"""Bytes of one value's pickle that are looked at (guessed: half a millisecond)."""

UNSET = -1
"""The mark of a context variable without a value."""

CONTAINERS = (bytearray, dict, list, set)
"""Classes of data that can be changed."""

_SETS = (b"\x8f", b"\x91")
"""The pickler's codes for sets, which order strings differently in each process."""


def compare(marks: dict[tuple[str, str], int]) -> None:
    """Make sure that the values of modules hold here what they held where they were marked.

    Raises:
        ValueError: One does not.
    """
    for (module, path), mark in marks.items():
        if mark_of(value_at(module, path)) != mark:
            msg = f"{module}.{path} has another value there than here"
            raise ValueError(msg)


def value_at(module: str, path: str) -> Any:
    """What a name in a module stands for. Both sides ask for it here: a class binds its class methods.

    One with "()" stands for what a function gives that keeps it.
    """
    __import__(module)
    value: Any = sys.modules[module]
    for name in path.split("."):
        value = getattr(value, name.removesuffix("()"))
    return value() if path.endswith("()") else value


def keeps_one(wrapper: Any) -> bool:
    """Whether a function under `functools.cache` takes nothing, and was called: it gives what it keeps."""
    code = getattr(wrapper.__wrapped__, "__code__", None)
    return code is not None and not parameters_of(code) and bool(wrapper.cache_info().currsize)


def mark_of(value: Any) -> int:
    """A sum of what a value holds, the same in every process; of what has no pickle, of what it is called.

    Of a context variable it is that of what was set in the present context, of which a worker knows nothing.
    """
    if type(value) is ContextVar:
        return _mark_of_set(value)  # pyright: ignore[reportUnknownArgumentType] - of whatever it is a variable
    file = summed(value)
    if file is None:
        return _mark_of_name(value)
    # What holds nothing holds no sets, though its own bytes may look like their codes.
    plain = type(value) in ATOMS or not file.may_hold_sets
    return file.total if plain else _mark_of_parts(value)


def summed(value: Any) -> Sum | None:
    """A sum of what a value holds, the same while this process leaves it alone; None without a pickle."""
    file = Sum()
    try:
        dump_to(file, value, file.buffer)
    except _FullError:
        pass
    except Exception:  # noqa: BLE001 - picklers raise anything
        return None
    return file


def _mark_of_set(variable: ContextVar[Any]) -> int:
    try:
        return mark_of(variable.get())
    except LookupError:
        return UNSET


def _mark_of_name(value: object) -> int:
    """That of a function's or a class's own name, and of its class's for anything else."""
    named: Any = value if of_type(value, FunctionType, type) else type(value)
    return crc32(f"{named.__module__}.{named.__qualname__}".encode())


def _mark_of_parts(value: Any) -> int:
    """That of what may hold sets, made of those of its parts."""
    if type(value) not in {dict, frozenset, list, set, tuple}:
        return _mark_of_name(value)
    marks = list(map(mark_of, value.items() if hasattr(value, "items") else value))
    if type(value) in {frozenset, set}:
        marks.sort()
    return crc32(repr(marks).encode())


class _FullError(Exception):
    """Enough has been looked at."""


class Sum:
    """A file that sums up what is written, up to a limit.

    Attributes:
        total: The sum.
        full: Whether the limit was reached.
        may_hold_sets: Whether something in it looks like the pickle of a set.
    """

    def __init__(self) -> None:
        self.total = 0
        self.may_hold_sets = False
        self._left = MOST

    @property
    def full(self) -> bool:
        return not self._left

    def write(self, data: Any) -> int:
        some = bytes(data[: self._left])
        self.may_hold_sets = self.may_hold_sets or any(code in some for code in _SETS)
        self._add(some)
        return len(data)

    def buffer(self, buffer: PickleBuffer) -> None:
        """Add what would come in the pickle, where it is large, as what cannot be sliced; it has no sets."""
        self._add(bytes(buffer.raw()[: self._left]))

    def _add(self, some: bytes) -> None:
        self.total = crc32(some, self.total)
        self._left -= len(some)
        if self.full:
            raise _FullError
