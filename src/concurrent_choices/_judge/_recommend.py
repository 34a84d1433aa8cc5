"""From what was measured to a verdict."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from .._facts._costs import Costs
from .._facts._estimate import Estimate
from .._facts._machine import Machine
from .._facts._plan import Plan
from .._facts._profile import Profile
from .._facts._recommendation import Recommendation
from .._facts._table import spell
from .._facts._workload import Workload
from ._changes import changes
from ._choice import Choice
from ._demand import home_of
from ._diagnose import bound_of, diagnose, measured
from ._formulas import STRATEGIES, Case, Prediction, case_of, predict
from ._obstacles import obstacles_of
from ._reason import SUPPOSED, notes, reason
from ._search import best_plan
from ._uncertainty import standard_error

__all__ = ["best_estimate", "case_behind", "recommend", "settle", "with_changes", "without"]

ASSUMED_ITEMS = 1000
"""How many items there are taken to be where nobody knows (guessed)."""


def recommend(
    workload: Workload,
    profile: Profile,
    costs: Costs,
    machine: Machine,
    *,
    obstacles: Mapping[str, str] | None = None,
) -> Recommendation:
    """Which strategy to run a workload with.

    For "what if", hand in another machine, or a workload with another `items_count`: of it only that and the
    name are read. The obstacles say why strategies cannot run for reasons that the profile does not show.
    What would change the verdict is asked by itself (`with_changes`).
    """
    known = workload.count if workload.count is not None else profile.items
    case = case_of(profile, costs, machine, ASSUMED_ITEMS if known is None else known)
    hindered = {**obstacles_of(profile, machine), **(obstacles or {})}
    return _verdict(workload.name, case, hindered, known=known is not None)


def without(verdict: Recommendation, obstacles: Mapping[str, str], costs: Costs) -> Recommendation:
    """The verdict where some strategies turn out not to run; the obstacles say why."""
    hindered = {**_obstacles_in(verdict), **obstacles}
    again = _verdict(verdict.name, case_behind(verdict, costs), hindered, known=verdict.items_known)
    return evolve(again, notes=verdict.notes)


def settle(verdict: Recommendation, measured: Mapping[str, float]) -> Recommendation:
    """The verdict after a race: with what was measured in its table, and the best of the raced chosen.

    That is, by strategy, the seconds that all items would take, going by the race. It has told what could
    only be supposed of processes before.
    """
    estimates = tuple(
        evolve(each, measured=measured[each.plan.strategy], note="")
        if each.plan.strategy in measured
        else each
        for each in verdict.estimates
    )
    told = {SUPPOSED} if "process" in measured else set[str]()
    notes = tuple(each for each in verdict.notes if each not in told)
    return _decided(evolve(verdict, estimates=estimates, notes=notes))


def with_changes(verdict: Recommendation, costs: Costs) -> Recommendation:
    """The verdict with what would change it.

    That is the same question about other machines and other workloads, and takes twice as long as all else
    here (measured: 2 to 15 ms): so the last verdict is asked, once.
    """
    case = case_behind(verdict, costs)
    return evolve(verdict, changes=changes(case, _obstacles_in(verdict), verdict.chosen))


def case_behind(verdict: Recommendation, costs: Costs) -> Case:
    """The case that a verdict is about."""
    return case_of(verdict.profile, costs, verdict.machine, verdict.items)


def _obstacles_in(verdict: Recommendation) -> dict[str, str]:
    """By strategy, why it cannot run."""
    return {each.plan.strategy: each.obstacle for each in verdict.estimates if each.obstacle}


def _verdict(name: str, case: Case, obstacles: Mapping[str, str], *, known: bool) -> Recommendation:
    """The verdict of a case; its number of items is `known`, or assumed."""
    profile = case.profile
    estimates = _estimates_of(case, obstacles)
    verdict = Recommendation(
        name=name,
        items=case.items,
        items_known=known,
        plan=estimates[0].plan,  # any of them, until it is decided
        estimates=estimates,
        bound=bound_of(profile),
        # of the callable as it was measured, not of a "what if"
        diagnosis=diagnose(profile, case.costs, home_of(profile, case.machine), case.items),
        reason="",
        notes=notes(case, known=known),
        profile=profile,
        machine=case.machine,
    )
    decided = _decided(verdict)
    return decided if measured(profile) or not case.items else _unmeasured(decided)


def _estimates_of(case: Case, obstacles: Mapping[str, str]) -> tuple[Estimate, ...]:
    """An estimate for every strategy: its best plan, or why it cannot run."""
    return tuple(
        Estimate(plan=Plan(strategy=each), obstacle=obstacles[each])
        if each in obstacles
        else best_estimate(case, each)
        for each in STRATEGIES
    )


def best_estimate(case: Case, strategy: str) -> Estimate:
    """A strategy with its best numbers, and how long it will take.

    Where nobody knows whether processes share what lanes queue for, the plan is the best one if
    they do not, the time is the one if they do, and the error covers the other.
    """
    sharing_unknown = case.demand.shared_resource > 0 and case.profile.process_speedup is None
    if strategy == "process" and sharing_unknown:
        return _torn(case, strategy)
    return _estimate(case, *best_plan(case, strategy))


def _torn(case: Case, strategy: str) -> Estimate:
    apart = evolve(case, demand=evolve(case.demand, shared_resource=0.0))
    plan, hoped = best_plan(apart, strategy)
    feared = _estimate(case, plan, predict(case, plan))
    assert feared.seconds is not None
    error = max(feared.error, (feared.seconds - hoped.seconds) / 2)
    note = f"{spell(hoped.seconds)} if each process has its own of what calls queue for"
    return evolve(feared, error=error, note=note)


def _estimate(case: Case, plan: Plan, prediction: Prediction) -> Estimate:
    error = standard_error(case, plan)
    return Estimate(plan=plan, seconds=prediction.seconds, error=error, limit=prediction.limit)


def _decided(verdict: Recommendation) -> Recommendation:
    """The verdict with everything that follows from its estimates."""
    ranked = tuple(sorted(verdict.estimates, key=lambda each: each.expected))
    choice = Choice(ranked, is_async=verdict.profile.is_async)
    chosen = choice.best()
    decided = evolve(
        verdict,
        plan=chosen.plan,
        estimates=ranked,
        close=choice.is_close(chosen),
        contenders=choice.contenders(chosen),
    )
    return evolve(decided, reason=reason(decided))


def _unmeasured(verdict: Recommendation) -> Recommendation:
    """The verdict without its seconds: where no call was measured, they tell only of what is around calls."""
    blank = tuple(evolve(each, seconds=None, error=0.0, limit="") for each in verdict.estimates)
    return evolve(verdict, estimates=blank, close=False, contenders=(verdict.plan,))
