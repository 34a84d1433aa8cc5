"""What a coroutine that is suspended waits for, told from outside, by whoever has the loop meanwhile."""

from __future__ import annotations

import asyncio
from functools import cache
from types import CodeType, GeneratorType
from typing import Any

__all__ = ["awaited_by", "needs_its_loop"]

_AWAITING = ("cr_await", "ag_await", "gi_yieldfrom")
"""Where coroutines, asynchronous generators and generators say what they await; those of Cython do, too."""


def awaited_by(coroutine: Any) -> Any:
    """What a coroutine awaits; None where it has not begun, is over or runs, or is none."""
    # Not what an object makes up: a proxy has an attribute of any name, itself perhaps, and so without end.
    for shared in map(vars, type(coroutine).__mro__):
        for name in _AWAITING:
            if name in shared and (awaited := getattr(coroutine, name, None)) is not None:
                return awaited
    return None


def needs_its_loop(coroutine: Any) -> bool:
    """Whether a coroutine of asyncio's waits for something that its loop brings, and not for its turn."""
    innermost, awaited = coroutine, awaited_by(coroutine)
    while awaited is not None:
        innermost, awaited = awaited, awaited_by(awaited)
    turns = type(innermost) is GeneratorType and innermost.gi_code is _turning()
    return innermost is not coroutine and not turns


@cache
def _turning() -> CodeType | None:
    """The code of what `asyncio.sleep(0)` awaits."""
    turn = asyncio.tasks.sleep(0)  # where tests that need not wait do not replace it
    turn.send(None)
    code: CodeType | None = getattr(awaited_by(turn), "gi_code", None)
    turn.close()
    return code
