"""Telling errors that mean "too many at once" from all others."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Sequence
from typing import Any

from .._inspect._asking import told_by
from .._inspect._words import text_of

__all__ = ["Refusals", "is_congestion"]

WINDOW = 32
"""Calls at least, of which an eighth must end in doubtful errors, one after another, before those count: with
fewer, one in fifty would soon be many."""

MANY = 1 / 8
"""Share of calls from which doubtful errors mean "too many at once" (guessed). Taking each for that, 2,000
calls of 20 ms, 40 of which ask hosts that are down, took 27 to 32 s instead of 0.3, and 34 to 36 s instead of
1.4 where those answer with 503. Who minds how many there are refuses most of what is too much, as that takes
less time than an answer."""

DEEPEST = 16
"""Errors that are looked at, of one and those that led to it (guessed: those of an HTTP client are four or
five)."""

_KINDS = (TimeoutError, ConnectionResetError, ConnectionRefusedError)
_STATUSES = frozenset({429, 502, 503, 504})
_NUMBERS = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOBUFS, errno.EADDRNOTAVAIL})
_NAMES = frozenset({"ConnectTimeout", "ReadTimeout", "WriteTimeout"})
_TELLING_NAMES = frozenset({"PoolTimeout", "TooManyRequests", "Throttled"})
# What is no class's: of PostgreSQL and its poolers, of botocore (the codes that it tries again for) and gRPC.
_TELLING_WORDS = (
    "database is locked",
    "database table is locked",
    "too many connections",
    "too many clients",
    "connection slots are reserved",
    "rate limit",
    "throttl",
    "throughputexceeded",
    "requestlimitexceeded",
    "(slowdown)",
    "resource_exhausted",
)
# What clients of HTTP say whose connection is closed without an answer, as may be one that was kept for
# too long, too: to Python's own that is a reset connection; httpx and aiohttp have classes of theirs for it.
_HUNG_UP = ("server disconnected", "remote end closed connection")
# What the drivers of databases, asyncio, gRPC and errors that were pickled say without the system's error.
_REFUSED = ("connection refused", "connect call failed")
_WORDS = (
    *_REFUSED,
    *_HUNG_UP,
    "connection reset",
    "timed out",
    "too many requests",
    "bad gateway",
    "service unavailable",
    "gateway time",
    "statuscode.unavailable",
    "statuscode.deadline_exceeded",
)


def is_congestion(error: BaseException) -> bool:
    """Whether a call raised what a crowded resource raises (the list of DECISION.md, pitfall 4).

    That is a time-out, a reset connection, a status of 429 or 503, a table of files that is full, a database
    that is locked; or what a client raises because of one. A name that no host has is not among them.
    """
    chain = _chain(error)
    return any(map(_says_so, chain)) or any(map(_may_say_so, chain))


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
        self._anybody = False  # whether a call ended in something else than a refused connection
        self._doubtful = 0
        self._excess = 0.0  # how many more of them there were than would be borne, since there was none

    def heed(self, errors: Sequence[BaseException], calls: int, lanes: int) -> int:
        """The same as `count`; but none as long as all connections are refused: nobody is there to mind.

        In one lane, 500 calls of 20 ms to a host that is down took 4 to 11 s; by 32 threads it is 0.3 to 1.4.
        """
        counted = self.count(errors, calls, lanes)
        self._anybody = self._anybody or calls > sum(map(_is_refused, errors))
        return counted if self._anybody else 0

    def count(self, errors: Iterable[BaseException], calls: int, lanes: int) -> int:
        """How many there are among the errors of so many calls that have ended, in one of so many lanes."""
        told = doubtful = 0
        for error in errors:
            chain = _chain(error)
            if any(map(_says_so, chain)):
                told += 1
            elif any(map(_may_say_so, chain)):
                doubtful += 1
        self.seen += told + doubtful
        # By a sum that calls take from: four of some 32 calls are often found where one in twenty fails.
        self._excess = max(0.0, self._excess + doubtful - MANY * calls)
        self._doubtful = doubtful = self._doubtful + doubtful if self._excess else 0
        if self._excess < MANY * (1 - MANY) * max(WINDOW, lanes):
            return told
        self._doubtful, self._excess = 0, 0.0
        return told + doubtful


def _chain(error: BaseException) -> list[BaseException]:
    """An error, and those that led to it, as clients wrap theirs: causes, members and arguments.

    Some lead back to themselves, so only the first few are looked at.
    """
    chain = [error]
    for each in chain:  # which grows meanwhile
        led = each.__context__ if each.__cause__ is None and not each.__suppress_context__ else each.__cause__
        # httpcore takes the cause away that it has given an error, which is among its arguments as well.
        chain += (part for part in (led, *_parts(each)) if isinstance(part, BaseException))
        if len(chain) >= DEEPEST:
            break
    return chain[:DEEPEST]


def _parts(error: BaseException) -> list[Any]:
    """The members of a group, and what any was made with."""
    parts: list[Any] = []
    for name in ("exceptions", "args"):
        told = told_by(error, name)
        if issubclass(type(told), tuple):  # `isinstance` leaves pyright with what it does not know
            parts += told
    return parts


def _says_so(error: BaseException) -> bool:
    """Whether an error says that there is too much of something."""
    if isinstance(error, OSError) and error.errno in _NUMBERS:
        return True
    return _is_called(error, _TELLING_NAMES) or _speaks_of(error, _TELLING_WORDS)


def _may_say_so(error: BaseException) -> bool:
    """Whether it is one that a crowd brings about, among other things."""
    if isinstance(error, _KINDS) or _is_called(error, _NAMES) or _status(error) in _STATUSES:
        return True
    return _speaks_of(error, _WORDS)


def _is_refused(error: BaseException) -> bool:
    """Whether a connection was, which is what a port that nobody listens at does."""
    chain = _chain(error)
    return any(isinstance(each, ConnectionRefusedError) or _speaks_of(each, _REFUSED) for each in chain)


def _is_called(error: BaseException, names: frozenset[str]) -> bool:
    return not names.isdisjoint(kind.__name__ for kind in type(error).__mro__)


def _speaks_of(error: BaseException, words: tuple[str, ...]) -> bool:
    """Whether its text has one of the words; in a traceback from elsewhere only lines of errors count."""
    text = "\n".join(line for line in text_of(error).lower().split("\n") if not line.startswith(" "))
    return any(word in text for word in words)


def _status(error: BaseException) -> Any:
    """The HTTP status an error carries, under any of the names that clients use."""
    for carrier in (error, told_by(error, "response")):
        for name in ("status_code", "status", "code"):
            status = told_by(carrier, name)
            if isinstance(status, int):
                return status
    return None
