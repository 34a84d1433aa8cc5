"""The wires of workers, all listened to in one thread."""

from __future__ import annotations

import select
from _socket import MSG_DONTWAIT
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from ._host import Worker
from ._waker import Waker

__all__ = ["Wires"]


class _HasWorker(Protocol):
    worker: Worker


Q = TypeVar("Q", bound=_HasWorker)


class Wires(Generic[Q]):
    """What one thread listens to: wires and sentinels of workers, and a waker.

    Kept up to date here: the queues, what each worker has in hand, by the descriptor of its wire.
    """

    def __init__(self, queues: dict[int, Q], waker: Waker) -> None:
        self._queues = queues
        self._waker = waker
        self._blocked: set[int] = set()
        self._poll = select.poll()
        self._poll.register(waker.fileno(), select.POLLIN)

    def add(self, queue: Q) -> None:
        """Listen to one more worker."""
        worker = queue.worker
        self._queues[worker.link.fileno()] = queue
        self._poll.register(worker.link.fileno(), select.POLLIN)
        if worker.sentinel is not None:
            self._poll.register(worker.sentinel, select.POLLIN)

    def remove(self, queue: Q) -> None:
        """Listen to a worker no more, while its descriptors are still open."""
        descriptor = queue.worker.link.fileno()
        self._poll.unregister(descriptor)
        if queue.worker.sentinel is not None:
            self._poll.unregister(queue.worker.sentinel)
        self._blocked.discard(descriptor)
        del self._queues[descriptor]

    def flush(self, queue: Q) -> None:
        """Send what there is room for; the rest goes when there is more."""
        link = queue.worker.link
        with suppress(ConnectionError):  # its end is noticed where we listen
            link.flush(MSG_DONTWAIT)
        descriptor = link.fileno()
        if link.pending != (descriptor in self._blocked):
            self._blocked ^= {descriptor}
            mask = select.POLLIN | select.POLLOUT if link.pending else select.POLLIN
            self._poll.modify(descriptor, mask)

    def wait(self, milliseconds: float | None) -> list[tuple[int, int]]:
        """Wait until somebody speaks, for so long at most; what `heard` takes."""
        return self._poll.poll(milliseconds)

    def heard(self, events: Iterable[tuple[int, int]]) -> Iterator[tuple[Q, bool]]:
        """Whose worker speaks, and whether by its sentinel, which says that it is dead."""
        for descriptor, event in events:
            if descriptor == self._waker.fileno():
                self._waker.hush()
            elif (queue := self._queue_of(descriptor)) is not None:
                if event & select.POLLOUT:
                    self.flush(queue)
                dead = descriptor == queue.worker.sentinel
                outlived = dead and not queue.worker.process.ended  # it was its fork server that has ended
                if event & ~select.POLLOUT and not outlived:
                    yield queue, dead

    def _queue_of(self, descriptor: int) -> Q | None:
        """The queue whose worker's wire or sentinel it is; None where it is nobody's any more."""
        sentinels = (queue for queue in self._queues.values() if queue.worker.sentinel == descriptor)
        return self._queues.get(descriptor) or next(sentinels, None)
