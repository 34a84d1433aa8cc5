"""Pickling by value, where cloudpickle alone would point at what a worker cannot import.

Imported only when plain pickle has failed: cloudpickle is slow to import.
"""

from __future__ import annotations

import io
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import attrgetter
from pickle import PickleBuffer
from types import ModuleType
from typing import Any

import cloudpickle

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


# Merged, not put in front: every object is looked up in each of the maps.
_own, *_others = cloudpickle.Pickler.dispatch_table.maps
_mine: dict[type, Callable[[Any], Any]] = {**_own, type(lru_cache(len)): _reduce_cached}
_REDUCERS = ChainMap(_mine, *_others)


class _Pickler(cloudpickle.Pickler):
    dispatch_table = _REDUCERS
