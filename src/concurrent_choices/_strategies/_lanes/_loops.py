"""An event loop in a lane: for `async def` in threads, and for a loop beside the caller's thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ._shift import Shift

if TYPE_CHECKING:
    from ._threads import Floor, Lane

__all__ = ["loop_body", "serve_in_lane"]

RunShift = Callable[[Shift, Callable[[Callable[[], None]], None]], None]
"""Runs a shift on a new loop to its end; hands the shift's nudge to its second argument."""


def loop_body(run_shift: RunShift, concurrency: int) -> Callable[[Lane], None]:
    """A lane's body that serves `concurrency` items at once on a loop of its own."""
    return partial(_serve, run_shift, concurrency)


def _serve(run_shift: RunShift, concurrency: int, lane: Lane) -> None:
    floor: Floor = lane.floor
    serve_in_lane(run_shift, Shift(floor.job, floor.outbox.put, concurrency), lane)


def serve_in_lane(run_shift: RunShift, shift: Shift, lane: Lane) -> None:
    """Run a shift on a loop in a lane's thread, and have it told when there are items."""
    floor: Floor = lane.floor
    nudges: list[Callable[[], None]] = []

    def register(nudge: Callable[[], None]) -> None:
        nudges.append(nudge)
        floor.nudges.add(nudge)
        floor.job.on_stop(nudge)

    try:
        run_shift(shift, register)
    finally:
        floor.nudges.difference_update(nudges)
