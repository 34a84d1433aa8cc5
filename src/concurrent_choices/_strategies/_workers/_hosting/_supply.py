"""Items for workers, from an iterable that only the thread that listens to them may advance."""

from __future__ import annotations

from collections.abc import Callable, ValuesView

from ...._work._pace import MOST
from ...._work._source import Source
from ._worker_queue import WorkerQueue

__all__ = ["Supply"]


class Supply:
    """Keeps as many items ready as there are lanes, and more where those are too few.

    Args:
        source: Where they are.
        queues: What each worker has in hand.
        lanes: How many items workers perform at once, all together.
        deal: Gives workers what they have room for.
    """

    def __init__(
        self, source: Source, queues: ValuesView[WorkerQueue], lanes: int, deal: Callable[[], None]
    ) -> None:
        self._source = source
        self._queues = queues
        self._appetite = lanes
        self._deal = deal

    def feed(self) -> bool:
        """Pull few at a time, as nobody is heard meanwhile; whether it took any."""
        source = self._source
        if not source.ready and source.claimed:
            self._appetite = min(2 * self._appetite, MOST)
        if source.pause:
            self._hand_out()
        return source.feed(self._appetite, self._hand_out)

    def _hand_out(self) -> None:
        """Give workers what they have room for, and what lasts until the next item, as they are not heard."""
        self._deal()
        pause = self._source.pause
        if pause and self._source.ready:
            for queue in self._queues:
                queue.unheard = pause
            self._deal()
            for queue in self._queues:
                queue.unheard = 0.0
