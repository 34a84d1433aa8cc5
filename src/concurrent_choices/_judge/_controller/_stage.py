"""What all states of the controller have in common."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ._sight import Arrangement, Sight

__all__ = ["Back", "Stage"]


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
