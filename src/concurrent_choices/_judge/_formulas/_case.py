"""What every formula reads, and what it answers."""

from __future__ import annotations

from math import ceil, inf, log, sqrt

from attrs import frozen

from ..._facts._costs import Costs
from ..._facts._machine import Machine
from ..._facts._profile import Profile
from ..._work._pace import AIM, MOST
from .._demand import demand_of
from .._mva import Network, throughput
from .._stations import Demand
from ._makespan import IN_STEP, Spread, tail

__all__ = ["LIMITING", "Case", "Prediction", "Rate", "batch_size", "case_of", "finish", "rate_of"]

LIMITING = 0.8
"""Utilisation from which a station counts as what holds the work back (guessed)."""

_WEIGHTLESS = 1e-9
"""Seconds below which an item is taken to cost this much: nothing takes no time at all."""


@frozen
class Case:
    """A workload on a machine.

    Attributes:
        demand: What one item asks of each station.
        profile: What was measured.
        costs: What concurrency costs.
        machine: Where it is to run.
        items: How many items there are.
    """

    demand: Demand
    profile: Profile
    costs: Costs
    machine: Machine
    items: int

    @property
    def spread(self) -> Spread:
        """How much items vary."""
        profile = self.profile
        unseen = 1.0 if profile.by_size else self.items / max(1, profile.calls)
        if profile.wall <= 0:
            return Spread(0.0)
        # of so many times as many items that are exponential, the longest is so much longer
        longest = profile.wall_max + profile.wall_sd * log(max(1.0, unseen))
        return Spread(profile.wall_sd / profile.wall, longest / profile.wall)

    @property
    def longest_seen(self) -> float:
        """Seconds of the longest call of the sample, if all of it is part of the work: nothing takes less."""
        return self.profile.wall_max if self.items >= self.profile.calls else 0.0

    def with_profile(self, profile: Profile) -> Case:
        """The same, had the callable been measured so."""
        return case_of(profile, self.costs, self.machine, self.items)


def case_of(profile: Profile, costs: Costs, machine: Machine, items: int) -> Case:
    """The case, with demands derived from the profile."""
    return Case(demand_of(profile, machine), profile, costs, machine, items)


@frozen
class Prediction:
    """What a formula answers.

    Attributes:
        seconds: Wall time for all items.
        limit: "lanes", "gil", "cores", "parent", "loop", "resource" or "source".
        in_step: Wall time where lanes compute and wait in step, instead of one computing while another waits.
    """

    seconds: float
    limit: str
    in_step: float = 0.0


@frozen
class Rate:
    """How fast lanes work.

    Attributes:
        lanes: Lanes that find something to do.
        throughput: Items a second.
        limit: As in `Prediction`.
        alone: Seconds an item takes when nothing else runs.
        in_step: Items a second where all lanes compute, then all wait.
        serial: Seconds an item takes at the busiest station that serves one at a time.
        busy: Core-seconds of an item.
        cores: Cores there are for them.
        parts: Equal waits that an item's would make, between which it visits the stations.
    """

    lanes: int
    throughput: float
    limit: str
    alone: float
    in_step: float
    serial: float = 0.0
    busy: float = 0.0
    cores: float = 1.0
    parts: float = 1.0

    def queueing(self, lanes: float) -> float:
        """Seconds that the last of so many lanes queues if all of them begin at once.

        From then on they are that far apart, and in nobody's way.
        """
        at_cores = (lanes - self.cores) * self.busy / self.cores
        return max(0.0, (lanes - 1.0) * self.serial, at_cores) / self.parts


def rate_of(network: Network, lanes: int, serial: dict[str, float], busy: float, cores: float) -> Rate:
    """The throughput of a network, and which station limits it.

    Args:
        network: The stations.
        lanes: Lanes working.
        serial: By name of a station that serves one at a time, the seconds an item takes there.
        busy: Core-seconds of an item.
        cores: How many cores there are.
    """
    rate = min(throughput(network, lanes), 1.0 / _WEIGHTLESS)
    demands = serial | {"cores": busy / cores}
    name, most = max(demands.items(), key=lambda demand: demand[1])
    limit = name if rate * most >= LIMITING else "lanes"
    alone = network.think + sum(network.queues) + network.held + network.work
    in_step = min(network.in_step(lanes), 1.0 / _WEIGHTLESS)
    slowest = max(serial.values(), default=0.0)
    parts = max(1.0, network.think / network.pause)
    return Rate(lanes, rate, limit, max(alone, _WEIGHTLESS), in_step, slowest, busy, cores, parts)


def batch_size(case: Case, seconds: float, lanes: int, fixed: int | None) -> int:
    """Items that a lane takes at a time, on average over the run; as many as the plan has fixed, if any."""
    if fixed is not None:
        return max(1, min(fixed, case.items))
    fitting = AIM / seconds if seconds > 0 else inf
    share = case.items / (2.0 * lanes)
    return max(1, int(min(fitting, share, MOST)))


def finish(case: Case, rate: Rate, *, start: float, ramp: float = 0.0, batch: int = 1) -> Prediction:
    """The makespan at a rate.

    Args:
        case: What for.
        rate: How fast.
        start: Seconds before the first lane works.
        ramp: Seconds from one lane's start to the next one's.
        batch: Items a lane holds at the end.
    """
    if case.items == 0:
        return Prediction(0.0, "lanes")
    effective = min(max(rate.throughput * rate.alone, 1.0), float(rate.lanes))
    started = min(effective, max(1.0, _worth_starting(case, rate, ramp)))
    offset = max((started - 1.0) * ramp, rate.queueing(started))
    total = start + _ramp_up(case, rate, started, offset)
    each = max(rate.alone / started, 1.0 / rate.throughput)
    total += case.items * each + _tail(case, rate, started, batch)
    # the last lane to start does an item, too
    last = (started - 1.0) * ramp + rate.alone
    longest = case.longest_seen + _before_longest(case, started, each)
    # one thread takes all items from the iterable
    given = case.items * case.profile.source
    total = max(total, start + last, start + longest, start + given + rate.alone)
    limit = "source" if given >= LIMITING * total else rate.limit
    kept = case.items * case.profile.result_memory * case.costs.fresh_byte
    return Prediction(total + kept, limit, max(total, start + _in_step(case, rate)) + kept)


def _before_longest(case: Case, started: float, each: float) -> float:
    """Seconds after which the longest item begins, on average: it is as likely one of the first as any other.

    Until nobody has claimed only what the lanes are at, the others are done at one every `each` seconds.
    """
    later = max(0.0, case.items - started)
    until_last = max(0.0, later * each - case.longest_seen / started)
    return later / case.items * until_last / 2.0


def _in_step(case: Case, rate: Rate) -> float:
    """Seconds of waves in which all lanes compute, then all wait: of each wave one item is alone."""
    waves = ceil(case.items / rate.lanes)
    each = (rate.lanes / rate.in_step - rate.alone) / max(1, rate.lanes - 1)
    return waves * rate.alone + (case.items - waves) * max(0.0, each)


def _worth_starting(case: Case, rate: Rate, ramp: float) -> float:
    """Lanes that have started when the items are gone.

    With i lanes started a ramp apart, N items of w seconds take N w / i + (i - 1) ramp / 2; that is
    least for i = sqrt(2 N w / ramp), and later lanes find nothing left.
    """
    return sqrt(2.0 * case.items * rate.alone / ramp) if ramp > 0 else inf


def _ramp_up(case: Case, rate: Rate, started: float, offset: float) -> float:
    """Seconds of the lanes' beginnings that the makespan sees: half, or all if the last lane ends last.

    The offset is the time from the first lane's beginning to the last one's: they start one after another,
    or queue for what their first items compute. Lanes that begin more than an item apart do not stay in
    step: the early ones take what the last one would have been left with, so it ends at most an item after
    the average.
    """
    waves = case.items / rate.lanes
    filled = waves - ceil(waves) + 1.0
    in_step = started >= IN_STEP * rate.lanes
    later = max(0.0, filled - 0.5) * offset if in_step else 0.0
    return offset / 2 + min(later, rate.alone)


def _tail(case: Case, rate: Rate, started: float, batch: int) -> float:
    batches = ceil(case.items / batch)
    seconds = rate.alone * batch * (1.0 + max(0.0, case.profile.trend) / 2.0)
    spread = case.spread.of_batches(batch)
    return tail(batches / rate.lanes, rate.lanes, started, seconds, spread)
