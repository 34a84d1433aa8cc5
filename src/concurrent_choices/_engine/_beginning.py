"""What a loop hands to the conductor that goes on in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from .._strategies._lanes._threads import Lane
from .._work._state import State

if TYPE_CHECKING:
    from ._worker_startup import WorkerStartup

__all__ = ["Beginning"]


class Beginning(NamedTuple):
    """What another has begun, on a loop, and a conductor goes on with.

    Attributes:
        body: What lanes do instead of performing claims of a `def`.
        state: What the callable held before its first call.
        startup: Worker processes that were ordered already, or None.
        done: Asked for the items that the other has finished, or will have by the end.
        in_flight: Asked for those that it is at.
    """

    body: Callable[[Lane], None]
    state: State
    startup: WorkerStartup | None
    done: Callable[[], int]
    in_flight: Callable[[], int]
