"""What measuring a described workload would find: its profile, exact but for the luck of the draw.

The sample is a real sample of the items of a run, so a profile of few calls is as unlucky as a
real one.
"""

from __future__ import annotations

from statistics import fmean, stdev

from attrs import define, evolve

from ..._facts._costs import Costs
from ..._facts._machine import Machine
from ..._facts._plan import Plan
from ..._facts._profile import Profile
from ._run import simulate
from ._scripts import Block, Call, Locked, Native, Phase, Python, Script, Wait, exactly

__all__ = ["observe", "with_trials"]


TRIAL_ITEMS = 100
"""Items of a trial: enough that how the last ones end does not matter much (guessed)."""


@define
class _Tally:
    """Seconds of one item by what it did."""

    gil: float = 0.0
    work: float = 0.0
    threads: float = 0.0
    waited: float = 0.0
    blocked: float = 0.0
    pauses: int = 0
    longest: float = 0.0

    def add(self, phase: Phase) -> None:
        match phase:
            case Locked(_, body):
                self.pauses += 1
                for each in body:
                    self.add(each)
            case Python(seconds):
                self.gil += exactly(seconds)
            case Native(seconds, threads):
                self.work += exactly(seconds)
                self.threads += exactly(seconds) * (threads - 1)
            case Block(seconds):
                self.blocked += exactly(seconds)
            case Wait(seconds) | Call(_, seconds):
                self.waited += exactly(seconds)
                self.pauses += 1
                self.longest = max(self.longest, exactly(seconds))

    @property
    def cpu(self) -> float:
        return self.gil + self.work

    @property
    def wall(self) -> float:
        return self.cpu + self.waited + self.blocked


def observe(script: Script, *, calls: int = 32, seed: int = 0) -> Profile:
    """The profile of a sample spread over the items, without trials."""
    calls = max(1, min(calls, script.items))
    sample = [_tally(script, place * script.items // calls, seed) for place in range(calls)]
    walls = [each.wall for each in sample]
    cpu, held = fmean(each.cpu for each in sample), fmean(each.gil for each in sample)
    blocked = fmean(each.blocked for each in sample)
    pauses = fmean(each.pauses for each in sample)
    return Profile(
        calls=calls,
        items=script.items,
        wall=fmean(walls),
        wall_sd=stdev(walls) if calls > 1 else 0.0,
        wall_max=max(walls),
        cpu=cpu,
        gil=held,
        gil_se=0.0,
        native=fmean(each.threads for each in sample) / cpu if cpu else 0.0,
        blocking_calls=pauses,
        is_async=script.is_async,
        steps=pauses if script.is_async else 0.0,
        loop_held=cpu + blocked if script.is_async else 0.0,
        loop_cpu=cpu if script.is_async else 0.0,
        longest_wait=fmean(each.longest for each in sample) if script.is_async else 0.0,
        payload=script.payload,
    )


def _tally(script: Script, index: int, seed: int) -> _Tally:
    tally = _Tally()
    for phase in script.phases_of(index, seed):
        tally.add(phase)
    return tally


def with_trials(
    profile: Profile,
    script: Script,
    machine: Machine,
    costs: Costs,
    *,
    lanes: tuple[int, ...] = (2,),
) -> Profile:
    """The profile with trials of several lanes on a part of the items; two lanes are its pair."""
    short = evolve(script, items=min(TRIAL_ITEMS, script.items))
    free = evolve(costs, thread_start=0.0, loop_start=0.0)
    strategy = "asyncio" if script.is_async else "thread"
    one = simulate(short, Plan(strategy="sequential"), machine, free)
    for count in lanes:
        plan = Plan(strategy=strategy, workers=count, concurrency=count, batch=1)
        some = simulate(short, plan, machine, free)
        speedup = one.seconds / some.seconds
        if count == 2:  # noqa: PLR2004 - the pair
            profile = evolve(
                profile,
                pair_speedup=speedup,
                pair_inflation=some.cores / one.cores if one.cores else None,
                pair_resident=1.0,
                pair_parallelism=some.cores / some.seconds,
                cpus=machine.cpus,
            )
        else:
            profile = evolve(profile, ramp=(*profile.ramp, (count, speedup)), cpus=machine.cpus)
    return profile
