"""Taking back what lies behind a call that takes far longer than its callable's calls are known to.

    the pool                                    a worker, at its first call
    has it begin nothing more (its page)
    waits until that is sure to be seen there   says what came of the first
    has heard nothing: takes the second back    may not begin the second: gives an empty answer

A worker says what came of one call before it begins the next. So if it has said nothing by the time at which
it is sure to see that it may begin nothing more, it has not begun the second and will not: that is made by
another, and still made once. If it has said something, its answer tells: an empty one is of a call that was
not begun.
"""

from __future__ import annotations

from collections.abc import Iterable

from ._call_queue import AHEAD, CallQueue

__all__ = ["SEEN", "SLOW", "overdue"]

SLOW = 5 * AHEAD
"""Seconds that a call is seen to take before what lies behind it is taken back (guessed: it was known to take
a fifth of that at most, and the rest is for crowded machines)."""

SEEN = 10e-3
"""Seconds after which a worker is sure to see what was written to its page (guessed: another core sees it
within a microsecond)."""


def overdue(queues: Iterable[CallQueue], most: int, now: float) -> tuple[list[CallQueue], float | None]:
    """Find workers that take too long, and have them begin nothing more, if there is another to help.

    One can help that is idle, could be started where there are fewer than `most`, or has not been at one call
    for as long. `now` is the monotonic clock's.

    Returns:
        Those from whom to take back what lies behind, and after how many seconds to look again: None where
        that may wait until a worker says something.
    """
    busy = [queue for queue in queues if queue.assignments]
    first = now
    for queue in busy:
        queue.since = queue.since or now
        first = min(first, queue.since)
    if now < first + SLOW:  # as a rule, and then this was all
        return [], first + SLOW - now
    _halt_some(busy, most, now)
    held_up = [queue for queue in busy if queue.behind]
    free = [queue for queue in held_up if queue.halted and queue.halted + SEEN <= now and queue.silent()]
    due = [(queue.halted + SEEN if queue.halted else queue.since + SLOW) - now for queue in held_up]
    return free, min((seconds for seconds in due if seconds > 0), default=None)


def _halt_some(busy: list[CallQueue], most: int, now: float) -> None:
    """Have those begin nothing more that take too long."""
    for queue in busy:
        if queue.since + SLOW <= now and not queue.begun():
            queue.since = now  # it starts up, or reads what it was sent: elsewhere that would take as long
    slow = [queue for queue in busy if queue.since + SLOW <= now]
    for queue in slow:
        if len(slow) < most and queue.behind and not queue.halted:
            queue.halt(now)
