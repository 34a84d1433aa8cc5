"""`recommend`: looking, then deciding, then perhaps a race."""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, TypedDict, TypeVar, Unpack, overload

from attrs import evolve

from .._errors import InvalidArgumentError
from .._facts._costs import Costs
from .._facts._machine import Machine
from .._facts._plan import Plan
from .._facts._recommendation import Recommendation
from .._facts._table import counted
from .._facts._workload import Workload
from .._inspect._bonds import refused_thread
from .._inspect._callables import is_async
from .._inspect._ownership import recognise_program
from .._inspect._words import reason_of, shortened, show, text_of
from .._judge._formulas import starting
from .._judge._obstacles import IN_PROCESSES
from .._judge._reason import failing
from .._judge._recommend import case_behind, settle, with_changes, without
from .._judge._recommend import recommend as judge
from .._measure._allowance import AFTERWARDS, SHARE
from .._measure._calibration import machine_costs
from .._measure._clock import SystemClock
from .._measure._ledger import calls_of, errors_of
from .._measure._profiler import Sampled, profile
from .._platform._this_machine import this_machine
from .._strategies._event_loop import has_uvloop, why_no_uvloop
from ._arguments import check_budget, check_fn, check_items, check_switches, only_async
from ._elsewhere import Elsewhere, elsewhere
from ._leftover import Leftover
from ._probes import probes
from ._race import Race
from ._verdict import Verdict, able

__all__ = ["recommend"]

T = TypeVar("T")
R = TypeVar("R")

SAMPLING = 0.2
"""Seconds for sampling, where the work is not so long that more is a twentieth of it (docs/choosing.md)."""

NEEDS_TRIO = "must be called from async context"
"""What trio says where it does not run."""

_ONE_LOOP = "the callable holds something that serves one event loop only"

LEAST = 0.22
"""Seconds that looking and racing may take in any case: of a quarter, some go to reading what costs are known
(measured: 8 ms), to ending the race, and to asking what would change the verdict (measured: 2 to 15 ms)."""


class Asking(TypedDict, total=False):
    """What `recommend` takes besides the work."""

    budget: float
    verify: bool
    machine: Machine | None


@overload
def recommend(workload: Workload, **options: Unpack[Asking]) -> Verdict[Any]: ...
@overload
def recommend(
    workload: Callable[[T], Awaitable[R]], items: Iterable[T], **options: Unpack[Asking]
) -> Verdict[R]: ...
@overload
def recommend(workload: Callable[[T], R], items: Iterable[T], **options: Unpack[Asking]) -> Verdict[R]: ...
def recommend(
    workload: Workload | Callable[[Any], Any],
    items: Iterable[Any] | None = None,
    *,
    budget: float = 1.0,
    verify: bool = True,
    machine: Machine | None = None,
) -> Verdict[Any]:
    """Measure a callable on some of its items, and say which strategy runs it fastest, and why.

    It really calls `fn` on the sampled items, each once; `Verdict.run` goes on with the others. It blocks for
    `budget` at most, unless a call hangs in a race. If an event loop must not wait for it, write
    `await asyncio.to_thread(recommend, fn, items)`.

    Args:
        workload: A `Workload`, or a callable of one argument, `def` or `async def`.
        items: What it is to be called with, if `workload` is a callable.
        budget: Seconds to spend at most. Usually fewer are spent: a quarter of a second, or a twentieth of
            what the work would take one by one, if that is more. An item that the iterable is slow to give is
            waited for beyond that.
        verify: Whether the leading candidates race on some of the items. A race waits for a call that takes
            long, and raises its `SystemExit`; sampling does neither.
        machine: The machine to predict for, to ask "what if"; this one by default. There is no race for
            another machine, and such a verdict, if it is run here, starts as many workers as are right there.

    Returns:
        A verdict. It prints as a table, can `run` the work, and can be given to `run(..., strategy=verdict)`.

    Raises:
        InvalidArgumentError: An argument is invalid; nothing was called.
        Exception: What the caller's iterable raised when it was asked for its first items.
    """
    asked = _workload(workload, items)
    recognise_program(asked.fn)
    limit = check_budget(budget)
    check_switches(verify=verify)
    _check_machine(machine)
    calibration = machine_costs(probes())
    began = time.perf_counter()
    sampled = profile(
        asked.fn,
        asked.items,
        clock=SystemClock(),
        budget=min(limit, SAMPLING),
        is_async=is_async(asked.fn),
        most=limit - AFTERWARDS,
    )
    costs = _as_loaded(calibration.costs)

    def left(verdict: Recommendation) -> float:
        """Seconds for what comes after looking."""
        return min(limit, _allowed(verdict)) - (time.perf_counter() - began)

    verdict = _noting(_judged(asked, sampled, costs, machine, left), sampled)
    leftover = Leftover(asked.fn, sampled)
    if verify and machine is None and leftover.can_race:
        verdict = _raced(verdict, leftover, costs, left(verdict))
    return able(with_changes(verdict, costs), leftover)


def _judged(
    asked: Workload,
    sampled: Sampled,
    costs: Costs,
    machine: Machine | None,
    left: Callable[[Recommendation], float],
) -> Recommendation:
    """The verdict from predictions; what cannot run here after all is neither chosen nor raced."""
    there = machine or this_machine()
    if asked.items_count is None:  # a table has a length, which counts its rows, and gives its columns
        asked = evolve(asked, items_count=sampled.profile.items)
    known = _known_obstacles(sampled) if sampled.profile.is_async else {}
    verdict = judge(asked, sampled.profile, costs, there, obstacles=known)
    obstacles: dict[str, str] = {}
    wanted = {plan.strategy for plan in (verdict.plan, *verdict.contenders)}
    if "uvloop" in wanted and (why := why_no_uvloop()):
        obstacles["uvloop"] = why
    asks = machine is None and not IN_PROCESSES.isdisjoint(wanted)
    found = Elsewhere()
    if asks:
        found = elsewhere(asked.fn, _seconds_for_asking(verdict, costs, left(verdict)), sampled.tasks)
    if found.obstacle:
        obstacles.update(dict.fromkeys(IN_PROCESSES, found.obstacle))
    if obstacles:
        verdict = without(verdict, obstacles, costs)
    return evolve(verdict, notes=(*verdict.notes, found.note)) if found.note else verdict


def _known_obstacles(sampled: Sampled) -> dict[str, str]:
    """By strategy, why it cannot run an `async def` here, as far as is known without loading anything."""
    bound = dict.fromkeys(("thread", *IN_PROCESSES), _ONE_LOOP) if sampled.loop is not None else {}
    return bound if has_uvloop() else {**bound, "uvloop": why_no_uvloop()}


def _seconds_for_asking(verdict: Recommendation, costs: Costs, seconds: float) -> float:
    """So many seconds to ask a worker process; none if it cannot be there by then."""
    start = starting(case_behind(verdict, costs), Plan(strategy="process"))
    return seconds if seconds > start else 0.0


def _as_loaded(costs: Costs) -> Costs:
    """The costs in this process: it imports nothing twice."""
    return evolve(costs, uvloop_start=0.0) if "uvloop" in sys.modules else costs


def _noting(verdict: Recommendation, sampled: Sampled) -> Recommendation:
    """The verdict with what became of the caller's iterable, if it raised.

    Raises:
        BaseException: That very exception, if there is nothing else to tell.
    """
    verdict = evolve(verdict, notes=(*verdict.notes, *_raised(sampled)))
    if verdict.profile.failed:
        verdict = evolve(verdict, reason=failing(_in_words(errors_of(sampled.runs)[0])))
    error = sampled.feed.error
    if error is None:
        return verdict
    if not sampled.runs and not sampled.in_flight:
        raise error
    given = counted(calls_of(sampled.runs), "item")
    return evolve(verdict, notes=(*verdict.notes, f"After {given} the iterable raised {show(error)}."))


def _raised(sampled: Sampled) -> Iterator[str]:
    """What the calls raised, if they raised, and what that says of the figures."""
    errors = errors_of(sampled.runs)
    if not errors:
        return
    if len(errors) < calls_of(sampled.runs):  # else the reason names it
        yield f"The first error was {_in_words(errors[0])}."
    elif all(map(refused_thread, errors)):
        yield (
            "The callable works in one thread only, and sampling is done in another. "
            'run(fn, items, strategy="sequential") calls it in yours.'
        )
    if any(NEEDS_TRIO in text_of(error) for error in errors):
        yield (
            "The callable seems to need trio, and sampling is done on asyncio. It can be run with "
            'strategy=AnyioStrategy(backend="trio").'
        )


def _in_words(error: BaseException) -> str:
    """An error in a line: the repr of one of aiohttp's is cut off before it says what was wrong."""
    return shortened(reason_of(error)) if text_of(error) else show(error)


def _allowed(verdict: Recommendation) -> float:
    """Seconds that looking and racing may take of a workload."""
    seconds = verdict.estimate("sequential").seconds  # None where no call was made
    return max(LEAST, SHARE * (seconds or 0.0))


def _raced(verdict: Recommendation, leftover: Leftover, costs: Costs, seconds: float) -> Recommendation:
    """The verdict after a race, if there is time and work enough for one."""
    if seconds <= 0 or not verdict.items_known:
        return verdict
    race = Race(leftover, case_behind(verdict, costs))
    there = verdict.profile.items  # "what if" asks about more than there are
    left = (verdict.items if there is None else there) - len(leftover.results)
    measured = race.hold(verdict, left, seconds)
    if race.obstacle:
        verdict = without(verdict, dict.fromkeys(IN_PROCESSES, race.obstacle), costs)
    if not measured:
        return verdict
    return settle(evolve(verdict, profile=race.learnt(verdict.profile)), measured)


def _workload(workload: Any, items: Any) -> Workload:
    if isinstance(workload, Workload):
        if items is not None:
            problem = "belong in the Workload; give one or the other"
            raise InvalidArgumentError("items", problem)
        made = workload
    else:
        check_fn(workload)
        if items is None:
            problem = "are missing: recommend(fn, items), or recommend(Workload(fn, items))"
            raise InvalidArgumentError("items", problem)
        made = Workload(workload, items)
    check_fn(made.fn)
    if only_async(made.items):
        problem = (
            "must be an ordinary iterable: recommend() is no coroutine and cannot await them. Give it some "
            "of them in a list; astream(fn, items) takes an async iterable and chooses while it runs"
        )
        raise InvalidArgumentError("items", problem)
    check_items(made.items)
    return made


def _check_machine(machine: Any) -> None:
    if not isinstance(machine, Machine | None):
        raise InvalidArgumentError("machine", f"must be a Machine, such as Machine(cpus=64), not {machine!r}")
