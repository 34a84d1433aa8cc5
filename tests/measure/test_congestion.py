import errno
import sqlite3
from types import SimpleNamespace

import pytest

from concurrent_choices._measure._congestion import is_congestion


class PoolTimeout(Exception):  # noqa: N818 - the name is what is recognised
    """As in httpx, which is not asked to be installed for this."""


class LaterTimeout(PoolTimeout):
    """A class of one's own below it."""


def with_response(status):
    error = RuntimeError("bad status")
    error.response = SimpleNamespace(status_code=status)
    return error


def with_code(code):
    error = RuntimeError("bad status")
    error.code = code
    return error


@pytest.mark.parametrize(
    "error",
    [
        TimeoutError(),
        ConnectionResetError(),
        OSError(errno.EMFILE, "too many open files"),
        sqlite3.OperationalError("database is locked"),
        RuntimeError("FATAL: Too many connections for role"),
        PoolTimeout(),
        LaterTimeout(),
        with_response(429),
        with_response(503),
        with_code(429),
    ],
    ids=repr,
)
def test_a_crowd(error):
    """Time-outs, resets, full tables, locked databases, and 429 and 503 under any name."""
    assert is_congestion(error)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("database"),
        OSError(errno.ENOENT, "no such file"),
        with_response(404),
        with_code("429"),
        SystemExit(),
        sqlite3.OperationalError("no such table: t"),
    ],
    ids=repr,
)
def test_no_crowd(error):
    """Ordinary errors say nothing of a crowd."""
    assert not is_congestion(error)


class Unanswered(Exception):  # noqa: N818 - as clients have it
    """Its response can only be asked for where there was one."""

    @property
    def response(self):
        msg = "there was no response"
        raise RuntimeError(msg)


def test_an_error_that_raises_as_it_is_asked():
    """It stays the error there is, and is judged by what else it says."""
    assert not is_congestion(Unanswered("refused"))
    assert is_congestion(Unanswered("rate limit exceeded"))
