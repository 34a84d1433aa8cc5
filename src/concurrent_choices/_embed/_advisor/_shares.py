"""Whose computing holds the GIL: told from how often it is held while various callables compute.

In each window of time the GIL is held for a known part, and each callable has computed for a known
part. The share of its computing in which a callable holds the GIL is what makes these agree over
many windows: found step by step, each step correcting the shares by what a window contradicts
(normalised least mean squares, with steps that grow smaller as windows add up).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

__all__ = ["ENOUGH", "Shares"]

STEP = 0.1
"""Part of a contradiction that is corrected at least; the first ones are corrected by more (guessed)."""

ENOUGH = 0.04
"""Seconds of computing seen, from which a share is believed (DECISION.md 2.2: 15 looks in 12 ms)."""

WINDOWS = 4
"""Windows from which it is believed: one in which the machine was busy must not decide (guessed)."""

UNKNOWN = 0.5


class Shares:
    """The shares of computing that hold the GIL."""

    def __init__(self) -> None:
        self._share: dict[Hashable, float] = {}
        self._seen: dict[Hashable, float] = {}
        self._windows: dict[Hashable, int] = {}

    def window(self, span: float, held: float, computed: Mapping[Hashable, float]) -> None:
        """Learn from one window of time.

        Args:
            span: Its length, seconds. Whoever computed for longer, in several threads, held the GIL for a
                part only.
            held: Seconds the GIL was held by anybody.
            computed: Seconds each has computed in it.
        """
        power = sum(cpu * cpu for cpu in computed.values())
        if power <= 0:
            return
        expected = sum(self._share.get(who, UNKNOWN) * cpu for who, cpu in computed.items())
        for who, cpu in computed.items():
            windows = self._windows[who] = self._windows.get(who, 0) + 1
            step = max(STEP, 1 / windows)
            share = self._share.get(who, UNKNOWN) + step * (held - expected) * cpu / power
            self._share[who] = min(1.0, max(0.0, share), span / cpu if cpu > 0 else 1.0)
            self._seen[who] = self._seen.get(who, 0.0) + cpu

    def of(self, who: Hashable) -> float | None:
        """The share of one; None where too little of it was seen."""
        enough = self._windows.get(who, 0) >= WINDOWS and self._seen[who] >= ENOUGH
        return self._share[who] if enough else None
