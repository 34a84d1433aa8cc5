import errno
import socket
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
        RuntimeError("An error occurred (ThrottlingException) when calling Scan: Rate exceeded"),
        RuntimeError("FATAL: sorry, too many clients already"),
        RuntimeError("<AioRpcError of RPC that terminated with:\n\tstatus = StatusCode.RESOURCE_EXHAUSTED"),
        RuntimeError("<AioRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNAVAILABLE"),
        RuntimeError("Error 111 connecting to localhost:6379. Connection refused."),
        RuntimeError("HTTPError: HTTP Error 429: Too Many Requests"),
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
        RuntimeError('Traceback:\n  File "throttle.py", line 3, in throttled\nKeyError: 3'),
    ],
    ids=repr,
)
def test_no_crowd(error):
    """Ordinary errors say nothing of a crowd."""
    assert not is_congestion(error)


def layered(name, innermost):
    """As libraries and programs have errors of their own, some layers of them."""
    outer, inner = KeyError(), ValueError()
    setattr(outer, name, inner)
    setattr(inner, name, innermost)
    return outer


@pytest.mark.parametrize("name", ["__cause__", "__context__"])
def test_what_an_error_was_raised_for_tells_as_much(name):
    """It is doubtful, or not, as that is."""
    refused = layered(name, ConnectionRefusedError())
    assert is_congestion(refused)
    assert not is_congestion(layered(name, socket.gaierror(-2, "Name or service not known")))
    assert Refusals().count([layered(name, PoolTimeout()), refused], 2, 16) == 1
    refused.__suppress_context__, refused.__cause__ = True, None  # `raise ... from None`
    assert not is_congestion(refused)


def test_members_and_arguments_tell_as_much():
    """Several addresses were tried, or the error was taken in."""
    assert is_congestion(ExceptionGroup("two", [ValueError(), ExceptionGroup("one", [TimeoutError()])]))
    assert is_congestion(RuntimeError("aborted", ConnectionResetError()))


def test_errors_that_lead_back_to_themselves_have_an_end():
    """By their causes, or their arguments."""
    one, two = ValueError(), KeyError()
    one.__cause__, two.__cause__ = two, one
    assert not is_congestion(one)
    one.args = (one, one, two)
    assert not is_congestion(one)


class Argued(Exception):  # noqa: N818 - as programs have it
    """Its arguments are a matter of its own."""

    args = 3


def test_an_error_whose_arguments_are_something_else():
    """It says nothing by them."""
    assert not is_congestion(Argued())


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


@pytest.mark.parametrize("error", [ConnectionRefusedError(), RuntimeError("111: Connect call failed")])
def test_a_port_that_nobody_listens_at_minds_no_crowd(error):
    """A refused connection is a sign of one only where others are served, or fail in another way."""
    refusals = Refusals()
    assert not any(refusals.heed([error] * 4, 4, 16) for _ in range(32))
    assert refusals.heed([], 1, 16) == 0
    assert any(refusals.heed([error] * 4, 4, 16) for _ in range(8))
    assert refusals.seen >= 132


def test_other_errors_are_heeded_at_once():
    """Who is silent, or answers with 503, is there."""
    for error in (TimeoutError(), with_response(503), ConnectionResetError()):
        assert Refusals().heed([error] * 16, 16, 16) == 16


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
