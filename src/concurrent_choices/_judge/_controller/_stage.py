"""What all states of the controller have in common."""

from __future__ import annotations

from typing import Protocol

from ._sight import Arrangement, Sight
from ._thresholds import GLANCE

__all__ = ["Stage", "calm"]


class Stage(Protocol):
    """One state."""

    name: str

    def look(self, sight: Sight) -> Stage:
        """The state that follows: often this one."""
        ...

    def arrange(self) -> Arrangement:
        """What this state wants."""
        ...


def calm(sight: Sight) -> float:
    """Seconds to the next look where nothing is expected: a tenth of what has passed."""
    return max(GLANCE, sight.now / 10)
