"""Runs experiments: every contestant of a task once a round, in a shuffled order."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from attrs import Factory, evolve, frozen

from ._figures import Figures, Reading
from ._library import STRATEGIES, Advice, advise, perform
from ._model import Experiment, Job, Measured, Size, Task, Way, equals

__all__ = ["Manner", "run_experiment"]

Keep = Callable[[Any], None]

SHORT = 1.0
"""Seconds of a reading that is soon repeated."""


@frozen(kw_only=True)
class Manner:
    """How experiments are run.

    Attributes:
        rounds: How often everybody is measured.
        again: How often, after that, those are whose fastest readings are held against each other: the
            published ways and `auto`, where they are short.
        random: Shuffles the order in each round.
        keep: Takes every reading and every advice as soon as it is there.
        budget: Seconds that `recommend` may take for a job.
    """

    rounds: int = 1
    again: int = 0
    random: Random = Factory(lambda: Random(0))
    keep: Keep = lambda _: None
    budget: float = 1.0


@frozen(kw_only=True)
class _Contestant:
    """Somebody who takes part in a task.

    Attributes:
        blank: The reading without its figure.
        act: Does the task.
        check: Looks at the result.
    """

    blank: Reading
    act: Callable[[], Any]
    check: Callable[[Any], None]


def run_experiment(
    experiment: Experiment, size: Size, manner: Manner | None = None
) -> tuple[Figures, list[Advice]]:
    """Set up the real parts, measure everybody, and ask `recommend` about each job.

    A contestant that fails is reported and takes no further part; the others go on.

    Args:
        experiment: Which.
        size: How large.
        manner: How often, in which order, and who keeps what; once by default.

    Returns:
        The figures, and what `recommend` said.
    """
    manner = manner or Manner()
    readings: list[Reading] = []
    said: list[Advice] = []

    def note(reading: Reading) -> None:
        readings.append(reading)
        manner.keep(reading)

    with experiment.tasks(size) as tasks:
        for task in tasks:
            field = list(_contestants(experiment.number, task))
            _race(field, manner, note)
            for job in task.jobs:
                said.append(advise(experiment.number, task.name, job, manner.budget))
                manner.keep(said[-1])
    return Figures(readings), said


def _race(field: list[_Contestant], manner: Manner, note: Keep) -> None:
    for each in field:
        if each.blank.absent:
            note(each.blank)
    field = [each for each in field if not each.blank.absent]
    done: list[tuple[_Contestant, Reading]] = []
    for number in range(manner.rounds):
        done = _round(field, number, manner, note)
        field = [each for each, reading in done if not reading.error]
    compared = [each for each, reading in done if _is_compared(reading)]
    for number in range(manner.rounds, manner.rounds + manner.again):
        _round(compared, number, manner, note)


def _round(
    field: list[_Contestant], number: int, manner: Manner, note: Keep
) -> list[tuple[_Contestant, Reading]]:
    manner.random.shuffle(field)
    done = [(each, _measure(each, number)) for each in field]
    for _, reading in done:
        note(reading)
    return done


def _is_compared(reading: Reading) -> bool:
    is_short = reading.unit == "s" and reading.value is not None and reading.value < SHORT
    return is_short and reading.strategy in {"", "auto"}


def _contestants(number: int, task: Task) -> Iterator[_Contestant]:
    blank = Reading(experiment=number, task=task.name, way="", unit=task.unit)
    for order, way in enumerate(task.ways):
        yield _of_way(evolve(blank, way=way.name, order=order, absent=way.absent), way)
    for order, job in enumerate(task.jobs, start=len(task.ways)):
        for strategy in STRATEGIES:
            yield _of_job(evolve(blank, way=job.name, order=order, strategy=strategy, unit="s"), job)


def _of_way(blank: Reading, way: Way) -> _Contestant:
    return _Contestant(blank=blank, act=way.act, check=way.check)


def _of_job(blank: Reading, job: Job) -> _Contestant:
    return _Contestant(
        blank=blank, act=lambda: perform(job, blank.strategy), check=equals(list(job.expected))
    )


def _measure(contestant: _Contestant, number: int) -> Reading:
    blank = evolve(contestant.blank, round=number)
    try:
        wall, cpu = time.perf_counter(), time.process_time()
        result = contestant.act()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        taken = result if isinstance(result, Measured) else Measured(wall, {}, result)
        contestant.check(taken.result)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong is reported, and the others go on
        traceback.print_exception(error)
        return evolve(blank, error=f"{type(error).__name__}: {error}")
    return evolve(blank, value=taken.value, cpu=cpu, extra=taken.extra)
