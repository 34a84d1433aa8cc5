"""What a callable spends its time on, in the words that a verdict uses.

The words explain; decisions are made by the numbers. The rules go from the most telling to the
most general, after DECISION.md 5.1.
"""

from __future__ import annotations

from .._facts._costs import Costs
from .._facts._machine import Machine
from .._facts._profile import Profile
from .._facts._shares import COMPUTES
from ._controller._thresholds import TINY
from ._demand import demand_of
from ._formulas._steps import REAL_WAIT
from ._gil_share import gil_is_known
from ._stations import Demand
from ._trials import NATIVE, SURE, TOGETHER, is_rationed, memory_inflation

__all__ = [
    "FAILING",
    "RATE_LIMITED",
    "TINY_JOB",
    "bound_of",
    "computing_share",
    "diagnose",
    "measured",
]

TINY_JOB = 3e-3
"""Seconds for everything below which nothing can be won (DECISION.md 5.1)."""


RATE_LIMITED = "rate-limited"
"""The diagnosis where calls are turned away."""

FAILING = "failing"
"""The diagnosis where no sampled call succeeded."""

CHILDREN = 0.5
"""Child processes' CPU as a share of the wall time (DECISION.md 5.1)."""

MEMORY_BOUND = 1.3
"""CPU inflation by a second lane, over that of hashing at the same moment, from which memory is what they
share (DECISION.md 5.1)."""

BLOCKING = 0.3
"""Share of an item's time that it blocks the loop without computing (DECISION.md 5.1)."""

SELDOM = 0.1
"""Times that a call, shorter than any real wait, must have given up its core to count as waiting
(guessed)."""

RESOURCE = 0.5
"""Share of an item's time at a resource that lets one in (DECISION.md 5.1: S < 2)."""


def measured(profile: Profile) -> bool:
    """Whether a call was made, be it one that raised or did not come back."""
    return profile.calls > 0 or profile.wall > 0


def bound_of(profile: Profile) -> str:
    """Either "cpu", "io" or "mixed"; "unknown" where no call was measured, or none succeeded.

    Run-queue delay is neither: it is left out, so that a busy neighbour changes nothing.
    """
    share = computing_share(profile)
    if share is None or profile.failed:
        return "unknown"
    if share >= COMPUTES:
        return "cpu"
    return "io" if share <= 1.0 - COMPUTES else "mixed"


def computing_share(profile: Profile) -> float | None:
    """The share of an item's own time that it, or others for it, compute; None without a call.

    Others are its child processes, and threads of this process that it leaves the computing to.
    """
    return _share(profile, profile.children + profile.native * profile.cpu)


def _share(profile: Profile, others: float) -> float | None:
    own = profile.wall - profile.queued
    if own <= 0:
        return None
    if own < REAL_WAIT and profile.blocking_calls < SELDOM:
        return 1.0  # nothing was waited for: a core was lost where no clock says so
    return min(1.0, (profile.cpu + min(others, own - profile.cpu)) / own)


def diagnose(profile: Profile, costs: Costs, machine: Machine, items: int) -> str:
    """One of those that `_reason.BECAUSE` explains, of what was measured on this machine.

    That of a blocked loop goes on with " at FILE:LINE" where that is known.
    """
    share = computing_share(profile)
    if share is None:
        return "unknown"
    if profile.failed:
        return FAILING
    return RATE_LIMITED if is_rationed(profile) else _nature(profile, costs, machine, items, share)


def _nature(profile: Profile, costs: Costs, machine: Machine, items: int, share: float) -> str:
    """What calls that succeed spend their time on."""
    if _blocks_loop(profile):
        return f"async that blocks the loop{f' at {profile.blocks_at}' if profile.blocks_at else ''}"
    own = profile.wall - profile.queued
    if items * own < TINY_JOB or own < TINY:
        return "tiny"
    if profile.is_async:
        return _coroutine(_share(profile, 0.0) or 0.0)
    return _function(profile, costs, machine, share)


def _blocks_loop(profile: Profile) -> bool:
    if not profile.is_async:
        return False
    blocked = profile.loop_held - profile.loop_cpu - profile.queued_on_loop
    return blocked >= BLOCKING * (profile.wall - profile.queued)


def _coroutine(share: float) -> str:
    if share >= COMPUTES:
        return "async that computes"
    return "async that awaits" if share <= 1.0 - COMPUTES else "mixed"


def _function(profile: Profile, costs: Costs, machine: Machine, share: float) -> str:
    demand = demand_of(profile, machine)
    if profile.children >= CHILDREN * profile.wall:
        return "child processes"
    if demand.resource >= RESOURCE * demand.alone:
        return "disk" if profile.disk_blocks > 0 else "contended"
    if share >= COMPUTES:
        return _computation(profile, costs, demand)
    if profile.disk_blocks > 0:
        return "disk"
    return "waiting" if share <= 1.0 - COMPUTES else "mixed"


def _computation(profile: Profile, costs: Costs, demand: Demand) -> str:
    if profile.native >= NATIVE:
        return "native threads inside"
    if _memory_bound(profile):
        return "memory-bound"
    if _shipping(profile, costs) > profile.cpu:
        return "payload-bound"
    return "cpu under the GIL" if _under_the_gil(profile, demand) else "cpu outside the GIL"


def _under_the_gil(profile: Profile, demand: Demand) -> bool:
    """Whether it mostly computes under the GIL.

    Of short calls the demand has that from how far a pair got, which handing the GIL over holds up, too:
    where cores share their units, two threads wrote to files in memory 1.3 times as fast as one, as if the
    GIL were held for more than half of the time, and it is for a quarter (measured). So where two computed at
    once, the witness is believed if it is sure.
    """
    at_once = (profile.pair_parallelism or 0.0) >= TOGETHER
    return demand.gil > demand.work and not (at_once and _seen_outside(profile))


def _seen_outside(profile: Profile) -> bool:
    """Whether the witness surely saw less than half of the computing hold the GIL."""
    most = profile.gil + SURE * profile.gil_se * profile.wall
    return gil_is_known(profile) and most < profile.cpu / 2


def _memory_bound(profile: Profile) -> bool:
    """Whether a second lane lengthens computing by more than it would without any use of memory.

    Lanes that share a core, or a neighbour's work, lengthen everything.
    """
    if profile.pair_resident is None:
        return False
    return memory_inflation(profile) >= MEMORY_BOUND * max(1.0, profile.pair_resident)


def _shipping(profile: Profile, costs: Costs) -> float:
    """Seconds to move an item and its result to another process and back."""
    payload = profile.payload
    moved = costs.byte * (payload.item_bytes + payload.result_bytes)
    return payload.item_seconds + payload.result_seconds + moved
