"""The function inside a callable: what a method, a partial, a chunk or an object has run."""

from __future__ import annotations

from functools import partial
from types import FunctionType, MethodType
from typing import Any

from .._work._callables import called
from ._mapping import run_chunk

__all__ = ["function_shared_by_calls", "out_of_chunk", "taken_apart"]


def out_of_chunk(fn: Any) -> Any:
    """What a chunk has called; any other callable itself."""
    return fn.args[0] if called(fn) is run_chunk else fn


def taken_apart(
    fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, int, tuple[Any, ...], dict[str, Any]]:
    """The function that runs, how many of its arguments are its own object, and all it is given."""
    while isinstance(fn, partial):
        fn, args, kwargs = fn.func, (*fn.args, *args), {**fn.keywords, **kwargs}
    if isinstance(fn, MethodType):
        return fn.__func__, 1, (fn.__self__, *args), kwargs
    if isinstance(fn, FunctionType):
        return fn, 0, args, kwargs
    return type(fn).__call__, 1, (fn, *args), kwargs


def function_shared_by_calls(fn: Any) -> FunctionType | None:
    """The function inside, if all callables of the same code hold the same: not so closures, made anew."""
    function, *_ = taken_apart(out_of_chunk(fn), (), {})
    if type(function) is not FunctionType:
        return None
    own = function.__closure__ or function.__defaults__ or function.__kwdefaults__
    return None if own else function
