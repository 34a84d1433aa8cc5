"""From single readings to medians that can be asked for by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from attrs import Factory, frozen

__all__ = ["Figures", "Reading", "digits", "spell"]

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))


@frozen(kw_only=True)
class Reading:
    """One measurement, or why there is none.

    Attributes:
        experiment: Its number.
        task: The task's name.
        way: The name of the published way, or of the library's job.
        strategy: The strategy the job ran under; empty for a published way.
        unit: Of the value.
        round: Counted from 0.
        order: Its place in the tables; rounds are shuffled.
        value: The figure.
        cpu: CPU seconds of this process meanwhile, of all its threads.
        extra: What else was noticed.
        absent: Why it could not be measured here.
        error: What went wrong; empty where nothing did.
    """

    experiment: int
    task: str
    way: str
    strategy: str = ""
    unit: str = "s"
    round: int = 0
    order: int = 0
    value: float | None = None
    cpu: float = 0.0
    extra: dict[str, float] = Factory(dict)
    absent: str = ""
    error: str = ""


class Figures:
    """The medians of one experiment."""

    def __init__(self, readings: Iterable[Reading]):
        self.readings = list(readings)

    def of(self, task: str, way: str, strategy: str = "") -> list[Reading]:
        """The readings of one contestant that have a figure."""
        key = (task, way, strategy)
        return [r for r in self.readings if (r.task, r.way, r.strategy) == key and r.value is not None]

    def __call__(self, task: str, way: str, strategy: str = "") -> float:
        """The median of one contestant.

        Raises:
            KeyError: It was not measured.
        """
        found = self.of(task, way, strategy)
        if not found:
            raise KeyError(task, way, strategy)
        return median(r.value for r in found if r.value is not None)

    def least(self, task: str, way: str, strategy: str = "") -> float:
        """The smallest reading of one contestant: what neighbours on the machine disturbed least.

        Raises:
            KeyError: It was not measured.
        """
        self(task, way, strategy)
        return self.range(task, way, strategy)[0]

    def cpu(self, task: str, way: str) -> float:
        """The median CPU seconds of a published way."""
        return median(r.cpu for r in self.of(task, way))

    def extra(self, task: str, way: str, name: str) -> float:
        """The median of what else was noticed."""
        return median(r.extra[name] for r in self.of(task, way))

    def range(self, task: str, way: str, strategy: str = "") -> tuple[float, float]:
        """The smallest and the largest reading."""
        values = [r.value for r in self.of(task, way, strategy) if r.value is not None]
        return min(values), max(values)

    def tasks(self) -> list[str]:
        """The names of the tasks, in their order."""
        return list(dict.fromkeys(r.task for r in self.readings))

    def ways(self, task: str) -> list[str]:
        """The published ways of a task, in their order."""
        return list(dict.fromkeys(r.way for r in self._in_order() if r.task == task and not r.strategy))

    def jobs(self, task: str) -> list[str]:
        """The library's jobs of a task, in their order."""
        return list(dict.fromkeys(r.way for r in self._in_order() if r.task == task and r.strategy))

    def task_like(self, start: str) -> str:
        """The one task whose name starts so: names carry sizes, which differ.

        Raises:
            KeyError: There is none.
        """
        for task in self.tasks():
            if task.startswith(start):
                return task
        raise KeyError(start)

    def missing(self) -> list[str]:
        """Why ways are absent, each reason once."""
        return list(dict.fromkeys(r.absent for r in self.readings if r.absent))

    def best(self, task: str, names: Sequence[str]) -> float:
        """The smallest reading among some published ways."""
        return min(self.least(task, name) for name in names)

    def _in_order(self) -> list[Reading]:
        return sorted(self.readings, key=lambda r: r.order)


def spell(value: float, unit: str = "s") -> str:
    """A figure with three digits and a readable unit."""
    if unit != "s":
        return f"{digits(value)} {unit}"
    size, name = next((s or 1e-9, n) for s, n in UNITS if value >= s)
    return f"{digits(value / size)} {name}"


def digits(value: float) -> str:
    """Three digits, without an exponent."""
    places: Any = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{places}f}"
