"""Whether what a worker process computes holds the GIL: seen there, where one callable runs at a time.

In the caller's process many callables compute at once, and who of them held the GIL can only be
reckoned; on a busy machine that went wrong. In a worker it is seen.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ..._measure._witness import WitnessThread
from .._accounting._placing import HOLDS

if TYPE_CHECKING:
    from ..._facts._clock import Clock

__all__ = ["GilMonitor"]

SURE = 2.0
"""Standard errors that a share must lie away from the limit (as in DECISION.md 2.2)."""

MANY = 60
"""Looks after which a share near the limit is told as it is (guessed)."""

ENOUGH = 200
"""Calls after which a callable is taken to hold the GIL, as plain Python does, where the machine was too busy
to see it (guessed)."""

LULL = 20_000_000
"""Nanoseconds without a call after which the witness sleeps until the next (guessed)."""

MEMORY = 10_000_000_000
"""Nanoseconds without a tried call after which no more are awaited (guessed: a witness that sleeps costs
nothing, and what it saw is lost with it)."""


class _Seen:
    """What was seen of one callable: its calls' spans, and how long they took and computed, ns."""

    def __init__(self) -> None:
        self.spans: list[tuple[int, int]] = []
        self.wall = self.cpu = 0


class GilMonitor:
    """A witness that stays awake while calls are tried."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wanted = threading.Event()
        self._quiet_since = clock.wall()
        self._seen: dict[int, _Seen] = {}
        self._witness = WitnessThread(clock, self._rest).__enter__()

    @property
    def undecided(self) -> bool:
        """Whether it has seen calls of a callable of late, and not enough of them.

        Where another worker has decided, or a call that was sent before it was, no more of them come.
        """
        return bool(self._seen) and self._clock.wall() - self._quiet_since < MEMORY

    def begin(self) -> None:
        """A call begins."""
        self._quiet_since = 0
        self._wanted.set()

    def end(self, trial: int, span: tuple[int, int], cpu: int, queued: int) -> float | None:
        """A call has ended; the share of its callable's computing that holds the GIL, None while not sure.

        `trial` is the callable's number. All times are in nanoseconds: `span` is from when to when it was,
        `queued` for how long it had no core.
        """
        self._quiet_since = self._clock.wall()
        self._wanted.clear()
        seen = self._seen.setdefault(trial, _Seen())
        seen.spans.append(span)
        seen.wall += max(span[1] - span[0] - queued, cpu)
        seen.cpu += cpu
        share = self._share(seen)
        if share is not None:
            del self._seen[trial]
        return share

    def _share(self, seen: _Seen) -> float | None:
        said = self._witness.testify(seen.spans)
        if said.share is None or not seen.cpu:
            return 1.0 if len(seen.spans) >= ENOUGH else None
        # The witness tells of all the time that the calls took, for a part of which they did not compute.
        part = seen.wall / seen.cpu
        share = min(1.0, said.share * part)
        sure = abs(share - HOLDS) > SURE * said.error * part or said.looks >= MANY
        return share if sure else None

    def close(self) -> None:
        """See no more."""
        self._quiet_since = 0
        self._wanted.set()
        self._witness.__exit__()

    def _rest(self, now: int) -> None:
        if self._quiet_since and now - self._quiet_since > LULL:
            self._wanted.wait()
