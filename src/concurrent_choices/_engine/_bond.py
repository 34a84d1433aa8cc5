"""Whether a callable belongs to the thread that calls it first."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .._inspect._bonds import HELD, bound_to_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Bond"]


class Bond:
    """What binds a callable, which may call some tasks too, to one thread, where this is made.

    A handler of logging has its lock while it writes, which gives away the GIL, so that whoever looks from
    another thread finds it taken nearly every time. Only the thread itself can tell, between two calls,
    whether a lock is the caller's or was a call's.
    """

    def __init__(self, fn: Any, tasks: Sequence[Any]) -> None:
        self._fn, self._tasks = fn, tasks
        self._thread = threading.get_ident()
        self._sure = False  # whether that thread has looked itself

    @cached_property
    def reason(self) -> str:
        """What binds it; empty if nothing is seen."""
        return self.look()

    @property
    def doubtful(self) -> bool:
        """Whether that is a lock which may be a call's."""
        return self.reason == HELD and not self._sure

    def look(self) -> str:
        """What binds it now, which is not remembered."""
        return bound_to_thread(self._fn, self._thread, self._tasks)

    def look_again(self) -> None:
        """Look for good: in the thread itself, between two calls."""
        self.reason = self.look()
        self._sure = True  # not before: until then another thread may see the old reason
