"""From measurements to figures: arithmetic, so that it can be tested with made-up numbers."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import attrs

from benchmarks.catalogue.all import CATALOGUE
from benchmarks.oracle._measurement import GRID, ONCE_MORE, OURS, Measurement
from benchmarks.oracle._protocol import ALONE

__all__ = ["Case", "Choice", "Forecast", "cases_of", "disagreeing", "geometric_mean", "quantile"]


@attrs.frozen(kw_only=True)
class Choice:
    """One verdict against what was measured.

    Attributes:
        strategy: What it chose.
        seconds: What that strategy took at the plan of the first verdict.
        ratio: That over the best of everybody, our own strategies included.
        whole: `recommend` and `.run()` together over the same.
        cost: Seconds that `recommend` took.
        bound: Whether the word was right.
        diagnosis: Whether the word was right.
        words: Both words.
    """

    strategy: str
    seconds: float | None
    ratio: float | None
    whole: float | None
    cost: float
    bound: bool
    diagnosis: bool
    words: str

    @property
    def right(self) -> bool:
        """Whether both words were right."""
        return self.bound and self.diagnosis


@attrs.frozen(kw_only=True)
class Forecast:
    """What the first verdict said of a strategy, and what that took."""

    strategy: str
    plan: str
    predicted: float
    error: float
    measured: float

    @property
    def ratio(self) -> float:
        """Measured over predicted."""
        return self.measured / self.predicted if self.predicted else math.inf


@attrs.frozen(kw_only=True)
class Case:
    """All that was measured of a workload.

    Attributes:
        watched: What calls took with all instruments running, over what they took without, of each pair.
        repeats: What each run took that was made again in a later round, over the first one.
    """

    workload: str
    taken: dict[tuple[str, str], float]
    choices: tuple[Choice, ...]
    neighbours: tuple[Choice, ...]
    forecasts: tuple[Forecast, ...]
    audit: dict[str, Any] | None
    watched: tuple[float, ...]
    disagreeing: tuple[str, ...]
    again: float | None = None
    repeats: tuple[float, ...] = ()

    @property
    def best(self) -> tuple[str, float]:
        """The fastest of all, and its seconds; nobody where nothing ran."""
        nobody = (("", "nobody"), math.nan)
        (_, name), seconds = min(self.taken.items(), key=lambda each: each[1], default=nobody)
        return name, seconds

    @property
    def best_by_hand(self) -> tuple[str, float]:
        """The fastest of the hand-tuned runs; nobody where none came through."""
        by_hand = [(seconds, name) for (kind, name), seconds in self.taken.items() if kind == GRID]
        seconds, name = min(by_hand, default=(math.nan, "nobody"))
        return name, seconds

    @property
    def once_more(self) -> float | None:
        """What the best of all took when it was run again, over what made it the best."""
        return self.again / self.best[1] if self.again is not None and self.taken else None

    def against(self, among: Callable[[str, str], bool]) -> list[float]:
        """What each of its verdicts costs, over the best of some; nothing where none of them ran.

        Args:
            among: Whether a kind of runs (`GRID` or `OURS`) of that name is among them.
        """
        best = min((seconds for who, seconds in self.taken.items() if among(*who)), default=None)
        taken = [choice.seconds for choice in self.choices if choice.seconds is not None]
        return [seconds / best for seconds in taken] if best else []

    @property
    def alone(self) -> float:
        """Seconds of one item after another, by hand."""
        return next((self.taken[GRID, name] for name in ALONE if (GRID, name) in self.taken), math.nan)

    @property
    def allowed(self) -> float:
        """What `recommend` may cost: a quarter of a second, or a twentieth of the work."""
        return max(0.25, 0.05 * self.alone) if self.alone > 0 else 0.25


def cases_of(measurements: Iterable[Measurement]) -> list[Case]:
    """The cases, in the order of the catalogue."""
    by_workload: dict[str, list[Measurement]] = {}
    for each in measurements:
        by_workload.setdefault(each.workload, []).append(each)
    return [_case(name, by_workload[name]) for name in CATALOGUE if name in by_workload]


def _case(name: str, lines: Sequence[Measurement]) -> Case:
    rounds = _rounds(lines)
    taken = {who: statistics.median(seconds) for who, seconds in rounds.items()}
    ours = _of_ours(lines, taken)
    verdicts = [each for each in lines if each.kind == "recommend" and "verdict" in each.answer]
    beside = [each for each in lines if each.kind == "neighbour" and "verdict" in each.answer]
    return Case(
        workload=name,
        taken=taken,
        choices=tuple(_choice(each, taken, ours) for each in verdicts),
        neighbours=tuple(_choice(each, taken, ours) for each in beside),
        forecasts=tuple(_forecasts(verdicts[0], ours)) if verdicts else (),
        audit=next((each.answer for each in lines if each.kind == "audit"), None),
        watched=tuple(
            each for line in lines if line.kind == "witness" for each in line.answer.get("ratios", ())
        ),
        disagreeing=tuple(disagreeing(lines)),
        again=next((each.seconds for each in lines if each.kind == ONCE_MORE), None),
        repeats=tuple(later / first for first, *others in rounds.values() for later in others),
    )


def _rounds(lines: Sequence[Measurement]) -> dict[tuple[str, str], list[float]]:
    """The seconds of everybody, round after round."""
    taken: dict[tuple[str, str], list[float]] = {}
    for each in lines:
        if each.kind in {GRID, OURS} and each.seconds is not None:
            taken.setdefault((each.kind, each.name), []).append(each.seconds)
    return taken


def _of_ours(lines: Sequence[Measurement], taken: dict[tuple[str, str], float]) -> dict[str, float]:
    """What each of our strategies took; one that was stopped took that long at least."""
    stopped = {each.name: each.at_least for each in lines if each.kind == OURS and each.at_least}
    return stopped | {name: seconds for (kind, name), seconds in taken.items() if kind == OURS}


def _choice(line: Measurement, taken: dict[tuple[str, str], float], ours: dict[str, float]) -> Choice:
    verdict = line.answer["verdict"]
    best = min(taken.values(), default=math.nan)
    chosen = ours.get(verdict["strategy"])
    bound, diagnosis = CATALOGUE[line.workload].right(verdict["bound"], verdict["diagnosis"])
    return Choice(
        strategy=verdict["strategy"],
        seconds=chosen,
        ratio=None if chosen is None else chosen / best,
        whole=None if line.seconds is None else line.seconds / best,
        cost=line.answer["cost"],
        bound=bound,
        diagnosis=diagnosis,
        words=f"{verdict['bound']}, {verdict['diagnosis']}",
    )


def _forecasts(first: Measurement, ours: dict[str, float]) -> Iterator[Forecast]:
    for strategy, each in first.answer["verdict"]["estimates"].items():
        measured = ours.get(strategy)
        if measured is not None and each["seconds"] is not None:
            plan = json.loads(each["plan"])
            yield Forecast(
                strategy=strategy,
                plan=f"{plan['workers']} x {plan['concurrency']}",
                predicted=each["seconds"],
                error=each["error"],
                measured=measured,
            )


def disagreeing(lines: Sequence[Measurement]) -> Iterator[str]:
    """Who gave other results than most."""
    checked = [each for each in lines if "check" in each.answer]
    if not checked:
        return
    usual = statistics.mode(each.answer["check"] for each in checked)
    for each in checked:
        if each.answer["check"] != usual:
            yield f"{each.kind} {each.name}".strip()


def geometric_mean(ratios: Sequence[float]) -> float:
    """The geometric mean; not a number where there is nothing."""
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else math.nan


def quantile(values: Sequence[float], part: float) -> float:
    """The value below which that part of them lies, at least; not a number where there is nothing."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, math.ceil(part * len(ranked)) - 1)] if ranked else math.nan
