"""`bench_strategies`: the user's callable and items under one strategy after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest

from .._errors import MissingExtraError
from .._run._async import arun
from .._run._choosing import recommend
from .._run._sync import run
from .._runtime._running_loop import loop_runs
from .._strategies._registry import resolve
from ._aio import AioBenchmark, excused
from ._chosen import label

__all__ = ["StrategyBenchmark"]

BUDGET = 1.0
"""Seconds `recommend` may take; its own default."""

_COUNTS = ("max_workers", "concurrency", "batch")
_SAID = pytest.StashKey[dict[tuple[str, str], dict[str, Any]]]()


class StrategyBenchmark:
    """The fixture `bench_strategies`, for one strategy.

    Attributes:
        strategy: The strategy of this test: a name or an object.
        benchmark: The fixture of pytest-benchmark that takes the figures.
    """

    def __init__(
        self, strategy: Any, aio: AioBenchmark, *, test: str, budget: float, said: dict[Any, dict[str, Any]]
    ) -> None:
        self.strategy = strategy
        self.benchmark = aio.benchmark
        self._aio = aio
        self._test = test
        self._budget = budget
        self._said = said

    @classmethod
    def of(cls, request: pytest.FixtureRequest, aio: AioBenchmark) -> StrategyBenchmark:
        """Make it for a test, grouped with the same test under other strategies."""
        node: Any = request.node
        test = str(getattr(node, "originalname", None) or node.name)
        mark = node.get_closest_marker("bench_strategies")
        options: dict[str, Any] = dict(mark.kwargs) if mark else {}
        if aio.benchmark.group is None:
            aio.benchmark.group = test
        return cls(
            request.param,
            aio,
            test=f"{node.parent.nodeid}::{test}",
            budget=float(options.get("budget", BUDGET)),
            said=request.session.stash.setdefault(_SAID, {}),
        )

    def __call__(self, fn: Callable[[Any], Any], items: Iterable[Any], **options: Any) -> Any:
        """Run `fn` on every item under this test's strategy, as often as pytest-benchmark's options say.

        Before the first strategy, `recommend` is asked once; what it says is part of `extra_info` with the
        numbers of workers, and `close` says whether another strategy was predicted to take as long.

        Args:
            fn: A callable of one argument, `def` or `async def`.
            items: Its arguments; taken into a list, for there are many runs.
            options: As for `run`, such as `timeout`.

        Returns:
            The results of the last run; inside a running loop an awaitable of them.

        Raises:
            Exception: Whatever `run` raises. A strategy whose package is missing skips the test.
        """
        each = list(items)
        try:
            with excused(self.benchmark):
                self.benchmark.extra_info.update(_numbers(self.strategy, len(each)))
        except MissingExtraError as missing:
            pytest.skip(str(missing))
        if loop_runs():
            return self._inside(fn, each, options)
        self._ask(fn, each)
        return self.benchmark(partial(run, fn, each, strategy=self.strategy, **options))

    async def _inside(self, fn: Callable[[Any], Any], items: list[Any], options: dict[str, Any]) -> Any:
        from anyio import to_thread  # noqa: PLC0415 - whoever is here has a loop and can pay for it

        await to_thread.run_sync(self._ask, fn, items)
        return await self._aio(partial(arun, fn, items, strategy=self.strategy, **options))

    def _ask(self, fn: Callable[[Any], Any], items: list[Any]) -> None:
        """What `recommend` says, asked once for all strategies of a test."""
        if self.benchmark.disabled or not self._budget:
            return
        about = (self._test, _name(fn))
        if about not in self._said:
            self._said[about] = _spoken(recommend(fn, items, budget=self._budget))
        self.benchmark.extra_info.update(self._said[about])


def _name(fn: Callable[[Any], Any]) -> str:
    return f"{getattr(fn, '__module__', '')}.{getattr(fn, '__qualname__', type(fn).__qualname__)}"


def _numbers(strategy: Any, count: int) -> dict[str, Any]:
    """What was run, in figures; `auto` decides on its numbers while it works."""
    numbers: dict[str, Any] = {"strategy": label(strategy), "items": count}
    if strategy != "auto":
        made = resolve(strategy)
        counts = {name: getattr(made, name, None) for name in _COUNTS}
        numbers |= {name: value for name, value in counts.items() if isinstance(value, int)}
    return numbers


def _spoken(said: Any) -> dict[str, Any]:
    return {
        "recommended": said.plan.strategy,
        "recommended_workers": said.plan.workers,
        "recommended_concurrency": said.plan.concurrency,
        "bound": said.bound,
        "diagnosis": said.diagnosis,
        "reason": said.reason,
        "close": said.close,
    }
