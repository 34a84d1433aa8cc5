"""By what a callable is recognised, though it is wrapped or made anew for each call."""

from __future__ import annotations

from contextvars import Context
from functools import partial
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any

from ..._inspect._asking import attributes_of, of_type

__all__ = ["Number", "identity_of", "number_of", "unwrapped"]

Number = int | tuple[int, ...]

DEEP = 100
"""Steps into a callable at most: decorators may name each other in a ring (guessed)."""


def identity_of(fn: Any) -> tuple[object, ...]:
    """What stays the same when the same code is submitted again, as a new lambda or a bound method.

    Of what is decorated it is the code of each decorator and the code inside: the first is shared by all that
    one decorator made, the last by what is not decorated.
    """
    parts: list[object] = []
    for _ in range(DEEP):
        part, fn = _layer(fn)
        if part is not None:
            parts.append(part)
        if fn is None:
            break
    return tuple(parts)


def number_of(identity: tuple[object, ...]) -> Number:
    """What finds an identity in a dictionary, while somebody holds it: equal code need not be the same."""
    return id(identity[0]) if len(identity) == 1 else tuple(map(id, identity))


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


def _layer(fn: Any) -> tuple[object, Any]:
    """What a callable is recognised by itself, and what it wraps; None where it has no such thing."""
    if type(fn) is FunctionType:
        return fn.__code__, _wrapped(fn) if fn.__closure__ else None
    if type(fn) is MethodType:
        return None, fn.__func__
    if of_type(fn, partial):
        return None, _inside(fn) or fn.func
    if of_type(fn, type):
        return fn, None
    if of_type(fn, BuiltinMethodType, MethodWrapperType):
        return _method(fn), None
    kind: Any = fn.__class__  # which a proxy has from what it stands for
    return _layer_of_object(fn, kind) if type(kind.__call__) is FunctionType else _layer_in_c(fn)


def _layer_of_object(fn: Any, kind: Any) -> tuple[object, Any]:
    # Not any attribute, which a remote server's proxy would make of every name.
    inner = attributes_of(fn).get("__wrapped__")
    return (kind, inner) if callable(inner) else (None, kind.__call__)


def _layer_in_c(fn: object) -> tuple[object, Any]:
    """As `_layer`, of what is written in C and may be made anew for each call: what has no name surely is."""
    code, inner = getattr(fn, "__code__", None), _wrapped(fn)
    if of_type(code, CodeType):
        return code, inner
    if inner is None:
        inner = getattr(fn, "__func__", None)
    return (fn if inner is None and hasattr(fn, "__name__") else type(fn)), inner


def _wrapped(fn: Any) -> Any:
    """What a decorated callable wraps; None where it does not say, or names itself."""
    inner = getattr(fn, "__wrapped__", None)
    return inner if inner is not fn and callable(inner) else None


def _method(fn: Any) -> object:
    """A method written in C as its class has it, since each object makes its own anew; or a function in C."""
    owner = fn.__self__
    if owner is None or type(owner) is ModuleType:
        return fn
    kind = owner if isinstance(owner, type) else type(owner)
    return next((vars(base)[fn.__name__] for base in kind.__mro__ if fn.__name__ in vars(base)), fn)
