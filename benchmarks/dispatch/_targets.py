"""What must be shown: a table of figures, computed from medians and compared with bounds."""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import ceil

import attrs

from benchmarks.dispatch._statistics import Medians
from benchmarks.dispatch.coroutines import LOOPS
from benchmarks.dispatch.memory import HERE, WORKERS
from benchmarks.dispatch.sleeping import IN_FLIGHT, NAP, THREADS

__all__ = ["TARGETS", "Target", "Verdict", "judge"]

Figure = Callable[[Medians], float]

SIGNS: dict[str, Callable[[float, float], bool]] = {
    "≤": operator.le,
    "<": operator.lt,
    "≥": operator.ge,
    "=": operator.eq,
}


@attrs.frozen
class Target:
    """One figure to reach.

    Attributes:
        row: The row it stands under.
        text: What must be shown, in words.
        figure: Computes it from the medians; a KeyError means that something was not measured.
        sign: How it compares with the bound: one of `SIGNS`.
        bound: The number to reach.
    """

    row: str
    text: str
    figure: Figure
    sign: str
    bound: float


@attrs.frozen
class Verdict:
    """What became of a target.

    Attributes:
        target: Which.
        figure: What was measured; None if something it needs was not.
    """

    target: Target
    figure: float | None

    @property
    def word(self) -> str:
        """Reached, not reached, or not measured."""
        if self.figure is None:
            return "not measured"
        reached = SIGNS[self.target.sign](self.figure, self.target.bound)
        return "reached" if reached else "NOT reached"


def judge(medians: Medians) -> list[Verdict]:
    """Compare every target with what was measured, in the order of the table."""
    return [Verdict(target, _figure(target, medians)) for target in TARGETS]


def _figure(target: Target, medians: Medians) -> float | None:
    try:
        return target.figure(medians)
    except KeyError:
        return None


def _over(row: str, above: str, below: str) -> Figure:
    """How many times the time of `below` one item takes under `above`."""
    return lambda medians: medians(row, above).per_item / medians(row, below).per_item


def _best_over_ours(row: str, start: str) -> Figure:
    return lambda medians: medians.best(row, start).per_item / medians(row, "ours").per_item


def _over_our_asyncio(row: str) -> Figure:
    return lambda m: m(row, "ours").per_item / m("yield once, asyncio", "ours").per_item


def _over_bound(row: str, at_once: int) -> Figure:
    """How many times the time that sleeping must take at least."""

    def figure(medians: Medians) -> float:
        ours = medians(row, "ours")
        return ours.median / (NAP * ceil(ours.items / at_once))

    return figure


def _sequential(medians: Medians) -> float:
    ours, plain = medians("sequential", "ours"), medians("sequential", "list comprehension")
    return (ours.median - 100e-6) / plain.median


def _cold(medians: Medians) -> float:
    peers = (medians("cold", f"Pool, {method}").median for method in ("spawn", "forkserver"))
    return medians("cold", "ours").median / min(peers)


def _growth(contestant: str) -> Figure:
    return lambda medians: medians("memory", contestant).median


def _heavy(medians: Medians) -> float:
    return medians("import", "concurrent_choices").extra["heavy_modules"]


TARGETS = (
    Target("sequential", "(ours - 100 µs) ÷ list comprehension", _sequential, "≤", 1.3),
    Target("threads", "ours ÷ ThreadPool.map", _over("threads", "ours", "ThreadPool.map"), "≤", 1.25),
    Target(
        "threads",
        "ThreadPoolExecutor.map ÷ ours",
        _over("threads", "ThreadPoolExecutor.map", "ours"),
        "≥",
        100,
    ),
    Target(
        "threads, single",
        "ThreadPoolExecutor.map ÷ ours",
        _over("threads, single", "ThreadPoolExecutor.map", "ours"),
        "≥",
        5,
    ),
    *(
        Target(row, "TaskGroup ÷ ours", _over(row, "TaskGroup", "ours"), "≥", 8)
        for row in (f"yield once, {loop}" for loop in LOOPS)
    ),
    *(
        Target(row, "ours ÷ serial await", _over(row, "ours", "serial await"), "<", 1)
        for row in (f"yield once, {loop}" for loop in LOOPS)
    ),
    *(
        Target(row, "gather ÷ ours", _over(row, "gather", "ours"), "≥", 20)
        for row in (f"never suspends, {loop}" for loop in LOOPS)
    ),
    *(
        Target(row, "ours ÷ ours on asyncio", _over_our_asyncio(row), "≤", bound)
        for row, bound in (("yield once, anyio on asyncio", 1.3), ("yield once, anyio on trio", 2))
    ),
    Target("processes", "ours ÷ Pool.map", _over("processes", "ours", "Pool.map"), "≤", 1.5),
    Target(
        "processes",
        "ProcessPoolExecutor.map at its best chunk size ÷ ours",
        _best_over_ours("processes", "ProcessPoolExecutor.map"),
        "≥",
        3,
    ),
    Target(
        "processes, single",
        "ours ÷ Pool.imap_unordered",
        _over("processes, single", "ours", "Pool.imap_unordered"),
        "≤",
        1,
    ),
    Target(
        "processes, 5 ms",
        "speed-up over one core, as a share of the ideal one",
        _over("processes, 5 ms", "ideal: bare processes, a fixed share each", "ours"),
        "≥",
        0.95,
    ),
    Target("arrays in", "ours ÷ joblib", _over("arrays in", "ours", "joblib"), "≤", 1),
    Target(
        "arrays out",
        "ours ÷ ProcessPoolExecutor.map",
        _over("arrays out", "ours", "ProcessPoolExecutor.map"),
        "≤",
        0.5,
    ),
    Target("cold", "ours ÷ the better of Pool under spawn and forkserver", _cold, "≤", 1),
    Target(
        "sleeping, asyncio",
        "ours ÷ the bound of 10 ms a turn",
        _over_bound("sleeping, asyncio", IN_FLIGHT),
        "≤",
        1.2,
    ),
    Target(
        "sleeping, uvloop",
        "ours ÷ the bound of 10 ms a turn",
        _over_bound("sleeping, uvloop", IN_FLIGHT),
        "≤",
        1.15,
    ),
    Target(
        "sleeping, threads",
        "ours ÷ the bound of 10 ms a turn",
        _over_bound("sleeping, threads", THREADS),
        "≤",
        1.2,
    ),
    *(Target("memory", f"growth under {name}, MB", _growth(name), "<", 30) for name in (*HERE, *WORKERS)),
    Target(
        "import",
        "modules loaded among asyncio, multiprocessing, concurrent.futures, anyio, uvloop, rich",
        _heavy,
        "=",
        0,
    ),
)
"""The figures of the issue "The house, the seven strategies, and run", row by row."""
