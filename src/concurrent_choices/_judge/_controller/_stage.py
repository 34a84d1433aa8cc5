"""What all states of the controller have in common."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ._sight import Arrangement, Sight
from ._thresholds import GLANCE

__all__ = ["Back", "Stage", "calm"]


class Back(NamedTuple):
    """In place of a state that follows: the calling thread works by itself again, for a reason."""

    reason: str


class Stage(Protocol):
    """One state."""

    name: str

    def look(self, sight: Sight) -> Stage | Back:
        """The state that follows: often this one."""
        ...

    def arrange(self) -> Arrangement:
        """What this state wants."""
        ...


def calm(sight: Sight) -> float:
    """Seconds to the next look where nothing is expected: a tenth of what has passed."""
    return max(GLANCE, sight.now / 10)
