"""What is left of a workload after some of its items were called to measure it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .._errors import InvalidArgumentError
from .._facts._workload import Workload
from .._measure._ledger import InFlight, Raised
from .._measure._sampled import Sampled
from ..protocols import Strategy
from ._numbering import renumber, was_raised
from ._sync import run

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = ["Leftover", "finish_with"]


class Leftover:
    """Results there are already, calls still under way, and items not yet called.

    Args:
        workload: What it is left of.
        sampled: What sampling did.
    """

    def __init__(self, workload: Workload, sampled: Sampled) -> None:
        self.workload = workload
        self._sampled = sampled
        self.results: dict[int, Any] = sampled.results
        self._raised = {index for index, outcome in self.results.items() if isinstance(outcome, Raised)}
        self.results.update({index: self.results[index].error for index in self._raised})
        self.in_flight: tuple[InFlight, ...] = sampled.in_flight
        self.rest: Iterator[tuple[int, Any]] = sampled.rest()
        self.used = False

    @property
    def loop(self) -> AbstractEventLoop | None:
        """Where coroutines that hold what serves one event loop have to go on."""
        return self._sampled.loop

    @property
    def can_race(self) -> bool:
        """Whether strategies may race on what is left: each of them has a loop of its own."""
        return not self._raised and not self.in_flight and self.loop is None

    def first_error(self) -> BaseException | None:
        """What the earliest failed call raised."""
        return self.results[min(self._raised)] if self._raised else None

    def add(self, index: int, outcome: Any) -> None:
        """Take a result that arrived later."""
        if isinstance(outcome, Raised):
            self._raised.add(index)
            outcome = outcome.error
        self.results[index] = outcome

    def take(self, results: dict[int, Any], raised: set[int]) -> None:
        """Take what a race gave, and which of it was raised."""
        self.results.update(results)
        self._raised |= raised

    def land(self) -> None:
        """Wait for the calls that were under way."""
        for flight in self.in_flight:
            landed = flight.wait()
            assert landed is not None
            for place, outcome in enumerate(landed.outcomes):
                self.add(landed.start + place, outcome)


def finish_with(
    leftover: Leftover, strategy: Strategy | str, *, timeout: float | None, return_exceptions: bool
) -> list[Any]:
    """Do what is left, and give all results in input order.

    Raises:
        InvalidArgumentError: It was done before.
        Exception: What the earliest failed call raised, unless `return_exceptions`.
    """
    if leftover.used:
        problem = "has been run already; its items were used up. Ask recommend() again"
        raise InvalidArgumentError("recommendation", problem)
    leftover.used = True
    _raise_first(leftover, return_exceptions=return_exceptions)
    rest = list(leftover.rest)
    indices = [index for index, _ in rest]
    try:
        values = run(
            leftover.workload.fn,
            [item for _, item in rest],
            strategy=strategy,
            timeout=timeout,
            return_exceptions=return_exceptions,
        )
    except Exception as error:
        renumber(error, indices)
        raise
    for place, value in enumerate(values):
        if return_exceptions and was_raised(value, place):
            renumber(value, indices)
    leftover.results.update(zip(indices, values, strict=True))
    leftover.land()
    _raise_first(leftover, return_exceptions=return_exceptions)
    return [value for _, value in sorted(leftover.results.items())]


def _raise_first(leftover: Leftover, *, return_exceptions: bool) -> None:
    error = None if return_exceptions else leftover.first_error()
    if error is not None:
        raise error
