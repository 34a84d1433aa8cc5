"""Markers, such as ``MISSING = object()``: what a module has a name for, and is told by its identity.

A copy would be another one, and ``result is MISSING`` false of it. So it travels by that name, and each
process has its own.

Workers import this, so it imports next to nothing.
"""

from __future__ import annotations

import copyreg
import sys
from _io import BytesIO
from _operator import methodcaller
from _pickle import Pickler
from functools import partial

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import attributes_of, is_a, is_frozen, told_by
from .._inspect._callables import called
from ._pickling import Performed, dump, held_in
from ._whole_errors import reduced_error, says_how

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pickle import PickleBuffer
    from typing import Any

__all__ = ["Markers", "marker"]

_AS_EVER = methodcaller("__reduce_ex__", 5)

_PLAIN = ("__eq__", "__getstate__", "__hash__", "__reduce__", "__reduce_ex__")
"""Methods that a marker's class leaves as they are: it is told by its identity, and pickled as it is made."""

_MAIN = "__main__"

_PIPES = "multiprocessing.connection"
"""The home of what pickle copies by the number of a descriptor, which is another one's in another process: a
worker that was sent the end of a pipe closed its own."""

_HERE = ""
"""Stands for the main module, whose name in a pickle says that something there has to go by value."""


class Markers(dict["type[Any]", "Callable[[Any], Any]"]):
    """How objects are pickled, by their classes; for one job, whose callable is asked where it looks.

    Errors that things hold are pickled so that they arrive whole, too, and ends of pipes are refused.

    A class that no module has a marker of costs nothing from its second object on.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self._named = _globals_of_callable(fn)

    def dump(self, value: Any) -> list[Any]:
        """Items or results as frames."""
        return dump(value, self._pickled, self)

    def _pickled(self, value: Any, protocol: int, buffer_callback: Callable[[PickleBuffer], Any]) -> bytes:
        """Stands in for `pickle.dumps`."""
        file = BytesIO()
        pickler = Pickler(file, protocol, buffer_callback=buffer_callback)
        pickler.dispatch_table = self
        pickler.dump(value)
        return file.getvalue()

    def __missing__(self, kind: type[Any]) -> Callable[[Any], Any]:
        """How objects of a class are pickled, which was not met before."""
        if issubclass(kind, type):
            raise KeyError(kind)  # classes go by their own names
        reducer = copyreg.dispatch_table.get(kind) or self._reducer(kind)
        self[kind] = reducer
        return reducer

    def _reducer(self, kind: type[Any]) -> Callable[[Any], Any]:
        if issubclass(kind, BaseException):
            return _AS_EVER if says_how(kind) else reduced_error
        if told_by(kind, "__module__") == _PIPES:
            return _refuse
        if told_by(kind, "__setstate__") or any(told_by(kind, n) is not getattr(object, n) for n in _PLAIN):
            return _AS_EVER
        places: dict[int, list[tuple[str, str]]] = {}
        for home, named in self._homes(kind):
            for name, each in [*named.items()]:
                if type(each) is kind:
                    places.setdefault(id(each), []).append((home, name))
        return partial(_reduce, places) if places else _AS_EVER

    def _homes(self, kind: type[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Where a marker of a class may have its name: where its class has, or where the callable looks."""
        homes = [*sys.modules] if kind is object else [str(told_by(kind, "__module__"))]
        yield from ((home, _globals_of(home)) for home in homes)
        yield str(self._named.get("__name__")), self._named


def _refuse(end: Any) -> Any:
    msg = f"cannot pickle {type(end).__name__!r} object, which is a descriptor of its process"
    raise TypeError(msg)


def _reduce(places: dict[int, list[tuple[str, str]]], thing: Any) -> Any:
    """A marker by its names, as far as they still lead to it; other objects of its class as ever."""
    names = [place for place in places.get(id(thing), ()) if _found(*place) is thing]
    reduced = thing.__reduce_ex__(5)
    if not names or len(reduced[1]) > 1:
        return reduced
    state = object.__getstate__(thing)
    if not _is_constant(state):
        return reduced
    return marker, ([(_HERE if home == _MAIN else home, name) for home, name in names], type(thing), state)


def marker(names: list[tuple[str, str]], kind: Any, state: Any) -> Any:
    """The marker that has one of some names, each with its module; one made anew where none is alike.

    Of the names in a script, a worker has only those that its callable uses.
    """
    for home, name in names:
        found = _found(home or _MAIN, name)
        if type(found) is kind and object.__getstate__(found) == state:
            return found
    made = kind.__new__(kind)
    for each, value in held_in(state):
        object.__setattr__(made, each, value)
    return made


def _found(home: str, name: str) -> Any:
    """What a module has under a name; of one that a worker cannot import, what it was sent of it."""
    named = _globals_of(home)
    if name not in named:
        sent = _globals_of_callable(Performed.fn)
        named = sent if sent.get("__name__") == home else {}
    return named.get(name)


def _globals_of_callable(fn: Any) -> dict[str, Any]:
    named = told_by(called(fn), "__globals__")
    return named if is_a(named, dict) else {}  # some answer anything


def _globals_of(home: str) -> dict[str, Any]:
    return attributes_of(sys.modules.get(home))


def _is_constant(state: Any) -> bool:
    """Whether what an object holds is nothing that could be changed, so that it can be compared."""
    return all(is_frozen(value) for _, value in held_in(state))
