"""Waiting three times, and waiting three times beside sums: what experiments 5 and 6 have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from attrs import frozen

from ._figures import Figures, spell
from ._judging import as_fast, word
from ._loops import gathered, plain
from ._model import Goal, Job, Task, Verdict, Way, equals
from ._work import sum_async, sum_to

__all__ = ["Asked", "Pair", "asking_tasks", "goals_of", "verdict_of"]

SUM = 100_000


@frozen
class Asked:
    """A question of a server or a database, beside which a sum may be computed.

    Attributes:
        item: What the question is called with.
        number: What to add up to; 0 for nothing.
    """

    item: Any
    number: int = 0


@frozen
class Pair:
    """The same question in two kinds of callable.

    Attributes:
        blocking: A `def`.
        awaiting: An `async def`.
    """

    blocking: Callable[[Any], Any]
    awaiting: Callable[[Any], Any]

    def ask(self, asked: Asked) -> tuple[Any, int]:
        """Ask, then add up, blocking the thread."""
        return self.blocking(asked.item), sum_to(asked.number)

    async def ask_async(self, asked: Asked) -> tuple[Any, int]:
        """The same without blocking while the answer is waited for."""
        return await self.awaiting(asked.item), await sum_async(asked.number)


def asking_tasks(
    pair: Pair, names: tuple[str, str], make: Callable[[float], tuple[Any, Any]], short: float, long: float
) -> list[Task]:
    """One question, three, and three longer ones beside sums.

    Args:
        pair: Who asks.
        names: What the two kinds are called.
        make: From seconds to the item of such a question and its answer.
        short: Seconds of the first questions.
        long: Seconds of those beside sums.
    """

    def task(name: str, seconds: float, count: int, number: int) -> Task:
        item, answer = make(seconds)
        items = [Asked(item, number)] * count
        return _task(name, pair, names, items, [(answer, number * (number - 1) // 2)] * count)

    return [
        task(f"one of {spell(short)}", short, 1, 0),
        task(f"three of {spell(short)}", short, 3, 0),
        task(f"three of {spell(long)} beside sums to {SUM:,}", long, 3, SUM),
    ]


def _task(name: str, pair: Pair, names: tuple[str, str], items: Sequence[Asked], expected: list[Any]) -> Task:
    blocking, awaiting = names
    check = equals(expected)
    return Task(
        name,
        [
            Way(f"{blocking}, one after another", partial(plain, pair.ask, items), check),
            Way(f"{awaiting}, gathered", partial(gathered, pair.ask_async, items), check),
        ],
        [
            Job(f"def, {blocking}", pair.ask, items, expected),
            Job(f"async def, {awaiting}", pair.ask_async, items, expected),
        ],
    )


def verdict_of(figures: Figures, who: str, why: str) -> Verdict:
    """Whether gathering made three questions take as long as one, with and without sums."""
    parts: list[str] = []
    ratios: list[float] = []
    for task in figures.tasks()[1:]:
        one, two = (figures(task, way) for way in figures.ways(task))
        parts.append(f"{spell(one)} and {spell(two)} for {task}")
        ratios.append(one / two)
    return Verdict(word(*[2.3 < ratio < 3.5 for ratio in ratios]), f"{'; '.join(parts)}: {who}. {why}")


def goals_of(figures: Figures) -> list[Goal]:
    """`auto` as fast as the best published way, for every task and both kinds of callable."""
    return [
        as_fast(figures, task, job, figures.ways(task))
        for task in figures.tasks()
        for job in figures.jobs(task)
    ]
