"""Checks of what the public functions are given; the errors name the argument and what would be right."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Iterator
from itertools import chain
from typing import Any

from .._errors import InvalidArgumentError
from .._facts._numbers import is_whole, plain
from .._inspect._callables import is_async, is_generator, name_of
from .._work._source import SIZED

__all__ = [
    "FOREVER",
    "blocking",
    "check_budget",
    "check_buffersize",
    "check_callable",
    "check_fn",
    "check_fn_for_executor",
    "check_items",
    "check_switches",
    "check_timeout",
    "off_the_loop",
    "only_async",
]

FOREVER = 1e9
"""Seconds from which a limit counts as none: thirty years, which clocks and locks can still count."""


def check_callable(fn: Any) -> None:
    """`fn` must be callable."""
    if not callable(fn):
        problem = f"must be callable, not {type(fn).__name__}; give the function itself, without calling it"
        raise InvalidArgumentError("fn", problem)


def check_fn(fn: Any) -> None:
    """`fn` must be callable, and give values rather than a generator."""
    check_callable(fn)
    if is_generator(fn):
        problem = (
            f"{name_of(fn)} is a generator function: calling it runs nothing; "
            "have it return a value, such as a list, for each item"
        )
        raise InvalidArgumentError("fn", problem)


def check_fn_for_executor(fn: Any) -> None:
    """An executor calls `fn`, and awaits nothing."""
    if is_async(fn):
        problem = f"{name_of(fn)} is an async def, which needs an event loop rather than an executor"
        raise InvalidArgumentError("fn", problem)


def check_items(items: object, argument: str = "items") -> None:
    """`items`, or what stands for them, must be iterable without a loop."""
    if only_async(items):
        advice = "an async iterable needs `arun` or `astream`"
        raise InvalidArgumentError(argument, advice)
    if _is_single(items):
        raise InvalidArgumentError(argument, f"must be iterable, not {items!r}, which has no dimensions")
    if not isinstance(items, Iterable) and not hasattr(type(items), "__getitem__"):
        advice = "; call it for its items, or put it first if it is the function" if callable(items) else ""
        raise InvalidArgumentError(argument, f"must be iterable, not {type(items).__name__}{advice}")


def _is_single(items: object) -> bool:
    """Whether it is an array without dimensions, which has the methods for iterating all the same."""
    # The type is asked first: a user's own `__getattr__` may raise anything for a name that it does not know.
    return hasattr(type(items), "ndim") and getattr(items, "ndim", None) == 0


def blocking(items: Any) -> Any:
    """Items, checked, for a caller without a loop: some, as a query of Django, are iterable in both ways."""
    check_items(items)
    checked: Iterable[Any] = items
    return iter(checked) if isinstance(items, AsyncIterable) else checked


def only_async(items: object) -> bool:
    """Whether they can only be iterated over in a loop."""
    return isinstance(items, AsyncIterable) and not isinstance(items, Iterable)


def off_the_loop(items: Any) -> Any:
    """Items, checked, for a caller in a loop: a query may be sent where its iterator is made, so not here."""
    given: Iterable[Any] = items
    if isinstance(items, AsyncIterable):
        return given
    check_items(items)
    is_at_hand = type(items) in SIZED or isinstance(items, Iterator)
    return given if is_at_hand else chain(given)


def check_switches(**switches: object) -> None:
    """These must be True or False, as "no" would count as true."""
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise InvalidArgumentError(name, f"must be True or False, not {value!r}")


def check_timeout(timeout: Any) -> float | None:
    """`timeout` must be a number of seconds above 0; infinity, or nearly, means none."""
    if timeout is None:
        return None
    seconds = _seconds_in(timeout)
    if seconds is None:
        raise InvalidArgumentError("timeout", f"must be seconds above 0, or None, not {timeout!r}")
    return seconds if seconds < FOREVER else None


def check_budget(budget: Any) -> float:
    """`budget` must be a number of seconds above 0."""
    seconds = _seconds_in(budget)
    if seconds is None:
        raise InvalidArgumentError("budget", f"must be seconds above 0, not {budget!r}")
    return seconds


def _seconds_in(value: Any) -> float | None:
    """The seconds a value stands for, no more than `FOREVER`; None where it is no number above 0."""
    number = plain(value)
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not number > 0:
        return None
    return float(min(number, FOREVER))


def check_buffersize(buffersize: Any) -> int | None:
    """`buffersize` must be a whole number from 1."""
    size = plain(buffersize)
    if size is None:
        return None
    if not is_whole(size, 1):
        problem = f"must be a whole number from 1, or None, not {buffersize!r}"
        raise InvalidArgumentError("buffersize", problem)
    return size
