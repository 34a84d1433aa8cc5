"""What is measured: parts, each a stream of numbers, its contestants interleaved in rounds.

Where two are to be told apart by a hundredth or two, rounds are many and short, and within each the two take
turns like A B B A, so that a drift of the machine's speed falls on both.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from random import SystemRandom
from typing import Any, NamedTuple

from benchmarks.embedding._calls import nap, nothing, parse
from benchmarks.embedding._contestants import CONTESTANTS
from benchmarks.embedding._figures import (
    awaited,
    lag,
    mixed,
    no_op,
    renew_offload,
    side_by_side,
    warm_offload,
    warm_up,
)
from benchmarks.embedding._labelled import LABELS, is_right
from benchmarks.embedding._labelled import app as labelled_app
from benchmarks.embedding._service import Load, Served, plain, resident
from concurrent_choices import EndpointAdvisor, offload
from concurrent_choices._platform._processors import usable_cpus

__all__ = ["PARTS", "Number"]

MB = 1 << 20
PAIRED = 3
"""How many rounds a comparison of two to a hundredth or two has for each of the others."""

POOL = "run_in_executor, processes"
Scale = int
"""What sizes are divided by: 1, or more for a quick run whose numbers mean nothing."""


class Number(NamedTuple):
    """One number.

    Attributes:
        row: What was measured.
        contestant: Whose it is.
        turn: The round.
        value: In seconds, megabytes or a count, as the row says.
    """

    row: str
    contestant: str
    turn: int
    value: float


def executors(rounds: int, scale: Scale) -> Iterator[Number]:
    """The mixed load."""
    made: dict[str, Executor] = {name: make() for name, make in CONTESTANTS.items()}
    for executor in made.values():
        warm_up(executor)
    for turn in range(rounds):
        seed = SystemRandom().randrange(1 << 30)
        for name in _shuffled(made):
            rate, p99 = mixed(made[name], 1400 // scale, seed)
            yield Number("mixed load, calls a second", name, turn, rate)
            yield Number("mixed load, p99 latency, s", name, turn, p99)
    for executor in made.values():
        executor.shutdown()


def no_ops(rounds: int, scale: Scale) -> Iterator[Number]:
    """A call that does nothing: its threads wherever the system puts them, and all on one core."""
    everywhere = os.sched_getaffinity(0)
    for turn in range(PAIRED * rounds):
        for row, cores in (
            ("no-op, submit to result, s", everywhere),
            ("no-op, all threads on one core, s", {min(everywhere)}),
        ):
            os.sched_setaffinity(0, cores)
            each = {
                name: partial(_alone, name, 1000 // scale)
                for name in ("AdaptiveExecutor", "ThreadPoolExecutor")
            }
            for name, seconds in in_turns(each, 2).items():
                yield Number(row, name, turn, seconds)


def _alone(name: str, calls: int) -> float:
    """A no-op where no other executor lives.

    Where two do, their threads lie on two cores and the caller's thread with one of them, by luck that
    lasts; to wake a thread on one's own core costs a third of what it costs elsewhere.
    """
    with CONTESTANTS[name]() as executor:
        no_op(executor, calls)
        return no_op(executor, calls)


def offloading(rounds: int, scale: Scale) -> Iterator[Number]:
    """What a call off the loop costs, and the loop's lag meanwhile; each round has processes of its own."""
    for turn in range(rounds):
        renew_offload()
        warm_offload()
        yield from _off_the_loop(turn, scale)


def _off_the_loop(turn: int, scale: Scale) -> Iterator[Number]:
    with _processes() as pool:
        ways: dict[str, Callable[..., Any]] = {
            "offload": offload,
            "to_thread": asyncio.to_thread,
            POOL: _in_pool(pool),
        }
        side_by_side(ways[POOL], parse, 20)
        for name in _shuffled(ways):
            value = lag(ways[name], 2.0 / scale)
            yield Number("loop lag under computing, p99, s", name, turn, value)
        for name in _shuffled({"offload", "to_thread"}):
            value = awaited(ways[name], nothing, 3000 // scale)
            yield Number("a call that does nothing, off the loop, s", name, turn, value)
            value = awaited(ways[name], nap, 400 // scale)
            yield Number("a call that waits 1 ms, off the loop, s", name, turn, value)


def computing(rounds: int, scale: Scale) -> Iterator[Number]:
    """What `offload` makes of computing calls, beside a process pool; each round has processes of its own."""
    calls = 24 // min(scale, 6)
    for turn in range(PAIRED * rounds):
        renew_offload()
        with _processes() as pool:
            ways: dict[str, Callable[..., Any]] = {"offload": offload, POOL: _in_pool(pool)}
            for run in ways.values():
                side_by_side(run, parse, 4 * calls)
            each = {name: partial(side_by_side, run, parse, calls) for name, run in ways.items()}
            for name, seconds in in_turns(each, 3).items():
                yield Number("a call that computes 10 ms, off the loop, s", name, turn, seconds)


def _processes() -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(max(1, round(usable_cpus())), mp_context=context)


def _in_pool(pool: Executor) -> Callable[..., Any]:
    async def in_pool(fn: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(pool, fn, *args)

    return in_pool


def cost(rounds: int, scale: Scale) -> Iterator[Number]:
    """What the advisor costs a server, by the server's own computing, and the memory it keeps.

    Each round has servers of its own, or its ratio would not be one more than the last: of two alike one may
    be faster by a hundredth for as long as it lives.
    """
    for turn in range(PAIRED * rounds):
        with Load() as load:
            yield from _served(turn, load, scale)


def _served(turn: int, load: Load, scale: Scale) -> Iterator[Number]:
    apps = {"with the advisor": plain(), "without": plain()}
    apps["with the advisor"].add_middleware(EndpointAdvisor, on_shutdown=None)
    served = {name: Served(apps[name], load) for name in _shuffled(apps)}  # the first may have the luck
    for each in served.values():
        each.drive("/items/1", 3000 // scale)
    before = resident()
    yield from _costs(served, turn, scale)
    yield Number("memory kept after more requests, MB", "both", turn, (resident() - before) / MB)
    for each in served.values():
        each.close()


def _costs(served: Mapping[str, Served], turn: int, scale: Scale) -> Iterator[Number]:
    """Seconds each server computes for a request, and the requests that fail."""
    failures = dict.fromkeys(served, 0)

    def drive(name: str, requests: int, rate: float) -> float:
        computing, failed = served[name].drive("/items/1", requests, rate=rate)
        failures[name] += failed
        return computing / requests

    # Turns are short, as the machine's speed drifts: ten times as long, two servers alike differed from round
    # to round by 9 % and 11 % (standard deviation), not by 3 % and 5 %.
    requests = max(1, 50 // scale)
    for rate, turns, words in (
        (1000, 10, "a thousand requests a second"),
        (0, 30, "as many requests as it answers"),
    ):
        each = {name: partial(drive, name, requests, rate) for name in served}
        for name, seconds in in_turns(each, turns).items():
            yield Number(f"CPU a request, {words}, s", name, turn, seconds)
    for name, failed in failures.items():
        yield Number("requests that failed", name, turn, failed)


def in_turns(measures: Mapping[str, Callable[[], float]], turns: int) -> dict[str, float]:
    """What each gives, on the mean of its turns."""
    sums = dict.fromkeys(measures, 0.0)
    for _ in range(turns):
        order = _shuffled(measures)
        for name in [*order, *reversed(order)]:
            sums[name] += measures[name]()
    return {name: total / (2 * turns) for name, total in sums.items()}


def advice(rounds: int, scale: Scale) -> Iterator[Number]:
    """How many of ten endpoints get the right advice, with the right line."""
    for turn in range(min(rounds, 3)):
        advisor = EndpointAdvisor(labelled_app, on_shutdown=None)
        with Load() as load:
            served = Served(advisor, load)
            for path in LABELS:
                served.drive(path, 40 // min(scale, 2), connections=4)
        said = {each.path: each for each in advisor.advice()}
        right = {
            path for path, label in LABELS.items() if is_right(label, said[path].finding, said[path].where)
        }
        for path in sorted(set(LABELS) - right):
            print(f"wrong: {path}: {said[path].finding} {said[path].where}")
        yield Number("endpoints advised right, of ten", "EndpointAdvisor", turn, len(right))
        served.close()


PARTS: dict[str, Callable[[int, Scale], Iterator[Number]]] = {
    "executors": executors,
    "no_ops": no_ops,
    "offloading": offloading,
    "computing": computing,
    "cost": cost,
    "advice": advice,
}


def _shuffled(names: Iterable[str]) -> list[str]:
    """Names in a new order each time."""
    order = sorted(names)
    SystemRandom().shuffle(order)
    return order
