"""Where calls run: what goes to processes, what stays in threads, what comes back, and what is said of it."""

from __future__ import annotations

import os
import threading
from concurrent.futures import wait
from contextvars import copy_context
from unittest import mock

import pytest
from executor_acts import digest, place_of, spin, where, work
from executor_verdicts import PATIENCE, moved, told_by_workers, why

from concurrent_choices import AdaptiveExecutor
from concurrent_choices._embed import _core
from concurrent_choices._embed._accounting._held import held_by
from concurrent_choices._embed._accounting._looks import FIRST, Looks
from concurrent_choices._embed._calls._tasks import Task
from concurrent_choices._embed._core import NO_GIL
from concurrent_choices._embed._processes import _remote
from concurrent_choices._embed._processes._packing import callable_frames
from concurrent_choices._embed._processes._remote import Call, Report, serve
from patience import patient


def test_a_first_call_runs_at_once_in_a_thread(executor):
    """What is not known yet starts in this process."""
    assert executor.submit(where, 1).result() == os.getpid()


@told_by_workers
def test_computing_under_the_gil_moves_to_processes(executor):
    """A callable that computes long under the GIL ends up in other processes."""
    assert moved(executor, where, 200_000), executor.explain()
    assert executor.submit(where, 1).result() != os.getpid()
    assert found_out(executor, where, 200_000).kind == "computing under the GIL"


def found_out(executor, fn, *args):
    """Call until it is known whether the callable holds the GIL; what was learnt."""
    for _ in range(PATIENCE):
        executor.submit(fn, *args).result()
        learnt = executor.explain()[fn.__qualname__]
        if learnt.gil is not None:
            return learnt
    return learnt


@told_by_workers
@patient
def test_computing_outside_the_gil_comes_back_from_its_trial():
    """A process shows that a callable leaves the GIL alone: its calls go to threads from then on."""
    with AdaptiveExecutor() as executor:  # at each try one that has learnt nothing yet
        learnt = found_out(executor, digest, 8_000_000)
    assert (learnt.place, learnt.kind) == ("thread", "computing outside the GIL")


def stopped_at_none(rounds):
    """Compute, and have the debugger look at what is seldom."""
    if rounds < 0:
        breakpoint()  # noqa: T100 - none is
    return spin(rounds)


def test_what_asks_at_the_terminal_stays(executor):
    """In a worker nobody would answer."""
    for _ in range(PATIENCE):
        executor.submit(stopped_at_none, 200_000).result()
        known = executor.explain()["stopped_at_none"]
        assert known.place == "thread"
        if "terminal" in known.why:
            break
    assert "breakpoint()" in known.why


def test_a_lambda_and_a_closure_move(executor):
    """What pickle cannot send goes by value, since workers never import the main module."""
    base = 5
    assert moved(executor, lambda: spin(200_000) + base)


def test_chunks_of_short_calls_move(executor):
    """It is the chunk that makes the trip, and that is long enough for it."""
    for _ in range(PATIENCE):
        pids = set(executor.map(where, [5_000] * 80, chunksize=40))
        if os.getpid() not in pids:
            break
    assert os.getpid() not in pids, executor.explain()


def test_waiting_stays_in_threads_and_gets_many(executor):
    """A callable that waits is not held up by a small number of threads."""
    enough = threading.Barrier(30)
    futures = [executor.submit(enough.wait, 20) for _ in range(30)]
    assert sorted(future.result() for future in futures) == list(range(30))


def test_a_callable_that_comes_to_take_long_is_measured_again(executor):
    """Of short calls few are measured; the first that takes long has the next one measured, too."""
    rounds = [0]

    def grows():
        return spin(rounds[0])

    for _ in range(100):
        executor.submit(grows).result()
    account = executor._core.accounts.of(grows)
    measured = account.figures.measured
    assert not account.fully
    rounds[0] = 200_000
    for _ in range(3):
        executor.submit(grows).result()
    assert account.figures.measured > measured


def test_looks_that_cost_much_are_few():
    """What is dear to compare is compared every few calls, so that it takes its share of them at most."""
    looks = Looks()
    looks._cost, looks._looks = 100e-6, FIRST
    assert [looks.due(20e-3) for _ in range(4)] == [True] * 4
    assert [looks.due(10e-3) for _ in range(4)] == [False, True] * 2
    assert sum(looks.due(0.0) for _ in range(32)) == 2


def test_looks_that_cost_little_are_at_each_call():
    """However short the calls are: a trip to another process costs more."""
    looks = Looks()
    looks._cost, looks._looks = 40e-6, FIRST
    assert all(looks.due(0.0) for _ in range(32))


def test_explain_of_a_pinned_executor_says_so():
    """As many run at once as there are processes, and nothing has to be found out first."""
    with AdaptiveExecutor(place="process", max_processes=2) as executor:
        for _ in range(12):
            executor.submit(spin, 200_000).result(60)
        learnt = executor.explain()["spin"]
        assert (learnt.place, learnt.limit, learnt.why) == ("process", 2, 'place="process" was asked for')
    with AdaptiveExecutor(place="process", max_processes=2, limits={spin: 1}) as executor:
        executor.submit(spin, 1).result(60)
        assert executor.explain()["spin"].limit == 1


def test_explain_is_a_table(executor):
    """Printed, it has a line for each callable and says where it runs and why."""
    executor.submit(pow, 2, 2).result()
    text = str(executor.explain())
    assert text.splitlines()[0].split()[:2] == ["callable", "runs"]
    assert "pow" in text
    with pytest.raises(KeyError):
        executor.explain()["nobody"]


def test_chunks_are_counted_as_calls_of_the_callable(executor):
    """`explain` speaks of the caller's function, not of how its calls were bundled."""
    list(executor.map(spin, [10] * 20, chunksize=5))
    assert executor.explain()["spin"].calls == 20


def test_calls_that_end_in_several_threads_are_all_counted():
    """Without the GIL two of them would count one."""
    with AdaptiveExecutor(place="thread") as executor:
        account = executor._core.accounts.of(abs)
        begun = threading.Barrier(4)

        def end():
            begun.wait()
            for _ in range(5000):
                account.counted(2)
                account.failed()

        threads = [threading.Thread(target=end) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        learnt = executor.explain()["abs"]
        assert (account.tasks, learnt.calls, learnt.errors) == (20_000, 40_000, 20_000)


def test_a_class_of_work_that_changes(executor):
    """A callable that computed and then waits comes back from the processes."""
    assert moved(executor, work, "compute")
    pause = [executor.submit(work, "wait") for _ in range(30)]
    wait(pause, 30)
    assert executor.explain()["work"].place == "thread"


def test_calls_that_wait_for_a_process_come_back_with_their_callable(executor):
    """Once a callable is seen to wait after all, those of its calls that queue for a worker go to threads."""
    assert moved(executor, place_of, "compute")
    places = [each.result(60) for each in [executor.submit(place_of, "wait") for _ in range(100)]]
    assert places[0] != os.getpid()
    assert places[-40:] == [os.getpid()] * 40


def test_calls_that_came_back_begin_when_those_away_end(core):
    """The end of a call in a worker process makes room for them, where no thread is at work to see it."""
    account = core.accounts.of(len)
    back, ended = (Task(len, ("abc",), {}, account, copy_context(), number, 1) for number in (1, 2))
    account.away = account.limit
    core._remote = 2
    core._returned(back)
    assert not back.done()
    account.away = 0
    core._ended(ended)
    assert back.result(30) == 3


def test_what_was_barred_while_a_worker_looked_is_not_moved(core):
    """What a call was seen to change meanwhile would be lost."""
    account = core.accounts.of(len)
    account.moving = True
    account.bar("a call changed what it holds")
    core._looked(account, held_by(len))
    assert account.place == "thread"


def test_who_asks_for_processes_gets_them_without_a_gil_too(monkeypatch):
    """Such as for calls that may crash; only by itself nothing goes there."""
    monkeypatch.setattr(_core, "gil_enabled", lambda: False)
    with AdaptiveExecutor(place="process", max_processes=1) as executor:
        assert executor.submit(os.getpid).result() != os.getpid()


def test_a_gil_that_an_import_turns_on_later_is_noticed(monkeypatch):
    """From then on threads that compute take turns; until then nobody speaks of processes."""
    monkeypatch.setattr(_core, "gil_enabled", lambda: False)
    with AdaptiveExecutor(max_processes=1) as executor:
        assert {executor.submit(where, 200_000).result() for _ in range(20)} == {os.getpid()}
        assert why(executor, where) == NO_GIL
        monkeypatch.setattr(_core, "gil_enabled", lambda: True)
        assert moved(executor, where, 200_000), executor.explain()


def test_a_worker_without_a_gil_tells_nothing_of_it(monkeypatch):
    """Its caller may have imported what turns it on: calls that never hold it there would come back to it."""
    monkeypatch.setattr(_remote, "gil_enabled", lambda: False)
    call = Call(1, callable_frames(len), forget=False, number=1, args=("",), kwargs={}, look=False, trial=1)
    assert serve(call) == Report(value=0, wall=mock.ANY, cpu=mock.ANY, queued=mock.ANY)
