"""The context that items run in: what one has left there, and what it says of the loop it was copied in."""

from __future__ import annotations

import sys
from contextvars import Context
from operator import is_

__all__ = ["leave_loop", "same"]


def same(context: Context, other: Context) -> bool:
    """Whether two contexts hold the very same values: equal ones may still be changed apart."""
    return len(context) == len(other) and all(map(is_, context.values(), other.values()))


def leave_loop(context: Context) -> None:
    """Have anyio take a context for one outside the loop that it was copied in, as items have left that.

    `anyio.run` says in the context which library runs, and everything of anyio asks there first.
    """
    library = getattr(sys.modules.get("sniffio"), "current_async_library_cvar", None)
    if library is not None and context.get(library) is not None:
        context.run(library.set, None)
