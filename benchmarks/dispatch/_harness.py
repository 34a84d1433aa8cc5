"""Rounds: every contestant of a group once, in a shuffled order, as often as asked."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from random import Random
from typing import Any

import attrs

from benchmarks.dispatch._case import Contestant, Group, Measurement, Reading, Row, missing

__all__ = ["run_group"]

Keep = Callable[[Measurement], None]
Watched = Callable[[], AbstractContextManager[Any]]


def run_group(group: Group, rounds: int, random: Random, keep: Keep, watched: Watched = nullcontext) -> None:
    """Open all contestants, then measure them in interleaved rounds.

    A contestant that fails is reported through `keep` and takes no further part; the others go on.

    Args:
        group: Who takes part.
        rounds: How many rounds count; a warm-up round comes before, if the group wants one.
        random: Shuffles the order of each round.
        keep: Takes every measurement as soon as it is made.
        watched: Surrounds each measurement, so that one that hangs can be ended.
    """
    with ExitStack() as stack:
        field = [entry for entry in _entries(group, keep) if entry.open_in(stack)]
        for number in range(0 if group.warm_up else 1, rounds + 1):
            random.shuffle(field)
            field = [entry for place, entry in enumerate(field) if entry.measure(number, place, watched)]


def _entries(group: Group, keep: Keep) -> list[_Entry]:
    return [_Entry(row, contestant, keep) for row in group.rows for contestant in row.contestants]


@attrs.define(eq=False)
class _Entry:
    """A contestant in its row, once its pool is open.

    Attributes:
        row: Where it stands.
        contestant: Who it is.
        keep: Takes its measurements.
        live: What its `opened` gave.
    """

    row: Row
    contestant: Contestant
    keep: Keep
    live: Any = None

    def open_in(self, stack: ExitStack) -> bool:
        """Start its pool; tell whether it takes part."""
        if lacking := missing(self.contestant):
            self._report(0, 0, absent=lacking)
            return False
        return stack.enter_context(self._open())

    @contextmanager
    def _open(self) -> Iterator[bool]:
        own = ExitStack()
        try:
            self.live = own.enter_context(self.contestant.opened())
        except Exception as error:  # noqa: BLE001 - whatever a peer raises fails this peer only
            self._failed(error, 0, 0)
            yield False
            return
        try:
            yield True
        finally:
            self._close(own)

    def _close(self, own: ExitStack) -> None:
        try:
            own.close()
        except Exception as error:  # noqa: BLE001 - fails this peer only
            self._failed(error, 0, 0)

    def measure(self, number: int, place: int, watched: Watched) -> bool:
        """Take one reading, keep it unless it is a warm-up, and tell whether it succeeded."""
        try:
            with watched():
                reading = self.contestant.measure(self.live)
        except Exception as error:  # noqa: BLE001 - fails this peer only
            self._failed(error, number, place)
            return False
        if number:
            self._report(number, place, reading)
        return True

    def _failed(self, error: Exception, number: int, place: int) -> None:
        traceback.print_exception(error)
        self._report(number, place, error=f"{type(error).__name__}: {error}")

    def _report(self, number: int, place: int, reading: Reading | None = None, **why: Any) -> None:
        self.keep(
            Measurement(
                row=self.row.name,
                contestant=self.contestant.name,
                round=number,
                place=place,
                items=self.contestant.count,
                unit=self.row.unit,
                load=round(os.getloadavg()[0], 2),
                value=reading and reading.value,
                extra=reading.extra if reading else {},
                **why,
            )
        )
