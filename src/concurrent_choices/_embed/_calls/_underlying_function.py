"""The function inside a callable: what a method, a partial, a chunk or an object has run."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ..._inspect._callables import called, taken_apart
from ._mapping import run_chunk

__all__ = ["function_shared_by_calls", "out_of_chunk"]


def out_of_chunk(fn: Any) -> Any:
    """What a chunk has called; any other callable itself."""
    return fn.args[0] if called(fn) is run_chunk else fn


def function_shared_by_calls(fn: Any) -> FunctionType | None:
    """The function inside, if all callables of the same code hold the same: not so closures, made anew."""
    function, *_ = taken_apart(out_of_chunk(fn), (), {})
    if type(function) is not FunctionType:
        return None
    own = function.__closure__ or function.__defaults__ or function.__kwdefaults__
    return None if own else function
