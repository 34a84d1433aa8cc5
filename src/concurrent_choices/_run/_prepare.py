"""From arguments to a job and a strategy; nothing is started before all of them are checked."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from .._engine._automatic import Automatic
from .._engine._report import begin_report
from .._errors import RunningLoopError
from .._inspect._ownership import recognise_program
from .._runtime._running_loop import loop_runs
from .._strategies._registry import resolve
from .._work._job import Job
from .._work._source import Source
from ..protocols import Strategy
from ._arguments import check_buffersize, check_fn, check_timeout

if TYPE_CHECKING:
    from .._facts._recommendation import Recommendation

__all__ = [
    "GLANCE",
    "LINGER",
    "RunOptions",
    "Running",
    "StreamOptions",
    "Streaming",
    "prepare",
    "prepare_stream",
    "refuse_loop",
    "shown",
]

LINGER = 1e-3
"""Seconds a result of a stream may rest before the caller is woken (guessed: ten wake-ups' worth)."""

GLANCE = 0.1
"""Seconds between looks at the results where only the progress display looks (guessed: it moves smoothly)."""

AHEAD = 64
"""Items a stream may take ahead at first; strategies and the caller's pace widen it (guessed: few are
lost where the caller leaves early)."""


class JobOptions(TypedDict, total=False):
    """What callers say of a job itself, whoever performs it."""

    timeout: float | None
    return_exceptions: bool
    idempotent: bool


class Running(TypedDict, total=False):
    """What `run` and `arun` take besides `return_exceptions`, which changes the type of the result."""

    strategy: str | Strategy | Recommendation
    timeout: float | None
    progress: bool
    idempotent: bool


class RunOptions(Running, total=False):
    """What they take where an exception is raised."""

    return_exceptions: Literal[False]


class Streaming(Running, total=False):
    """What `stream` and `astream` take besides it."""

    ordered: bool
    buffersize: int | None


class StreamOptions(Streaming, RunOptions, total=False):
    """What these take where an exception is raised."""


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
    **options: Unpack[JobOptions],
) -> tuple[Job, Strategy]:
    """Check the arguments, except items, then make the job; nothing is started.

    The source may run ahead by `window` items at first, or always if `fixed`; the rest is as for `Job`.
    """
    check_fn(fn)
    recognise_program(fn)
    chosen = Automatic() if strategy == "auto" else resolve(strategy)
    options["timeout"] = check_timeout(options.get("timeout"))
    make = Source.pushed if isinstance(items, AsyncIterable) else partial(Source, items)
    source = make(window=window, fixed=fixed)
    job = Job(fn, source, linger=linger, **options)
    if chosen.name == "auto":
        # Here, where the caller's own context is: a run beside a loop has only a copy of it.
        job.report = begin_report(job.name)
    return job, chosen


def prepare_stream(
    fn: Callable[[Any], Any],
    items: Any,
    strategy: object,
    *,
    buffersize: int | None,
    **options: Unpack[JobOptions],
) -> tuple[Job, Strategy]:
    """The same for results that are taken one by one; if nobody says how far ahead, their pace does."""
    size = check_buffersize(buffersize)
    window, fixed = size or AHEAD, size is not None
    return prepare(fn, items, strategy, linger=LINGER, window=window, fixed=fixed, **options)


def shown(progress: bool, job: Job, chosen: Strategy) -> Any:  # noqa: FBT001 - private
    """A context that gives what is told of each batch, and shows it if asked to."""
    if not progress:
        return nullcontext()
    from .._progress import Display  # noqa: PLC0415 - rich is an extra

    return Display(job, chosen.name)
