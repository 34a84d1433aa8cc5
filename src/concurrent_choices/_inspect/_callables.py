"""What can be told of a callable before it is called."""

from __future__ import annotations

from functools import lru_cache, partial
from types import BuiltinFunctionType, FunctionType, MethodType

from .._facts._lean import TYPE_CHECKING
from .._runtime._interrupted import raise_handlers
from ._asking import told_by
from ._words import safe_repr, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = [
    "called",
    "defaults_of",
    "enclosed",
    "is_async",
    "is_generator",
    "name_of",
    "show_call",
    "taken_apart",
    "touches_nothing",
]

_CALLING = ("CALL", "IMPORT", "ITER", "YIELD", "SEND", "WITH", "INTRINSIC")

_NUMERIC = frozenset({abs, bin, chr, hex, oct, ord, round})

_GENERATOR, _COROUTINE, _AWAITED, _ASYNC_GENERATOR = 0x20, 0x80, 0x100, 0x200
"""Flags of code, as `inspect` has them: CO_GENERATOR and so on. To import that costs a first run 5 ms.

`_AWAITED`, which is CO_ITERABLE_COROUTINE, is that of a generator function under `types.coroutine`, whose
generators are awaited as coroutines are.
"""

_DISGUISES = ("_is_coroutine_marker", "__partialmethod__")
"""What a function or class has that `inspect` takes for more than its code says: one that was marked by
`inspect.markcoroutinefunction`, from 3.12 on, and a method of `functools.partialmethod`, from 3.13 on."""


def is_async(fn: Callable[..., Any]) -> bool:
    """Whether calling `fn` gives a coroutine: through partials, methods and callable objects too."""
    flags = _flags(fn)
    if flags is not None:
        return bool(flags & (_COROUTINE | _AWAITED))
    import inspect  # noqa: PLC0415 - see `_GENERATOR`

    return any(_says(inspect.iscoroutinefunction, layer) or _is_awaited(layer) for layer in _layers(fn))


def is_generator(fn: Callable[..., Any]) -> bool:
    """Whether calling `fn` gives a generator, plain or asynchronous, and none that is awaited."""
    flags = _flags(fn)
    if flags is not None:
        return bool(flags & (_GENERATOR | _ASYNC_GENERATOR)) and not flags & _AWAITED
    import inspect  # noqa: PLC0415 - as above

    asked = (inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    return any(_says(is_one, layer) and not _is_awaited(layer) for layer in _layers(fn) for is_one in asked)


def called(fn: Any) -> Any:
    """What a call runs: a partial's function, a method's; any other callable itself."""
    while isinstance(fn, (partial, MethodType)):
        fn = fn.func if isinstance(fn, partial) else fn.__func__
    return fn


def taken_apart(
    fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, int, tuple[Any, ...], dict[str, Any]]:
    """The function that a call runs, how many of its arguments are its own object, and all its arguments."""
    while isinstance(fn, partial):
        fn, args, kwargs = fn.func, (*fn.args, *args), {**fn.keywords, **kwargs}
    if isinstance(fn, MethodType):
        return fn.__func__, 1, (fn.__self__, *args), kwargs
    if isinstance(fn, FunctionType):
        return fn, 0, args, kwargs
    return type(fn).__call__, 1, (fn, *args), kwargs


def name_of(fn: Callable[..., Any]) -> str:
    """A name a person recognises `fn` by."""
    fn = called(fn)
    name = told_by(fn, "__qualname__")
    return name if name and isinstance(name, str) else type(fn).__qualname__  # some answer anything


def show_call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """A call for messages: short. To spell its arguments may take longer than the call itself."""
    given = [*map(safe_repr, args), *(f"{name}={safe_repr(value)}" for name, value in kwargs.items())]
    return shortened(f"{name_of(fn)}({', '.join(given)})")


def enclosed(fn: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function uses of those around it: names and values, without names that are not bound yet."""
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        yield name, value


def defaults_of(fn: FunctionType) -> Iterator[tuple[str, Any]]:
    """What stands for arguments that are not given, by their names."""
    names, values = fn.__code__.co_varnames[: fn.__code__.co_argcount], fn.__defaults__ or ()
    count = min(len(names), len(values))  # a decorator may have given it those of another function
    yield from zip(names[len(names) - count :], values[len(values) - count :], strict=True)
    yield from (fn.__kwdefaults__ or {}).items()


def touches_nothing(fn: Callable[..., Any]) -> bool:
    """Whether `fn` provably calls nothing and names nothing outside its own arguments.

    Such a function can neither set a context variable nor end the process, so a whole batch of it
    may run without a fresh context and a progress mark for each item. Proven by its bytecode: no
    global, attribute or enclosing name, no call, and no loop, since an item may be a generator. (An
    operator of an item's own class could still do either; nobody has been seen to set a context
    variable in ``__mul__``.) What is written in C and takes numbers only is as harmless.
    """
    if isinstance(fn, BuiltinFunctionType):
        return fn in _NUMERIC or fn.__module__ == "math"
    if not isinstance(fn, FunctionType):
        return False
    code = fn.__code__
    if code.co_names or code.co_freevars or code.co_cellvars:
        return False
    return _calling().isdisjoint(code.co_code[::2])


@lru_cache
def _calling() -> frozenset[int]:
    """The instructions that call something."""
    import opcode  # noqa: PLC0415 - a worker, which is told, starts sooner without

    opcodes = opcode.opmap.items()
    return frozenset(number for name, number in opcodes if any(word in name for word in _CALLING))


def _flags(fn: Callable[..., Any]) -> int | None:
    """The flags of a plain function's code, and none of a class; None where one has to look further."""
    fn = called(fn)
    kind = type(fn)  # compared one by one: its own class may have no hash
    if not (kind is FunctionType or kind is BuiltinFunctionType or kind is type):
        return None
    if any(hasattr(fn, name) for name in _DISGUISES):
        return None
    return fn.__code__.co_flags if isinstance(fn, FunctionType) else 0


def _says(is_one: Callable[[Any], bool], layer: Any) -> bool:
    """What `inspect` finds; it asks for names, on which a callable's own `__getattr__` may raise anything."""
    try:
        return is_one(layer)
    except Exception as error:  # noqa: BLE001 - see above
        raise_handlers(error)
        return False


def _is_awaited(layer: Any) -> bool:
    return isinstance(layer, FunctionType) and bool(layer.__code__.co_flags & _AWAITED)


def _layers(fn: Callable[..., Any]) -> list[Any]:
    fn = called(fn)
    # Not `inspect.isroutine`, for which any object is one that a class could bind: a decorator's too.
    if isinstance(fn, (FunctionType, BuiltinFunctionType, type)):
        return [fn]
    # A callable object: what a call runs is its class's __call__.
    return [fn, getattr(type(fn), "__call__", None)]  # noqa: B004 - the method is wanted, not whether there is one
