"""From arguments to a job and a strategy; nothing is started before all of them are checked."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable
from contextlib import nullcontext
from typing import Any

from .._errors import RunningLoopError
from .._strategies._registry import resolve
from .._work._job import Job
from .._work._running_loop import loop_runs
from .._work._source import Source
from ..protocols import Strategy
from ._arguments import check_buffersize, check_fn, check_items, check_timeout

__all__ = ["GLANCE", "LINGER", "prepare", "prepare_stream", "refuse_loop", "shown"]

LINGER = 1e-3
"""Seconds a result of a stream may rest before the caller is woken (guessed: ten wake-ups' worth)."""

GLANCE = 0.1
"""Seconds between looks at the results where only the progress display looks."""

AHEAD = 64
"""Items a stream may take ahead at first; strategies and the caller's pace widen it."""


def refuse_loop(called: str, instead: str) -> None:
    """Raise where an event loop runs in this thread, which a blocking call would stop."""
    if loop_runs():
        raise RunningLoopError(called, instead)


def prepare(  # noqa: PLR0913 - what a job is made of, each by name
    fn: Callable[[Any], Any],
    items: Any,
    strategy: object,
    *,
    linger: float,
    window: int | None = None,
    fixed: bool = False,
    timeout: float | None,
    return_exceptions: bool,
    idempotent: bool,
) -> tuple[Job, Strategy]:
    """Check every argument, then make the job; nothing has been started.

    Args:
        fn: The callable.
        items: What to call it on.
        strategy: A name, "auto", a strategy, or what recommends one.
        linger: As for `Job`.
        window: How far the source may run ahead at first; None for no bound.
        fixed: Whether it stays at that.
        timeout: Seconds an item may take.
        return_exceptions: As for `Job`.
        idempotent: As for `Job`.
    """
    check_fn(fn)
    chosen = _auto() if strategy == "auto" else resolve(strategy)
    limit = check_timeout(timeout)
    if isinstance(items, AsyncIterable):
        source = Source.pushed(window=window, fixed=fixed)
    else:
        check_items(items)
        source = Source(items, window=window, fixed=fixed)
    job = Job(
        fn,
        source,
        timeout=limit,
        return_exceptions=return_exceptions,
        idempotent=idempotent,
        linger=linger,
    )
    if chosen.name == "auto":
        _begin_report(job)
    return job, chosen


def prepare_stream(  # noqa: PLR0913 - as above
    fn: Callable[[Any], Any],
    items: Any,
    strategy: object,
    *,
    buffersize: int | None,
    timeout: float | None,
    return_exceptions: bool,
    idempotent: bool,
) -> tuple[Job, Strategy]:
    """The same for results that are taken one by one.

    Args:
        fn: As for `prepare`.
        items: As for `prepare`.
        strategy: As for `prepare`.
        buffersize: Items that may be taken ahead of the results; None for what the caller's pace asks for.
        timeout: As for `prepare`.
        return_exceptions: As for `prepare`.
        idempotent: As for `prepare`.
    """
    size = check_buffersize(buffersize)
    return prepare(
        fn,
        items,
        strategy,
        linger=LINGER,
        window=size or AHEAD,
        fixed=size is not None,
        timeout=timeout,
        return_exceptions=return_exceptions,
        idempotent=idempotent,
    )


def _auto() -> Strategy:
    from .._engine._auto import AutoStrategy  # noqa: PLC0415 - who names a strategy need not load what decides

    return AutoStrategy()


def _begin_report(job: Job) -> None:
    """Here, where the caller's own context is: a run beside a loop has only a copy of it."""
    from .._engine._report import begin_report  # noqa: PLC0415 - as above

    job.report = begin_report(job.name)


def shown(progress: bool, job: Job, chosen: Strategy) -> Any:  # noqa: FBT001 - private
    """A context that gives what is told of each batch, and shows it if asked to."""
    if not progress:
        return nullcontext()
    from .._progress import Display  # noqa: PLC0415 - rich is an extra

    return Display(job, chosen.name)
