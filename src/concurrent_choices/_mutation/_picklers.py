"""Picklers whose pickles are only summed up: sets in order, and of what has no pickle what it is made of.

Workers import this, so nothing slow may be imported here.
"""

from __future__ import annotations

from _pickle import Pickler, dumps
from types import FunctionType, MappingProxyType, ModuleType

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import attributes_of, of_loaded, of_type
from .._inspect._callables import defaults_of, enclosed
from .._inspect._ownership import is_own_class, is_own_function
from .._runtime._interrupted import raise_handlers

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Ordered", "Piecewise", "bytes_of", "is_opened"]

_MOST = 1 << 18
"""Bytes of a buffer that are looked at, as of a pickle."""

_MOST_PIECES = 2000
"""Pieces of one value without a pickle that are looked at: 10 microseconds each (measured)."""

_OPENED = frozenset({"builtins", "collections", "functools", "queue", "threading", "types"})
"""Modules of Python's own whose objects are what they hold. What others hold, as a client of `http` its
connection, each process may have for itself."""

_BUFFERS = (
    *(("builtins", "memoryview"), ("mmap", "mmap")),
    *(("_ctypes", name) for name in ("_SimpleCData", "Array", "Structure", "Union")),
)
"""Classes whose objects are bytes, which some of them have no pickle of."""

_WEAK = (("weakref", "WeakKeyDictionary"), ("weakref", "WeakValueDictionary"))


class Ordered(Pickler):
    """Pickles in place of each set what `sums` gives for it."""

    sums: Callable[[set[Any] | frozenset[Any]], list[int]]

    def persistent_id(self, obj: Any) -> list[Any] | None:
        if not issubclass(type(obj), (frozenset, set)):
            return None
        derived = type(obj) not in {frozenset, set}
        return [type(obj), attributes_of(obj), self.sums(obj)] if derived else self.sums(obj)


class Piecewise(Ordered):
    """Goes into the user's own objects and functions, and Python's; for all others stands what `alone` gives.

    A lock in an object leaves that without a pickle, and still it may hold settings. A library's object
    without one, such as a client, is another one in each process, and is meant to be.
    """

    alone: Callable[[object], int]
    _left = _MOST_PIECES

    def reducer_override(self, obj: Any) -> Any:
        """How all is pickled but plain data. What is held comes last: it may lead back to what holds it."""
        self._left -= 1
        if self._left < 0 and obj is not tuple:
            return tuple, ()  # what follows counts by its number alone
        if of_type(obj, type, FunctionType, ModuleType):
            return self._named(obj)
        held = _held_by(obj)
        if held is not None:
            return tuple, (), held
        reduced = _reduced(obj) if is_opened(obj) else None
        return (tuple, (), self.alone(obj)) if reduced is None else reduced

    def _named(self, thing: Any) -> Any:
        """How what has a name is pickled: by that where it is to be found there."""
        if _has_pickle(thing):
            return NotImplemented
        return tuple, (), (self.alone(thing), *_within_function(thing))


def _held_by(thing: Any) -> tuple[Any, ...] | None:
    """What a thing holds that a pickle of its own does not tell; None where it does, or holds nothing."""
    if (held := bytes_of(thing)) is not None:
        return type(thing).__name__, held
    if of_type(thing, MappingProxyType):
        return ({**thing},)
    if of_type(thing, property):
        return thing.fget, thing.fset, thing.fdel
    if of_loaded(thing, _WEAK):
        return (list(thing.items()),)
    return (thing(),) if of_loaded(thing, (("weakref", "ReferenceType"),)) else None


def bytes_of(thing: Any) -> bytes | None:
    """The first of the bytes that a thing is; None where it is no buffer, or one that cannot tell."""
    if not of_loaded(thing, _BUFFERS):
        return None
    try:
        with memoryview(thing) as view, view.cast("B") as flat:
            return bytes(flat[:_MOST])
    except Exception as error:  # noqa: BLE001 - it may be closed, or in pieces
        raise_handlers(error)
        return None


def _has_pickle(thing: object) -> bool:
    try:
        dumps(thing)
    except Exception as error:  # noqa: BLE001 - picklers raise anything
        raise_handlers(error)
        return False
    return True


def _within_function(function: Any) -> tuple[Any, ...]:
    """What tells a function of the user's own from others that are called the same, as a lambda is."""
    if not is_own_function(function):
        return ()
    code = function.__code__
    return code.co_firstlineno, *defaults_of(function), *enclosed(function)


def is_opened(thing: object) -> bool:
    """Whether an object is what it holds: the user's own are, and some of Python's."""
    kind = type(thing)
    return kind.__module__ in _OPENED or is_own_class(kind)


def _reduced(thing: Any) -> Any:
    """What a thing's pickle is made of; None where it refuses to have one."""
    attributes_of(thing)  # some have others in their pickle once they were asked for any
    try:
        return thing.__reduce_ex__(5)
    except Exception as error:  # noqa: BLE001 - an object's own hook raises anything
        raise_handlers(error)
        return None
