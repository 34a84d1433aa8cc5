"""The items of a run: handed out once each, in batches that adapt; and what came of them."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from ._host import World
from ._scripts import Phase

__all__ = ["Completion", "WorkQueue"]


@frozen
class Completion:
    """A batch that is done, as whoever steers the run sees it.

    Attributes:
        kind: The kind of lane that did it: "caller", "thread", "task" or "process".
        start: The index of its first item.
        count: How many items it has.
        wall: Seconds it took.
        cpu: Seconds of computing in it.
        queued: Seconds it was runnable without a core.
    """

    kind: str
    start: int
    count: int
    wall: float
    cpu: float
    queued: float


class WorkQueue:
    """Hands out items and collects completions.

    Attributes:
        told: Called with every completion.
        done: Items that are done.
        last: When the last of them was, in virtual seconds.
        lanes: Those that share what is left.
    """

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._seed = seed
        self.told: Callable[[Completion], None] = lambda _: None
        self._claimed = 0
        self.done = 0
        self.last = 0.0
        self.lanes = 0

    @property
    def left(self) -> int:
        """Items not handed out yet."""
        return self._world.script.items - self._claimed

    def claim(self, size: int) -> range:
        """At most `size` consecutive items, no more than half a lane's share of what is left."""
        fair = self.left // (2 * max(1, self.lanes))
        count = min(self.left, max(1, min(size, fair)))
        self._claimed += count
        return range(self._claimed - count, self._claimed)

    def phases(self, index: int) -> tuple[Phase, ...]:
        """What an item does."""
        return self._world.script.phases_of(index, self._seed)

    def complete(self, completion: Completion) -> None:
        """Take a batch back."""
        self.done += completion.count
        self.last = self._world.engine.now
        self.told(completion)
