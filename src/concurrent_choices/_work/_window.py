"""How far a source may run ahead of the results that have reached the caller."""

from __future__ import annotations

__all__ = ["Window"]

_NO_BOUND = 1 << 62


class Window:
    """How many items may have left a source that are not yet released.

    Attributes:
        most: So many; None is no bound.
        fixed: Whether that stays as it is.
    """

    def __init__(self, most: int | None, *, fixed: bool) -> None:
        self.most = most
        self.fixed = fixed
        self._lanes = self._least = self._released = 0

    def staffed(self, lanes: int) -> None:
        """Learn that so many lanes draw from the source: twice as many items may be under way."""
        self._lanes = max(self._lanes, lanes)
        if self.most is not None and not self.fixed:
            self.most = max(self.most, 2 * lanes)

    def look_ahead(self, most: int, held: int) -> None:
        """Be so large, or what lanes need; but they may have no more than `held` ahead."""
        if self.most is not None and not self.fixed:
            self.most = min(max(most, 2 * self._lanes), self._lanes + held)

    def make_room(self, gone: int) -> None:
        """Let at least one more item leave than those, whatever the size is, or becomes meanwhile."""
        self._least = gone - self._released + 1

    def release(self, count: int) -> None:
        """Learn that `count` results have reached the caller."""
        self._released += count

    def beyond(self, gone: int) -> int:
        """How many more items than these may leave before a result is released."""
        return _NO_BOUND if self.most is None else max(self.most, self._least) - (gone - self._released)

    def fitting(self, lanes: int) -> int:
        """So many lanes, or fewer where fewer items may ever be under way."""
        return lanes if self.most is None or not self.fixed else min(lanes, self.most)
