"""Uses of the public face, as mypy --strict and pyright strict must understand them. Never run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import aclosing
from functools import partial
from typing import Any, assert_type

from concurrent_choices import (
    AnyioStrategy,
    AsyncioStrategy,
    Batch,
    Claim,
    ConcurrentChoicesError,
    HybridStrategy,
    InvalidArgumentError,
    ItemError,
    ItemTimeoutError,
    Job,
    Machine,
    MissingExtraError,
    Plan,
    ProcessStrategy,
    RemoteError,
    ResultLostError,
    SequentialStrategy,
    Strategy,
    ThreadStrategy,
    UvloopStrategy,
    Verdict,
    WorkerDiedError,
    Workload,
    arun,
    astream,
    offload,
    recommend,
    run,
    stream,
)


def length(word: str) -> int:
    """A `def`."""
    return len(word)


def repeat(times: int, word: str) -> str:
    """A `def` of two arguments."""
    return times * word


async def alength(word: str) -> int:
    """An `async def`."""
    return len(word)


async def words() -> AsyncIterator[str]:
    """An async iterable."""
    yield "a"


class Scale:
    """A callable object."""

    def __call__(self, number: int) -> float:
        """Scale."""
        return number * 0.5


def running() -> None:
    """`run` knows the type of the results, awaited or not."""
    assert_type(run(length, ["a"]), list[int])
    assert_type(run(alength, ["a"]), list[int])
    assert_type(run(str.upper, ("a", "b"), strategy="process"), list[str])
    assert_type(run(Scale(), range(3)), list[float])
    assert_type(run(partial(repeat, 2), ["a"]), list[str])
    assert_type(run(length, ["a"], timeout=1, progress=True, idempotent=True), list[int])
    assert_type(run(length, ["a"], return_exceptions=False), list[int])
    assert_type(run(length, ["a"], return_exceptions=True), list[int | Exception])
    assert_type(run(alength, ["a"], return_exceptions=True), list[int | Exception])


def streaming() -> None:
    """`stream` gives a generator of them, which can be closed."""
    assert_type(stream(length, ["a"]), Generator[int])
    assert_type(stream(alength, ["a"], ordered=False, buffersize=8), Generator[int])
    assert_type(stream(length, ["a"], return_exceptions=True), Generator[int | Exception])
    stream(length, ["a"]).close()


async def inside_a_loop() -> None:
    """The async forms, over plain and asynchronous iterables."""
    assert_type(await arun(length, ["a"]), list[int])
    assert_type(await arun(alength, words()), list[int])
    assert_type(await arun(alength, words(), return_exceptions=True), list[int | Exception])
    assert_type(astream(length, ["a"]), AsyncGenerator[int])
    assert_type(astream(alength, words(), ordered=False), AsyncGenerator[int])
    async for number in astream(alength, words()):
        assert_type(number, int)
    async with aclosing(astream(alength, words())) as numbers:
        async for number in numbers:
            assert_type(number, int)


class Service:
    """Something with a method that is offloaded."""

    @offload
    def weigh(self, word: str) -> float:
        """Blocks."""
        return len(word) / 2


async def choosing() -> None:
    """A verdict knows the type of the results, awaited or not; one for a `Workload` does not."""
    assert_type(recommend(length, ["a"]), Verdict[int])
    assert_type(recommend(alength, ("a", "b"), budget=0.1).run(), list[int])
    assert_type(recommend(length, ["a"], verify=False).run(return_exceptions=True), list[int | Exception])
    assert_type(await asyncio.to_thread(recommend, length, ["a"]), Verdict[int])
    assert_type(recommend(Workload(length, ["a"]), machine=Machine(cpus=64)).run(), list[Any])


async def offloading() -> None:
    """A call off the loop, as a task too, and as a method."""
    assert_type(await offload(length, "a"), int)
    assert_type(await offload(repeat, 2, word="a"), str)
    assert_type(await asyncio.create_task(offload(length, "a")), int)
    assert_type(await Service().weigh("a"), float)


def strategies() -> None:
    """Every strategy by class, as an argument and as a context manager that gives itself."""
    everyone: list[Strategy] = [
        SequentialStrategy(),
        AsyncioStrategy(concurrency=10),
        UvloopStrategy(concurrency=10),
        AnyioStrategy(concurrency=10, backend="trio"),
        ThreadStrategy(max_workers=4, batch=1),
        ProcessStrategy(2, initializer=print, initargs=("up",), start_method="fork"),
        HybridStrategy(max_workers=2, concurrency=50),
    ]
    for strategy in everyone:
        assert_type(run(length, ["a"], strategy=strategy), list[int])
        assert_type(strategy.name, str)
    verdict: Verdict = recommend(length, ["a"])  # also without its type of results
    assert_type(run(length, ["a"], strategy=verdict), list[int])
    with ProcessStrategy(max_workers=2) as warm:
        assert_type(warm, ProcessStrategy)
        assert_type(run(length, ["a"], strategy=warm), list[int])
    with ThreadStrategy() as threads:
        assert_type(threads, ThreadStrategy)
    with HybridStrategy() as both:
        assert_type(both, HybridStrategy)


class Own:
    """A stranger's strategy, without a base class."""

    name = "own"

    def execute(self, job: Job) -> Iterator[Batch]:
        """One by one."""
        while claim := job.claim(1):
            assert_type(claim, Claim)
            assert_type(claim.start, int)
            yield job.perform(claim)


def own_strategy(strategy: Strategy) -> list[int]:
    """It is a Strategy, and can be given as one."""
    own_strategy(Own())
    assert_type(run(length, ["a"], strategy=Own()), list[int])
    return run(length, ["a"], strategy=strategy)


def facts() -> None:
    """The facts' fields."""
    assert_type(Machine(cpus=4).cpus, float)
    assert_type(Machine().memory, int | None)
    assert_type(Plan(strategy="thread", workers=8).batch, int | None)


def errors(error: ConcurrentChoicesError) -> None:
    """The errors' fields, and what they may also be caught as."""
    if isinstance(error, ItemError):
        assert_type(error.index, int)
        assert_type(error.item, str)
    if isinstance(error, InvalidArgumentError):
        assert_type(error.argument, str)
        value: ValueError = error
        kind: TypeError = error
        del value, kind
    if isinstance(error, MissingExtraError):
        assert_type(error.extra, str)
    if isinstance(error, ItemTimeoutError):
        assert_type(error.timeout, float)
        late: TimeoutError = error
        del late
    if isinstance(error, RemoteError):
        assert_type(error.traceback, str)
    if isinstance(error, ResultLostError):
        died: WorkerDiedError = error
        assert_type(died.exitcode, int | None)
