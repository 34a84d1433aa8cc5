"""The best numbers of workers, items in flight and batch for each strategy.

Throughput need not grow with lanes (memory bandwidth, start-up), so candidates are tried rather
than climbed; there are few, since a step of a half or so in either direction changes little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import ceil

from .._facts._plan import Plan
from ._controller._thresholds import PROCESSES_PER_CORE
from ._demand import MOST_COROUTINES
from ._formulas import Case, Prediction, predict
from ._formulas._processes import parent_seconds
from ._trials import RETROGRADE

__all__ = ["best_plan", "plans_for"]

MOST_THREADS = 64
"""Threads at most: beyond it a GIL and the scheduler dominate (DECISION.md 5.3)."""

MOST_WAITING_THREADS = 256
"""Threads at most for items that wait long; idle ones are cheap (DECISION.md 5.3, caps)."""

LONG_WAIT = 2e-3
"""Seconds of waiting per item that count as long (guessed: 30 thread starts)."""

WORKER_MEMORY = 60e6
"""Bytes that a worker process is reckoned to need (guessed: an interpreter with some packages)."""

COMPUTING = 0.6
"""Share of an item's time on a core from which one process per core is enough (DECISION.md 5.2)."""

NOTHING_BUT = 0.9
"""Share of computing from which threads beyond the cores have no wait to fill. They get into each other's
way: four on two cores read small files in 193 to 243 ms, two in 122 to 166, one in 134 to 151 (measured)."""

BUSY_PARENT = 0.5
"""Share of the parent's time, spent on adaptive batches, from which larger ones are looked at
(guessed: below it they gain next to nothing)."""

NOT_WORTH_IT = 1.005
"""Factor by which more lanes must be faster than fewer to be preferred. At 1.02 the simulator had
plans up to 37 % slower than the best, where equal waits bring the lanes into step; at 1.005, 25 %."""

IN_STEP = 1.1
"""Factor by which a plan may be slower than the best where lanes compute, then wait, in step. Equal waits
bring them into step: 16 coroutines on sockets took thrice as long as 120 (measured)."""

NEARLY = 1.25
"""Factor between numbers of lanes that makes no difference but for the last wave (guessed: the least step
from one number that is tried to the next)."""

WAVES = 4
"""Batches that each worker gets at least, where their size is fixed: else one is left with a long tail
(DECISION.md 5.2)."""

_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1000)


def best_plan(case: Case, strategy: str) -> tuple[Plan, Prediction]:
    """The plan of a strategy with the least predicted time, and that prediction.

    Only plans count that do well enough if lanes fall into step. Of those within half a percent of the
    fastest it is the one with the fewest lanes: idle lanes cost memory and, at a server, goodwill.

    Raises:
        KeyError: There is no formula for a strategy of that name.
    """
    tried = [(plan, predict(case, plan)) for plan in plans_for(case, strategy)]
    safest = min(prediction.in_step for _, prediction in tried)
    safe = [each for each in tried if each[1].in_step <= safest * IN_STEP]
    least = min(prediction.seconds for _, prediction in safe)
    good = [each for each in safe if each[1].seconds <= least * NOT_WORTH_IT]
    return min(good, key=_thrift)


def _thrift(candidate: tuple[Plan, Prediction]) -> tuple[int, int, bool, float]:
    plan, prediction = candidate
    return plan.concurrency, plan.workers, plan.batch is not None, prediction.seconds


def plans_for(case: Case, strategy: str) -> Iterator[Plan]:
    """The plans worth looking at."""
    return _PLANS[strategy](case)


def _sequential(_: Case) -> Iterator[Plan]:
    yield Plan(strategy="sequential")


def _threads(case: Case) -> Iterator[Plan]:
    for lanes in _up_to(case, _most_threads(case), _cores(case)):
        yield Plan(strategy="thread", workers=lanes, concurrency=lanes)


def _on_loop(strategy: str, case: Case) -> Iterator[Plan]:
    most = MOST_COROUTINES if case.demand.is_async else _most_threads(case)
    for lanes in _up_to(case, most):
        yield Plan(strategy=strategy, concurrency=lanes)


def _processes(case: Case) -> Iterator[Plan]:
    for workers in _up_to(case, _most_processes(case), _cores(case)):
        for batch in _batches(case, workers):
            yield Plan(strategy="process", workers=workers, concurrency=workers, batch=batch)


def _hybrids(case: Case) -> Iterator[Plan]:
    most = max(2, min(_most_processes(case), _cores(case)))
    whole = min(case.items, case.demand.most_lanes or case.items)
    for workers in _up_to(case, most, _cores(case)):
        for lanes in _up_to(case, _most_inside(case, workers)):
            if workers > 1 and lanes > 1 and workers * lanes <= whole:
                yield Plan(strategy="hybrid", workers=workers, concurrency=workers * lanes)
    if whole < 4:  # noqa: PLR2004 - too few for two lanes in each of two processes
        yield Plan(strategy="hybrid", workers=1, concurrency=max(1, whole))


_PLANS: dict[str, Callable[[Case], Iterator[Plan]]] = {
    "sequential": _sequential,
    "thread": _threads,
    "asyncio": partial(_on_loop, "asyncio"),
    "uvloop": partial(_on_loop, "uvloop"),
    "anyio": partial(_on_loop, "anyio"),
    "process": _processes,
    "hybrid": _hybrids,
}


def _up_to(case: Case, most: int, *extra: int) -> list[int]:
    """Numbers of lanes from 1 to `most`, no more than there are items.

    Those just below `most` give way to it: a few items less than there are would leave a wave for the rest.
    """
    most = max(1, min(most, case.items, case.demand.most_lanes or most))
    steps = [each for each in _STEPS if each * NEARLY <= most]
    return sorted({min(each, most) for each in (*steps, *extra, most)})


def _cores(case: Case) -> int:
    return ceil(case.machine.cpus)


def _most_threads(case: Case) -> int:
    if _only_computes(case):
        return 1 if _slower_together(case) else _cores(case)
    return MOST_WAITING_THREADS if case.demand.wait >= LONG_WAIT else MOST_THREADS


def _most_inside(case: Case, workers: int) -> int:
    """Lanes at most in each of so many workers: without a wait to fill, its share of the cores, or two."""
    if case.demand.is_async:
        return MOST_COROUTINES
    return max(2, ceil(_cores(case) / workers)) if _only_computes(case) else MOST_THREADS


def _only_computes(case: Case) -> bool:
    return case.demand.busy >= NOTHING_BUT * case.demand.alone


def _slower_together(case: Case) -> bool:
    """Whether two threads were seen to achieve less than one."""
    pair = case.profile.pair_speedup
    return case.machine.gil and pair is not None and pair < RETROGRADE


def _most_processes(case: Case) -> int:
    """Processes that memory holds and cores feed: one per core if they compute, more if not."""
    demand, memory = case.demand, case.machine.memory
    each = 1 if demand.busy > COMPUTING * demand.alone else PROCESSES_PER_CORE
    by_memory = max(1, int(memory // WORKER_MEMORY)) if memory else each * _cores(case)
    return min(each * _cores(case), by_memory)


def _batches(case: Case, workers: int) -> tuple[int | None, ...]:
    """An adaptive batch, and the size at which messages cost the parent 5 % of the work's time.

    DECISION.md 5.2: k_min = ceil(d_p / (0.05 w)), with all workers asking the one parent.
    """
    alone = case.demand.alone
    if not alone or parent_seconds(case, workers, None) * workers <= BUSY_PARENT * alone:
        return (None,)
    size = ceil(workers * case.costs.process_batch / (0.05 * alone))
    return (None, size) if 1 < size <= case.items // (WAVES * workers) else (None,)
