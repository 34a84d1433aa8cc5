"""The end of a loop of ours: what is still open on it is cancelled and closed, within bounds."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from ._limited import GRACE, cancel_all

__all__ = ["end_loop"]


def end_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel the tasks that are left on a loop, close its async generators, and then the loop.

    Nothing is done to one that is closed already, or runs.

    Not as ``asyncio.Runner`` does: its end waits without bound for tasks that resist cancellation and for
    threads that sleep, and Ctrl-C must be back within half a second.
    """
    if loop.is_closed() or loop.is_running():
        return
    try:
        # Asked here: from Python 3.14 on, one that runs knows no tasks of other threads that ran it before.
        loop.run_until_complete(_tidy(loop, asyncio.all_tasks(loop)))
    finally:
        loop.close()


async def _tidy(loop: asyncio.AbstractEventLoop, tasks: set[asyncio.Task[Any]]) -> None:
    await cancel_all(tasks)
    with suppress(TimeoutError):
        await asyncio.wait_for(loop.shutdown_asyncgens(), GRACE)
