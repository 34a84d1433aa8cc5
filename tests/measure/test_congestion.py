import errno
import sqlite3
from random import Random
from types import SimpleNamespace

import pytest

from concurrent_choices._measure._congestion import Refusals, is_congestion


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


def test_errors_that_say_so_count_each():
    """A database that is locked has one meaning."""
    assert Refusals().count([PoolTimeout(), sqlite3.OperationalError("database is locked")], 2, 16) == 2


@pytest.mark.parametrize(
    "error",
    [ConnectionRefusedError(), TimeoutError(), with_response(502), with_response(503), with_code(429)],
)
def test_doubtful_errors_count_once_they_are_many(error):
    """Some hosts of a hundred are down however many calls there are; who minds that number refuses most."""
    few, many = Refusals(), Refusals()
    assert not any(few.count([error] * (call % 50 == 0), 1, 128) for call in range(2000))
    assert [many.count([error], 1, 16) for _ in range(8)] == [0, 0, 0, 4] * 2
    assert sum(many.count([error], 1, 128) for _ in range(128)) == 128


def test_doubtful_errors_that_are_few_do_not_count_for_coming_close_together():
    """One in twenty, at random: by chance some calls in a row have many more than their share."""
    chance, refusals = Random(5), Refusals()
    errors = ([TimeoutError()] * (chance.random() < 0.05) for _ in range(4000))
    assert not any(refusals.count(each, 1, 16) for each in errors)


def test_all_are_seen_that_may_mean_it():
    """Also those that are few; others say nothing."""
    refusals = Refusals()
    refusals.count([PoolTimeout(), TimeoutError(), ValueError()], 40, 16)
    refusals.count([ConnectionRefusedError()], 40, 16)
    assert refusals.seen == 3


def test_other_errors_never_count():
    """They say nothing of how many calls there are."""
    refusals = Refusals()
    assert not any(refusals.count([ValueError()], 1, 16) for _ in range(200))
