"""`aio_benchmark`: coroutines under pytest-benchmark, in a loop of its own or in the running one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import Any, NoReturn

import pytest

from .._errors import InvalidArgumentError, MissingExtraError
from .._inspect._callables import is_async, name_of
from .._run._arguments import check_callable
from .._runtime._running_loop import loop_runs
from ._clock import InsideClock

__all__ = ["AioBenchmark", "excused"]

MOST_ROUNDS = 100_000
"""Most rounds of a coroutine that takes no time (guessed: more would only make the report slow)."""


class AioBenchmark:
    """The fixture `aio_benchmark`.

    Attributes:
        benchmark: The fixture of pytest-benchmark that takes the figures: its `group` and `extra_info` are
            yours to set.
    """

    def __init__(self, benchmark: Any, clock: InsideClock, runner: asyncio.Runner, limits: _Limits) -> None:
        self.benchmark = benchmark
        self._clock = clock
        self._runner = runner
        self._limits = limits

    @classmethod
    @contextmanager
    def of(cls, request: pytest.FixtureRequest) -> Generator[AioBenchmark]:
        """Make it for a test, with a loop that lives as long as the test.

        Raises:
            MissingExtraError: pytest-benchmark is not installed.
            Failed: It is installed, and this run of pytest was told to leave it out.
        """
        if "benchmark_only" not in request.config.option:
            _miss_pytest_benchmark()
        clock = InsideClock()
        options = _use_clock(request.node, clock)
        benchmark = request.getfixturevalue("benchmark")
        with asyncio.Runner() as runner:
            yield cls(benchmark, clock, runner, _Limits(request.config, options))

    def __call__(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Benchmark `fn(*args, **kwargs)`, as often as pytest-benchmark's options say.

        Args:
            fn: An `async def`.
            args: Its arguments.
            kwargs: Its keyword arguments.

        Returns:
            What the last call returned; inside a running loop an awaitable of it, and the calls are made on
            that loop.

        Raises:
            InvalidArgumentError: `fn` is no coroutine function.
            Exception: Whatever `fn` raises.
        """
        return self._enter(self._adapted, partial(self._coroutine(fn), *args, **kwargs))

    def pedantic(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        rounds: int = 1,
        warmup_rounds: int = 0,
    ) -> Any:
        """The same with a fixed number of rounds of one call each.

        Args:
            fn: An `async def`.
            args: Its arguments.
            kwargs: Its keyword arguments.
            rounds: Calls that count.
            warmup_rounds: Calls before that, which do not.

        Returns:
            As calling this object.

        Raises:
            Exception: As calling this object.
        """
        measure = partial(self.benchmark.pedantic, rounds=rounds, warmup_rounds=warmup_rounds)
        return self._enter(measure, partial(self._coroutine(fn), *args, **(kwargs or {})))

    def _enter(self, measure: Callable[[Callable[[], Any]], Any], call: Callable[[], Any]) -> Any:
        if loop_runs():
            return self._beside(measure, call)
        return measure(partial(self._clock.visit, self._run, call))

    async def _beside(self, measure: Callable[[Callable[[], Any]], Any], call: Callable[[], Any]) -> Any:
        # pytest-benchmark blocks, so it gets a thread, from where each call comes back to this loop.
        from anyio import from_thread, to_thread  # noqa: PLC0415 - whoever is here has a loop and can pay for it

        target = partial(self._clock.visit, from_thread.run, call)
        return await to_thread.run_sync(partial(measure, target))

    def _run(self, coroutine_function: Callable[[], Any]) -> Any:
        return self._runner.run(coroutine_function())

    def _adapted(self, target: Callable[[], Any]) -> Any:
        """Measure so many rounds as fit into the time allowed, the hops included.

        pytest-benchmark would count the time inside only, and take minutes for what takes microseconds.
        """
        if self.benchmark.disabled:
            return self.benchmark(target)
        with excused(self.benchmark):
            target()  # the first call may import and connect
            began = time.perf_counter()
            target()
            rounds = self._limits.rounds(time.perf_counter() - began)
        return self.benchmark.pedantic(target, rounds=rounds)

    def _coroutine(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        with excused(self.benchmark):
            check_callable(fn)
            if not is_async(fn):
                problem = f"must be an `async def`; benchmark {name_of(fn)} with the fixture `benchmark`"
                raise InvalidArgumentError("fn", problem)
        return fn


@contextmanager
def excused(benchmark: Any) -> Generator[None]:
    """Let pytest-benchmark know of an error, or it warns that it was not used."""
    try:
        yield
    except BaseException:
        benchmark.skipped = True
        raise


def _miss_pytest_benchmark() -> NoReturn:
    feature = "aio_benchmark"
    if find_spec("pytest_benchmark") is None:
        raise MissingExtraError(feature, "pytest")
    pytest.fail(
        f"{feature} needs the plugin pytest-benchmark, which is installed but was not loaded: leave out "
        "`-p no:benchmark`; where plugins are not loaded by themselves, add `-p pytest_benchmark.plugin`",
        pytrace=False,
    )


def _use_clock(node: Any, clock: InsideClock) -> dict[str, Any]:
    """Hand the clock to pytest-benchmark beside the options the test was marked with, and give those."""
    mark = node.get_closest_marker("benchmark")
    options: dict[str, Any] = dict(mark.kwargs) if mark else {}
    node.add_marker(pytest.mark.benchmark(**{**options, "timer": clock}), append=False)
    return options


class _Limits:
    """How long and how often pytest-benchmark was told to measure.

    What the test's mark says comes before the command line's options.
    """

    def __init__(self, config: pytest.Config, options: Mapping[str, Any]) -> None:
        self._most_seconds = float(options.get("max_time", config.getoption("benchmark_max_time")))
        self._least_rounds = int(options.get("min_rounds", config.getoption("benchmark_min_rounds")))

    def rounds(self, seconds: float) -> int:
        """How many rounds of so many seconds fit."""
        fitting = int(self._most_seconds / max(seconds, 1e-9))
        return max(self._least_rounds, min(fitting, MOST_ROUNDS))
