"""How many lanes share this machine already, so that `run` inside `run` does not multiply workers.

The figure travels in the context, which every item sees; worker processes get it with the job.
"""

from __future__ import annotations

from contextvars import ContextVar

__all__ = ["Loading", "lanes_around", "share"]

lanes_around: ContextVar[int] = ContextVar("concurrent_choices_lanes", default=1)


def share(workers: int) -> int:
    """The part of `workers` that one of the lanes around this call may start; at least one."""
    return max(1, workers // lanes_around.get())


class Loading:
    """Whether this process is a worker that reads what it was sent.

    A module that is imported for that and starts workers as it is imported would do so in each of them again,
    without an end.
    """

    now = False
