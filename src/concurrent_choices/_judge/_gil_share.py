"""How much of its computing an item does under the GIL, as the witness saw it."""

from __future__ import annotations

from .._facts._profile import Profile
from .._facts._shares import SURELY_FREE, SURELY_HELD

__all__ = ["BLIND_BELOW", "UNBROKEN", "gil_is_known", "held_seconds", "pauses"]

UNBROKEN = 2e-6
"""Seconds of computing too short to let go of the GIL in between: handing it over takes 5 µs
(`Costs.switch`)."""

BLIND_BELOW = 0.3e-3
"""Holds of the GIL shorter than this are invisible to the witness where it goes by lateness alone
(DECISION.md, EXP 3)."""


def gil_is_known(profile: Profile) -> bool:
    """Whether the share of the GIL was measured."""
    return not any(each.startswith("gil") for each in profile.missing)


def held_seconds(profile: Profile, computing: float) -> float:
    """Seconds of computing under the GIL, as the witness saw it."""
    if not computing:
        return 0.0
    if not gil_is_known(profile) or computing < UNBROKEN or _too_short_to_see(profile, computing):
        return computing
    cpu = profile.loop_cpu if profile.is_async and profile.loop_held > 0 else profile.cpu
    share = min(1.0, profile.gil / cpu) if cpu > 0 else 1.0
    if share >= SURELY_HELD:
        return computing
    return 0.0 if share <= SURELY_FREE else share * computing


def _too_short_to_see(profile: Profile, computing: float) -> bool:
    """Whether it computes in short bursts between waits; those are usually Python code."""
    times = pauses(profile)
    return times > 0 and computing < profile.wall / 2 and computing / times < BLIND_BELOW


def pauses(profile: Profile) -> float:
    """How often a call stops computing and goes on later."""
    return profile.steps if profile.is_async else profile.blocking_calls
