"""Whether new worker processes are worth what travels with the callable: each run pickles it anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["seconds_to_send"]

EACH = 0.2e-6
"""Seconds in which a thing is pickled here, where nothing is computed meanwhile, and read by a worker
(measured: 0.07 us for numbers in a list, 0.2 in lists or tuples of a table, 0.4 for texts, 1.1 for objects).
Arrays and long texts are few things, and soon copied."""


def seconds_to_send(fn: Callable[..., Any]) -> float:
    """Seconds until a worker has what a callable holds that it cannot import, as a script's tables.

    0 where nobody can tell.
    """
    try:
        from .._transfer._callable_size import count_pickled  # noqa: PLC0415 - most runs need no processes
    except (ImportError, OSError):  # for want of a descriptor: then no worker will be started either
        return 0.0
    return EACH * count_pickled(fn)
