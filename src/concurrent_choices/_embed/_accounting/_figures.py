"""What was measured of a callable: arithmetic only."""

from __future__ import annotations

from attrs import define

__all__ = ["Figures"]

NEWEST = 0.2
"""Weight of a call among those before it, from the fifth on (guessed: follows a change in ten calls)."""

RISING = 0.05
"""Part of the way that the low estimate of waiting rises to a call that waited longer (guessed)."""

SERVED = 0.1
"""Share of its time at least that a call counts as served with a core, to weigh what it tells (guessed)."""


@define(eq=False)
class Figures:
    """What is known of a callable; seconds a call.

    Attributes:
        measured: How many calls were measured; the first is no evidence, and forgotten with the second.
        wall: How long one takes.
        cpu: How long it computes.
        queued: How long it was ready and had no core.
        blocked: How long it waits of its own accord: a low estimate, as waiting for the GIL looks the same.
        at_once: How many of its calls ran side by side.
        trips: How many of those measured were made in a worker process.
        alone: The share of computing seen there; None where none has run it.
        gil: The share of its computing that holds the GIL; None where not known yet.
        payload: Seconds to pickle its arguments and result, and to unpickle them; None where unknown.
        obstacle: Why it must stay in this process; empty where nothing is known against moving it.
    """

    measured: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    queued: float = 0.0
    blocked: float = 0.0
    at_once: float = 1.0
    trips: int = 0
    alone: float | None = None
    gil: float | None = None
    payload: float | None = None
    obstacle: str = ""

    @property
    def own(self) -> float:
        """How long one takes where nobody else wants the cores."""
        # Two clocks, read one after the other, may say that it was queued for longer than it took.
        return max(self.wall - self.queued, self.cpu)

    @property
    def is_new(self) -> bool:
        """Whether no call but the first was measured, which is no evidence."""
        return self.measured < 2  # noqa: PLR2004 - the second is

    @property
    def seen_share(self) -> float:
        """The share of its time that it was seen to compute; less than it would alone."""
        return min(1.0, self.cpu / self.own) if self.own > 0 else 0.0

    @property
    def share(self) -> float:
        """The share of its own time that it would compute if nothing held it up."""
        own = self.cpu + self.blocked
        return self.cpu / own if own > 0 else 0.0

    @property
    def together(self) -> float:
        """What its calls compute together, in cores: many that fill the GIL look as if they waited."""
        return self.share * self.at_once

    def learn(self, wall: float, cpu: float, queued: float, at_once: int = 1) -> None:
        """A call was measured in full, among so many that ran at once."""
        self.measured += 1
        blocked = max(0.0, wall - cpu - queued)
        if self.measured == 1:
            self.wall, self.cpu, self.queued, self.blocked = wall, cpu, queued, blocked
            self.at_once = at_once
            return
        # A call that hardly got a core says little about how long it computes or waits.
        served = max(SERVED, 1 - queued / wall) if wall > 0 else 1.0
        weight = 1.0 if self.measured == 2 else max(NEWEST, 1 / (self.measured - 1)) * served  # noqa: PLR2004 - the first call is kept apart
        self.wall += weight * (wall - self.wall)
        self.cpu += weight * (cpu - self.cpu)
        self.queued += weight * (queued - self.queued)
        self.at_once += weight * (at_once - self.at_once)
        # Nearly the least that was seen: it falls at once, and rises by a little of what it is below.
        rising = RISING if blocked > self.blocked and self.measured > 2 else 1.0  # noqa: PLR2004 - the second call is the first evidence
        self.blocked += rising * (blocked - self.blocked)

    def learn_remote(self, wall: float, cpu: float, queued: float) -> None:
        """The same in a worker process."""
        self.learn(wall, cpu, queued)
        self.trips += 1
        if self.trips == 1:  # it may have imported or opened what later ones find: no evidence, as here
            return
        own = max(wall - queued, cpu)
        share = cpu / own if own > 0 else 1.0
        self.alone = share if self.alone is None else self.alone + NEWEST * (share - self.alone)
