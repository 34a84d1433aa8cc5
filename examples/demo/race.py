"""One workload under every strategy, timed, and its results compared with the sequential ones."""

import time
from collections.abc import Iterator

from attrs import frozen

from concurrent_choices import Strategy, run

from .catalogue import Workload

BASELINE = "sequential"


@frozen
class Finish:
    """How one run ended.

    Attributes:
        workload: What was run.
        strategy: How.
        seconds: From the call to the last result, starting of workers included.
        sequential: The seconds of the sequential run.
        fault: What was wrong with it; empty where nothing was.
    """

    workload: Workload
    strategy: str
    seconds: float
    sequential: float
    fault: str = ""

    @property
    def rate(self) -> float:
        """Items per second."""
        return len(self.workload.items) / self.seconds

    @property
    def speedup(self) -> float:
        """How many times faster than sequential."""
        return self.sequential / self.seconds


def race(workload: Workload, strategies: list[str | Strategy]) -> Iterator[Finish]:
    """Run a workload sequentially, then under each other strategy, by name or object."""
    expected, baseline, _ = _timed(workload, BASELINE)
    yield Finish(workload, BASELINE, baseline, baseline)
    for strategy in strategies:
        if strategy != BASELINE:
            values, seconds, fault = _timed(workload, strategy)
            fault = fault or difference(expected, values, workload.items)
            name = strategy if isinstance(strategy, str) else strategy.name
            yield Finish(workload, name, seconds, baseline, fault)


def _timed(workload: Workload, strategy: str | Strategy) -> tuple[list, float, str]:
    began = time.perf_counter()
    try:
        values, fault = run(workload.fn, workload.items, strategy=strategy), ""
    except Exception as error:
        if strategy == BASELINE:
            raise  # there is nothing to compare with
        values, fault = [], f"{type(error).__name__}: {error}"
    return values, time.perf_counter() - began, fault


def difference(expected: list, values: list, items: list) -> str:
    """Where results part from the sequential ones, in words; empty where they do not."""
    if len(values) != len(expected):
        return f"{len(values)} results instead of {len(expected)}"
    for item, wanted, got in zip(items, expected, values, strict=True):
        if wanted != got:
            return f"item {item!r} gave {got!r} instead of {wanted!r}"
    return ""


def fastest(finishes: list[Finish]) -> Finish:
    """The quickest faultless one among the runs of one workload."""
    faultless = (finish for finish in finishes if not finish.fault)
    return min(faultless, key=lambda finish: finish.seconds)
