"""From what was measured to what one item asks of each station.

cpu ── holding the GIL ────────────► gil
    └─ not holding it ─────────────► work (on `width` cores at once)
blocked ─┬─ others compute for it ─► work, aside   (child processes, other threads of this process)
         ├─ one item at a time ────► resource   (a lock, a disk, a server that lets one in)
         ├─ holding the event loop ► block
         └─ the rest ──────────────► wait
"""

from __future__ import annotations

from math import sqrt

from attrs import evolve

from .._facts._machine import Machine
from .._facts._profile import Profile
from ._mva import Network, invert, throughput
from ._stations import Demand

__all__ = ["NATIVE", "RETROGRADE", "demand_of", "gil_is_known", "memory_inflation"]

SURELY_HELD = 0.85
"""Share of CPU time from which all of it counts as under the GIL (DECISION.md 5.1)."""

SURELY_FREE = 0.05
"""Share of CPU time up to which none of it counts as under the GIL (DECISION.md 5.1)."""

UNBROKEN = 2e-6
"""Seconds of computing too short to let go of the GIL in between: handing it over takes 5 µs
(`Costs.switch`)."""

BLIND_BELOW = 0.3e-3
"""Holds of the GIL shorter than this are invisible to the witness (DECISION.md, EXP 3)."""

PAIR_ERROR = 0.1
"""Standard error of the GIL's share of the wall time when it is inferred from two lanes' speed-up
(DECISION.md 5.1: the same code gave shares 0.1 apart)."""

CONTENDED = 0.75
"""Share of the predicted speed-up below which a trial shows a resource that lanes share
(DECISION.md 5.2)."""

CROWDED = 0.8
"""The same for trials of more than two lanes, less what the spread of calls makes of it (guessed)."""

SURE = 2.0
"""Standard errors of the mean that make a difference (the usual 95 %)."""

PAIR = 2
"""Lanes of the trial that `Profile.pair_speedup` is of."""

EXPLAINED = 0.9
"""Share of what lanes in step would achieve from which a trial of coroutines shows nothing else (measured for
sixteen: 0.75 to 0.85 where a server let in eight; around 1.0 where it let in all)."""

AT_WORK = 1.4
"""Lanes' worth of computing and queueing for a core at which a pair waits for nothing else (guessed; under
the GIL it is 1.0, outside it 1.75 and more: DECISION.md, EXP 14 and 16; with no core to spare, 1.55)."""

NOISE = 1.1
"""CPU inflation that a second lane may show for no reason (DECISION.md, EXP 2: 0.93 to 1.01)."""

COMPUTES = 0.3
"""Share of computing from which CPU inflation says something about memory (guessed)."""

NATIVE = 0.3
"""Native threads' CPU per second of the callable's own, from which it counts as parallel already
(DECISION.md 5.1)."""

WAITS = 0.2
"""Share of waiting from which it may be at a lock that is also held while computing (guessed)."""

TOGETHER = 1.4
"""Lanes' worth of computing from which two shared memory rather than took turns under the GIL (guessed: half
way between 1.0 and 1.75)."""

STARVED = 0.2
"""Cores' worth of run-queue delay that a trial may show for no reason (guessed)."""

RETROGRADE = 0.9
"""A trial with more lanes that delivers less than this share of the best one: more is worse there
(guessed: twice the noise of a trial)."""


def memory_inflation(profile: Profile) -> float:
    """By how much a second lane lengthens computing; 1.0 where two took turns, which shares no memory."""
    if profile.pair_parallelism is not None and profile.pair_parallelism < TOGETHER:
        return 1.0
    return profile.pair_inflation or 1.0


def gil_is_known(profile: Profile) -> bool:
    """Whether the share of the GIL was measured."""
    return not any(each.startswith("gil") for each in profile.missing)


def demand_of(profile: Profile, machine: Machine) -> Demand:
    """What one item asks of each station of a machine.

    Args:
        profile: What was measured, perhaps on another machine (`profile.cpus`).
        machine: The machine that is asked about.
    """
    # trials happened where the profile was taken, whatever machine is asked about
    home = evolve(machine, cpus=profile.cpus or machine.cpus, gil=True)
    demand = _resourceful(profile, _lightened(profile, _refined(profile, _raw(profile, home))))
    starved = home.cpus - demand.cores
    cores = max(min(1.0, machine.cpus), machine.cpus - starved)
    demand = evolve(demand, cores=cores)
    demand = evolve(demand, most_lanes=_crowded(profile, demand))
    return demand if machine.gil else _without_gil(demand)


def _without_gil(demand: Demand) -> Demand:
    work = demand.gil + demand.work
    width = demand.busy / work if work else 1.0
    return evolve(demand, gil=0.0, work=work, width=width)


def _raw(profile: Profile, home: Machine) -> Demand:
    """The demands before any trial is looked at."""
    computing, block, waiting = _split(profile)
    held = _held(profile, computing)
    own = computing - held
    others = _others(profile, waiting)
    aside = min(others, waiting)
    work = own + aside
    cores_busy = own + max(own * profile.native + profile.children, others)
    inflation = memory_inflation(profile) if computing >= COMPUTES * profile.wall else 1.0
    return Demand(
        gil=held,
        work=work,
        width=max(1.0, cores_busy / work) if work > 0 else 1.0,
        aside=aside,
        wait=waiting - aside,
        block=block,
        inflation=inflation if inflation > NOISE else 1.0,
        cores=_cores_left(profile, home),
        switches=profile.blocking_calls,
        steps=profile.steps,
        most_lanes=_most_lanes(profile),
        is_async=profile.is_async,
    )


def _others(profile: Profile, waiting: float) -> float:
    """CPU seconds of child processes, and of threads that it leaves the computing to while it waits."""
    threads = profile.native * profile.cpu if waiting >= WAITS * profile.wall else 0.0
    return profile.children + threads


def _crowded(profile: Profile, demand: Demand) -> int | None:
    """Lanes that fill the cores where each call has threads of its own: more get into each other's way."""
    if profile.native < NATIVE or not demand.busy:
        return demand.most_lanes
    filling = max(1, round(demand.cores * demand.alone / demand.busy))
    return min(filling, demand.most_lanes or filling)


def _split(profile: Profile) -> tuple[float, float, float]:
    """Seconds of computing, of blocking the loop, and of waiting.

    Run-queue delay counts as computing: whoever slowed the sample down will slow the rest down. Not so where
    calls mostly wait: then it is what waking up takes, and where many wait the next one is awake.
    """
    waits = profile.cpu < COMPUTES * (profile.wall - profile.queued)
    if profile.is_async and profile.loop_held > 0:
        held = min(profile.loop_held, profile.wall)  # timing short steps makes them longer
        queued = min(profile.queued_on_loop, held - min(profile.loop_cpu, held))
        computing = min(profile.loop_cpu, held) + (0.0 if waits else queued)
        block = held - min(profile.loop_cpu, held) - queued
        return computing, block, max(0.0, profile.wall - computing - block)
    if waits:
        return profile.cpu, 0.0, profile.blocked + profile.queued
    return profile.cpu + profile.queued, 0.0, profile.blocked


def _held(profile: Profile, computing: float) -> float:
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
    pauses = profile.steps if profile.is_async else profile.blocking_calls
    return pauses > 0 and computing < profile.wall / 2 and computing / pauses < BLIND_BELOW


def _cores_left(profile: Profile, home: Machine) -> float:
    """Cores that two lanes found free: what they wanted, less what they had to queue for."""
    # trials are told as if no neighbour had taken a core, so the lone lane is taken the same way
    served = profile.wall - profile.queued
    if profile.pair_parallelism is None or profile.pair_speedup is None or served <= 0:
        return home.cpus
    inflation = profile.pair_inflation or 1.0
    used = profile.pair_speedup * inflation * profile.cpu / served
    starved = min(profile.pair_parallelism - used, 1.0)
    return max(1.0, home.cpus - starved) if starved > STARVED else home.cpus


def _network(demand: Demand, lanes: int) -> Network:
    """The lanes of a trial: threads, or coroutines on one loop."""
    if demand.is_async:
        return Network(
            queues=(demand.own + demand.block, demand.resource),
            work=demand.aside,
            cores=demand.cores / demand.width,
            think=demand.wait,
        )
    slowed = demand.slowed(lanes)
    return Network(
        queues=(demand.resource,),
        held=demand.gil * slowed,
        work=demand.work * slowed,
        cores=demand.cores / demand.width,
        think=demand.wait,
    )


def _speedup(demand: Demand, lanes: int) -> float:
    return throughput(_network(demand, lanes), lanes) * demand.alone


def _refined(profile: Profile, demand: Demand) -> Demand:
    """The GIL's share, corrected by what two lanes achieved on work that computes."""
    observed, total = profile.pair_speedup, demand.gil + demand.work
    if observed is None or not _refinable(profile, demand):
        return demand
    # of short calls that wait for nothing else, only the pair tells
    known = gil_is_known(profile) and not (total < BLIND_BELOW and demand.wait < WAITS * demand.alone)
    if known and observed < CONTENDED * _speedup(demand, PAIR):
        return demand  # slower than the GIL explains: something else is shared

    def shifted(held: float) -> Demand:
        return evolve(demand, gil=held, work=total - held)

    def network(held: float) -> Network:
        return _network(evolve(shifted(held), inflation=1.0), PAIR)

    rate = observed / demand.alone
    if profile.pair_parallelism is not None:
        # those who slow each other down compute at once, be it by little, and take no turns meanwhile
        rate = max(rate, min(rate * memory_inflation(profile), profile.pair_parallelism / total))
    inferred = invert(network, PAIR, rate, total)
    if not known:
        return shifted(inferred)
    doubt, trial_doubt = max(profile.gil_se, 0.01) ** 2, PAIR_ERROR**2
    weighed = (demand.gil * trial_doubt + inferred * doubt) / (trial_doubt + doubt)
    return shifted(weighed)


def _lightened(profile: Profile, demand: Demand) -> Demand:
    """Computing between waits, no dearer than it was where many lanes did it.

    Whoever wakes up alone finds the caches and the core cold, and goes to sleep again.
    """
    part, computing = profile.ramp_inflation, demand.own
    if part is None or part >= 1.0 or profile.children or computing >= demand.alone / 2:
        return demand
    work = demand.aside + part * (demand.work - demand.aside)
    return evolve(demand, gil=part * demand.gil, work=work, wait=demand.wait + (1.0 - part) * computing)


def _refinable(profile: Profile, demand: Demand) -> bool:
    """Whether only the GIL can have made two lanes take turns: not their children, not their loop."""
    computes = demand.own >= max(demand.alone / 2, UNBROKEN)
    return computes and not profile.children and not demand.is_async


def _resourceful(profile: Profile, demand: Demand) -> Demand:
    """The time at a resource that lanes share, where a trial was slower than predicted."""
    lanes, observed = max(_trials(profile), default=(0, 0.0))
    if not lanes:
        return demand
    tried = _with_loop(profile, demand)
    expected = _speedup(tried, lanes)
    if observed >= (CONTENDED if lanes == PAIR else _crowd(profile)) * expected:
        return demand
    if _at_work(profile) or _left_to_others(demand):
        return demand
    in_step = _network(tried, lanes).in_step(lanes) * demand.alone
    if lanes > PAIR and demand.is_async and observed >= EXPLAINED * in_step:
        return evolve(demand, in_step=True)

    def with_resource(seconds: float) -> Demand:
        from_wait = min(seconds, demand.wait)
        from_work = min(seconds - from_wait, demand.work)  # a lock may also be held while computing …
        gil = demand.gil - (seconds - from_wait - from_work)  # … and while holding the GIL
        wait, work = demand.wait - from_wait, demand.work - from_work
        aside = max(0.0, demand.aside - from_work)
        return evolve(demand, resource=seconds, wait=wait, work=work, aside=aside, gil=max(0.0, gil))

    def network(seconds: float) -> Network:
        return _network(with_resource(seconds), lanes)

    most = demand.wait + demand.work
    if demand.wait >= WAITS * demand.alone:
        most += demand.gil  # where nobody waits, two lanes slower than the GIL explains are no sign of a lock
    seconds = invert(network, lanes, observed / demand.alone, most)
    apart = profile.process_speedup is not None and profile.process_speedup > 2 * CONTENDED
    return evolve(
        with_resource(seconds),
        shared_resource=0.0 if apart else seconds,
        doubtful=lanes > PAIR and observed >= CONTENDED * in_step,
    )


def _with_loop(profile: Profile, demand: Demand) -> Demand:
    """The demand on a loop, its own computing between the steps of coroutines included.

    What a strategy's loop computes is taken from calibration; the trial's was in the thread's CPU time.
    """
    if not demand.is_async or profile.ramp_inflation is None:
        return demand
    computing = profile.cpu * min(1.0, profile.ramp_inflation)
    own = min(max(0.0, computing - demand.own), demand.wait)
    return evolve(demand, gil=demand.gil + own, wait=demand.wait - own)


def _crowd(profile: Profile) -> float:
    """Share of the predicted speed-up below which a trial of many lanes shows a resource that they share."""
    error = profile.wall_sd / profile.wall / sqrt(max(1, profile.calls))
    return max(0.0, CROWDED - SURE * error)


def _at_work(profile: Profile) -> bool:
    """Whether two lanes were on a core, or queued for one, nearly all the time."""
    return (profile.pair_parallelism or 0.0) >= AT_WORK


def _left_to_others(demand: Demand) -> bool:
    """Whether child processes, or threads of its own, do most of it.

    No clock of a trial's lanes shows how long those queued for a core.
    """
    return demand.aside >= demand.alone / 2 and not demand.is_async


def _trials(profile: Profile) -> list[tuple[int, float]]:
    pair = [] if profile.pair_speedup is None else [(PAIR, profile.pair_speedup)]
    return [*pair, *profile.ramp]


def _most_lanes(profile: Profile) -> int | None:
    trials = sorted(_trials(profile))
    if not trials:
        return None
    best, speedup = max(trials, key=lambda trial: trial[1])
    lanes, last = trials[-1]
    return best if lanes > best and last < RETROGRADE * speedup else None
