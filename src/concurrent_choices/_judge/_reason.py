"""Why a verdict is what it is, in one sentence; and what else to know about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .._facts._profile import Profile
from .._facts._recommendation import Recommendation
from .._facts._shares import COMPUTES
from .._facts._table import counted, spell
from ._demand import home_of
from ._diagnose import FAILING, RATE_LIMITED, TINY_JOB, computing_share, measured
from ._formulas import Case
from ._obstacles import IN_PROCESSES
from ._trials import is_rationed, most_lanes

__all__ = ["BECAUSE", "RATIONED", "SUPPOSED", "failing", "notes", "reason"]

HELPS = 1.5
"""Speed-up of two threads from which they help (guessed: half way between one and two)."""

WORTH_IT = 1.1
"""How many times as fast it must be for the sentence to say so (guessed)."""


def reason(verdict: Recommendation) -> str:
    """Why the chosen plan, in one sentence."""
    if not verdict.items:
        return NO_ITEMS
    if verdict.profile.failed:
        return failing()
    if not measured(verdict.profile):
        return "nothing could be measured, and one after another is the simplest."
    diagnosis, _, _ = verdict.diagnosis.partition(" at ")  # of a blocked loop its place is told, too
    because, bound = BECAUSE[diagnosis](verdict), verdict.profile.binding
    if verdict.chosen.limit == "source":
        because = f"{because}, and the iterable takes {spell(verdict.profile.source)} to give an item"
    if bound and verdict.plan.strategy == "sequential":
        return f"{because}; but {bound}, so it goes one after another."
    if diagnosis == "cpu under the GIL" and _despite_it(verdict):
        rest = "the rest of a call, above all its waits," if verdict.profile.blocked else "the rest of a call"
        return (
            f"{because}; but {rest} overlaps in {counted(verdict.plan.in_flight, 'thread')}{_gain(verdict)}."
        )
    return f"{because}, so {_therefore(verdict)}{_gain(verdict)}."


def failing(first: str = "") -> str:
    """The same where no sampled call succeeded; the first error, if it is known, is told in a line."""
    told = f" (first error: {first})" if first else ""
    return f"no sampled call succeeded{told}, and the figures are those of calls that failed."


def _despite_it(verdict: Recommendation) -> bool:
    """Whether the plan has several threads share one GIL."""
    alone = verdict.plan.strategy in {"sequential", *IN_PROCESSES}
    return verdict.machine.gil and not alone and verdict.plan.in_flight > 1


def _share(verdict: Recommendation, seconds: float) -> str:
    wall = verdict.profile.wall - verdict.profile.queued
    if wall <= 0:
        return "its time"
    whole = f"the first {spell(wall)}" if verdict.profile.wall_at_least else f"its {spell(wall)}"
    return f"{min(1.0, seconds / wall):.0%} of {whole}"


def _waits(verdict: Recommendation) -> float:
    profile = verdict.profile
    held = profile.loop_held if profile.is_async else profile.cpu
    return max(0.0, profile.wall - held - profile.queued)


def _computes(verdict: Recommendation) -> float:
    """Seconds, as the note on borders reckons them: what others compute for it counts."""
    profile = verdict.profile
    return (computing_share(profile) or 0.0) * (profile.wall - profile.queued)


def _computing(verdict: Recommendation) -> str:
    spent = spell(verdict.profile.cpu)
    return f"at least {spent}" if verdict.profile.wall_at_least else spent


def _tiny(verdict: Recommendation) -> str:
    each = verdict.profile.wall - verdict.profile.queued
    if each * verdict.items < TINY_JOB:
        return f"all of it takes {spell(each * verdict.items)}, too little for anything else to pay"
    return f"each call takes {spell(each)}, less than it costs to hand it over"


def _under(verdict: Recommendation) -> str:
    gil = "which no interpreter thread has to share here"
    if verdict.machine.gil:
        gil = "which only one thread at a time can hold"
    return f"each call computes for {_computing(verdict)} under the GIL, {gil}"


def _outside(verdict: Recommendation) -> str:
    free = " without holding the GIL" if verdict.machine.gil else ""
    computes, pair = f"each call computes for {_computing(verdict)}{free}", verdict.profile.pair_speedup
    if pair is None or pair >= HELPS or verdict.plan.strategy not in IN_PROCESSES:
        return computes
    return f"{computes}, yet two threads get only {pair:.1f} times as much done as one"


def _turned_away(verdict: Recommendation) -> str:
    share = f"{verdict.profile.congestion:.0%} of the sampled calls were turned away"
    if most_lanes(verdict.profile) == 1:
        return f"{share}, and more at once would be more often"
    return f"{share}, as fewer at once seldom are"


def _contended(verdict: Recommendation) -> str:
    faster = verdict.profile.pair_speedup
    if faster is None:
        return "calls queue for something that lets one in at a time"
    return f"two calls at once get only {faster:.1f} times as much done as one: they queue for something"


def _blocked(verdict: Recommendation) -> str:
    profile = verdict.profile
    where = f" at {profile.blocks_at}" if profile.blocks_at else ""
    spent = _share(verdict, profile.loop_held - profile.loop_cpu)
    return f"each coroutine blocks its loop for {spent}{where}"


def _kept_busy(verdict: Recommendation) -> float:
    """CPUs, of those that there were, which a call and its threads computed on."""
    profile = verdict.profile
    there = home_of(profile, verdict.machine).cpus
    return min(there, (1.0 + profile.native) * profile.cpu / profile.wall)


NO_ITEMS = "there are no items."


BECAUSE: dict[str, Callable[[Recommendation], str]] = {
    "tiny": _tiny,
    RATE_LIMITED: _turned_away,
    "cpu under the GIL": _under,
    "cpu outside the GIL": _outside,
    "native threads inside": lambda it: (
        f"each call already keeps {_kept_busy(it):.1f} CPUs busy with threads of its own"
    ),
    "child processes": lambda it: (
        f"each call has child processes compute for {spell(it.profile.children)} while it waits"
    ),
    "memory-bound": lambda it: (
        f"two calls at once compute {it.profile.pair_inflation or 1.0:.1f} times as long each, "
        "sharing memory bandwidth"
    ),
    "payload-bound": lambda _: (
        "moving an item and its result to another process costs more than computing it"
    ),
    "waiting": lambda it: f"each call spends {_share(it, _waits(it))} waiting",
    "contended": _contended,
    "disk": lambda it: f"each call spends {_share(it, _waits(it))} on the disk",
    "async that awaits": lambda it: f"each coroutine spends {_share(it, _waits(it))} awaiting",
    "async that computes": lambda it: (
        f"each coroutine computes for {_share(it, it.profile.cpu)}, holding its loop"
    ),
    "async that blocks the loop": _blocked,
    "mixed": lambda it: f"each call computes for {_share(it, _computes(it))} and waits for the rest",
    FAILING: lambda _: "no sampled call succeeded",
    "unknown": lambda _: "nothing could be measured",
}
"""Every diagnosis, and what it says of the calls."""


def _therefore(verdict: Recommendation) -> str:
    """What the chosen plan does about it."""
    plan = verdict.plan
    lane = "coroutine" if verdict.profile.is_async else "thread"
    inside = counted(plan.inside, lane)
    gil = " with a GIL each" if verdict.machine.gil else ""
    words = {
        "sequential": "one after another is as good as anything",
        "thread": f"{counted(plan.workers, 'thread')} get on with it at the same time",
        "process": f"{counted(plan.workers, 'process')}{gil} share the work",
        "hybrid": f"{counted(plan.workers, 'process')} with {inside} each share it",
    }
    if plan.workers == 1:
        words |= {
            "thread": "1 thread does it",
            "process": f"1 process{' with a GIL of its own' if gil else ''} does the work",
            "hybrid": f"1 process with {inside} does it",
        }
    return words.get(plan.strategy, f"one loop keeps {counted(plan.concurrency, lane)} in flight")


def _gain(verdict: Recommendation) -> str:
    """How much faster than one after another, where that is known and worth a word."""
    plain, chosen = verdict.estimate("sequential"), verdict.chosen
    known = chosen.expected and not verdict.profile.wall_at_least
    if verdict.plan.strategy == "sequential" or not known:
        return ""
    times = plain.expected / chosen.expected
    source = "predicted" if None in {plain.measured, chosen.measured} else "measured"
    return f": {times:.1f} times as fast as one after another ({source})" if times >= WORTH_IT else ""


_FIGURES = {
    "wall": "the time of a call",
    "gil": "how long a call holds the GIL",
    "queued": "how long a call waits for a processor",
    "children": "what child processes compute for a call",
    "pair_speedup": "what two calls at once achieve",
    "pair_inflation": "how far two calls at once slow each other down",
    "ramp": "what several calls at once achieve",
    "payload": "what moving items to another process costs",
    "load": "what sending the callable to another process costs, and whether that can be done",
    "blocking_calls, disk_blocks, fresh_memory": (
        "how often a call waits, what it reads and writes, and what memory it takes"
    ),
}
"""Figures of a profile in the words of somebody who has not read its source."""

BORDER = 0.05
"""Share of the time by which repeated samples of the same callable differ (guessed)."""


def _most(lanes: int, profile: Profile) -> str:
    at_once = f"{counted(lanes, 'call')} at once"
    if lanes == most_lanes(profile):
        if is_rationed(profile):
            if lanes == 1:
                return "Calls were turned away, and no trial has shown that several at once are not."
            return f"Of more than {at_once}, some were turned away in the trials."
        return f"More than {at_once} got less done in the trials."
    return f"{'1 call' if lanes == 1 else at_once} and the threads that each has of its own fill the cores."


NOTHING_THERE = "No call was made: there was no item to make one with."
SUPPOSED = (
    "Calls wait for one another, as for a lock or a disk. Processes are assumed to do so too, which they do "
    'not for a lock within this one. No race has tried it; some of the items under strategy="process" would.'
)
RATIONED = (
    "The times hold only if no more calls are turned away. A limit on calls per second is kept by a limiter "
    "in the callable, not by a number of calls at once."
)
NO_TIME = "No call was made: the budget was over before one could begin. A larger one tells more."


def _near_a_border(profile: Profile) -> Iterator[str]:
    share = computing_share(profile)
    if share is not None and any(abs(share - border) < BORDER for border in (COMPUTES, 1.0 - COMPUTES)):
        yield (
            f"It computes for {share:.0%} of its time: from {COMPUTES:.0%} on that is called cpu-bound, up "
            f"to {1.0 - COMPUTES:.0%} io-bound, in between mixed; another sample may fall on the other side."
        )


def notes(case: Case, *, known: bool) -> tuple[str, ...]:
    """What to know about the prediction, most of all what it could not rest on."""
    return (*_of_profile(case), *_of_case(case, known=known)) if case.items else ()


def _of_profile(case: Case) -> Iterator[str]:
    profile = case.profile
    for each in profile.missing if measured(profile) else ():
        figure, _, why = each.partition(": ")
        yield f"Not measured: {_FIGURES.get(figure, figure)}: {why}."
    yield from _near_a_border(profile)
    if profile.by_size:
        yield "Calls take longer the larger their items are; the sizes of all items were counted."
    if profile.calls == 0 and profile.wall > 0 and not profile.wall_at_least:
        yield "Only the first call was measured; those after it may be faster."
    if profile.calls == 1:
        yield "Only one call was measured; its time may not be typical."
    if profile.errors > 0:
        yield f"{profile.errors:.0%} of the sampled calls raised."
    if profile.first_excess > max(profile.wall, 1e-3):
        excess = spell(profile.first_excess)
        who = "process and thread" if profile.lane_excess > profile.first_excess / 2 else "process"
        yield f"The first call takes {excess} longer; every worker {who} pays that once."


def _of_case(case: Case, *, known: bool) -> Iterator[str]:
    demand, profile = case.demand, case.profile
    if not measured(profile):
        yield NOTHING_THERE if profile.items == 0 else NO_TIME
    if not known:
        number = f"The number of items is not known; {counted(case.items, 'item')} were assumed."
        yield f"{number} A list tells it, and so does `items_count` of a Workload."
    unknown = profile.process_speedup is None and not profile.payload.obstacle
    if demand.shared_resource > 0 and unknown:
        yield SUPPOSED
    if demand.most_lanes is not None and demand.most_lanes < case.items:
        yield _most(demand.most_lanes, profile)
    if is_rationed(profile):
        yield RATIONED
    if profile.gil and not case.machine.gil and profile.pair_inflation is None:
        yield "How the callable scales without the GIL was not measured."
