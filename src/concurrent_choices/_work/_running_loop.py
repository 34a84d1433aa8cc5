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
    events: Any = sys.modules.get("asyncio.events")
    return events is not None and events._get_running_loop() is not None  # noqa: SLF001 - the public function raises instead of answering


def on_trio() -> bool:
    """Whether it runs under trio."""
    trio: Any = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_run())
