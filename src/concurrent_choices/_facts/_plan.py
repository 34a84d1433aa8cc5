"""How to run: what the judge estimates and a strategy obeys."""

from __future__ import annotations

from attrs import frozen

from ._json import Jsonable

__all__ = ["Plan"]


@frozen(kw_only=True)
class Plan(Jsonable):
    """One way of running a workload.

    Attributes:
        strategy: A registered name.
        workers: Threads or processes.
        concurrency: Items in flight at once, over all workers, if a worker may have several.
        batch: Items handed to a lane at a time; None lets it adapt.
    """

    strategy: str
    workers: int = 1
    concurrency: int = 1
    batch: int | None = None

    @property
    def inside(self) -> int:
        """Items in flight in each worker."""
        return max(1, self.concurrency // max(1, self.workers))

    @property
    def in_flight(self) -> int:
        """Items in flight at once, even if each worker has one at a time."""
        return max(self.workers, self.concurrency)
