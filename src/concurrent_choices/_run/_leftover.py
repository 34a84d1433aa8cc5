"""What is left of a workload after some of its items were called to measure it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from functools import partial
from itertools import chain, islice
from math import inf
from typing import TYPE_CHECKING, Any

from .._errors import InvalidArgumentError
from .._facts._batch import Claim
from .._measure._ledger import Raised, any_raised
from .._measure._profiler import Sampled
from .._runtime._contexts import leave_loop
from .._runtime._hand import in_time
from .._runtime._own_loops import new_loop
from .._runtime._running_loop import loop_runs
from .._work._watched import time_up
from ..protocols import Strategy
from ._numbering import renumber, was_raised
from ._prepare import prepare
from ._sync import collected

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from .._measure._sample_loop import KeptLoop
    from .._work._job import Job

__all__ = ["Leftover"]

SLOW = 1e-4
"""Seconds that a data set may take to give an item before calls go on meanwhile; of those of others it is
known how many there are (guessed: much more than it takes to hand an item over)."""


class Leftover:
    """Results there are already, calls still under way, and items not yet called.

    Attributes:
        fn: The callable.
        tasks: What its calls may call: what the items are, or hold.
        results: What calls gave or raised so far, by index.
        raised: Which of them were raised.
        rest: The items left, each with its index.
        used: Whether all of it was done, or begun.
    """

    def __init__(self, fn: Callable[[Any], Any], sampled: Sampled) -> None:
        self.fn = fn
        self.tasks = sampled.tasks
        self._sampled = sampled
        self._adrift = False
        self.results: dict[int, Any] = sampled.results
        self.raised: set[int] = set()
        self.rest: Iterator[tuple[int, Any]] = sampled.feed.rest()
        self.used = False
        if any_raised(self.results.values()):  # of ten thousands, asked one by one, that takes 10 ms
            for index, outcome in list(self.results.items()):
                self._enter(index, outcome)

    @property
    def loop(self) -> KeptLoop | None:
        """Where coroutines must go on that hold something of this loop; None where any will do."""
        return self._sampled.loop

    def take_loop(self) -> AbstractEventLoop:
        """The loop that coroutines were sampled on; a new one where a call that was given up has it."""
        assert self.loop is not None
        return new_loop() if self._adrift else self.loop.take()

    @property
    def can_race(self) -> bool:
        """Whether strategies may race on what is left: each of them has a loop of its own."""
        return not self.raised and not self._sampled.in_flight and self.loop is None

    def first_error(self) -> BaseException | None:
        """What the earliest failed call raised."""
        return next(self._errors(), None)

    def _errors(self) -> Iterator[BaseException]:
        return (self.results[index] for index in sorted(self.raised))

    def draw(self, count: int | None) -> list[tuple[int, Any]]:
        """So many items of the rest, or all; what the iterable raises, that raises when it is asked again."""
        drawn: list[tuple[int, Any]] = []
        try:
            drawn.extend(islice(self.rest, count))
        except Exception as error:  # noqa: BLE001 - whatever it raises, the items before it are drawn
            self.rest = _raising(error)
        return drawn

    def _as_asked(self, drawn: list[tuple[int, Any]]) -> Iterator[Any]:
        """The items of the rest, each drawn when it is asked for, so that calls go on meanwhile."""
        try:
            for each in self.rest:
                drawn.append(each)
                yield each[1]
        except Exception as error:  # noqa: BLE001 - as in `draw`
            self.rest = _raising(error)

    def perform(self, drawn: Sequence[tuple[int, Any]], strategy: Strategy | str) -> float:
        """Make the calls for items drawn from the rest, and keep what comes of them; the seconds it took."""
        return self._perform(drawn, [item for _, item in drawn], strategy, return_exceptions=True)

    def _perform_rest(
        self, strategy: Strategy | str, *, timeout: float | None, return_exceptions: bool
    ) -> None:
        """The same for all that is left; an iterator is advanced in the caller's thread, as by `run`."""
        feed = self._sampled.feed
        slow = feed.places is None or feed.pace.seconds > SLOW
        if slow and not loop_runs():
            drawn: list[tuple[int, Any]] = []
            items: Iterable[Any] = self._as_asked(drawn)
        else:
            drawn = self.draw(None)
            items = [item for _, item in drawn]
        self._perform(drawn, items, strategy, timeout=timeout, return_exceptions=return_exceptions)

    def _perform(
        self,
        drawn: Sequence[tuple[int, Any]],
        items: Iterable[Any],
        strategy: Strategy | str,
        *,
        return_exceptions: bool,
        timeout: float | None = None,
    ) -> float:
        """Make calls for items that were drawn, or are as they are asked for.

        Raises:
            Exception: What a call raised, unless `return_exceptions`; it names the item's index in the whole.
        """
        began = time.perf_counter()
        jobs: list[Job] = []

        def work() -> list[Any]:
            job, chosen = prepare(
                self.fn, items, strategy, linger=inf, timeout=timeout, return_exceptions=return_exceptions
            )
            jobs.append(job)
            return collected(job, chosen)

        try:
            values = _beside_loop(work) if loop_runs() else work()
        except BaseException as error:
            renumber(error, [index for index, _ in drawn])
            if all(job.source.untouched for job in jobs):  # such as for want of descriptors, or of workers
                self.rest, self.used = chain(drawn, self.rest), False
            raise
        took = time.perf_counter() - began
        indices = [index for index, _ in drawn]
        self.results.update(zip(indices, values, strict=True))
        for place, value in enumerate(values):
            if return_exceptions and was_raised(value, place):
                renumber(value, indices)
                self.raised.add(indices[place])
        return took

    def finish(
        self, strategy: Strategy | str, *, timeout: float | None, return_exceptions: bool
    ) -> list[Any]:
        """Do all of it, and give all results, in input order.

        Raises:
            InvalidArgumentError: It was done before.
            Exception: What the earliest failed call raised, unless `return_exceptions`; else what the
                iterable raised.
        """
        if self.used:
            problem = "has been run already; its items were used up. Ask recommend() again"
            raise InvalidArgumentError("recommendation", problem)
        self._raise_first(return_exceptions=return_exceptions)  # nothing is used up: it may be asked not to
        self.used = True
        perform = partial(self._perform_rest, strategy, timeout=timeout, return_exceptions=return_exceptions)
        if self.loop is None:
            perform()
            self._land(timeout)
        else:  # it is free once they are over
            self._land(timeout)
            self._raise_first(return_exceptions=return_exceptions)
            perform()
        self._raise_first(return_exceptions=return_exceptions)
        next(self.rest, None)  # raises what the iterable raised, as `run` does: after the calls before
        return [value for _, value in sorted(self.results.items())]

    def _land(self, timeout: float | None) -> None:
        """Wait for the calls that were under way, for all at once, and for each as long as it may take."""
        began = time.monotonic()
        for flight in self._sampled.in_flight:
            left = timeout and began + timeout * len(flight.claim.items) - time.monotonic()
            try:
                outcomes = flight.result(left).outcomes
            except TimeoutError:
                self._adrift = True
                outcomes = _overdue(flight.claim, timeout)
            for index, outcome in enumerate(outcomes, flight.claim.start):
                self._enter(index, outcome)

    def _enter(self, index: int, outcome: Any) -> None:
        if isinstance(outcome, Raised):
            self.raised.add(index)
            outcome = outcome.error
        self.results[index] = outcome

    def _raise_first(self, *, return_exceptions: bool) -> None:
        """Raise the first error that is no result; one that is no `Exception` never is, as in `run`."""
        due = (each for each in self._errors() if not (return_exceptions and isinstance(each, Exception)))
        error = next(due, None)
        if error is not None:
            raise error


def _raising(error: Exception) -> Iterator[Any]:
    yield from ()
    raise error


def _beside_loop(work: Callable[[], list[Any]]) -> list[Any]:
    """Do work in a thread, where no loop runs, in the caller's context; the caller's loop waits meanwhile."""
    context = copy_context()
    leave_loop(context)
    return in_time(partial(context.run, work), inf, [], name="concurrent_choices-race")


def _overdue(claim: Claim, timeout: float | None) -> list[Raised]:
    """What stands for calls that outlasted their time; of several, nobody knows which one did."""
    assert timeout is not None
    return [Raised(time_up(index, item, timeout)) for index, item in enumerate(claim.items, claim.start)]
