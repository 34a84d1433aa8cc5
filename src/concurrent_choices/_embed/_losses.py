"""What calls would lose in another process, told from their code before one of them has come to it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import FunctionType
from typing import Any

from .._work._stores import altered_by, alters_items
from .._work._words import reason_of
from ._inside import out_of_chunk, taken_apart

__all__ = ["lost_by"]


def lost_by(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """What a call changes, if ever it gets there, and would lose in another process; empty for nothing.

    Only what is plain, as where `run` asks the same; for an executor's calls also their own object, which
    travels with each of them.
    """
    try:
        inner = out_of_chunk(fn)
        if inner is not fn:
            fn, args = inner, args[0][0]
        witness = altered_by(fn) or _given_and_altered(fn, args, kwargs)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a value's own hooks raise anything, a CancelledError too
        return f"nobody can tell what calls change ({reason_of(error)})"
    return f"calls change {witness}, which would be lost in another process" if witness else ""


def _given_and_altered(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Which of the values that a call is given its code changes."""
    function, own, args, kwargs = taken_apart(fn, args, kwargs)
    if not isinstance(function, FunctionType):
        return ""
    for place, value in _placed(function, args, kwargs):
        if alters_items(partial(function, *[None] * place), [value]):
            return "its object" if place < own else "their arguments"
    return ""


def _placed(
    function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[tuple[int, Any]]:
    """The arguments that have a name, each with the place of its parameter."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    yield from enumerate(args[: len(names)])
    yield from ((names.index(name), value) for name, value in kwargs.items() if name in names)
