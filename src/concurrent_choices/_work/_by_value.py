"""Pickling by value, where cloudpickle alone would point at what a worker cannot import, or fails.

Imported only when plain pickle has failed: cloudpickle is slow to import.
"""

from __future__ import annotations

import io
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache, singledispatch
from operator import attrgetter
from pickle import PickleBuffer
from types import FunctionType, ModuleType
from typing import Any

import cloudpickle

from ._callables import enclosed
from ._generators import reducers

__all__ = ["dumps"]


def dumps(value: Any, beside: Callable[[PickleBuffer], object], apart: Iterable[ModuleType] = ()) -> bytes:
    """The pickle of a value, by value where its parts are from `__main__` or from inside a function.

    A buffer stays out of it where `beside` answers false. Modules that are `apart` are as `__main__` is.
    """
    child = sys.modules.get("__mp_main__")
    for module in apart if child is None else (*apart, child):
        if module.__name__ in sys.modules:  # one that was taken out again, cloudpickle would refuse
            cloudpickle.register_pickle_by_value(module)
            _staying.add(module.__name__)
    _mine.update(reducers())  # as of now: their modules may be imported later than this one
    with io.BytesIO() as file:
        _Pickler(file, protocol=5, buffer_callback=beside).dump(value)
        return file.getvalue()


def _cached(fn: Callable[..., Any], parameters: dict[str, Any]) -> Callable[..., Any]:
    """A cached function with nothing in its cache."""
    cached: Callable[..., Any] = lru_cache(**parameters)(fn)
    return cached


def _reduce_cached(wrapper: Any) -> str | tuple[Any, ...]:
    """How a function under `functools.cache` travels: by its name where a worker can import it.

    cloudpickle looks only at plain functions and takes the wrapper, which is none, to be importable.
    """
    if _is_importable(wrapper):
        name: str = wrapper.__reduce__()
        return name
    return _cached, (wrapper.__wrapped__, wrapper.cache_parameters())


def _is_importable(wrapper: Any) -> bool:
    try:
        home: str = wrapper.__module__
        found = attrgetter(wrapper.__qualname__)(sys.modules[home])
    except (AttributeError, KeyError):
        return False
    return found is wrapper and not any(f"{home}.".startswith(f"{each}.") for each in _staying)


_staying = {"__main__"}
"""Names of modules that no worker can import, met so far."""


def _computed_once(fn: Callable[[Any], Any], name: str | None) -> cached_property[Any]:
    """A cached property; its class, which is made without what it holds, does not tell it its name."""
    made = cached_property(fn)
    made.attrname = name
    return made


def _reduce_cached_property(found: Any) -> tuple[Any, ...]:
    """Without the lock that it has up to CPython 3.11."""
    return _computed_once, (found.func, found.attrname)


_any: Any = singledispatch(len)
_DISPATCHING, _DISPATCH = _any.__code__, _any.dispatch.__code__
"""Of all functions that `functools.singledispatch` makes, and of their methods that methods hold from CPython
3.13 on. They hold a cache by classes, which has no pickle."""


def _dispatching(kinds: dict[type, Callable[..., Any]]) -> Any:
    """A function for each of some kinds of its first argument."""
    made = singledispatch(kinds[object])
    for kind, each in kinds.items():
        made.register(kind, each)
    return made


def _dispatch(kinds: dict[type, Callable[..., Any]]) -> Any:
    """The function that finds those."""
    return _dispatching(kinds).dispatch


def _reduce_dispatching(fn: Any) -> Any:
    """How a function that goes by the kind of what it is given travels: by what it was made of."""
    if fn.__code__ is _DISPATCHING and not _is_importable(fn):
        return _dispatching, (dict(fn.registry),)
    if fn.__code__ is _DISPATCH:
        return _dispatch, (dict(dict(enclosed(fn))["registry"]),)
    return NotImplemented


def _is_mains(kind: type) -> bool:
    """Whether the main module has a class of its own under its name."""
    return kind.__module__ == "__main__" and vars(sys.modules["__main__"]).get(kind.__name__) is kind


def _reduce_placed(kind: type, make: Callable[..., type], made_of: tuple[Any, ...], *state: Any) -> Any:
    """How a class of the main module travels, of which it is known how a class travels elsewhere."""
    return _placed, (kind.__name__, make, made_of), *state


def _placed(name: str, make: Callable[..., type], made_of: tuple[Any, ...]) -> type:
    """A class that is found in the main module, by calls that pickle what is made of it, or read that."""
    main, made = vars(sys.modules["__main__"]), make(*made_of)
    if main.get(name) is _given.get(name):  # never in the place of what the caller's own has there
        main[name] = _given[name] = made
    return made


_given: dict[str, type] = {}
"""What was put into the main module of this process, which is a worker, by its name there."""


# Merged, not put in front: every object is looked up in each of the maps.
_own, *_others = cloudpickle.Pickler.dispatch_table.maps
_mine: dict[type, Callable[[Any], Any]] = {
    **_own,
    cached_property: _reduce_cached_property,
    type(lru_cache(len)): _reduce_cached,
}
_REDUCERS = ChainMap(_mine, *_others)


class _Pickler(cloudpickle.Pickler):
    dispatch_table = _REDUCERS

    def reducer_override(self, obj: Any, /) -> Any:
        """How functions and classes travel, which are in no table."""
        if isinstance(obj, type):
            reduced: Any = super().reducer_override(obj)
            return _reduce_placed(obj, *reduced) if _is_mains(obj) else reduced
        if not isinstance(obj, FunctionType):
            return NotImplemented
        reduced = _reduce_dispatching(obj)
        return super().reducer_override(obj) if reduced is NotImplemented else reduced
