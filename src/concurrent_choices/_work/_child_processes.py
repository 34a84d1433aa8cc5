"""Whether a callable starts child processes from its event loop, as far as its code tells."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ._captured import names_in, reached_from

__all__ = ["starts_children"]

_OF_ASYNCIO = {"create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"}
_OF_ANYIO_AND_TRIO = {"open_process", "run_process"}
_STARTERS = frozenset(_OF_ASYNCIO | _OF_ANYIO_AND_TRIO)


def starts_children(fn: Any) -> bool:
    """Whether the callable, or a function that it names, names what starts them."""
    functions = (part for _, part in reached_from(fn) if isinstance(part, FunctionType))
    return any(not _STARTERS.isdisjoint(names_in(each.__code__)) for each in functions)
