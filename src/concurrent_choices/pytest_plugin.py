"""The pytest plugin: the fixtures `aio_benchmark` and `bench_strategies`, on top of pytest-benchmark.

pytest imports this module in every run of everybody who has the package installed. So it imports nothing of
the package before a fixture is asked for, and asks for pytest-benchmark no sooner either.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ._plugin._aio import AioBenchmark
    from ._plugin._race import StrategyBenchmark

__all__ = [
    "aio_benchmark",
    "bench_strategies",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_generate_tests",
]

MARK = "bench_strategies"
_USAGE = (
    f"{MARK}(*strategies, budget=1.0): the strategies that the fixture {MARK} races, names or objects (all "
    "of them by default), and the seconds `recommend` may take (0: it is not asked)"
)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line("markers", _USAGE)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `bench_strategies` once for each strategy."""
    if MARK not in metafunc.fixturenames:
        return
    from ._plugin._chosen import chosen, label  # noqa: PLC0415 - only for whoever races

    strategies = chosen(metafunc.definition.get_closest_marker(MARK))
    metafunc.parametrize(MARK, strategies, ids=map(label, strategies), indirect=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, object, object]:
    """Show pytest-benchmark our tests as benchmarks, which it tells by the name of its own fixture.

    Else `--benchmark-only` would leave them out. The name goes again: a test that asked for that fixture
    would be warned that it was not used, where it fails before.
    """
    asked = [getattr(item, "fixturenames", []) for item in items]
    ours = [names for names in asked if "aio_benchmark" in names and "benchmark" not in names]
    for names in ours:
        names.append("benchmark")
    try:
        return (yield)
    finally:
        for names in ours:
            names.remove("benchmark")


@pytest.fixture
def aio_benchmark(request: pytest.FixtureRequest) -> Iterator[AioBenchmark]:
    """Benchmark an `async def`: `aio_benchmark(fn, *args)`, or `await` the same inside a running loop.

    Only the time inside the coroutine is measured, not the way there and back.
    """
    from ._plugin._aio import AioBenchmark  # noqa: PLC0415 - only for whoever benchmarks

    with AioBenchmark.of(request) as made:
        yield made


@pytest.fixture
def bench_strategies(request: pytest.FixtureRequest, aio_benchmark: AioBenchmark) -> StrategyBenchmark:
    """Race a callable over its items: `bench_strategies(fn, items)` runs it under this test's strategy.

    The test runs once for each strategy, and pytest-benchmark's table shows them in one group.
    """
    from ._plugin._race import StrategyBenchmark  # noqa: PLC0415 - only for whoever races

    return StrategyBenchmark.of(request, aio_benchmark)
