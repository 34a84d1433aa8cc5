"""Whether an error is that of a signal's handler, which comes in the midst of anything, as time limits do.

A worker may import this, so nothing slow may be imported here.
"""

from __future__ import annotations

import _signal  # pyright: ignore[reportMissingModuleSource] - built in; `signal` makes enums of it for 0.4 ms
from functools import partial
from types import FunctionType, MethodType

from .._facts._lean import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType
    from typing import Any

__all__ = ["by_handler", "raise_handlers"]


def by_handler(error: BaseException) -> bool:
    """Whether a handler that is in place raised an error: its code is among those that it came through."""
    came_through: set[CodeType] = set()
    at = error.__traceback__ and error.__traceback__.tb_next  # whoever asks is no handler
    while at is not None:
        came_through.add(at.tb_frame.f_code)
        at = at.tb_next
    return bool(came_through) and not came_through.isdisjoint(_codes_of_handlers())


def raise_handlers(error: BaseException) -> None:
    """Raise an error on if it is that of a signal's handler, and none of what was pickled or asked."""
    if by_handler(error):
        raise error


def _codes_of_handlers() -> list[CodeType]:
    # Most have none, which are left out first: pickling fails, and asks for them, often.
    there: Iterable[Any] = filter(callable, map(_signal.getsignal, _signal.valid_signals()))
    functions = map(_function_of, there)
    return [each.__code__ for each in functions if isinstance(each, FunctionType)]


def _function_of(handler: Any) -> Any:
    # Not by `_callables`, which asks things what they are, and so needs this.
    while isinstance(handler, (partial, MethodType)):
        handler = handler.func if isinstance(handler, partial) else handler.__func__
    return handler if isinstance(handler, FunctionType) else type(handler).__call__
