"""Telling errors that mean "too many at once" from all others."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import Any

from .._work._words import text_of

__all__ = ["Refusals", "is_congestion"]

WINDOW = 32
"""Calls at least, of which an eighth must end in doubtful errors, one after another, before those count: with
fewer, one in fifty would soon be many."""

MANY = 1 / 8
"""Share of calls from which doubtful errors mean "too many at once" (guessed). Taking each for that, 2,000
calls of 20 ms, 40 of which ask hosts that are down, took 27 to 32 s instead of 0.3, and 34 to 36 s instead of
1.4 where those answer with 503. Who minds how many there are refuses most of what is too much, as that takes
less time than an answer."""

_STATUSES = frozenset({429, 502, 503, 504})
_NUMBERS = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOBUFS, errno.EADDRNOTAVAIL})
_NAMES = frozenset(
    {"PoolTimeout", "ConnectTimeout", "ReadTimeout", "WriteTimeout", "TooManyRequests", "Throttled"}
)
_TELLING_NAMES = frozenset({"PoolTimeout", "TooManyRequests", "Throttled"})
_WORDS = ("database is locked", "database table is locked", "too many connections", "rate limit")


def is_congestion(error: BaseException) -> bool:
    """Whether a call raised what a crowded resource raises (the list of DECISION.md, pitfall 4).

    That is a time-out, a reset connection, a status of 429 or 503, a table of files that is full, a database
    that is locked.
    """
    if isinstance(error, (TimeoutError, ConnectionResetError, ConnectionRefusedError)):
        return True
    return _is_told(error, _NAMES) or _status(error) in _STATUSES


class Refusals:
    """Counts the errors of a run's calls that mean "too many at once".

    Some say so. Others, such as a refused connection or a status of 503, may have reasons of their own: hosts
    that are down or busy are some in a hundred, whatever the number of calls. These count once they are many
    of those of late.

    Attributes:
        seen: How many errors there were that say so, or may.
    """

    def __init__(self) -> None:
        self.seen = 0
        self._doubtful = 0
        self._excess = 0.0  # how many more of them there were than would be borne, since there was none

    def count(self, errors: Iterable[BaseException], calls: int, lanes: int) -> int:
        """How many there are among the errors of so many calls that have ended, in one of so many lanes."""
        told = doubtful = 0
        for error in errors:
            if _is_told(error, _TELLING_NAMES):
                told += 1
            elif is_congestion(error):
                doubtful += 1
        self.seen += told + doubtful
        # By a sum that calls take from: four of some 32 calls are often found where one in twenty fails.
        self._excess = max(0.0, self._excess + doubtful - MANY * calls)
        self._doubtful = doubtful = self._doubtful + doubtful if self._excess else 0
        if self._excess < MANY * (1 - MANY) * max(WINDOW, lanes):
            return told
        self._doubtful, self._excess = 0, 0.0
        return told + doubtful


def _is_told(error: BaseException, names: frozenset[str]) -> bool:
    """Whether an error says that there is too much of something, or has one of the names."""
    if isinstance(error, OSError) and error.errno in _NUMBERS:
        return True
    if names.intersection(kind.__name__ for kind in type(error).__mro__):
        return True
    return any(word in text_of(error).lower() for word in _WORDS)


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
