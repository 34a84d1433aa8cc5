"""`async def` callables in a plain worker: one loop, one item at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Any

from ..._facts._batch import Batch, Claim
from ..._work._perform import Mark, annotate, complete, unawaited_among

__all__ = ["awaiting"]


def awaiting(fn: Callable[[Any], Any], context: Context, *, return_exceptions: bool) -> Callable[..., Batch]:
    """What performs claims of a coroutine function, on a loop that lives as long as the job."""
    loop = asyncio.new_event_loop()

    def perform(claim: Claim, mark: Mark) -> Batch:
        values: list[Any] = []
        for index, item in enumerate(claim.items, claim.start):
            if not mark(index):
                break
            try:
                values.append(complete(loop, fn(item), context.copy()))
            except BaseException as error:  # noqa: BLE001 - whatever the item raised is the item's error
                annotate(error, index, item)
                if not (return_exceptions and isinstance(error, Exception)):
                    return unawaited_among(Batch(claim.start, values, error), claim.items, tolerant=False)
                values.append(error)
        return unawaited_among(Batch(claim.start, values), claim.items, tolerant=return_exceptions)

    return perform
