"""How threads of ours begin."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest

from concurrent_choices._runtime._new_thread import NO_THREADS, new_thread, start

if TYPE_CHECKING:
    from collections.abc import Callable

CTRL_C = {signal.SIGINT}


def heard() -> bool:
    """Whether the calling thread would take a Ctrl-C."""
    return signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def a_new_one_heard() -> bool:
    """The same of a thread of ours that the calling one has made."""
    told: list[bool] = []
    thread = new_thread(lambda: told.append(heard()), "watched")
    start(thread)
    thread.join()
    return told[0]


def beside(work: Callable[[], None]) -> None:
    """Do something in a thread that is not the main thread."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


@pytest.fixture
def births(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each thread that is started, whether its starter would take a Ctrl-C at that moment."""
    seen: list[bool] = []
    really_start = threading.Thread.start

    def watched(thread: threading.Thread, *args: Any) -> None:
        if thread.name == "watched":
            seen.append(heard())
        really_start(thread, *args)

    monkeypatch.setattr(threading.Thread, "start", watched)
    return seen


def test_a_thread_that_is_made_beside_the_main_thread_takes_no_ctrl_c_from_it(births: list[bool]) -> None:
    """What is made, and what makes it, are deaf meanwhile: a call of the main thread would go on after it."""
    later: list[bool] = []

    def work() -> None:
        later.append(a_new_one_heard())
        later.append(heard())

    beside(work)
    assert births == [False]
    assert later == [True, True], "signals stay blocked: child processes would inherit that"


def test_what_a_thread_blocked_stays_blocked(births: list[bool]) -> None:
    """A program may leave its signals to a thread that waits for them."""
    later: list[bool] = []

    def work() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, CTRL_C)
        later.append(a_new_one_heard())
        later.append(heard())

    beside(work)
    assert births == [False]
    assert later == [False, False]


def test_the_main_thread_stays_open_to_ctrl_c_as_it_starts_a_thread(births: list[bool]) -> None:
    """It is awake to handle it."""
    assert a_new_one_heard()
    assert births == [True]
    assert heard()


@pytest.mark.parametrize(
    ("problem", "notes"),
    [("can't start new thread", [NO_THREADS]), ("can't create new thread at interpreter shutdown", [])],
)
def test_who_gets_no_thread_is_told_of_the_systems_limits_if_it_is_the_systems(
    monkeypatch: pytest.MonkeyPatch, problem: str, notes: list[str]
) -> None:
    """Python allows none at its end, for one."""

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError(problem)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match=problem) as caught:
        start(new_thread(heard, "refused"))
    assert getattr(caught.value, "__notes__", []) == notes


def test_whoever_sets_the_run_of_threads_that_start_may_do_so_beside_the_main_thread_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sentry wraps each thread's `run` like this, and calls what it wrapped with the thread."""
    really_start = threading.Thread.start
    later: list[bool] = []

    def wrapping(thread: threading.Thread) -> None:
        run: Any = thread.run
        wrapped = getattr(run, "__func__", run)
        thread.run = lambda: wrapped(threading.current_thread())  # type: ignore[method-assign]  # as Sentry does
        really_start(thread)

    monkeypatch.setattr(threading.Thread, "start", wrapping)
    beside(lambda: later.append(a_new_one_heard()))
    assert later == [True]
