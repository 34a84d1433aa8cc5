"""What would change a verdict: the same question, asked of other machines and other workloads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

from attrs import evolve, frozen

from .._facts._estimate import Estimate
from .._facts._machine import Machine
from .._facts._plan import Plan
from .._facts._profile import Payload
from .._facts._table import how, spell
from ._choice import TIE, Choice
from ._demand import home_of
from ._diagnose import bound_of
from ._formulas import STRATEGIES, Case, case_of
from ._obstacles import IN_PROCESSES, LOOPS
from ._search import best_plan
from ._trials import most_tried

__all__ = ["changes"]

ONE_MACHINE_SECONDS = 3600.0
"""Predicted time beyond which one machine is not enough (guessed: nobody waits an hour gladly)."""

MANY_CPUS = 64.0
"""CPUs of a large machine that most people can rent (guessed)."""

WORTH_SAYING = 1.3
"""How many times as fast something must become to be named as a way to go faster (guessed)."""


@frozen
class _Twist:
    """One thing that might be otherwise.

    Attributes:
        words: How a sentence about it begins.
        case: The case in which it is.
        remedy: Whether it is named also where the strategy stays, if it is much faster then.
    """

    words: str
    case: Case
    remedy: bool = False


def changes(case: Case, obstacles: Mapping[str, str], chosen: Estimate) -> tuple[str, ...]:
    """What would change the verdict, a sentence each."""
    if not case.items or not case.profile.wall or case.profile.failed:  # of failing, nobody asks
        return ()
    return (
        *_by_twists(case, obstacles, chosen),
        *_if_no_more_are_served(case, chosen),
        *_if_it_could_travel(case, obstacles, chosen),
        *_more_machines(chosen),
    )


def _by_twists(case: Case, obstacles: Mapping[str, str], chosen: Estimate) -> Iterator[str]:
    said: set[str] = set()
    for twist in _twists(case, chosen):
        plan, seconds = _winner(twist.case, obstacles)
        same = plan.strategy == chosen.plan.strategy
        gain = chosen.expected / seconds if seconds > 0 else inf
        if (same and not (twist.remedy and gain >= WORTH_SAYING)) or plan.strategy in said:
            continue
        if not twist.remedy:
            said.add(plan.strategy)
        yield f"{twist.words}: {_told(case, plan, seconds)}."


def _twists(case: Case, chosen: Estimate) -> Iterator[_Twist]:
    if chosen.limit == "source":
        at_once = case.with_profile(evolve(case.profile, source=0.0))
        yield _Twist("If all items were there at once", at_once, remedy=True)
    yield from _other_workloads(case)
    for factor in (10, 1000):
        yield _Twist(f"With {factor:,} times the items", evolve(case, items=case.items * factor))
    if case.items >= 20:  # noqa: PLR2004 - a tenth of it must still be a workload
        yield _Twist("With a tenth of the items", evolve(case, items=case.items // 10))
    yield from _other_machines(case)


def _other_machines(case: Case) -> Iterator[_Twist]:
    machine = case.machine
    if machine.cpus < MANY_CPUS:
        yield _Twist(f"With {MANY_CPUS:.0f} CPUs", _on(case, evolve(machine, cpus=MANY_CPUS)))
    if machine.cpus > 1:
        yield _Twist("With a single CPU", _on(case, evolve(machine, cpus=1.0)))
    if machine.gil:
        yield _Twist("Without the GIL", _on(case, evolve(machine, gil=False)))


def _other_workloads(case: Case) -> Iterator[_Twist]:
    profile, demand = case.profile, case.demand
    if demand.block > 0:
        where = f" at {profile.blocks_at}" if profile.blocks_at else ""
        held = profile.loop_cpu + profile.queued_on_loop
        # in the trials lanes queued for the very loop that would be free then
        unblocked = evolve(profile, loop_held=held, pair_speedup=None, ramp=(), ramp_inflation=None)
        yield _Twist(f"If it awaited instead of blocking{where}", case.with_profile(unblocked), remedy=True)
    if demand.shared_resource > 0:
        own = evolve(profile, process_speedup=2.0)
        yield _Twist("If each process had its own of what calls queue for here", case.with_profile(own))


def _if_no_more_are_served(case: Case, chosen: Estimate) -> Iterator[str]:
    """What it comes to if calls that wait are not served by as many as the plan has: nobody has seen that."""
    tried = most_tried(case.profile)
    seen = chosen.measured is not None or chosen.plan.in_flight <= tried
    if seen or not tried or bound_of(case.profile) != "io":
        return
    served = evolve(case, demand=evolve(case.demand, most_lanes=tried))
    plan, told = best_plan(served, chosen.plan.strategy)
    if told.seconds >= WORTH_SAYING * chosen.expected:
        few = f"No more than {tried} calls at once were tried. If no more are served"
        yield f"{few}: {_told(case, plan, told.seconds)}."


def _if_it_could_travel(case: Case, obstacles: Mapping[str, str], chosen: Estimate) -> Iterator[str]:
    """Whether it would run in processes if nothing stood against it."""
    if "process" not in obstacles:
        return
    payload: Payload = evolve(case.profile.payload, obstacle="")
    free = case.with_profile(evolve(case.profile, payload=payload))
    rest = {name: why for name, why in obstacles.items() if name not in IN_PROCESSES}
    plan, seconds = _winner(free, rest)
    if plan.strategy in IN_PROCESSES and seconds * TIE < chosen.expected:
        told = _told(case, plan, seconds)
        yield f"If it could run in other processes: {told}; but {obstacles['process']}."


def _told(case: Case, plan: Plan, seconds: float) -> str:
    """A plan and its seconds as the table has them: a lower bound where no call came back."""
    least = "at least " if case.profile.wall_at_least else ""
    return f"{plan.strategy} ({how(plan, is_async=case.profile.is_async)}), {least}{spell(seconds)}"


def _more_machines(chosen: Estimate) -> Iterator[str]:
    if chosen.expected > ONE_MACHINE_SECONDS and chosen.limit == "cores":
        yield (
            f"One machine takes {spell(chosen.expected)}: spread it over several, with Dask or Ray for "
            "example; no strategy here does."
        )


def _winner(case: Case, obstacles: Mapping[str, str]) -> tuple[Plan, float]:
    """The verdict for another case: fastest, within 7 % the simpler; no error bars needed."""
    # a `def` runs in threads under a loop, too, which then is one more thing to start; for an `async def`,
    # anyio adds to what asyncio does
    vain = ("anyio",) if case.profile.is_async else LOOPS
    able = [each for each in STRATEGIES if each not in obstacles and each not in vain]
    found = [best_plan(case, each) for each in able]
    estimates = [Estimate(plan=plan, seconds=told.seconds) for plan, told in found]
    best = Choice(estimates, is_async=case.profile.is_async).best()
    return best.plan, best.expected


def _on(case: Case, machine: Machine) -> Case:
    home = home_of(case.profile, case.machine).cpus
    return case_of(evolve(case.profile, cpus=home), case.costs, machine, case.items)
