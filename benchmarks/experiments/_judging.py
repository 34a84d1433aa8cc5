"""Sentences and comparisons that several experiments need to judge their claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ._figures import Figures, spell
from ._model import Goal, Verdict

__all__ = ["NOISE", "as_fast", "no_slower", "not_measured", "word"]

NOISE = 0.03
"""What two runs of the same thing differ by here without a reason (guessed; ranges stand in the tables)."""


def word(*holds: bool) -> str:
    """What to call a claim of which these parts hold."""
    if all(holds):
        return "holds"
    return "holds in part" if any(holds) else "does not hold"


def not_measured(figures: Figures) -> Verdict:
    """The verdict where a part is missing: it says which."""
    return Verdict("not measured", f"Here it could not be run: {'; '.join(figures.missing())}.")


def as_fast(figures: Figures, task: str, job: str, ways: Sequence[str]) -> Goal:
    """`auto` is at least as fast as the best of the published ways, but for noise."""
    ours, theirs = figures.least(task, job, "auto"), figures.best(task, ways)
    return Goal(
        f"{task}: `auto` ({job}) at least as fast as the best published way, run here",
        f"{spell(ours)} against {spell(theirs)}",
        ours <= theirs * (1 + NOISE),
    )


def no_slower(figures: Figures, task: str, way: str, share: float) -> Iterator[Goal]:
    """`auto` takes at most that much longer than one published way, for a `def` and for an `async def`."""
    theirs = figures.least(task, way)
    for job in ("def", "async def"):
        ours = figures.least(task, job, "auto")
        yield Goal(
            f"{task}: `auto` ({job}) at most {share:.0%} slower than “{way}”",
            f"{spell(ours)} against {spell(theirs)}, {ours / theirs - 1:+.1%}",
            ours <= theirs * (1 + share),
        )
