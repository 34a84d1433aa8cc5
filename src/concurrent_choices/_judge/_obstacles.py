"""Strategies that cannot run, going by the profile and the machine."""

from __future__ import annotations

from .._facts._machine import Machine
from .._facts._profile import Profile

__all__ = ["IN_PROCESSES", "LOOPS", "obstacles_of"]

IN_PROCESSES = frozenset({"process", "hybrid"})
"""The strategies that start processes."""

LOOPS = ("asyncio", "uvloop", "anyio")
"""Those that have an event loop in the calling thread."""

_BESIDE = ("thread", "hybrid")
"""Those with threads beside the main one. A worker of `process` makes its calls in its own main thread."""


def obstacles_of(profile: Profile, machine: Machine) -> dict[str, str]:
    """By strategy, why it cannot run; strategies that can are left out."""
    found: dict[str, str] = {}
    why = profile.payload.obstacle
    if "fresh" not in machine.start_methods:
        why = "there is no interpreter here to start workers with"
    if profile.binding:
        # a `def` runs in threads under a loop too
        bound = _BESIDE if profile.is_async else (*_BESIDE, *LOOPS)
        found.update(dict.fromkeys(bound, profile.binding))
    if why:
        found.update(dict.fromkeys(IN_PROCESSES, why))
    if machine.platform == "win32":
        found["uvloop"] = "uvloop does not run on Windows"
    return found
