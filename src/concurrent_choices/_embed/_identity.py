"""By what a callable is recognised, though it is wrapped or made anew for each call."""

from __future__ import annotations

from contextvars import Context
from functools import partial
from types import BuiltinMethodType, FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any

from .._work._asking import attributes_of, of_type

__all__ = ["identity_of", "unwrapped"]


def identity_of(fn: Any) -> object:
    """What stays the same when the same code is submitted again, as a new lambda or a bound method.

    Of what is decorated it is the code inside: all that one decorator made share the code outside.
    """
    while True:
        if type(fn) is FunctionType:
            inner = _wrapped(fn) if fn.__closure__ else None
            if inner is None:
                return fn.__code__
            fn = inner
        elif type(fn) is MethodType:
            fn = fn.__func__
        elif of_type(fn, partial):
            fn = _inside(fn) or fn.func
        elif of_type(fn, type):
            return fn
        elif of_type(fn, BuiltinMethodType, MethodWrapperType):
            return _method(fn)
        elif (inner := _called(fn)) is not None:
            fn = inner
        else:
            return _named(fn)


def unwrapped(
    fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A call without the `Context.run` that `asyncio` wraps around it: a context cannot travel."""
    if of_type(fn, partial) and (inner := _inside(fn)) is not None:
        return inner, (*fn.args[1:], *args), {**fn.keywords, **kwargs}
    return fn, args, kwargs


def _inside(fn: Any) -> Any:
    called: Any = fn.func
    if type(called) is BuiltinMethodType and type(called.__self__) is Context and fn.args:
        return fn.args[0]
    return None


def _wrapped(fn: Any) -> Any:
    """What a decorator stands around; None where it does not say, or names itself."""
    inner = getattr(fn, "__wrapped__", None)
    return inner if inner is not fn and callable(inner) else None


def _method(fn: Any) -> object:
    """A method written in C as its class has it, since each object makes its own anew; or a function in C."""
    owner = fn.__self__
    if owner is None or type(owner) is ModuleType:
        return fn
    kind = owner if isinstance(owner, type) else type(owner)
    return next((vars(base)[fn.__name__] for base in kind.__mro__ if fn.__name__ in vars(base)), fn)


def _called(fn: Any) -> Any:
    """What a call of an object runs: what it stands around, or its class's `__call__`; None if that is C."""
    kind: Any = fn.__class__  # which a proxy has from what it stands for
    call = kind.__call__
    if type(call) is not FunctionType:
        return _wrapped(fn)
    # Not any attribute, which a remote server's proxy would make of every name.
    inner = attributes_of(fn).get("__wrapped__")
    return inner if callable(inner) else call


def _named(fn: object) -> object:
    """Something written in C; or its class, if it has no name of its own: that kind is made for a call."""
    return fn if hasattr(fn, "__name__") else type(fn)
