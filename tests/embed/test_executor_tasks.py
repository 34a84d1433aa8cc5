"""Arguments that are called, or hold what is called: what keeps a callable here keeps such a task, too."""

from __future__ import annotations

import threading
from functools import partial

import pytest
from executor_acts import spin
from executor_verdicts import PATIENCE, moved, told_by_workers, why

from concurrent_choices._embed._calls._mapping import run_chunk
from concurrent_choices._embed._threads._losses import lost_by

FACTOR = {"by": 1}
GATE = threading.Lock()


def call(task):
    """Call what is given."""
    return task()


def call_first(pair):
    """Call the first with the second."""
    return pair[0](pair[1])


def noting(seen, rounds):
    """Note what was done; late, so that no call gets there before workers would be asked for."""
    spin(rounds)
    if rounds < 0:
        seen.append(rounds)


def scaled(rounds):
    """Compute with a global."""
    return spin(rounds) and FACTOR["by"]


def gated(rounds):
    """Compute behind a lock."""
    with GATE:
        return spin(rounds)


CALLED = {
    "task": (call, lambda fn: partial(fn, 200_000)),
    "pair": (call_first, lambda fn: (fn, 200_000)),
}


def is_kept(executor, fn, task, reason):
    """Call until the executor gives a reason why the callable stays; whether it came to that."""
    for _ in range(PATIENCE):
        executor.submit(fn, task).result()
        if reason in why(executor, fn):
            return executor.explain()[fn.__qualname__].place == "thread"
    return False


@told_by_workers
@pytest.mark.parametrize("kind", CALLED)
def test_tasks_that_may_change_what_they_hold_stay(kind, executor):
    """In another process the change would be made to a copy."""
    fn, made = CALLED[kind]
    assert is_kept(executor, fn, made(partial(noting, [])), "calls change their arguments")


@told_by_workers
@pytest.mark.parametrize("kind", CALLED)
def test_tasks_that_use_what_was_set_in_a_module_stay(kind, executor, monkeypatch):
    """A worker would import the module and find what the module itself sets."""
    monkeypatch.setitem(FACTOR, "by", 2)
    fn, made = CALLED[kind]
    assert is_kept(executor, fn, made(scaled), "FACTOR has another value there than here")
    assert {executor.submit(fn, made(scaled)).result() for _ in range(20)} == {2}


@told_by_workers
def test_tasks_that_are_bound_to_nothing_may_go(executor):
    """To be given something to call is no reason to stay."""
    assert moved(executor, call, partial(spin, 200_000))


def test_a_task_is_found_in_whatever_form_a_call_has():
    """By keyword, and in a chunk; and where it takes a lock that each process has one of its own of."""
    lost = "calls change their arguments, which would be lost in another process"
    task = partial(noting, [], 1)
    assert lost_by(call, (), {"task": task}) == lost
    assert lost_by(partial(run_chunk, call), (((task,),),), {}) == lost
    assert "the global 'GATE' is a threading.Lock" in lost_by(call, (partial(gated, 1),), {})
    assert not lost_by(call, (partial(spin, 1),), {})
