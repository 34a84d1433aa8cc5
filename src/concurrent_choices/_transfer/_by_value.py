"""Pickling by value, where cloudpickle alone would point at what a worker cannot import, or fails.

Imported only where plain pickle will not do: cloudpickle is slow to import.
"""

from __future__ import annotations

import io
import sys
import typing
from collections import ChainMap
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache, singledispatch, singledispatchmethod, update_wrapper
from importlib import import_module
from operator import attrgetter
from pickle import PickleBuffer
from types import CodeType, FunctionType, ModuleType
from typing import Any, NewType, ParamSpec, TypeVarTuple
from uuid import uuid4
from weakref import WeakKeyDictionary

import cloudpickle

from .._inspect._asking import CACHED, attributes_of
from .._inspect._callables import enclosed
from .._inspect._generators import by_name, draws, reducers
from .._inspect._ownership import is_own_class
from .._mutation._marks import CONTAINERS, keeps_one, summed
from .._runtime._interrupted import raise_handlers
from ._classes import MET, reduce_class
from ._prepared import filled_function

__all__ = ["dumps"]


_NAMED = ("__doc__", "__module__", "__name__", "__qualname__", "__type_params__")
"""What functions that are alike have in common, besides what they are made of."""

_ARE_WORKED_OUT_LATE = sys.version_info >= (3, 14)
"""Whether annotations are made when somebody asks for them, and may name what only type checkers import."""

_ALIAS: Any = getattr(typing, "TypeAliasType", None)
"""What a `type` statement makes, from Python 3.12 on."""


def dumps(
    value: Any,
    beside: Callable[[PickleBuffer], object],
    apart: Iterable[ModuleType] = (),
    table: dict[type, Any] | None = None,
) -> bytes:
    """The pickle of a value, by value where its parts are from `__main__` or from inside a function.

    A buffer stays out of it where `beside` answers false. Modules that are `apart` go like `__main__`.
    Objects of classes of which nothing else says how they are pickled go by `table`.
    """
    child = sys.modules.get("__mp_main__")
    for module in apart if child is None else (*apart, child):
        if module.__name__ in sys.modules:  # one that was taken out again, cloudpickle would refuse
            cloudpickle.register_pickle_by_value(module)
            _staying.add(module.__name__)
    # As of now: their modules may be imported later than this one.
    _mine.update({**reducers(), io.TextIOWrapper: _reduce_file, **dict.fromkeys(_loggers(), _reduce_logger)})
    with io.BytesIO() as file:
        _Pickler(file, beside, table).dump(value)
        return file.getvalue()


def _cached(fn: Callable[..., Any], parameters: dict[str, Any], *kept: Any) -> Callable[..., Any]:
    """A cached function with nothing in its cache, or with what it keeps."""
    left = list(kept)

    def first(*args: Any, **kwargs: Any) -> Any:
        return left.pop() if left else fn(*args, **kwargs)

    cached: Callable[..., Any] = lru_cache(**parameters)(first if kept else fn)
    if kept:
        cached()
        update_wrapper(cached, fn)
    return cached


def _reduce_cached(wrapper: Any) -> str | tuple[Any, ...]:
    """How a function under `functools.cache` travels: by its name where a worker can import it.

    cloudpickle looks only at plain functions and takes the wrapper, which is none, to be importable.
    """
    if _is_importable(wrapper):
        name: str = wrapper.__reduce__()
        return name
    return _cached, (wrapper.__wrapped__, wrapper.cache_parameters(), *_fit_to_send(wrapper))


def _fit_to_send(wrapper: Any) -> tuple[Any, ...]:
    """What a cached function keeps and a worker gets a copy of, as it does of globals; empty for nothing.

    What a library made, such as a client, each process has for itself.
    """
    if not keeps_one(wrapper):
        return ()
    kept: object = wrapper()
    kind = type(kept)
    is_own = kind in CONTAINERS or kind.__module__ in _staying or is_own_class(kind)
    file = summed(kept) if is_own else None
    whole = file is not None and not file.full
    return (kept,) if whole and not any(map(draws, attributes_of(kept).values())) else ()


def _is_importable(thing: Any) -> bool:
    try:
        home: str = thing.__module__
        path = getattr(thing, "__qualname__", None) or thing.__name__  # a `type` statement gives no more
        found = attrgetter(path)(sys.modules[home])
    except (AttributeError, KeyError):
        return False
    return found is thing and not any(f"{home}.".startswith(f"{each}.") for each in _staying)


_staying = {"__main__"}
"""Names of modules that no worker can import, met so far."""


def _computed_once(fn: Callable[[Any], Any], name: str | None) -> cached_property[Any]:
    """A cached property, told its name here: a class that is made first and filled later does not tell it."""
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
    """A `singledispatch` function with these functions for kinds of its first argument."""
    made = singledispatch(kinds[object])
    for kind, each in kinds.items():
        made.register(kind, each)
    return made


def _dispatch(kinds: dict[type, Callable[..., Any]]) -> Any:
    """What finds them: the `dispatch` of such a function."""
    return _dispatching(kinds).dispatch


def _reduce_dispatching(fn: Any) -> Any:
    """How a `singledispatch` function travels: by the functions that it was made of."""
    if fn.__code__ is _DISPATCHING and not _is_importable(fn):
        return _dispatching, (dict(fn.registry),)
    if fn.__code__ is _DISPATCH:
        return _dispatch, (dict(dict(enclosed(fn))["registry"]),)
    return NotImplemented


def _reduce_dispatching_method(found: Any) -> tuple[Any, ...]:
    """Without the cache of methods by objects that it has in CPython 3.13."""
    make, made_of, state, *_ = found.__reduce_ex__(2)
    return make, made_of, {**state, **dict.fromkeys({"_method_cache"} & state.keys())}


def _reduce_code(code: CodeType) -> tuple[Any, ...]:
    """How code travels: as cloudpickle has it, and with the name of its file, whose lines tracebacks show.

    From 3.1.3 on cloudpickle leaves that out, so that pickles are alike wherever a function was written.
    """
    make, made_of = _own[CodeType](code)
    return make, tuple(code.co_filename if _stands_for_a_file(each) else each for each in made_of)


def _stands_for_a_file(part: object) -> bool:
    return type(part) is str and part == "<dynamic-code>"  # bytes, compared with text, may warn


def _with_words(fn: FunctionType) -> FunctionType | None:
    """A function just like one whose annotations cannot be had; None where those are not what is wrong.

    In words they are as under `from __future__ import annotations`.
    """
    if not _ARE_WORKED_OUT_LATE:
        return None
    library: Any = import_module("annotationlib")
    try:
        library.get_annotations(fn)
    except Exception as error:  # noqa: BLE001 - to work them out is to run any code
        raise_handlers(error)
        alike = FunctionType(fn.__code__, fn.__globals__, closure=fn.__closure__)
        alike.__defaults__, alike.__kwdefaults__ = fn.__defaults__, fn.__kwdefaults__
        alike.__annotations__ = library.get_annotations(fn, format=library.Format.STRING)
        for name in _NAMED:
            setattr(alike, name, getattr(fn, name))
        alike.__dict__.update(fn.__dict__)
        return alike
    return None


def _reduce_file(file: Any) -> Any:
    """A file stays: cloudpickle would send what is in it, and calls elsewhere would not move on in this one.

    What each process has of its own goes by name.
    """
    if file is sys.stdout or file is sys.stderr:
        return _own[io.TextIOWrapper](file)
    return by_name(file)


def _loggers() -> list[type]:
    """Classes of loggers that somebody has derived."""
    logging = sys.modules.get("logging")
    found: list[type] = [] if logging is None else logging.Logger.__subclasses__()
    for kind in found:
        found += kind.__subclasses__()
    return [kind for kind in found if kind.__name__ != "RootLogger"]


def _reduce_logger(logger: Any) -> tuple[Any, ...]:
    """With its class: by its name alone, one without its methods would be made in a worker."""
    return _logger, (logger.name, type(logger), logger.level)


def _logger(name: str, kind: type[Any], level: int) -> Any:
    """The logger of that name, of that class where it was not there before."""
    logging: Any = import_module("logging")
    usual = logging.getLoggerClass()
    logging.setLoggerClass(kind)
    try:
        found = logging.getLogger(name)
    finally:
        logging.setLoggerClass(usual)
    if level and not found.level:
        found.setLevel(level)
    return found


def _reduce_view(view: memoryview) -> Any:
    """As a view of a copy, where cloudpickle has bytes, which have other methods and cannot be changed."""
    made_of = view.tobytes() if view.readonly else bytearray(view.tobytes())
    parts = made_of, view.format, view.shape or ()
    try:
        _view(*parts)
    except (TypeError, ValueError):  # numbers in another order than this machine's, or none in two dimensions
        return _own[memoryview](view)
    return _view, parts


def _view(held: bytes | bytearray, form: str, shape: tuple[int, ...]) -> Any:
    flat: Any = memoryview(held)  # checkers take only formats that they know
    return flat if form == "B" and len(shape) == 1 else flat.cast(form, shape)


def _reduce_alias(alias: Any) -> str | tuple[Any, ...]:
    """How what a `type` statement names travels: by its name where a worker can import it."""
    if _is_importable(alias):
        name: str = alias.__reduce__()
        return name
    return _alias, (alias.__name__, alias.__value__, alias.__type_params__)


def _alias(name: str, value: Any, parameters: tuple[Any, ...]) -> Any:
    return _ALIAS(name, value, type_params=parameters)


def _reduce_named(thing: Any) -> str | tuple[Any, ...]:
    """How what `NewType` and the like make travels: by its name where a worker can import it."""
    if _is_importable(thing):
        name: str = thing.__reduce__()
        return name
    key = _keys.setdefault(thing, uuid4().hex)
    MET[key] = thing
    made_of = (thing.__name__, *([thing.__supertype__] if isinstance(thing, NewType) else ()))
    # As if it were in a slot, because some have no `__dict__` from CPython 3.12 on.
    return _named, (key, type(thing), made_of), (None, {"__module__": thing.__module__})


def _named(key: str, kind: type, made_of: tuple[Any, ...]) -> Any:
    """The one that there is, where it was met before: they are told by their identity."""
    found = MET.get(key)
    if found is None:
        found = MET.setdefault(key, kind(*made_of))
        _keys[found] = key
    return found


_keys: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
"""What those go by that `_reduce_named` is for."""


def _refuse_compiled(fn: Any) -> None:
    """Of a function that Nuitka has compiled, which passes for one, the code is a stub that raises."""
    if type(fn) is not FunctionType:
        msg = f"{fn.__qualname__} is compiled, and a worker would have to import it"
        raise TypeError(msg)


def _reduce_function(reduced: Any) -> Any:
    """How a function travels by value: as cloudpickle has it, and finds there what an initializer has set."""
    if reduced is NotImplemented or isinstance(reduced, str):
        return reduced
    make, made_of, state, *nothing, fill = reduced
    return make, made_of, (fill, state), *nothing, filled_function


# Merged, not put in front: every object is looked up in each of the maps.
_own, *_others = cloudpickle.Pickler.dispatch_table.maps
_mine: dict[type, Callable[[Any], Any]] = {
    **_own,
    CodeType: _reduce_code,
    memoryview: _reduce_view,
    cached_property: _reduce_cached_property,
    singledispatchmethod: _reduce_dispatching_method,
    CACHED: _reduce_cached,
    **dict.fromkeys((NewType, ParamSpec, TypeVarTuple), _reduce_named),
    **({_ALIAS: _reduce_alias} if _ALIAS else {}),
}
_REDUCERS = ChainMap(_mine, *_others)


class _Pickler(cloudpickle.Pickler):
    def __init__(self, file: Any, beside: Any, table: dict[type, Any] | None) -> None:
        self.dispatch_table = _REDUCERS if table is None else ChainMap(*_REDUCERS.maps, table)
        super().__init__(file, protocol=5, buffer_callback=beside)

    def reducer_override(self, obj: Any, /) -> Any:
        """How functions and classes travel, which are in no table."""
        if isinstance(obj, type):
            reduced: Any = super().reducer_override(obj)
            has_state = reduced is not NotImplemented and len(reduced) > 2  # noqa: PLR2004 - what makes it, and of what
            return reduce_class(obj, *reduced) if has_state else reduced
        if not isinstance(obj, FunctionType):
            return NotImplemented
        _refuse_compiled(obj)
        reduced = _reduce_dispatching(obj)
        return _reduce_function(self._of_function(obj)) if reduced is NotImplemented else reduced

    def _of_function(self, fn: FunctionType) -> Any:
        """What cloudpickle makes of a function, with its annotations in words where they cannot be had."""
        try:
            return super().reducer_override(fn)
        except Exception:
            alike = _with_words(fn)
            if alike is None:
                raise
            return super().reducer_override(alike)
