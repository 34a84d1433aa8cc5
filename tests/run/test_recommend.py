import asyncio
import importlib
import sys
import threading
import time
from functools import partial
from types import ModuleType

import pytest
import verdict_callables as callables

import concurrent_choices
from concurrent_choices import (
    InvalidArgumentError,
    Machine,
    Recommendation,
    RunningLoopError,
    Workload,
    recommend,
    run,
)
from concurrent_choices._measure._profiler import profile
from concurrent_choices._platform._interpreter import gil_enabled
from concurrent_choices._platform._processors import usable_cpus
from concurrent_choices._run import _choosing, _elsewhere
from concurrent_choices._run._elsewhere import UNTOLD, Elsewhere, elsewhere
from descriptors import no_descriptors
from patience import patient

gil = pytest.mark.skipif(not gil_enabled(), reason="threads are the answer where there is no GIL")


@patient
def test_waiting_goes_to_threads():
    """A `def` that sleeps: io, waiting, many threads."""
    verdict = recommend(callables.nap, range(200))
    assert (verdict.bound, verdict.diagnosis) == ("io", "waiting")
    assert verdict.plan.strategy == "thread"
    assert verdict.plan.workers >= 16


@patient
def test_an_async_def_that_awaits_stays_on_a_loop():
    """Threads with a loop each would do as well; a single loop is simpler."""
    verdict = recommend(callables.rest, range(100))
    assert (verdict.bound, verdict.diagnosis) == ("io", "async that awaits")
    assert verdict.plan.strategy in {"asyncio", "uvloop"}


def test_uvloop_is_not_predicted_where_it_is_not_installed(monkeypatch):
    """Its row says why, also where nobody would choose it; a `def` runs in threads and needs no loop."""
    monkeypatch.setitem(sys.modules, "uvloop", None)
    once, plain = recommend(callables.rest, [0]), recommend(abs, range(100))
    assert once.plan.strategy == "sequential"
    assert "does not load here" in once.estimate("uvloop").obstacle
    assert plain.estimate("uvloop").feasible


def test_something_else_that_is_loaded_by_that_name(monkeypatch):
    """Such as a stand-in of somebody's tests, of which importlib cannot tell where it came from."""
    monkeypatch.setitem(sys.modules, "uvloop", ModuleType("uvloop"))
    assert recommend(callables.rest, [0]).run() == [0]


def test_uvloop_is_not_chosen_where_it_does_not_load(monkeypatch):
    """It may be missing, or refuse, as in a subinterpreter: the verdict can be run all the same."""
    monkeypatch.setitem(sys.modules, "uvloop", None)
    verdict = recommend(Workload(callables.rest, range(100), items_count=100_000))
    assert verdict.plan.strategy != "uvloop"
    assert verdict.run() == [*range(0, 200, 2)]


@patient
def test_an_async_def_that_blocks_is_told_where():
    """File and line, and a way out that does not need the line changed."""
    verdict = recommend(callables.block, range(200))
    assert verdict.diagnosis.startswith("async that blocks the loop at ")
    assert "verdict_callables.py:" in verdict.diagnosis
    assert verdict.plan.strategy in {"thread", "hybrid", "process"}


@gil
@patient
def test_python_code_is_cpu_under_the_gil():
    """Threads are not the answer, whatever is."""
    verdict = recommend(callables.compute, range(3000))
    assert (verdict.bound, verdict.diagnosis) == ("cpu", "cpu under the GIL")
    assert verdict.plan.strategy in {"process", "hybrid", "sequential"}


@gil
@pytest.mark.skipif(usable_cpus() < 2, reason="one core has nothing to gain by processes")
@patient
def test_what_was_set_in_a_module_keeps_the_work_here(monkeypatch):
    """A worker would import the module anew, and others would be the results."""
    monkeypatch.undo()  # what an attempt before has set
    # enough for processes, and for asking one
    asked = Workload(callables.compute_as_set, range(600), items_count=100_000)
    assert recommend(asked, verify=False).plan.strategy in {"process", "hybrid"}

    monkeypatch.setattr(callables, "ROUNDS", 2)
    verdict = recommend(asked, verify=False)
    assert "verdict_callables.ROUNDS has another value" in verdict.estimate("process").obstacle
    assert verdict.run() == [2] * 600


@gil
@pytest.mark.skipif(usable_cpus() < 2, reason="one core has nothing to gain by processes")
@patient
def test_what_a_worker_cannot_load_keeps_the_work_here():
    """It can be pickled, so that processes would be chosen, and `run(..., strategy=verdict)` would fail."""
    # enough for processes, and time for asking one
    asked = Workload(partial(callables.compute_beside, callables.Sealed()), range(300), items_count=100_000)
    verdict = recommend(asked, verify=False, budget=10)
    obstacle = verdict.estimate("process").obstacle
    assert "a worker process cannot load compute_beside: ValueError: invalid literal" in obstacle
    assert run(asked.fn, range(9), strategy=verdict) == [callables.compute(item) for item in range(9)]


def test_what_a_worker_could_not_load_in_time_is_not_known():
    """Of a callable that holds an object nobody can say without one."""
    sealed = partial(callables.compute_beside, callables.Sealed())
    assert elsewhere(sealed, 0) == UNTOLD
    assert "cannot load compute_beside" in elsewhere(sealed, 30).obstacle
    assert elsewhere(partial(max, [1, 2]), 0) == Elsewhere()  # nothing to ask


def test_a_verdict_asks_a_worker_in_a_running_loop_too(monkeypatch):
    """It blocks the loop, as all of `recommend` does there."""
    monkeypatch.setattr(callables, "ROUNDS", 2)

    async def ask():
        return elsewhere(callables.compute_as_set, 30)

    assert "verdict_callables.ROUNDS has another value" in asyncio.run(ask()).obstacle


def test_a_worker_that_is_long_in_importing_is_not_waited_for(monkeypatch, tmp_path):
    """A verdict is due within the budget, though the import that the worker is at should never end."""
    lines = ["import os, threading", "LIMIT = 3", "if 'STUCK' in os.environ: threading.Event().wait()"]
    tmp_path.joinpath("stuck.py").write_text("\n".join([*lines, "def work(item): return LIMIT"]))
    monkeypatch.syspath_prepend(tmp_path)
    stuck = importlib.import_module("stuck")

    assert elsewhere(stuck.work, 0) == UNTOLD
    monkeypatch.setenv("STUCK", "yes")
    assert elsewhere(stuck.work, 0.2) == UNTOLD


def test_a_worker_that_is_long_in_starting_is_not_waited_for(monkeypatch):
    """On a busy machine that took 200 ms, where there were 80: only what it was then asked had a limit."""
    gate, ended = threading.Event(), threading.Event()

    def execute(_strategy, _job):
        gate.wait(60)
        ended.set()
        return iter(())

    monkeypatch.setattr(_elsewhere.ProcessStrategy, "execute", execute)
    monkeypatch.setattr(callables, "ROUNDS", 2)

    assert elsewhere(callables.compute_as_set, 0.05) == UNTOLD
    assert not ended.is_set()
    gate.set()
    assert ended.wait(10)


def test_where_no_worker_can_be_asked_none_is_chosen(monkeypatch, tmp_path):
    """As with a server whose descriptors are used up: `recommend` has a verdict all the same."""
    monkeypatch.chdir(tmp_path)  # no workers rest there
    with no_descriptors():
        assert "Too many open files" in elsewhere(callables.compute_as_set, 30).obstacle


@gil
@pytest.mark.skipif(usable_cpus() < 2, reason="one core has nothing to gain by processes")
@patient
def test_what_nobody_had_time_to_ask_is_asked_before_it_runs(monkeypatch):
    """Wrong results would be dearer than the time."""
    monkeypatch.setattr(_choosing, "elsewhere", lambda _fn, _seconds, _tasks: UNTOLD)
    monkeypatch.setattr(callables, "ROUNDS", 2)
    asked = Workload(callables.compute_as_set, range(600), items_count=10_000)
    verdict = recommend(asked, verify=False)

    assert UNTOLD.note in verdict.notes
    assert verdict.plan.strategy in {"process", "hybrid"}
    if (results := verdict.run()) != [2] * 600:
        pytest.fail(f"not by chance: {results}")


@patient
def test_hashing_is_cpu_outside_the_gil():
    """It lets go of the GIL, so no process needs to be started for it."""
    verdict = recommend(callables.digest, range(2000), verify=False)
    assert (verdict.bound, verdict.diagnosis) == ("cpu", "cpu outside the GIL")


@patient
def test_tiny_work_is_left_alone():
    """Handing it over would take longer than doing it."""
    verdict = recommend(abs, range(1000))
    assert verdict.diagnosis == "tiny"
    assert verdict.plan.strategy == "sequential"


def test_a_workload_says_the_same_as_its_parts():
    """Workload(fn, items), or fn and items."""
    verdict = recommend(Workload(callables.double, range(50), name="doubling"))
    assert verdict.name == "doubling"
    assert verdict.run() == [item * 2 for item in range(50)]


@patient
def test_the_verdict_prints_as_a_table_of_all_strategies():
    """With the chosen one marked, the reason above and the explanation of ± below."""
    text = str(recommend(callables.double, range(50)))
    for strategy in ("sequential", "thread", "asyncio", "uvloop", "anyio", "process", "hybrid"):
        assert strategy in text
    assert ">  sequential" in text
    assert 'Use "sequential"' in text


def test_the_verdict_is_a_recommendation():
    """It goes wherever one goes; its JSON gives it back, without the work."""
    verdict = recommend(callables.double, range(50))
    again = Recommendation.from_json(verdict.to_json())
    assert type(verdict).from_json(verdict.to_json()) == again
    assert isinstance(verdict, Recommendation)
    assert again.plan == verdict.plan
    assert str(again) == str(verdict)


def test_an_iterable_that_raised_has_no_more_items():
    """The prediction is for those that came, and is no assumption."""

    def broken():
        yield from (1, 2)
        raise LookupError

    verdict = recommend(callables.double, broken())
    assert (verdict.items, verdict.items_known) == (2, True)
    with pytest.raises(LookupError):
        verdict.run()


@pytest.mark.parametrize("made", [lambda verdict: verdict, lambda verdict: verdict.strategy])
def test_run_takes_a_verdict(made):
    """The verdict itself, or its strategy: for other items, as often as one likes."""
    verdict = recommend(callables.double, range(50))
    for _ in range(2):
        assert run(callables.double, range(10), strategy=made(verdict)) == [item * 2 for item in range(10)]


def test_the_executor_does_what_the_verdict_says():
    """An ordinary `concurrent.futures.Executor`, as wide as the plan."""
    verdict = recommend(callables.nap, range(200))
    with verdict.executor() as executor:
        assert list(executor.map(callables.double, range(5))) == [0, 2, 4, 6, 8]


def test_no_executor_awaits():
    """What it would give are coroutines that nobody has awaited, so there is none for an `async def`."""
    verdict = recommend(callables.rest, range(20), verify=False)
    with pytest.raises(InvalidArgumentError, match="needs an event loop"):
        verdict.executor()


@patient
def test_it_costs_a_quarter_of_a_second():
    """Or a twentieth of the work, if that is more; half of the work is a generous bound for busy machines."""
    start = time.perf_counter()
    recommend(callables.nap, range(1000))
    assert time.perf_counter() - start < 2.5


@pytest.mark.parametrize(("budget", "alone", "most"), [(1.0, 0.2, 0.975), (0.05, 0.05, 0.025)])
def test_some_of_a_budget_is_kept_for_judging(monkeypatch, budget, alone, most):
    """A call that never came back took all of it, and judging 60 ms more. A small one may be needed whole."""
    given = {}
    monkeypatch.setattr(
        _choosing, "profile", lambda *_, **options: given.update(options) or profile(*_, **options)
    )
    recommend(callables.double, range(3), budget=budget)
    assert given["budget"] == pytest.approx(alone)
    assert given["most"] == pytest.approx(most)


@gil
@patient
def test_what_if_there_were_more_cpus():
    """The same profile, judged for another machine; nothing races there."""
    verdict = recommend(callables.compute, range(100_000), machine=Machine(cpus=64))
    assert verdict.machine.cpus == 64
    assert verdict.plan.strategy in {"process", "hybrid"}
    assert verdict.plan.workers > 8
    assert all(each.measured is None for each in verdict.estimates)


@gil
@patient
def test_what_if_there_were_a_thousand_times_the_items():
    """`items_count` says how many to predict for; those there are get run."""
    few = recommend(Workload(callables.compute, range(50), items_count=50_000), machine=Machine(cpus=8))
    assert few.items == 50_000
    assert few.plan.strategy in {"process", "hybrid"}
    assert len(few.run()) == 50


@patient
def test_what_if_there_were_no_gil():
    """Python code then goes to threads."""
    verdict = recommend(callables.compute, range(50_000), machine=Machine(cpus=8, gil=False))
    assert verdict.plan.strategy == "thread"
    assert verdict.plan.workers >= 6


def test_what_cannot_travel_is_told_in_the_table():
    """Which part of the callable, and why."""
    import socket

    with socket.socket() as connection:
        verdict = recommend(lambda item: (connection, item)[1], range(20))
        assert "'connection' is a socket" in str(verdict)
        assert verdict.estimate("process").obstacle
        assert verdict.run() == list(range(20))


def test_calls_that_change_a_module_stay_in_this_process():
    """Each process would have a list of its own; computing of this kind would otherwise go there."""
    callables.SEEN.clear()
    verdict = recommend(callables.note, range(500), verify=False)
    obstacle = "calls change the global 'SEEN', which would be lost in another process"
    assert {verdict.estimate(each).obstacle for each in ("process", "hybrid")} == {obstacle}
    verdict.run()
    assert sorted(callables.SEEN) == list(range(500))


@patient
def test_a_thread_can_ask_for_a_running_loop():
    """`recommend` blocks, so a loop lets a thread do it; coroutines too, on a loop of their own."""

    async def main():
        verdict = await asyncio.to_thread(recommend, callables.rest, range(40))
        return verdict, await asyncio.to_thread(verdict.run)

    verdict, results = asyncio.run(main())
    assert verdict.bound == "io"
    assert len(results) == 40


def test_a_running_loop_is_not_blocked_by_the_work():
    """A notebook may ask for a verdict; running it is refused there, and can still be done."""

    async def main():
        verdict = recommend(callables.rest, range(20), verify=False)
        with pytest.raises(RunningLoopError, match=r"await asyncio.to_thread\(verdict.run\)"):
            verdict.run()
        return verdict

    assert len(asyncio.run(main()).run()) == 20


def test_the_names_are_public():
    """`from concurrent_choices import recommend`."""
    for name in ("Machine", "Recommendation", "Workload", "recommend"):
        assert name in concurrent_choices.__all__


@patient
def test_a_coroutine_that_blocks_for_longer_than_the_budget():
    """It does not come back, and yet the verdict knows that it holds the loop, where, and for how long."""
    verdict = recommend(callables.blocks_for_long, range(3))

    assert verdict.diagnosis.startswith("async that blocks the loop at ")
    assert verdict.plan.strategy == "thread"
    assert verdict.profile.wall_at_least
    assert "at least" in str(verdict)
    assert verdict.run() == [0, 1, 2]


class Table:
    """As a DataFrame: its length counts rows, and a loop over it comes to its columns."""

    def __len__(self):
        return 1000

    def __iter__(self):
        return iter(["a", "b"])


def test_what_a_loop_comes_to_is_counted():
    """The verdict is about what `run` would do."""
    verdict = recommend(len, Table())
    assert (verdict.items, verdict.run()) == (2, [1, 1])


class Unruly:
    """Raises what it likes for a name that it does not know."""

    def __getattr__(self, name):
        raise LookupError(name)

    def __call__(self, item):
        return item


def test_a_callable_that_raises_if_asked_for_a_name():
    """It is called all the same, and named after its class."""
    verdict = recommend(Unruly(), range(3))
    assert verdict.name == "Unruly"
    assert verdict.run() == [0, 1, 2]
