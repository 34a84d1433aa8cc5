"""Markers, such as ``MISSING = object()``: what a module has a name for, and is told by its identity.

A copy would be another one, and ``result is MISSING`` false of it. So it travels by that name, and each
process has its own. One that has none travels as `_nameless` says.

Workers import this, so it imports next to nothing.
"""

from __future__ import annotations

import copyreg
import sys
from _io import BytesIO
from _operator import methodcaller
from _pickle import Pickler
from functools import partial, reduce

from .._facts._lean import TYPE_CHECKING
from .._inspect._asking import attributes_of, is_a, is_frozen, of_type, told_by
from .._inspect._callables import called, taken_apart
from .._inspect._generators import reducers
from .._runtime._interrupted import raise_handlers
from ._pickling import Performed, dump, held_in
from ._whole_errors import reduced_error, says_how

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pickle import PickleBuffer
    from typing import Any

__all__ = ["Markers", "dump_callable", "marker"]

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
        self._kinds = _kinds_of(fn)

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
        for home, path, named in self._homes(kind):
            for name, each in [*named.items()]:
                if type(each) is kind and (home != _MAIN or kind is not object):
                    places.setdefault(id(each), []).append((home, f"{path}{name}"))
        otherwise = _nameless() if kind is object else _AS_EVER
        return partial(_reduce, places, otherwise) if places else otherwise

    def _homes(self, kind: type[Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """Where a marker of a class may have its name: where its class has, or where the callable looks.

        Each is a module's name, a path in it, and what has names there. Of a script's names a worker has but
        those that its callable uses; a plain object from there needs none.
        """
        homes = [*sys.modules] if kind is object else [str(told_by(kind, "__module__"))]
        yield from ((home, "", _globals_of(home)) for home in homes)
        yield str(self._named.get("__name__")), "", self._named
        for each in (*self._named.values(), *self._kinds):
            if of_type(each, type):
                yield str(told_by(each, "__module__")), f"{told_by(each, '__qualname__')}.", vars(each)


def dump_callable(fn: Callable[..., Any], value: Any) -> list[Any]:
    """A callable, or what holds it, as frames: it may hold random generators that a library shares.

    They are looked for here alone, as it would cost each batch of items twice what pickling small ones does.
    """
    markers = Markers(fn)
    markers.update(reducers())
    return markers.dump(value)


def _refuse(end: Any) -> Any:
    msg = f"cannot pickle {type(end).__name__!r} object, which is a descriptor of its process"
    raise TypeError(msg)


def _nameless() -> Callable[[Any], Any]:
    from ._nameless import reduce_nameless  # noqa: PLC0415 - plain objects are rare, and a worker must start fast

    return reduce_nameless


def _reduce(places: dict[int, list[tuple[str, str]]], otherwise: Callable[[Any], Any], thing: Any) -> Any:
    """A marker by its names, as far as they still lead to it; other objects of its class otherwise."""
    names = [place for place in places.get(id(thing), ()) if _found(*place) is thing]
    if not names:
        return otherwise(thing)
    reduced = thing.__reduce_ex__(5)
    if len(reduced[1]) > 1:
        return reduced
    state = object.__getstate__(thing)
    if not _is_constant(state):
        return reduced
    return marker, ([(_HERE if home == _MAIN else home, name) for home, name in names], type(thing), state)


def marker(names: list[tuple[str, str]], kind: Any, state: Any) -> Any:
    """The marker that has one of some names, each with its module; one made anew where none is alike.

    Of the names in a script, a worker has only those that its callable uses. Modules are imported for it, as
    for what pickle itself has by name, but only if none that is imported already has it.
    """
    for home, name in sorted(names, key=lambda place: place[0] not in sys.modules):
        _import(home)
        found = _found(home or _MAIN, name)
        if type(found) is kind and object.__getstate__(found) == state:
            return found
    made = kind.__new__(kind)
    for each, value in held_in(state):
        object.__setattr__(made, each, value)
    return made


def _import(home: str) -> None:
    if home and home not in sys.modules:
        try:
            __import__(home)
        except Exception as error:  # noqa: BLE001 - to import is to run any code; another place may have it
            raise_handlers(error)


def _found(home: str, path: str) -> Any:
    """What a module has under a name; of one that a worker cannot import, what it was sent of it."""
    name, *inside = path.split(".")
    named = _globals_of(home)
    if name not in named:
        sent = _globals_of_callable(Performed.fn)
        named = sent if sent.get("__name__") == home else {}
    return reduce(told_by, inside, named.get(name))


def _kinds_of(fn: Any) -> tuple[type[Any], ...]:
    """The classes of the object whose method is called, which need not name them."""
    _, own, arguments, _ = taken_apart(fn, (), {})
    held: object = arguments[0] if own else None
    kinds: tuple[type[Any], ...] = told_by(held if of_type(held, type) else type(held), "__mro__")
    return kinds


def _globals_of_callable(fn: Any) -> dict[str, Any]:
    named = told_by(called(fn), "__globals__")
    return named if is_a(named, dict) else {}  # some answer anything


def _globals_of(home: str) -> dict[str, Any]:
    return attributes_of(sys.modules.get(home))


def _is_constant(state: Any) -> bool:
    """Whether what an object holds is nothing that could be changed, so that it can be compared."""
    return all(is_frozen(value) for _, value in held_in(state))
