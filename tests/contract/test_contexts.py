"""Context variables: the caller's are seen where items run in this process, and nothing leaks."""

from __future__ import annotations

import contextvars
import sys

import contract_acts as acts
import pytest

from concurrent_choices import run, stream
from interpreters import printed


@pytest.fixture
def caller():
    """The caller's own value of a context variable."""
    token = acts.CALLER.set("the caller")
    yield "the caller"
    acts.CALLER.reset(token)


@pytest.fixture
def expected(caller, outside):
    """What items see of it: it does not cross to other processes."""
    return "nobody" if outside else caller


def test_the_callers_variables_are_seen(strategy, of_kind, expected):
    """Every item in this process sees what the caller had set."""
    assert run(of_kind(acts.caller), range(40), strategy=strategy) == [expected] * 40


def test_a_streams_items_see_them_too(strategy, of_kind, expected):
    """What counts is the context at the call of `stream`."""
    results = stream(of_kind(acts.caller), range(10), strategy=strategy)
    token = acts.CALLER.set("later")
    try:
        assert list(results) == [expected] * 10
    finally:
        acts.CALLER.reset(token)


@pytest.mark.parametrize("fn", [acts.change_always, acts.change_sometimes])
def test_nothing_leaks_from_item_to_item(strategy, of_kind, fn):
    """What an item sets, always or now and then, no other item sees."""
    assert run(of_kind(fn), range(60), strategy=strategy) == [-1] * 60


@pytest.mark.parametrize("fn", [acts.change_always, acts.change_sometimes])
def test_nothing_leaks_to_the_caller(strategy, of_kind, fn):
    """What items set, the caller does not see."""
    run(of_kind(fn), range(20), strategy=strategy)
    assert acts.CHANGED.get() == -1


def test_nothing_leaks_where_items_have_a_timeout(strategy, of_kind):
    """Limits on time change nothing of it."""
    results = run(of_kind(acts.change_sometimes), range(20), strategy=strategy, timeout=30)
    assert results == [-1] * 20


def test_nothing_leaks_from_an_item_that_fails(strategy, of_kind):
    """What an item set before it raised is gone with it."""
    results = run(of_kind(acts.change_then_fail), range(20), strategy=strategy, return_exceptions=True)
    assert [result for result in results if not isinstance(result, ValueError)] == [-1] * 10


def test_a_run_in_a_context_of_its_own(strategy, of_kind, expected):
    """A run inside `Context.run` uses that context."""
    context = contextvars.copy_context()
    context.run(acts.CALLER.set, "inside")
    seen = context.run(run, of_kind(acts.caller), range(3), strategy=strategy)
    assert seen == (["nobody"] * 3 if expected == "nobody" else ["inside"] * 3)


def test_values_that_refuse_to_be_compared(strategy, of_kind, outside):
    """Arrays and the like may stand in a context variable; nobody asks whether they are equal."""
    context = contextvars.copy_context()
    context.run(acts.HOLDER.set, acts.Incomparable("the caller"))
    seen = context.run(run, of_kind(acts.change_to_incomparable), range(10), strategy=strategy)
    assert seen == ["nobody" if outside else "the caller"] * 10


def test_equal_values_do_not_leak_either(strategy, of_kind):
    """An item that sets an equal value leaves the caller's own object to the next."""
    context = contextvars.copy_context()
    context.run(acts.EQUALS.set, acts.EQUALS.get())
    seen = context.run(run, of_kind(acts.change_to_equal), range(10), strategy=strategy)
    assert seen == ["clean"] * 10


KEPT = """
import gc, weakref
from contextvars import Context, ContextVar
from concurrent_choices import AdaptiveExecutor, ThreadStrategy, run

class Request:
    pass

request = ContextVar("request")

def serve(call):
    request.set(Request())
    call()
    return weakref.ref(request.get())

with AdaptiveExecutor() as executor, ThreadStrategy(max_workers=2) as threads:
    for call in (lambda: executor.submit(abs, -1).result(), lambda: run(abs, [-1, -2], strategy=threads)):
        served = Context().run(serve, call)
        gc.collect()
        print(served())
"""


@pytest.mark.skipif(sys.version_info < (3, 14), reason="CPython has the option from 3.14 on")
def test_threads_that_stay_keep_nothing_of_who_started_them():
    """Not where threads begin in a copy of the context that starts them, as they do without the GIL."""
    assert printed("-X", "thread_inherit_context=1", "-c", KEPT) == ["None", "None"]
