"""From single measurements to medians."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

import attrs

from benchmarks.dispatch._case import Measurement

__all__ = ["Medians", "Summary", "summarize"]


@attrs.frozen
class Summary:
    """What the rounds of one contestant came to.

    Attributes:
        items: How many items each measurement had.
        rounds: How many measurements there are.
        median: Of their values, in the unit of the row.
        low: The smallest value.
        high: The largest value.
        extra: The medians of what else was noticed.
    """

    items: int
    rounds: int
    median: float
    low: float
    high: float
    extra: dict[str, float]

    @property
    def per_item(self) -> float:
        """The median per item: what contestants with different numbers of items are compared by."""
        return self.median / self.items


@attrs.frozen
class Medians:
    """The summaries, by row and contestant."""

    summaries: dict[tuple[str, str], Summary]

    def __call__(self, row: str, contestant: str) -> Summary:
        """Give one summary.

        Raises:
            KeyError: If that contestant was not measured.
        """
        return self.summaries[row, contestant]

    def best(self, row: str, start: str) -> Summary:
        """Give the fastest of the contestants of a row whose names start so.

        Raises:
            KeyError: If none was measured.
        """
        found = [s for (r, name), s in self.summaries.items() if r == row and name.startswith(start)]
        if not found:
            raise KeyError(row, start)
        return min(found, key=lambda summary: summary.per_item)


def summarize(measurements: Iterable[Measurement]) -> Medians:
    """Take the medians of what succeeded; a contestant that failed once has none."""
    measurements = list(measurements)
    failed = {(m.row, m.contestant) for m in measurements if m.error}
    by_key: dict[tuple[str, str], list[Measurement]] = {}
    for m in measurements:
        if m.value is not None and (m.row, m.contestant) not in failed:
            by_key.setdefault((m.row, m.contestant), []).append(m)
    return Medians({key: _summary(group) for key, group in by_key.items()})


def _summary(measurements: list[Measurement]) -> Summary:
    values = [m.value for m in measurements if m.value is not None]
    names = measurements[0].extra
    return Summary(
        items=measurements[0].items,
        rounds=len(values),
        median=median(values),
        low=min(values),
        high=max(values),
        extra={name: median(m.extra[name] for m in measurements) for name in names},
    )
