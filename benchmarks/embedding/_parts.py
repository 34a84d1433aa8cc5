"""What is measured: four parts, each a stream of numbers, its contestants interleaved in rounds."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from random import SystemRandom
from typing import Any, NamedTuple

from benchmarks.embedding._calls import compute, nap, nothing
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
from benchmarks.embedding._service import Served, plain, resident
from concurrent_choices import EndpointAdvisor, offload
from concurrent_choices._platform import usable_cpus

__all__ = ["PARTS", "Number"]

MB = 1 << 20
TURNS = 5
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
    """The mixed load, and a call that does nothing."""
    made: dict[str, Executor] = {name: make() for name, make in CONTESTANTS.items()}
    for executor in made.values():
        warm_up(executor)
    for turn in range(rounds):
        seed = SystemRandom().randrange(1 << 30)
        for name in _shuffled(made):
            rate, p99 = mixed(made[name], 1400 // scale, seed)
            yield Number("mixed load, calls a second", name, turn, rate)
            yield Number("mixed load, p99 latency, s", name, turn, p99)
        for name, seconds in _no_ops(made, 20, 250 // scale).items():
            yield Number("no-op, submit to result, s", name, turn, seconds)
    for executor in made.values():
        executor.shutdown()


def _no_ops(made: Mapping[str, Executor], turns: int, calls: int) -> dict[str, float]:
    """Mean seconds from submitting a no-op to its result, in short turns.

    Whether a thread lies on its caller's core, where waking it costs half as much, stays as it is for long.
    """
    seconds = dict.fromkeys(("AdaptiveExecutor", "ThreadPoolExecutor"), 0.0)
    for _ in range(turns):
        for name in _shuffled(seconds):
            seconds[name] += no_op(made[name], calls) / turns
    return seconds


def offloading(rounds: int, scale: Scale) -> Iterator[Number]:
    """What a call off the loop costs, and the loop's lag meanwhile.

    Each round has processes of its own: how fast one computes is luck that lasts for as long as it lives.
    Of fourteen with the same loop, by turns, thirteen were alike within 2 %, and one took half as long again.
    """
    for turn in range(rounds):
        renew_offload()
        warm_offload()
        yield from _off_the_loop(turn, scale)


def _off_the_loop(turn: int, scale: Scale) -> Iterator[Number]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max(1, round(usable_cpus())), mp_context=context) as pool:

        async def in_pool(fn: Callable[..., Any], *args: Any) -> Any:
            return await asyncio.get_running_loop().run_in_executor(pool, fn, *args)

        ways: dict[str, Callable[..., Any]] = {
            "offload": offload,
            "to_thread": asyncio.to_thread,
            "run_in_executor, processes": in_pool,
        }
        side_by_side(in_pool, compute, 20)
        for name in _shuffled(ways):
            value = lag(ways[name], 2.0 / scale)
            yield Number("loop lag under computing, p99, s", name, turn, value)
        for name in _shuffled({"offload", "to_thread"}):
            value = awaited(ways[name], nothing, 3000 // scale)
            yield Number("a call that does nothing, off the loop, s", name, turn, value)
            value = awaited(ways[name], nap, 400 // scale)
            yield Number("a call that waits 1 ms, off the loop, s", name, turn, value)
        for name in _shuffled({"offload", "run_in_executor, processes"}):
            value = side_by_side(ways[name], compute, 120 // scale)
            yield Number("a call that computes 10 ms, off the loop, s", name, turn, value)


def cost(rounds: int, scale: Scale) -> Iterator[Number]:
    """What the advisor costs a server, by the server's own computing, and the memory it keeps."""
    app = plain()
    app.add_middleware(EndpointAdvisor, on_shutdown=None)
    served = {"with the advisor": Served(app), "without": Served(plain())}
    for each in served.values():
        each.drive("/items/1", 3000 // scale)
    before = resident()
    for turn in range(rounds):
        for rate, requests, words in (
            (1000, 1000 // scale, "a thousand requests a second"),
            (0, 3000 // scale, "as many requests as it answers"),
        ):
            for name, (computing, failed) in _costs(served, requests, rate).items():
                yield Number(f"CPU a request, {words}, s", name, turn, computing / (TURNS * requests))
                yield Number("requests that failed", name, turn, failed)
        yield Number("memory kept after more requests, MB", "both", turn, (resident() - before) / MB)
    for each in served.values():
        each.close()


def _costs(served: Mapping[str, Served], requests: int, rate: float) -> dict[str, tuple[float, int]]:
    """Seconds each server computes, and the requests that fail, in short turns: a core's speed drifts."""
    sums = dict.fromkeys(served, (0.0, 0))
    for _ in range(TURNS):
        for name in _shuffled(served):
            computing, failed = served[name].drive("/items/1", requests, rate=rate)
            sums[name] = sums[name][0] + computing, sums[name][1] + failed
    return sums


def advice(rounds: int, scale: Scale) -> Iterator[Number]:
    """How many of ten endpoints get the right advice, with the right line."""
    for turn in range(min(rounds, 3)):
        advisor = EndpointAdvisor(labelled_app, on_shutdown=None)
        served = Served(advisor)
        for path in LABELS:
            served.drive(path, 40 // min(scale, 2), connections=4)
        said = {each.path: each for each in advisor.advice()}
        right = {path for path in LABELS if is_right(path, said[path].finding, said[path].where)}
        for path in sorted(set(LABELS) - right):
            print(f"wrong: {path}: {said[path].finding} {said[path].where}")
        yield Number("endpoints advised right, of ten", "EndpointAdvisor", turn, len(right))
        served.close()


PARTS: dict[str, Callable[[int, Scale], Iterator[Number]]] = {
    "executors": executors,
    "offloading": offloading,
    "cost": cost,
    "advice": advice,
}


def _shuffled(names: Iterable[str]) -> list[str]:
    """Names in a new order each time."""
    order = sorted(names)
    SystemRandom().shuffle(order)
    return order
