"""The nouns of a measurement: how big, who competes, in which row and group, what was read."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import Any, Protocol

import attrs

__all__ = ["Contestant", "Group", "Measurement", "Reading", "Row", "Size", "Timed", "missing", "same"]


@attrs.frozen
class Size:
    """Says how many items: the full number, or a small one with `--quick`."""

    quick: bool = False

    def __call__(self, full: int, quick: int) -> int:
        return quick if self.quick else full


@attrs.frozen
class Reading:
    """One number and what else was noticed.

    Attributes:
        value: In the unit of its row: seconds or megabytes.
        extra: More numbers, units at the end of their names; each is a column of the report.
    """

    value: float
    extra: dict[str, float] = attrs.field(factory=dict)


class Contestant(Protocol):
    """One way of doing what the row is about.

    Attributes:
        name: What the report calls it.
        count: Items in one measurement.
        ours: Whether it is this library.
        beside: The contestant of ours that it is compared with; empty: the first in its row.
        needs: Packages without which it is listed as absent.
    """

    name: str
    count: int
    ours: bool
    beside: str
    needs: tuple[str, ...]

    def opened(self) -> AbstractContextManager[Any]:
        """Start its pool or loop, once for all rounds."""
        ...

    def measure(self, live: Any) -> Reading:
        """Do the work once, with what `opened` gave."""
        ...


def same(items: Sequence[Any], results: Any) -> bool:
    """Whether the results are the items in their order, as `nothing` should have given them."""
    return list(results) == list(items)


@attrs.frozen
class Timed:
    """A contestant timed from outside, in this process.

    Attributes:
        opens: Gives a context manager of a function from items to results; it starts pools.
        make_items: Makes fresh input for `count` items, outside the timing.
        correct: Tells whether the results are right, outside the timing.
    """

    name: str
    count: int
    opens: Callable[[], AbstractContextManager[Callable[[Any], Any]]]
    make_items: Callable[[int], Any] = range
    correct: Callable[[Any, Any], bool] = same
    ours: bool = False
    beside: str = ""
    needs: tuple[str, ...] = ()

    def opened(self) -> AbstractContextManager[Any]:
        """Start its pool or loop."""
        return self.opens()

    def measure(self, live: Callable[[Any], Any]) -> Reading:
        """Time one pass over fresh items.

        Raises:
            AssertionError: If the results are wrong: a fast wrong answer is no measurement.
        """
        items = self.make_items(self.count)
        # Nobody pays for the garbage of the one before; while timed, gc is on, as users have it.
        gc.collect()
        began = time.perf_counter()
        results = live(items)
        seconds = time.perf_counter() - began
        if not self.correct(items, results):
            msg = f"{self.name}: wrong results for {self.count} items"
            raise AssertionError(msg)
        return Reading(seconds)


@attrs.frozen
class Row:
    """One table of the report.

    Attributes:
        name: Its key, in `_targets` too.
        title: Its heading.
        contestants: Who competes; ours first.
        unit: What readings are in: "s" or "MB".
    """

    name: str
    title: str
    contestants: Sequence[Contestant]
    unit: str = "s"

    def ours_for(self, contestant: Contestant) -> Contestant:
        """Give the contestant of ours that another one is compared with."""
        if contestant.beside:
            return next(c for c in self.contestants if c.name == contestant.beside)
        return next(c for c in self.contestants if c.ours)


@attrs.frozen
class Group:
    """Rows whose contestants run interleaved: they had the same weather.

    Attributes:
        name: What `--only` looks for, with a row's name behind a slash.
        rows: Its tables.
        warm_up: Whether a round that is not counted comes first.
    """

    name: str
    rows: Sequence[Row]
    warm_up: bool = True


@attrs.frozen
class Measurement:
    """One line of results.jsonl.

    Attributes:
        row: The row's name.
        contestant: The contestant's name.
        round: Counted from 1; the warm-up is not kept.
        place: Its place in the shuffled order of that round, from 0.
        items: How many items it was given.
        value: What was read, in `unit`; None if it failed or is absent.
        unit: "s" or "MB".
        load: The machine's load average over the last minute.
        extra: As in `Reading`.
        error: Why there is no value.
        absent: The packages that are missing.
    """

    row: str
    contestant: str
    round: int
    place: int
    items: int
    unit: str
    load: float
    value: float | None = None
    extra: dict[str, float] = attrs.field(factory=dict)
    error: str = ""
    absent: list[str] = attrs.field(factory=list)


def missing(contestant: Contestant) -> list[str]:
    """List the packages that a contestant needs and this environment lacks."""
    return [name for name in contestant.needs if find_spec(name) is None]
