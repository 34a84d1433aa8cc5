"""What trials of several lanes tell of an item that its own sample cannot."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, sqrt

from attrs import evolve

from .._facts._machine import Machine
from .._facts._profile import Profile
from ._gil_share import BLIND_BELOW, UNBROKEN, gil_is_known, pauses
from ._mva import Network, invert, throughput
from ._stations import Demand

__all__ = [
    "NATIVE",
    "RETROGRADE",
    "SURE",
    "TOGETHER",
    "WAITS",
    "cores_left",
    "corrected",
    "is_rationed",
    "memory_inflation",
    "most_lanes",
    "most_tried",
]

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

EXPLAINED = 0.6
"""Share of what sixteen coroutines take longer than one alone, from which it is their computing in step
(measured in eight runs of the oracle: at least that in 45 of 46 trials where a server let in all, less in 36
of 42 where it let in eight)."""

AT_WORK = 1.4
"""Lanes' worth of computing and queueing for a core at which a pair waits for nothing else (guessed; under
the GIL it is 1.0, outside it 1.75 and more: DECISION.md, EXP 14 and 16; with no core to spare, 1.55)."""

WAITS = 0.2
"""Share of waiting from which it may be at a lock that is also held while computing (guessed)."""

TOGETHER = 1.4
"""Lanes' worth of computing from which two shared memory rather than took turns under the GIL (guessed: half
way between 1.0 and 1.75)."""

COLD = 60e-6
"""Seconds that going on after a wait costs at most where caches and the core are cold (measured: 30 to 60 µs
for a step of a coroutine; a millisecond of computing after it takes as long among many as alone)."""

NATIVE = 0.3
"""Native threads' CPU per second of the callable's own, from which it counts as parallel already
(DECISION.md 5.1)."""

STARVED = 0.2
"""Cores' worth of run-queue delay that a trial may show for no reason (guessed)."""

CONGESTED = 0.05
"""Share of calls that surely raise what a crowded resource raises, from which there are too many (guessed).
Some hosts of a hundred are down however many calls there are: where one call in twenty is refused, one sample
of a hundred shows that, and each where a server lets eight of sixteen in."""

RETROGRADE = 0.9
"""A trial with more lanes that delivers less than this share of the best one: more is worse there
(guessed: twice the noise of a trial)."""


def corrected(profile: Profile, demand: Demand) -> Demand:
    """What one item asks, by all trials there were."""
    for tell in (_refined, _lightened, _resourceful, _helpers_in_turn):
        demand = tell(profile, demand)
    return evolve(demand, handing=_handing(profile, demand))


def memory_inflation(profile: Profile) -> float:
    """By how much a second lane lengthens computing; 1.0 where two took turns, which shares no memory."""
    if profile.pair_parallelism is not None and profile.pair_parallelism < TOGETHER:
        return 1.0
    return profile.pair_inflation or 1.0


def cores_left(profile: Profile, home: Machine) -> float:
    """Cores that two lanes found free: what they wanted, less what they had to queue for."""
    # trials are told as if no neighbour had taken a core, so the lone lane is taken the same way
    served = profile.wall - profile.queued
    if profile.pair_parallelism is None or profile.pair_speedup is None or served <= 0:
        return home.cpus
    if _has_helpers(profile):
        return home.cpus  # those took them
    inflation = profile.pair_inflation or 1.0
    used = profile.pair_speedup * inflation * profile.cpu / served
    starved = min(profile.pair_parallelism - used, 1.0)
    return max(1.0, home.cpus - starved) if starved > STARVED else home.cpus


def is_rationed(profile: Profile) -> bool:
    """Whether calls are turned away because of how many there are.

    Where none succeeded nobody knows: there were never more than one at a time.
    """
    share = profile.congestion if profile.refused is None else profile.refused
    return share >= CONGESTED and not profile.failed


def most_lanes(profile: Profile) -> int | None:
    """Lanes beyond which trials delivered clearly less; None where they have shown no such number.

    Where calls were turned away, as many as were served: who asks for more only fails sooner.
    """
    trials = sorted(_trials(profile))
    if is_rationed(profile):
        return trials[-1][0] if trials else 1
    if not trials:
        return None
    best, speedup = max(trials, key=lambda trial: trial[1])
    lanes, last = trials[-1]
    return best if lanes > best and last < RETROGRADE * speedup else None


def most_tried(profile: Profile) -> int:
    """Lanes of the widest trial; 0 where there was none."""
    return max((lanes for lanes, _ in _trials(profile)), default=0)


def _trials(profile: Profile) -> list[tuple[int, float]]:
    pair = [] if profile.pair_speedup is None else [(PAIR, profile.pair_speedup)]
    return [*pair, *profile.ramp]


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

    rate = observed / demand.alone
    if profile.pair_parallelism is not None:
        # those who slow each other down compute at once, be it by little, and take no turns meanwhile
        rate = max(rate, min(rate * memory_inflation(profile), profile.pair_parallelism / total))
    inferred = _explaining(lambda held: evolve(shifted(held), inflation=1.0), PAIR, rate, total)
    if not known:
        return shifted(inferred)
    seen = min(demand.gil, demand.alone / observed)  # only one lane at a time can have held it
    doubt, trial_doubt = max(profile.gil_se, 0.01) ** 2, PAIR_ERROR**2
    weighed = (seen * trial_doubt + inferred * doubt) / (trial_doubt + doubt)
    return shifted(weighed)


def _handing(profile: Profile, demand: Demand) -> float:
    """Seconds of an item that handing the GIL over can have taken where lanes delivered what they did."""
    most = max((speedup for _, speedup in _trials(profile)), default=0.0)
    if not most or demand.is_async:
        return inf
    return max(0.0, demand.alone / most - demand.gil)


def _refinable(profile: Profile, demand: Demand) -> bool:
    """Whether only the GIL can have made two lanes take turns: not their children, not their loop."""
    computes = demand.own >= max(demand.alone / 2, UNBROKEN)
    return computes and not profile.children and not demand.is_async


def _lightened(profile: Profile, demand: Demand) -> Demand:
    """Computing between waits, no dearer than it was where many lanes did it.

    Whoever wakes up alone finds the caches and the core cold, and goes to sleep again. Coroutines that share
    a loop, and so its selector, save more than that, and the figures do not tell one from the other.
    """
    told, computing = profile.ramp_inflation, demand.own
    if told is None or told >= 1.0 or profile.children or not 0.0 < computing < demand.alone / 2:
        return demand
    part = max(told, 1.0 - COLD * max(1.0, pauses(profile)) / computing)
    work = demand.aside + part * (demand.work - demand.aside)
    saved = (1.0 - part) * computing
    cold = saved if demand.is_async else 0.0
    return evolve(demand, gil=part * demand.gil, work=work, wait=demand.wait + saved, cold=cold)


def _helpers_in_turn(profile: Profile, demand: Demand) -> Demand:
    """With as much of what its own threads compute under the GIL as explains how far two lanes got.

    The witness saw that the GIL was held, not by whom: nothing else tells whether those threads hold it.
    """
    observed = profile.pair_speedup
    if observed is None or demand.is_async or profile.children or not _has_helpers(profile):
        return demand
    if observed >= _least_of_pair(profile) * _speedup(demand, PAIR):
        return demand

    def shifted(held: float) -> Demand:
        return evolve(demand, gil=demand.gil + held, work=demand.work - held, aside=demand.aside - held)

    most = min(demand.aside, _handing(profile, demand))  # the best trial held it no longer than it took
    return shifted(_explaining(shifted, PAIR, observed / demand.alone, most))


def _resourceful(profile: Profile, demand: Demand) -> Demand:
    """The time at a resource that lanes share, where a trial was slower than predicted."""
    lanes, observed = max(_trials(profile), default=(0, 0.0))
    if not lanes:
        return demand
    tried = _with_loop(profile, demand)
    share = _least_of_pair(profile) if lanes == PAIR else _least_of_crowd(profile)
    busy = _at_work(profile) or _has_helpers(profile) or _left_to_others(demand)
    if busy or observed >= share * _speedup(tried, lanes):
        return demand
    held = _held_more(profile, demand)
    if observed >= share * _speedup(_with_loop(profile, held), lanes):
        return held
    return _queueing(profile, demand, lanes, observed)


def _queueing(profile: Profile, demand: Demand, lanes: int, observed: float) -> Demand:
    """The time at a resource that explains what a trial achieved."""
    apart = profile.process_speedup is not None and profile.process_speedup > 2 * CONTENDED
    crowd = lanes > PAIR and demand.is_async
    unexplained = _unexplained(_with_loop(profile, demand), lanes, observed) if crowd else None
    if unexplained is not None:
        shared = 0.0 if apart else unexplained
        return evolve(_with_resource(demand, unexplained), shared_resource=shared, in_step=True)
    most = demand.wait + demand.work
    if demand.wait >= WAITS * demand.alone:
        most += demand.gil  # where nobody waits, two lanes slower than the GIL explains are no sign of a lock
    seconds = _explaining(partial(_with_resource, demand), lanes, observed / demand.alone, most)
    return evolve(_with_resource(demand, seconds), shared_resource=0.0 if apart else seconds)


def _unexplained(demand: Demand, lanes: int, observed: float) -> float | None:
    """Seconds at a resource that lanes in step leave unexplained; None where they do not explain most.

    Lanes that all compute, then all wait, take longer for an item than one alone; so do those of which a
    server lets in a few at a time.
    """
    alone, seen = demand.alone, lanes * demand.alone / observed
    in_step = lanes / _network(demand, lanes).in_step(lanes)
    if in_step - alone < EXPLAINED * (seen - alone):
        return None
    return max(0.0, seen - in_step) / (lanes - 1)


def _with_resource(demand: Demand, seconds: float) -> Demand:
    """With so much of an item's time at a resource that serves one at a time."""
    from_wait = min(seconds, demand.wait)
    from_work = min(seconds - from_wait, demand.work)  # a lock may also be held while computing …
    gil = demand.gil - (seconds - from_wait - from_work)  # … and while holding the GIL
    wait, work = demand.wait - from_wait, demand.work - from_work
    aside = max(0.0, demand.aside - from_work)
    return evolve(demand, resource=seconds, wait=wait, work=work, aside=aside, gil=max(0.0, gil))


def _held_more(profile: Profile, demand: Demand) -> Demand:
    """With as much of its computing under the GIL as the witness, which may be wrong, leaves possible."""
    more = min(demand.own - demand.gil, profile.gil_se * profile.wall)
    return evolve(demand, gil=demand.gil + more, work=demand.work - more)


def _with_loop(profile: Profile, demand: Demand) -> Demand:
    """The demand on a loop, its own computing between the steps of coroutines included.

    What a strategy's loop computes is taken from calibration; the trial's was in the thread's CPU time.
    """
    if not demand.is_async or profile.ramp_inflation is None:
        return demand
    computing = profile.cpu * min(1.0, profile.ramp_inflation)
    own = min(max(0.0, computing - demand.own), demand.wait)
    return evolve(demand, gil=demand.gil + own, wait=demand.wait - own)


def _least_of_pair(profile: Profile) -> float:
    """Share of the predicted speed-up below which a pair shows a resource that both lanes need.

    Its few calls may be longer than those of the sample by chance. One standard error is enough, as it is the
    better of two pairs that has to be so slow.
    """
    return CONTENDED / (1.0 + profile.pair_se)


def _least_of_crowd(profile: Profile) -> float:
    """Share of the predicted speed-up below which a trial of many lanes shows a resource that they share."""
    error = profile.wall_sd / profile.wall / sqrt(max(1, profile.calls))
    return max(0.0, CROWDED - SURE * error)


def _at_work(profile: Profile) -> bool:
    """Whether two lanes were on a core, or queued for one, nearly all the time."""
    return (profile.pair_parallelism or 0.0) >= AT_WORK


def _has_helpers(profile: Profile) -> bool:
    """Whether threads of its own compute for it: lanes of a trial queue for the cores that those have."""
    return profile.native * profile.cpu >= NATIVE * profile.wall


def _left_to_others(demand: Demand) -> bool:
    """Whether child processes, or threads of its own, do most of it.

    No clock of a trial's lanes shows how long those queued for a core.
    """
    return demand.aside >= demand.alone / 2 and not demand.is_async


def _network(demand: Demand, lanes: int) -> Network:
    """The lanes of a trial: threads, or coroutines on one loop."""
    if demand.is_async:
        return Network(
            queues=(demand.own + demand.block, demand.resource),
            work=demand.aside,
            cores=demand.cores / demand.width,
            think=demand.wait,
            pause=demand.pause,
        )
    slowed = demand.slowed(lanes)
    return Network(
        queues=(demand.resource,),
        held=demand.gil * slowed,
        work=demand.work * slowed,
        cores=demand.cores / demand.width,
        think=demand.wait,
    )


def _explaining(build: Callable[[float], Demand], lanes: int, rate: float, most: float) -> float:
    """The seconds, up to `most`, of which a demand is built that explains so many items a second."""
    return invert(lambda seconds: _network(build(seconds), lanes), lanes, rate, most)


def _speedup(demand: Demand, lanes: int) -> float:
    return throughput(_network(demand, lanes), lanes) * demand.alone
