"""What a coroutine that is suspended waits for, told from outside, by whoever has the loop meanwhile."""

from __future__ import annotations

import asyncio
from functools import cache
from types import CodeType
from typing import Any

__all__ = ["awaited_by", "needs_its_loop"]


def awaited_by(coroutine: Any) -> Any:
    """What a coroutine awaits; None where it has not begun, is over or runs, or is none."""
    for name in ("cr_await", "ag_await", "gi_yieldfrom"):
        awaited = getattr(coroutine, name, None)
        if awaited is not None:
            return awaited
    return None


def needs_its_loop(coroutine: Any) -> bool:
    """Whether a coroutine of asyncio's waits for something that its loop brings, and not for its turn."""
    innermost, awaited = coroutine, awaited_by(coroutine)
    while awaited is not None:
        innermost, awaited = awaited, awaited_by(awaited)
    return innermost is not coroutine and getattr(innermost, "gi_code", None) is not _turning()


@cache
def _turning() -> CodeType | None:
    """The code of what `asyncio.sleep(0)` awaits."""
    turn = asyncio.sleep(0)
    turn.send(None)
    code: CodeType | None = getattr(awaited_by(turn), "gi_code", None)
    turn.close()
    return code
