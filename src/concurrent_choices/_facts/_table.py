"""Words for numbers and plans, and columns for words: what verdicts are printed with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from textwrap import TextWrapper

from ._plan import Plan

__all__ = ["aligned", "counted", "how", "paragraph", "section", "spell"]

WIDTH = 100
"""Longest line: fits half a wide screen and any terminal made for code (guessed)."""

_whole_words = partial(TextWrapper, WIDTH, break_on_hyphens=False, break_long_words=False)
"""So that a path stays whole, to be copied."""

_UNITS = ((3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def spell(seconds: float) -> str:
    """A duration with three significant digits and a unit, such as "1.25 s" or "80.0 µs"."""
    for size, unit in _UNITS:
        if seconds >= size * 0.9995:  # 0.9996 s is printed "1.00 s", not "1000 ms"
            return f"{_digits(seconds / size)} {unit}"
    return "0 s" if seconds <= 0 else f"{seconds * 1e9:.0f} ns"


def _digits(value: float) -> str:
    return f"{value:.{max(0, 3 - len(str(int(value + 0.0005))))}f}"


def counted(number: float, noun: str) -> str:
    """A number and its noun, such as "1 item", "2 items", "1,000 processes"."""
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number:,g} {plural}" if number < 1e6 else f"{round(number):,} {plural}"  # noqa: PLR2004 - where "g" turns to exponents


def how(plan: Plan, *, is_async: bool) -> str:
    """What a plan does, such as "4 processes, 50 coroutines in each"."""
    words = {
        "sequential": "one item after another",
        "thread": counted(plan.workers, "thread"),
        "process": counted(plan.workers, "process"),
    }
    if plan.strategy in words:
        return words[plan.strategy] + _batched(plan)
    inside = "coroutine" if is_async else "thread"
    if plan.strategy == "hybrid":
        return f"{counted(plan.workers, 'process')}, {counted(plan.inside, inside)} in each"
    return f"{counted(plan.concurrency, inside)} {'on one loop' if is_async else 'beside a loop'}"


def _batched(plan: Plan) -> str:
    return f", {counted(plan.batch, 'item')} at a time" if plan.batch and plan.batch > 1 else ""


def paragraph(text: str) -> str:
    """A sentence or several, broken into lines."""
    return _whole_words().fill(text)


def section(title: str, lines: Collection[str]) -> Iterator[str]:
    """A title and its points; nothing where there are none."""
    if lines:
        yield f"{title}:"
    for each in lines:
        yield from _whole_words(initial_indent="  - ", subsequent_indent="    ").wrap(each)


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows of cells as lines, in columns of equal width; the last cell of a short row runs on."""
    columns = max(map(len, rows))
    widths = [max(len(row[at]) for row in rows if len(row) == columns) for at in range(columns)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join(cells).rstrip()
