"""What calls would lose in another process, told from their code before one of them has come to it."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ..._inspect._callables import taken_apart
from ..._inspect._captured import reached_from
from ..._inspect._held_items import holds_items
from ..._inspect._tasks import tasks_among
from ..._inspect._words import loss_of, reason_of
from ..._mutation._alterations import altered_by, alters_parameter
from ..._transfer._hashed import given_hashed
from ..._transfer._kept_here import tied_here
from .._calls._underlying_function import out_of_chunk

__all__ = ["given_tasks", "lost_by"]


def lost_by(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """What a call changes, if ever it gets there, and would lose in another process; empty for nothing.

    Only what is plain, as where `run` asks the same; for an executor's calls also what they bind anew in
    their own object, which travels with each of them. They also lose what they find by its identity.
    """
    try:
        inner = out_of_chunk(fn)
        if inner is not fn:
            fn, args = inner, args[0][0]
        if altered := altered_by(fn) or _given_and_altered(fn, args, kwargs):
            return loss_of(altered)
        tasks = tasks_among(fn, [*args, *kwargs.values()])
        if any(map(altered_by, tasks)):
            return loss_of("their arguments")
        if tied := next((stays for each in tasks if (stays := tied_here(each))), ""):
            return tied
        return given_hashed(fn, args, kwargs) or holds_items(reached_from(fn), [*args, *kwargs.values()])
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a value's own hooks raise anything, a CancelledError too
        return f"nobody can tell what calls change ({reason_of(error)})"


def given_tasks(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """What a call, or the first of a chunk, is given that it may call."""
    inner = out_of_chunk(fn)
    return tasks_among(inner, [*(args if inner is fn else args[0][0]), *kwargs.values()])


def _given_and_altered(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Which of the values that a call is given its code changes."""
    function, own, args, kwargs = taken_apart(fn, args, kwargs)
    if not isinstance(function, FunctionType):
        return ""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    by_name = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    given = [
        *zip(positional, args, strict=False),
        *((name, kwargs[name]) for name in by_name if name in kwargs),
    ]
    for name, value in given:
        if alters_parameter(function, name, [value]):
            return "its object" if name in positional[:own] else "their arguments"
    return ""
