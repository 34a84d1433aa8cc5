"""Giving up on a coroutine that takes too long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

__all__ = ["GRACE", "LIMITED", "OverdueError", "cancel_all", "if_in_time", "limited"]

CANCELLED = "it was cancelled"
HELD_UP = (
    "its event loop was held up, by it or by another item, so that nobody could cancel it; "
    "its outcome is discarded"
)
"""What became of it, for the error."""

GRACE = 0.1
"""Seconds a cancelled task gets to clean up before it is cancelled again, and then left."""


class OverdueError(Exception):
    """The seconds were up; whoever knows the item says which.

    Attributes:
        aftermath: What became of it.
    """

    def __init__(self, aftermath: str = CANCELLED) -> None:
        super().__init__(aftermath)
        self.aftermath = aftermath


async def limited(coroutine: Coroutine[Any, Any, Any], seconds: float) -> Any:
    """Await a coroutine; cancel it and raise `OverdueError` when the seconds are up.

    It is raised as well where the coroutine has ended, but held up its loop beyond its time: nobody could
    cancel it.

    It gets a task of its own, so that one that ignores cancellation can be left. Its time begins with that,
    not while others that were there before it hold the loop.
    """
    began: list[float] = []
    task = asyncio.create_task(_contained(coroutine, began.append))
    done: set[asyncio.Task[Any]] = set()
    rest = seconds
    try:
        while not done and rest > 0:
            done, _ = await asyncio.wait({task}, timeout=rest)
            rest = began[0] + seconds - time.monotonic() if began else seconds
    except asyncio.CancelledError:
        await cancel_all({task})
        raise
    if not done:
        await cancel_all({task})
        raise OverdueError
    return if_in_time(*task.result(), began[0] + seconds)


def if_in_time(value: Any, error: BaseException | None, ended: float, until: float) -> Any:
    """What a coroutine gave or raised, unless it ended too late; what is no `Exception` is raised even then.

    Raises:
        OverdueError: It ended too late.
    """
    if ended > until and (error is None or isinstance(error, Exception)):
        raise OverdueError(HELD_UP)
    if error is not None:
        raise error
    return value


async def _contained(
    coroutine: Coroutine[Any, Any, Any], begin: Callable[[float], None]
) -> tuple[Any, BaseException | None, float]:
    """What a coroutine gives or raises, and when; a task that raised SystemExit would stop the whole loop.

    When it begins, `begin` is told.
    """
    begin(time.monotonic())
    try:
        return await coroutine, None, time.monotonic()
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
        return None, error, time.monotonic()


LIMITED = _contained.__code__
"""What tells the frames of such a coroutine from those of its loop."""


async def cancel_all(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancel tasks, twice where they resist, and wait for them for a moment."""
    for _ in range(2):
        waiting = {task for task in tasks if not task.done()}
        if not waiting:
            break
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting, timeout=GRACE)
    for task in tasks:
        if task.done():
            if not task.cancelled():
                task.exception()  # seen, so that asyncio does not report it
        else:
            task._log_destroy_pending = False  # type: ignore[attr-defined] # noqa: SLF001 - it resisted; nothing else silences the report
