"""What goes to worker processes and comes back: results, errors, what cannot be pickled, and deaths."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

import pytest
from executor_acts import act, give_lock, spin, where
from executor_verdicts import why

from concurrent_choices import AdaptiveExecutor, NotPicklableError, RemoteError, WorkerDiedError

LOCK = threading.Lock()


def locked():
    """Use something that only this process has."""
    with LOCK:
        return spin(100_000)


def test_what_uses_a_lock_stays(executor):
    """A lock of this process means nothing in another, so its users are not moved."""
    for _ in range(40):
        executor.submit(locked).result()
    assert executor.explain()["locked"].place == "thread"
    assert "'LOCK'" in why(executor, locked)


class Ill:
    """Pickling it raises what no `except Exception` catches."""

    def __init__(self, error):
        self.error = error

    def __reduce__(self):
        raise self.error


@pytest.mark.parametrize("error", [asyncio.CancelledError, GeneratorExit, SystemExit])
@pytest.mark.parametrize("held", ["closure", "argument", "result"])
def test_what_fails_as_it_is_examined_is_no_outcome_of_the_call(executor, held, error):
    """The call is made, and its value is what it gave."""
    ill = Ill(error)

    def close():
        return (spin(100_000), ill)

    def take(given):
        return (spin(100_000), given)

    def give():
        return (spin(100_000), Ill(error))

    fn, args = {"closure": (close, ()), "argument": (take, (ill,)), "result": (give, ())}[held]
    for _ in range(40):
        assert isinstance(executor.submit(fn, *args).result()[1], Ill)
    assert executor.explain()[fn.__qualname__].errors == 0
    assert held == "argument" or error.__name__ in why(executor, fn)


def test_unpicklable_results_and_arguments_stay(executor):
    """What cannot travel stays in threads, and every call gives its result."""

    def give(lock):
        spin(100_000)
        return lock

    lock = threading.Lock()
    assert all(executor.submit(give, lock).result() is lock for _ in range(40))
    assert "pickled" in why(executor, give)


def test_a_result_that_cannot_travel_names_its_call_and_why():
    """As one would write it, not as it was sent; and what an executor's user can do about it."""
    with AdaptiveExecutor(place="process", max_processes=1) as executor:
        error = executor.submit(give_lock, 5).exception(60)
        assert isinstance(error, NotPicklableError)
        assert (error.item, error.reason) == (
            "give_lock(5)",
            "TypeError: cannot pickle '_thread.lock' object",
        )
        sealed = executor.submit(act, "sealed").exception(60)
        assert isinstance(sealed, NotPicklableError)
        assert sealed.item == "act('sealed')"
        with pytest.raises(NotPicklableError) as caught:
            list(executor.map(give_lock, [5, 6, 7], chunksize=2))
        assert caught.value.item == "chunk of 2 from give_lock(5)"
        assert why(executor, give_lock).endswith(f": its result cannot be pickled ({error.reason})")
        assert 'place="thread" of an executor' in str(executor.submit(act, "odd").exception(60))


class Leaving:
    """Asks to end its thread when it is pickled."""

    def __reduce__(self):
        sys.exit("pickled")


@pytest.mark.parametrize("kind", ["argument", "held", "result"])
def test_what_exits_when_it_is_pickled_stays(executor, kind):
    """It ends no thread of ours: every call gives its result, and the shutdown comes back."""
    leaving = Leaving()

    def give(given):
        spin(100_000)
        return leaving if kind == "result" else given is leaving

    def make(held=leaving):
        spin(100_000)
        return held is leaving

    fn, args = (make, ()) if kind == "held" else (give, (leaving if kind == "argument" else 1,))
    results = [executor.submit(fn, *args).result(30) for _ in range(40)]
    assert set(map(bool, results)) == {True}
    assert "pickled" in why(executor, fn)


def test_a_pinned_executor_runs_in_a_thread_what_cannot_travel():
    """Even where processes were asked for, a call with a lock is made."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        assert executor.submit(where, 1).result(30) != os.getpid()
        lock = threading.Lock()
        assert executor.submit(lambda given: given is lock, lock).result(30)
        assert "pickled" in next(each.why for each in executor.explain() if "lambda" in each.name)
        assert "of some calls" in next(each.why for each in executor.explain() if "lambda" in each.name)


@pytest.mark.parametrize(("deed", "code"), [("exit", 3), ("kill", -9)])
def test_a_worker_that_dies_fails_its_own_call_only(deed, code):
    """The call that ended its process says so; those beside it and after it are made."""
    with AdaptiveExecutor(max_processes=2, place="process") as executor:
        before = [executor.submit(act, "compute") for _ in range(6)]
        dying = executor.submit(act, deed)
        after = [executor.submit(act, "compute") for _ in range(6)]
        error = dying.exception(30)
        assert isinstance(error, WorkerDiedError)
        assert error.exitcode == code
        assert f"act({deed!r})" in str(error)
        assert {future.result(30) for future in before + after} == {spin(60_000)}
        learnt = executor.explain()["act"]
        assert (learnt.calls, learnt.errors) == (len(before) + 1 + len(after), 1)


class Long:
    """Takes long to spell."""

    def __repr__(self):
        raise AssertionError("it was spelled")


def test_arguments_of_calls_in_processes_are_not_spelled():
    """That may take longer than the call: only errors name them."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        assert executor.submit(type, Long()).result(30) is Long
        assert executor._core._process_pool._host.workers  # it went there


def test_errors_come_back_from_processes():
    """An exception comes back as itself, with the traceback it had there."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        error = executor.submit(act, "raise").exception(30)
        assert type(error) is KeyError
        assert "in act" in str(error.__cause__)
        odd = executor.submit(act, "odd").exception(30)
        assert isinstance(odd, RemoteError)
        assert odd.type_name.endswith("OddError")
        assert odd.item == "act('odd')"
        assert isinstance(executor.submit(act, "lock").exception(30), NotPicklableError)
        sealed = executor.submit(act, "sealed").exception(30)
        assert isinstance(sealed, NotPicklableError)
        assert "act('sealed')) gave a result that cannot be pickled" in str(sealed)
        assert executor.submit(act, "fine").result(30) == spin(60_000)
