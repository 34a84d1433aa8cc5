"""What a loop hands to the conductor that goes on in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .._mutation._state import State
from .._strategies._lanes._threads import Lane

if TYPE_CHECKING:
    from threading import Thread

    from ._workforce import Workforce

__all__ = ["NOTHING", "CountInside", "Handover", "none"]

CountInside = Callable[[Sequence["Thread"]], int]
"""Of some threads with a loop each, how many are inside an item just now, instead of waiting."""


def none() -> int:
    """How many there are of what has not begun."""
    return 0


class Handover(NamedTuple):
    """What another has begun, on a loop, and a conductor goes on with; or nothing.

    Attributes:
        body: What lanes do instead of performing claims of a `def`, or None.
        state: What the callable held before its first call; None where nobody has looked.
        workforce: Worker processes, ordered already or not; None where there is nobody to order them yet.
        done: Asked for the items that the other has finished, or will have by the end.
        in_flight: Asked for those that it is at.
        count_inside: Asked for the lanes that are; None where they have no loops.
    """

    body: Callable[[Lane], None] | None = None
    state: State | None = None
    workforce: Workforce | None = None
    done: Callable[[], int] = none
    in_flight: Callable[[], int] = none
    count_inside: CountInside | None = None


NOTHING = Handover()
