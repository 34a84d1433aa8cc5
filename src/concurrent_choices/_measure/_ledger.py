"""Who has been called, with what result: no item twice, no result lost.

The thread that makes calls claims each block here first. When the caller stops waiting it
abandons the ledger: nothing more is begun, and what is under way is handed out as something to wait
for.
"""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import frozen

from .._inspect._bonds import refused_thread
from .._runtime._mutex import Mutex
from ._congestion import is_congestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .._facts._batch import Claim
    from ._figures import Block

__all__ = [
    "HOPELESS",
    "InFlight",
    "Ledger",
    "Raised",
    "Run",
    "any_raised",
    "calls_of",
    "errors_of",
    "hopeless",
    "refusal",
    "turned_away",
]

HOPELESS = 3
"""Calls that all raised, after which no more are made (guessed)."""


@frozen
class Raised:
    """Stands in the place of a result: the call raised.

    Attributes:
        error: What it raised.
    """

    error: BaseException


class Run(NamedTuple):
    """The outcomes of consecutive items: values, and `Raised` where a call raised."""

    start: int
    outcomes: Sequence[Any]


def calls_of(runs: Iterable[Run]) -> int:
    """How many calls there were."""
    return sum(len(run.outcomes) for run in runs)


def errors_of(runs: Iterable[Run]) -> list[BaseException]:
    """What they have raised."""
    return [error for run in runs for error in _errors_in(run.outcomes)]


def _errors_in(outcomes: Sequence[Any]) -> list[BaseException]:
    """What calls have raised; of ten thousands that have not, this is known in a millisecond."""
    return [one.error for one in outcomes if isinstance(one, Raised)] if any_raised(outcomes) else []


def any_raised(outcomes: Iterable[Any]) -> bool:
    """Whether a call raised, without asking what results are equal to: nor do their classes say that."""
    return any(map(partial(is_, Raised), map(type, outcomes)))


def turned_away(outcomes: Sequence[Any]) -> int:
    """How many of some calls raised what a crowded resource raises."""
    return sum(map(is_congestion, _errors_in(outcomes)))


def refusal(runs: Sequence[Run]) -> BaseException | None:
    """The error, among the first, that says that this is the wrong thread; None if there is none."""
    return next(filter(refused_thread, errors_of(runs[:HOPELESS])), None)


def hopeless(runs: Sequence[Run]) -> bool:
    """Whether nobody should go on: the first calls all raised, or one was refused in its thread."""
    first = runs[:HOPELESS]
    return len(errors_of(first)) == calls_of(first) >= HOPELESS or refusal(first) is not None


class InFlight(Future[Run]):
    """Calls that were under way when nobody waited any longer. They must not be made again.

    Attributes:
        claim: The items they were made with.
    """

    def __init__(self, claim: Claim) -> None:
        super().__init__()
        self.claim = claim


class Ledger:
    """What the calling threads have done.

    Attributes:
        runs: The outcomes.
        blocks: The timings of the runs that were timed.
        samples: An item and its outcome from some of the runs, rarer as there are more.
    """

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.blocks: list[Block] = []
        self.samples: list[tuple[Any, Any]] = []
        self._lock = Mutex()
        self._begun: set[int] = set()
        self._under_way: dict[int, Claim] = {}
        self._orphaned: dict[int, InFlight] = {}
        self._abandoned = False

    def begin(self, claim: Claim) -> bool:
        """Claim items; whether they may be called."""
        with self._lock:
            if self._abandoned:
                return False
            self._begun.add(claim.start)
            self._under_way[claim.start] = claim
            return True

    def finish(self, run: Run, block: Block | None) -> None:
        """Hand in the outcomes of the items claimed, and their times if they were taken."""
        with self._lock:
            claim = self._under_way.pop(run.start)
            orphan = self._orphaned.get(run.start)
            if orphan is None:
                if len(self.runs).bit_count() < 2:  # noqa: PLR2004 - none yet, or a power of two
                    self.samples.append((claim.items[0], run.outcomes[0]))
                self.runs.append(run)
                if block is not None:
                    self.blocks.append(block)
        if orphan is not None:
            orphan.set_result(run)

    def abandon(self) -> tuple[InFlight, ...]:
        """Let nothing more begin; answers what is under way."""
        with self._lock:
            self._abandoned = True
            for start, claim in self._under_way.items():
                self._orphaned.setdefault(start, InFlight(claim))
            return tuple(self._orphaned.values())

    def unbegun(self, claims: Iterable[Claim]) -> list[Claim]:
        """Those claims that were never begun."""
        with self._lock:
            return [claim for claim in claims if claim.start not in self._begun]
