"""What an experiment is made of: tasks, the published ways of doing them, and jobs for the library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from enum import Enum
from typing import Any, TypeVar

from attrs import Factory, field, frozen

__all__ = ["Experiment", "Goal", "Job", "Measured", "Size", "Task", "Verdict", "Way", "equals"]

T = TypeVar("T")


class Size(Enum):
    """How large an experiment is run."""

    QUICK = "quick"
    SCALED = "scaled"
    FULL = "full"

    def pick(self, quick: T, scaled: T, full: T) -> T:
        """The number for this size."""
        return {Size.QUICK: quick, Size.SCALED: scaled, Size.FULL: full}[self]


@frozen
class Measured:
    """What a way returns that takes its figure itself, instead of being timed.

    Attributes:
        value: The figure, in the unit of the task.
        extra: What else was noticed, by name.
        result: What it computed, for the check.
    """

    value: float
    extra: dict[str, float] = Factory(dict)
    result: Any = None


def equals(expected: Any) -> Callable[[Any], None]:
    """A check that the result is this."""

    def check(result: Any) -> None:
        assert result == expected, f"{str(result)[:200]} is not {str(expected)[:200]}"

    return check


@frozen
class Way:
    """One way of doing a task, as the experiment's authors did it.

    Attributes:
        name: What the table calls it.
        act: Does it, start to end; what it returns is checked, outside the time taken.
        check: Raises AssertionError where the result is wrong.
        absent: Why it cannot be done here; empty where it can.
    """

    name: str
    act: Callable[[], Any]
    check: Callable[[Any], None] = lambda _: None
    absent: str = ""


@frozen
class Job:
    """The task for the library: a callable and its items, run under every strategy.

    Attributes:
        name: What the table calls it.
        fn: A `def` or an `async def` of one argument.
        items: Its arguments.
        expected: The results, in order.
    """

    name: str
    fn: Callable[[Any], Any]
    items: Sequence[Any]
    expected: Sequence[Any]


@frozen
class Task:
    """One question: which of these ways is how fast?

    Attributes:
        name: What is to be done, with its sizes.
        ways: The published ways.
        jobs: The library's.
        unit: Of the figures: "s", "requests/s", "µs", "KB".
    """

    name: str
    ways: Sequence[Way] = ()
    jobs: Sequence[Job] = ()
    unit: str = "s"


@frozen
class Verdict:
    """What became of the claim here.

    Attributes:
        word: "holds", "holds in part", "does not hold" or "not measured".
        text: Today's figures, and why, in two sentences.
    """

    word: str
    text: str


@frozen
class Goal:
    """Something the library has to reach in this experiment.

    Attributes:
        text: What.
        figure: What was measured, spelled out.
        reached: Whether that is enough.
    """

    text: str
    figure: str
    reached: bool


@frozen(kw_only=True)
class Experiment:
    """One row of the page.

    Attributes:
        number: 1 to 14.
        title: A heading.
        claim: What was reported, on other machines and other Pythons, in one or two sentences.
        scale: How the sizes here differ from the reported ones; empty where they do not.
        tasks: Given a size, sets up the real parts and gives the tasks.
        judge: From the figures to the verdict.
        direction: Asserts what must show even in one quick run on a busy machine.
        goals: From the figures to what the library had to reach.
        ways: The names of the published ways of the task that shows most.
        jobs: The names of the library's jobs of the task that shows most.
        ways_at: Where in the list of tasks those ways are.
        jobs_at: Where in the list of tasks those jobs are.
    """

    number: int
    title: str
    claim: str
    tasks: Callable[[Size], AbstractContextManager[Sequence[Task]]]
    judge: Callable[[Any], Verdict]
    direction: Callable[[Any], None]
    goals: Callable[[Any], Sequence[Goal]] = field(default=lambda _: ())
    scale: str = ""
    ways: Sequence[str]
    jobs: Sequence[str]
    ways_at: int = 0
    jobs_at: int = 0
