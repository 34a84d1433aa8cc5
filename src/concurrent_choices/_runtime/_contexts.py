"""The context that items run in: what one has left there, and what it says of loops and lanes around."""

from __future__ import annotations

import sys
from contextvars import Context, ContextVar
from operator import is_

__all__ = ["lanes_around", "leave_loop", "same", "share"]

lanes_around: ContextVar[int] = ContextVar("concurrent_choices_lanes", default=1)
"""How many lanes share this machine already, so that `run` inside `run` does not multiply workers.

Worker processes get the figure with the job.
"""


def share(workers: int) -> int:
    """The part of `workers` that one of the lanes around this call may start; at least one."""
    return max(1, workers // lanes_around.get())


def same(context: Context, other: Context) -> bool:
    """Whether two contexts hold the very same values: equal ones may still be changed apart."""
    return len(context) == len(other) and all(map(is_, context.values(), other.values()))


def leave_loop(context: Context) -> None:
    """Have anyio see that what runs in a context has left the loop that the context was copied in.

    `anyio.run` notes in the context which library runs, and everything of anyio looks there first.
    """
    library = getattr(sys.modules.get("sniffio"), "current_async_library_cvar", None)
    if library is not None and context.get(library) is not None:
        context.run(library.set, None)
