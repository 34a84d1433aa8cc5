"""From what was measured to what one item asks of each station.

cpu ── holding the GIL ────────────► gil
    └─ not holding it ─────────────► work (on `width` cores at once)
blocked ─┬─ others compute for it ─► work, aside   (child processes, other threads of this process)
         ├─ one item at a time ────► resource   (a lock, a disk, a server that lets one in)
         ├─ holding the event loop ► block
         └─ the rest ──────────────► wait
"""

from __future__ import annotations

from math import inf

from attrs import evolve

from .._facts._machine import Machine
from .._facts._profile import Profile
from .._facts._shares import COMPUTES
from ._gil_share import held_seconds
from ._stations import Demand
from ._trials import NATIVE, WAITS, cores_left, corrected, memory_inflation, most_lanes

__all__ = ["MOST_COROUTINES", "demand_of", "home_of"]

NOISE = 1.1
"""CPU inflation that a second lane may show for no reason (DECISION.md, EXP 2: 0.93 to 1.01)."""

MOST_COROUTINES = 1000
"""Coroutines at most, so lanes of any plan: half of the usual limit on open files (DECISION.md 5.3)."""

TELLING = 0.3
"""Share of computing from which CPU inflation says something about memory (guessed)."""


def demand_of(profile: Profile, machine: Machine) -> Demand:
    """What one item asks of each station of a machine.

    Args:
        profile: What was measured, perhaps on another machine (`profile.cpus`).
        machine: The machine that is asked about.
    """
    home = evolve(home_of(profile, machine), gil=True)
    demand = corrected(profile, _raw(profile, home))
    starved = home.cpus - demand.cores
    cores = max(min(1.0, machine.cpus), machine.cpus - starved)
    demand = evolve(demand, cores=cores)
    demand = evolve(demand, most_lanes=_crowded(profile, demand))
    return demand if machine.gil else _without_gil(demand)


def home_of(profile: Profile, machine: Machine) -> Machine:
    """The machine that a profile was taken on, trials included, whatever machine is asked about."""
    return evolve(machine, cpus=profile.cpus or machine.cpus)


def _without_gil(demand: Demand) -> Demand:
    work = demand.gil + demand.work
    width = demand.busy / work if work else 1.0
    return evolve(demand, gil=0.0, work=work, width=width)


def _raw(profile: Profile, home: Machine) -> Demand:
    """The demands by the sample alone, with what trials tell of cores, memory and lanes."""
    computing, block, waiting = _split(profile)
    held = held_seconds(profile, computing)
    own = computing - held
    others = _others(profile, waiting)
    aside = min(others, waiting)
    work = own + aside
    cores_busy = own + max(own * profile.native + profile.children, others)
    inflation = memory_inflation(profile) if computing >= TELLING * profile.wall else 1.0
    return Demand(
        gil=held,
        work=work,
        width=max(1.0, cores_busy / work) if work > 0 else 1.0,
        aside=aside,
        wait=waiting - aside,
        pause=profile.longest_wait or inf,
        block=block,
        inflation=inflation if inflation > NOISE else 1.0,
        cores=cores_left(profile, home),
        switches=profile.blocking_calls,
        steps=profile.steps,
        most_lanes=most_lanes(profile),
        is_async=profile.is_async,
    )


def _others(profile: Profile, waiting: float) -> float:
    """CPU seconds of child processes, and of threads that it leaves the computing to while it waits."""
    threads = profile.native * profile.cpu if waiting >= WAITS * profile.wall else 0.0
    return profile.children + threads


def _split(profile: Profile) -> tuple[float, float, float]:
    """Seconds of computing, of blocking the loop, and of waiting.

    Run-queue delay counts as computing: whoever slowed the sample down will slow the rest down. Not so where
    calls mostly wait: then it is what waking up takes, and where many wait the next one is awake.
    """
    waits = profile.cpu < (1.0 - COMPUTES) * (profile.wall - profile.queued)
    if profile.is_async and profile.loop_held > 0:
        held = min(profile.loop_held, profile.wall)  # timing short steps makes them longer
        cpu = min(profile.loop_cpu, held)
        queued = min(profile.queued_on_loop, held - cpu)
        computing = cpu + (0.0 if waits else queued)
        block = held - cpu - queued
        return computing, block, max(0.0, profile.wall - computing - block)
    if waits:
        return profile.cpu, 0.0, profile.blocked + profile.queued
    return profile.cpu + profile.queued, 0.0, profile.blocked


def _crowded(profile: Profile, demand: Demand) -> int | None:
    """Lanes that fill the cores where each call has threads of its own: more get into each other's way."""
    if profile.native < NATIVE or not demand.busy:
        return demand.most_lanes
    filling = max(1, round(demand.cores * demand.alone / demand.busy))
    if filling > MOST_COROUTINES:  # threads of its own compute next to nothing
        return demand.most_lanes
    return min(filling, demand.most_lanes or filling)
