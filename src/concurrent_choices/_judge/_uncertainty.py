"""How sure a prediction is: the standard errors of what was measured, carried to the makespan.

The delta method with differences instead of derivatives: every input is moved by one standard
error, and the changes of the prediction are added as squares.

    se(T)^2 = sum_i (T(x_i + se_i) - T)^2 + (model error * T)^2
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import hypot, inf, sqrt
from typing import TypeVar

from attrs import evolve

from .._facts._costs import Costs
from .._facts._plan import Plan
from .._facts._profile import TIMES, Payload, Profile
from ._formulas import Case, predict
from ._gil_share import gil_is_known

__all__ = ["standard_error"]

Fact = TypeVar("Fact", Profile, Payload, Costs)

MODEL_ERROR = 0.2
"""Relative error of the formulas themselves, and of what a machine differs by from one run to the next
(measured: of 362 predictions of the oracle harness 70 % came within one standard error and 90 % within two;
with 0.05, which DECISION.md's EXP 11 suggests, 43 and 62 %; in its last report it is 91 and 95)."""

LEAST_ERROR = 0.01
"""Relative error of a mean however many calls it is of: clocks and warm caches (guessed)."""

ONE_CALL = 0.5
"""Relative error of a single call's time (guessed)."""

UNKNOWN_GIL = 0.25
"""Standard error of the GIL's share where it could not be measured (guessed)."""

PAYLOAD_ERROR = 0.3
"""Relative error of what pickling costs, from at most three items (DECISION.md 5.1)."""

START_ERROR = 0.25
"""Relative error of calibrated start-up times (guessed: they depend on what else runs)."""

HAND_OVERS = 1.0
"""Times that a call which lets go of the GIL may have to wait to get it back, beyond those that it is known
to wait (guessed: in short system calls two threads may keep passing it on, or hardly ever meet)."""

CORES_ERROR = 0.07
"""Relative drift of the cores that are really there, on a quiet machine (DECISION.md, EXP 7)."""


def standard_error(case: Case, plan: Plan) -> float:
    """One standard error of the predicted makespan, in seconds."""
    expected = predict(case, plan).seconds
    if not expected < inf:
        return inf
    changes = [predict(moved, plan).seconds - expected for moved in _all_moved(case)]
    return hypot(MODEL_ERROR * expected, *changes)


@lru_cache(maxsize=1)
def _all_moved(case: Case) -> tuple[Case, ...]:
    """All of them, made once for the plans of all strategies: that was 40 % of a verdict's time."""
    return tuple(_moved(case))


def _moved(case: Case) -> Iterator[Case]:
    """The case with one input after the other moved by its standard error."""
    for move in (_slower, _more_gil, _dearer_payload):
        profile = move(case.profile)
        if profile != case.profile:
            yield case.with_profile(profile)
    yield evolve(case, profile=_more_uneven(case.profile))
    yield evolve(case, costs=_slower_start(case.costs))
    if case.demand.gil > 0 and case.demand.work > 0:
        yield evolve(case, demand=evolve(case.demand, switches=case.demand.switches + HAND_OVERS))
    yield evolve(case, demand=evolve(case.demand, cores=case.demand.cores * (1 - CORES_ERROR)))


def _slower(profile: Profile) -> Profile:
    return _more(profile, _relative_error(profile), *TIMES)


def _relative_error(profile: Profile) -> float:
    if profile.calls < 2 or profile.wall <= 0:  # noqa: PLR2004 - a spread needs two
        return ONE_CALL
    return max(LEAST_ERROR, profile.wall_sd / profile.wall * _untold(profile) / sqrt(profile.calls))


def _untold(profile: Profile) -> float:
    """The part of how calls differ that the sizes of their items do not tell."""
    return sqrt(1.0 - profile.by_size)


def _more_uneven(profile: Profile) -> Profile:
    """More spread: a few calls of a heavy tail show little of it.

    The standard error of the standard deviation is that of exponential times.
    """
    if profile.calls < 2:  # noqa: PLR2004 - a spread needs two
        return profile
    return _more(profile, sqrt(2.0 / profile.calls) * _untold(profile), "wall_sd", "wall_max")


def _more_gil(profile: Profile) -> Profile:
    """More of it under the GIL, or less where nearly all of it is already."""
    error = profile.gil_se if gil_is_known(profile) else UNKNOWN_GIL
    cpu = profile.loop_cpu if profile.is_async else profile.cpu
    step = error * profile.wall
    gil = profile.gil if gil_is_known(profile) else cpu
    moved = gil + step if gil + step <= cpu else max(0.0, min(gil, cpu) - step)
    known = tuple(each for each in profile.missing if not each.startswith("gil"))
    return evolve(profile, gil=moved, missing=known)


def _dearer_payload(profile: Profile) -> Profile:
    moved = ("item_bytes", "result_bytes", "item_seconds", "result_seconds")
    return evolve(profile, payload=_more(profile.payload, PAYLOAD_ERROR, *moved))


def _slower_start(costs: Costs) -> Costs:
    """With all of what lanes cost before their first item and after their last."""
    at_ends = ("thread_start", "thread_end", "process_start", "process_worker", "hybrid_start")
    return _more(costs, START_ERROR, *at_ends, "module_import", "loop_start", "uvloop_start")


def _more(fact: Fact, error: float, *names: str) -> Fact:
    """A fact with some of its numbers larger by a relative error."""
    return evolve(fact, **{name: getattr(fact, name) * (1.0 + error) for name in names})
