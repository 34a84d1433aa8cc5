"""The stations that an item visits, and for how long."""

from __future__ import annotations

from math import inf

from attrs import frozen

__all__ = ["Demand"]


@frozen(kw_only=True)
class Demand:
    """What one item asks of each station, in seconds unless said otherwise.

    Attributes:
        gil: CPU time holding the GIL.
        work: Time on cores without the GIL, its own and its children's.
        width: Cores kept busy during `work`: native threads, parallel children.
        aside: The part of `work` that others do while it waits for them. It holds no event loop.
        wait: Waiting that any number of items may do at once.
        block: Waiting while holding the event loop (coroutines only).
        pause: The longest of its waits; infinite where unknown.
        resource: Time at something that serves one item at a time, within this process.
        shared_resource: The same, where all processes share it.
        cold: Computing that coroutines on one loop spare each other; it is in `wait`.
        in_step: Whether a trial showed lanes that compute, then wait, in step.
        inflation: Factor by which a second busy lane lengthens computing; 1 where it does not.
        cores: Cores there are for it; neighbours may keep some busy.
        switches: Times it gives up the GIL to wait.
        handing: What that costs at most where several lanes hand it to each other.
        steps: Times a coroutine gives the loop back.
        most_lanes: Lanes beyond which trials delivered less, or the callable's own threads have no cores;
            None where neither is known.
        is_async: Whether it is a coroutine, which occupies its loop instead of a thread.
    """

    gil: float = 0.0
    work: float = 0.0
    width: float = 1.0
    aside: float = 0.0
    wait: float = 0.0
    pause: float = inf
    block: float = 0.0
    resource: float = 0.0
    shared_resource: float = 0.0
    cold: float = 0.0
    in_step: bool = False
    inflation: float = 1.0
    cores: float = 1.0
    switches: float = 0.0
    handing: float = inf
    steps: float = 0.0
    most_lanes: int | None = None
    is_async: bool = False

    @property
    def busy(self) -> float:
        """Core-seconds of one item."""
        return self.gil + self.work * self.width

    @property
    def own(self) -> float:
        """Seconds that it computes itself, in its thread or on its loop."""
        return self.gil + self.work - self.aside

    @property
    def alone(self) -> float:
        """Seconds one item takes when nothing else runs."""
        return self.gil + self.work + self.wait + self.block + self.resource

    def slowed(self, lanes: float) -> float:
        """How much longer computing takes when that many lanes do it at once: memory bandwidth is shared."""
        busy_lanes = max(1.0, min(lanes, self.cores / self.width))
        return 1.0 + (self.inflation - 1.0) * (busy_lanes - 1.0)
