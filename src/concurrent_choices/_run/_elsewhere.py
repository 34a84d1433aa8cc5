"""Asking a worker process whether it can load a callable, and finds in modules what is in them here.

Like those of "auto", choices of `recommend` must not change what the calls give: a worker imports modules
anew, and finds neither what was set in them since nor what is set in this context. And what can be pickled
cannot always be unpickled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from math import inf
from operator import is_
from typing import Any, NamedTuple

from .._errors import ItemTimeoutError, WorkerStartError
from .._facts._batch import Batch
from .._inspect._asking import elements_of, some_of
from .._inspect._callables import name_of
from .._inspect._captured import reached_from
from .._inspect._words import text_of
from .._mutation._marks import compare
from .._runtime._hand import in_time
from .._strategies._processes import ProcessStrategy
from .._transfer._imported import Imported
from ._prepare import prepare

__all__ = ["Elsewhere", "LoadOnly", "elsewhere", "no_worker"]


SOME = 4
"""Elements of a container that are looked at for objects (guessed: the others are like those)."""


class Elsewhere(NamedTuple):
    """How a callable would fare in a worker process.

    Attributes:
        obstacle: Why it cannot go there; empty where it can.
        note: What could not be told.
    """

    obstacle: str = ""
    note: str = ""


class LoadOnly:
    """Has workers load a callable, and does not call it. Where they cannot, errors name the callable."""

    def __init__(self, fn: Any) -> None:
        self._fn = fn
        self.__qualname__ = name_of(fn)

    def __call__(self, item: Any) -> bool:
        return self._fn is item

    def __reduce__(self) -> tuple[Any, ...]:
        return partial, (is_, self._fn)  # to import this would take a worker long


UNTOLD = Elsewhere(
    note="There was no time to ask a worker process whether it can load the callable, and finds what was "
    "set in modules after their import. `.run()` asks first, `run(..., strategy=...)` does not."
)


def elsewhere(fn: Any, seconds: float, tasks: Iterable[Any] = ()) -> Elsewhere:
    """What a callable would miss in a worker process, if one says so, from its start, in so many seconds.

    So it is with the tasks that its calls may call. Where there is something to ask, a worker is started,
    which rests for who runs the work.
    """
    questions = [*_about_loading(fn), *_about_modules(fn, *tasks)]
    if not questions:
        return Elsewhere()
    if seconds <= 0:
        return UNTOLD
    # Not by `run`, which refuses to where a loop runs.
    jobs = [
        prepare(ask, [item], ProcessStrategy(max_workers=1), linger=inf, timeout=seconds)
        for ask, item in questions
    ]
    answers = chain.from_iterable(workers.execute(job) for job, workers in jobs)
    # The job's seconds begin when its worker is up, which takes ten times as long on a busy machine.
    return in_time(lambda: _answer(answers), seconds, UNTOLD, name="concurrent_choices-asking")


def _about_loading(fn: Any) -> Iterator[tuple[Callable[[Any], Any], Any]]:
    """What to call in a worker, and with what, to have it load the callable.

    Nothing where the callable holds no objects: their classes decide that. A template of Jinja cannot be
    unpickled, for example. To try it here would make classes of the main module anew, and register them.
    """
    held = [value for _, value in reached_from(fn)]
    if not all(map(_is_built_in, chain(held, *(some_of(partial(elements_of, each), SOME) for each in held)))):
        yield LoadOnly(fn), None


def _about_modules(*called: Any) -> Iterator[tuple[Callable[[Any], Any], Any]]:
    """The same to compare the data of modules that these use."""
    if imported := Imported(*called):
        yield compare, imported.marks


def _is_built_in(value: Any) -> bool:
    return type(value).__module__ == "builtins"


def _answer(batches: Iterable[Batch]) -> Elsewhere:
    """What a worker says that compares them."""
    try:
        error = next((batch.error for batch in batches if batch.error is not None), None)
    except (OSError, WorkerStartError) as failed:  # no descriptors, no pids
        return Elsewhere(no_worker(failed))
    if isinstance(error, ItemTimeoutError):
        return UNTOLD
    return Elsewhere(f"a worker process finds other things in modules ({text_of(error)})" if error else "")


def no_worker(failed: Exception) -> str:
    """Why no worker process can be started, in words."""
    told = text_of(failed)
    return told if isinstance(failed, WorkerStartError) else f"no worker process can be started here ({told})"
