"""Whether an event loop runs in this thread, told without loading asyncio or trio."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["loop_runs", "on_asyncio", "on_trio"]


def loop_runs() -> bool:
    """Whether the calling code runs under an event loop, asyncio's or trio's."""
    return on_asyncio() or on_trio()


def on_asyncio() -> bool:
    """Whether it runs under asyncio, or a loop that stands in for it."""
    # Another thread may be importing it. Not the public function, which raises instead of answering.
    running: Any = getattr(sys.modules.get("asyncio.events"), "_get_running_loop", None)
    return running is not None and running() is not None


def on_trio() -> bool:
    """Whether it runs under trio."""
    lowlevel = getattr(sys.modules.get("trio"), "lowlevel", None)  # as above
    runs: Any = getattr(lowlevel, "in_trio_run", None)
    return runs is not None and bool(runs())
