"""The clocks that measuring reads, as a protocol, so that a test can bring exact ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import threading

__all__ = ["Clock"]


class Clock(Protocol):
    """What can be read of time and of the work done in it.

    All readings only ever grow; only differences of two readings mean anything. Times are
    nanoseconds. A clock that cannot give one of them answers 0 and names it in `missing`.
    """

    @property
    def missing(self) -> tuple[str, ...]:
        """The readings it cannot give, each with the reason: ``"queued: no schedstat here"``."""
        ...

    def wall(self) -> int:
        """Time."""
        ...

    def thread_cpu(self) -> int:
        """CPU time of the calling thread."""
        ...

    def run_queue(self) -> int:
        """Time the calling thread was ready to run and had no core."""
        ...

    def process_cpu(self) -> int:
        """CPU time of all threads of this process."""
        ...

    def children_cpu(self) -> int:
        """CPU time of the child processes that have ended and were waited for."""
        ...

    def blocking_calls(self) -> int:
        """How often the calling thread went to sleep of its own accord."""
        ...

    def disk_blocks(self) -> int:
        """Blocks that the calling thread read from or wrote to disks."""
        ...

    def fresh_memory(self) -> int:
        """Bytes of memory that the calling thread was the first to touch."""
        ...

    def cores_busy(self) -> int:
        """Time that all cores of the machine have computed, for anybody; all time where nobody can tell."""
        ...

    def watch(self, thread: threading.Thread) -> tuple[int, int]:
        """CPU time and run-queue delay of another thread, while it works."""
        ...

    def watch_children(self, thread: threading.Thread) -> int:
        """CPU time of child processes, with those that another thread has started and that still run."""
        ...
