"""What `auto` did in a run, and why: for people, for the log, and for tests."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from contextvars import ContextVar
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple
from weakref import ref

from .._facts._printed import Printed

if TYPE_CHECKING:
    from .._judge._controller._sight import Arrangement

__all__ = ["RunReport", "Step", "begin_report", "doing_now", "run_report"]

_TOLD = 16
"""Places that a run tells, the nearest (guessed: contexts copied from contexts are few; those that tasks of a
server keep, which it started between its runs, may be thousands)."""

_KEEPING = 'strategy="sequential" keeps them, and so does strategy="thread" where calls may overlap.'
_LOST = "Calls changed {} in worker processes, and those changes stayed there; " + _KEEPING
_UNSEEN = "Calls changed {} here, and worker processes did not see those changes; " + _KEEPING


class Step(NamedTuple):
    """One arrangement of a run.

    Attributes:
        at: Seconds since the start.
        stage: The controller's state.
        doing: Who worked, such as "thread ×32".
        lanes: How many of them.
        reason: Why.
        done: Items finished by then.
    """

    at: float
    stage: str
    doing: str
    lanes: int
    reason: str
    done: int

    def is_about(self, other: Step) -> bool:
        """Whether another step is the same but for a few lanes, and figures."""
        same = (self.stage, self.words) == (other.stage, other.words)
        return same and self.lanes < 2 * other.lanes < 4 * self.lanes

    def repeats(self, told: Step) -> bool:
        """Whether its reason, but for figures, is or ends with one that was told."""
        words = told.words
        return self.words[-len(words) :] == words

    @property
    def words(self) -> list[str]:
        """The reason without its figures, which change from look to look."""
        return [word for word in self.reason.split() if not any(map(str.isdigit, word))]


class RunReport(Printed):
    """The report of one run; it grows while the run goes on.

    Attributes:
        callable: The callable's name.
        steps: The arrangements, in order. Each has the seconds `at` which it began, what was `doing` the
            work, the number of `lanes`, the `reason`, and how many items were `done` by then.
        seconds: How long the run took; None while it goes on.
        done: How many items are finished, and not those that threads still run when their time is up.
        witness: What calls change, as was seen or as their code says; empty if nothing, or if nobody looked.
        lost: What calls changed in worker processes, where the changes remain; empty if nothing was seen.
        left: Whether worker processes have performed anything.
        doing: What works now, or worked last.
    """

    __slots__ = (
        "__weakref__",
        "_began",
        "callable",
        "doing",
        "done",
        "left",
        "lost",
        "seconds",
        "steps",
        "witness",
    )

    def __init__(self, callable: str) -> None:  # noqa: A002 - as the attribute that users read
        self.callable = callable
        self.steps: list[Step] = []
        self.seconds: float | None = None
        self.done = 0
        self.witness = self.lost = ""
        self.left = False
        self.doing = "this thread"
        self._began = time.perf_counter()

    def __repr__(self) -> str:
        return f"<RunReport of {self.callable}: {self.done} items, {self._took}>"

    @property
    def now(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._began

    @property
    def _took(self) -> str:
        return "still running" if self.seconds is None else f"{self.seconds:.3f} s"

    @property
    def each(self) -> float:
        """Seconds an item took, all lanes together; 0 while the run goes on."""
        return (self.seconds or 0.0) / max(1, self.done)

    def note(self, step: Step) -> None:
        """Write down an arrangement, unless it differs from the last only in a few lanes, or in figures."""
        self.doing = step.doing
        if self._is_told(step):
            return
        self.steps.append(step)
        self._log(step)

    def _is_told(self, step: Step) -> bool:
        if self.steps and self.steps[-1].is_about(step):
            return True
        # Not the last alone: two reasons may take turns for as long as the run lasts.
        since = takewhile(lambda told: told.doing == step.doing, reversed(self.steps))
        return any(step.repeats(told) for told in since)

    def _log(self, step: Step) -> None:
        """Tell it at DEBUG, where somebody has loaded the logging that would listen."""
        # Another thread may be about to import it: then nothing is in it yet.
        logger_of = getattr(sys.modules.get("logging"), "getLogger", None)
        if logger_of is not None:
            words = "%s: %s after %.3f s and %d items: %s"
            with suppress(Exception):  # a handler that raises must not cost the results
                logger_of("concurrent_choices").debug(
                    words, self.callable, step.doing, step.at, step.done, step.reason
                )

    def see(self, changed: str) -> None:
        """Write down what calls change here, if anything; and warn where workers have not seen it."""
        if changed and self.left and not self.witness:
            self._warn(_UNSEEN.format(changed))
        self.witness = self.witness or changed

    def lose(self, changed: str) -> None:
        """Write down, and warn in the log, that calls have changed something in worker processes."""
        self.lost = changed
        self._warn(_LOST.format(changed))

    def _warn(self, words: str) -> None:
        import logging  # noqa: PLC0415 - 10 ms of a first run, and this is seldom needed

        with suppress(Exception):  # as above
            logging.getLogger("concurrent_choices").warning("%s: %s", self.callable, words)

    def close(self, done: int) -> None:
        """The run has ended."""
        self.seconds, self.done = self.now, done

    def __str__(self) -> str:
        lines = [f"{self.callable}: {self.done} items, {self._took}"]
        for before, step in zip([None, *self.steps], self.steps, strict=False):
            same = before is not None and step.words == before.words
            lines.append(f"{step.at:8.3f} s  {step.doing:<20}  {'the same' if same else step.reason}")
        if self.witness and self.left:
            lines.append(_UNSEEN.format(self.witness))
        elif self.witness:
            lines.append(f"It stayed in this process: calls change {self.witness}.")
        if self.lost:
            lines.append(_LOST.format(self.lost))
        return "\n".join(lines)


class _Place:
    """Where a context has come to: its last run, or one in a context that was copied from it since.

    `before` are the places of the runs before it, in this context and those that it was copied from.
    """

    def __init__(self, report: RunReport, before: tuple[ref[_Place], ...]) -> None:
        self.latest = report
        self._before = before

    def follow(self, report: RunReport) -> _Place:
        """The place of a run that begins now, in this context or in a copy.

        Contexts that are still at a place before it are told, up to one whose last run goes on: one of that
        run's items may have begun it, or a task that was started between.
        """
        places = [*filter(None, (each() for each in self._before)), self][-_TOLD:]
        for place in takewhile(lambda place: place.latest.seconds is not None, reversed(places)):
            place.latest = report
        return _Place(report, tuple(map(ref, places)))


_last: ContextVar[_Place | None] = ContextVar("concurrent_choices_report", default=None)
_latest: list[RunReport] = []


def begin_report(name: str) -> RunReport:
    """A report for a run that begins, which becomes the last one of this context."""
    report, place = RunReport(name), _last.get()
    _last.set(place.follow(report) if place is not None else _Place(report, ()))
    _latest[:] = [report]
    return report


def run_report() -> RunReport | None:
    """The report of the last run of `auto` in this context, or in this process where it had none.

    A task, the coroutine of an `asyncio.run` and an `await` in a notebook's cell run in a copy of the context
    that they were started in; their last run counts for that context as well. None if there was no such run.
    """
    place = _last.get()
    return place.latest if place is not None else next(iter(_latest), None)


def doing_now(arrangement: Arrangement, threads: int, *, alone: bool) -> str:
    """Who works, in words; the calling thread may be `alone` but for some threads."""
    if arrangement.outside:
        inside = f" of {arrangement.inside} lanes" if arrangement.inside > 1 else ""
        return f"process ×{arrangement.processes}{inside}"
    if not alone:
        return f"thread ×{threads}"
    return f"this thread + {threads}" if threads else "this thread"
