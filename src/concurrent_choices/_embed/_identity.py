"""By what a callable is recognised, though it is wrapped or made anew for each call."""

from __future__ import annotations

from contextvars import Context
from functools import partial
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any

__all__ = ["identity_of", "unwrapped"]


def identity_of(fn: Any) -> object:
    """What stays the same when the same code is submitted again, as a new lambda or a bound method."""
    while True:
        if type(fn) is FunctionType:
            return fn.__code__
        if type(fn) is MethodType:
            fn = fn.__func__
        elif _is(fn, partial):
            fn = _inside(fn) or fn.func
        elif isinstance(fn, BuiltinMethodType):
            owner = fn.__self__
            return fn if owner is None or type(owner) is ModuleType else _method(owner, fn)
        else:
            return fn if isinstance(fn, type) else _class_code(fn)


def unwrapped(
    fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A call without the `Context.run` that `asyncio` wraps around it: a context cannot travel."""
    if _is(fn, partial) and (inner := _inside(fn)) is not None:
        return inner, (*fn.args[1:], *args), {**fn.keywords, **kwargs}
    return fn, args, kwargs


def _inside(fn: Any) -> Any:
    called: Any = fn.func
    if type(called) is BuiltinMethodType and type(called.__self__) is Context and fn.args:
        return fn.args[0]
    return None


def _method(owner: object, fn: BuiltinMethodType) -> object:
    return getattr(type(owner), fn.__name__, type(owner))


def _class_code(fn: Any) -> object:
    kind: Any = getattr(fn, "__class__", None)
    return getattr(kind.__call__, "__code__", kind)


def _is(thing: object, kind: type) -> bool:
    """Whether it is of exactly this type, unseen by type checkers, which would ask for its arguments."""
    return type(thing) is kind
