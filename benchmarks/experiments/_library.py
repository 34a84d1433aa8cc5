"""The library's side: a job under every strategy and under `auto`, and what `recommend` says of it."""

from __future__ import annotations

from typing import Any

from attrs import evolve, frozen

from benchmarks._environment import without_paths
from concurrent_choices import Recommendation, recommend, run

from ._model import Job

__all__ = ["STRATEGIES", "Advice", "advise", "perform"]

STRATEGIES = ("sequential", "asyncio", "uvloop", "anyio", "thread", "process", "hybrid", "auto")
"""Every registered name, and `auto`; a test compares them with the registry."""


@frozen(kw_only=True)
class Advice:
    """What `recommend` says of a job.

    Attributes:
        experiment: The number of its experiment.
        task: The task's name.
        job: The job's name.
        verdict: The strategy with its numbers.
        bound: "io", "cpu" or "mixed".
        diagnosis: What the callable spends its time on.
        reason: One sentence.
        seconds: The predicted seconds of what is recommended.
        at_least: Whether those are a lower bound, as no call came back within the budget.
        error: What went wrong.
    """

    experiment: int
    task: str
    job: str
    verdict: str = ""
    bound: str = ""
    diagnosis: str = ""
    reason: str = ""
    seconds: float | None = None
    at_least: bool = False
    error: str = ""


def perform(job: Job, strategy: str) -> list[Any]:
    """Run a job from start to end, as a caller of the library does."""
    return run(job.fn, job.items, strategy=strategy)


def advise(experiment: int, task: str, job: Job, budget: float) -> Advice:
    """Ask `recommend` about a job; what goes wrong becomes part of the answer.

    Args:
        experiment: The number of the experiment.
        task: The task's name.
        job: What to ask about.
        budget: Seconds it may take.
    """
    about = Advice(experiment=experiment, task=task, job=job.name)
    try:
        said = recommend(job.fn, list(job.items), budget=budget)
    except Exception as error:  # noqa: BLE001 - the page shows it, and the other jobs go on
        return evolve(about, error=f"{type(error).__name__}: {error}")
    return evolve(
        about,
        verdict=_named(said),
        bound=said.bound,
        diagnosis=without_paths(said.diagnosis),
        reason=without_paths(said.reason),
        seconds=said.chosen.seconds,
        at_least=said.profile.wall_at_least,
    )


def _named(said: Recommendation) -> str:
    """The strategy with its numbers."""
    plan = said.plan
    numbers = [f"{plan.workers} workers"] * (plan.workers > 1)
    numbers += [f"{plan.concurrency} in flight"] * (plan.concurrency > plan.workers)
    return plan.strategy + (f" ({', '.join(numbers)})" if numbers else "")
