"""Telling errors that mean "too many at once" from all others."""

from __future__ import annotations

import errno
from typing import Any

from .._work._words import text_of

__all__ = ["is_congestion"]

_STATUSES = frozenset({429, 502, 503, 504})
_NUMBERS = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOBUFS, errno.EADDRNOTAVAIL})
_NAMES = frozenset(
    {"PoolTimeout", "ConnectTimeout", "ReadTimeout", "WriteTimeout", "TooManyRequests", "Throttled"}
)
_WORDS = ("database is locked", "database table is locked", "too many connections", "rate limit")


def is_congestion(error: BaseException) -> bool:
    """Whether a call raised what a crowded resource raises (the list of DECISION.md, pitfall 4).

    That is a time-out, a reset connection, a status of 429 or 503, a table of files that is full, a database
    that is locked.
    """
    if isinstance(error, (TimeoutError, ConnectionResetError, ConnectionRefusedError)):
        return True
    if isinstance(error, OSError) and error.errno in _NUMBERS:
        return True
    if _NAMES.intersection(kind.__name__ for kind in type(error).__mro__):
        return True
    return _status(error) in _STATUSES or any(word in text_of(error).lower() for word in _WORDS)


def _status(error: BaseException) -> Any:
    """The HTTP status an error carries, under any of the names that clients use."""
    for carrier in (error, _told(error, "response")):
        for name in ("status_code", "status", "code"):
            status = _told(carrier, name)
            if isinstance(status, int):
                return status
    return None


def _told(carrier: object, name: str) -> Any:
    """What something says under a name; None where it says nothing, or raises as it is asked."""
    try:
        return getattr(carrier, name, None)
    except Exception:  # noqa: BLE001 - a property of the user's, or of a client's, raises anything
        return None
