"""The executor as its users meet it: every kind of call, and every kind of bad input."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import importlib
import logging
import os
import signal
import sys
import threading
import time
import weakref
from concurrent.futures import CancelledError, as_completed, wait
from contextlib import contextmanager, nullcontext
from contextvars import copy_context
from functools import cache, partial, wraps
from unittest import mock

import pytest
from executor_acts import (
    act,
    digest,
    give_lock,
    hold,
    large,
    nap,
    place_of,
    spin,
    traced,
    where,
    where_it_is,
    work,
)
from pool_calls import appear

from concurrent_choices import (
    AdaptiveExecutor,
    InvalidArgumentError,
    NotPicklableError,
    QueueFullError,
    RemoteError,
    WorkerDiedError,
)
from concurrent_choices._embed import _core
from concurrent_choices._embed._accounting._account import WAITING
from concurrent_choices._embed._accounting._held import held_by
from concurrent_choices._embed._accounting._looks import FIRST, Looks
from concurrent_choices._embed._calls._mapping import run_chunk
from concurrent_choices._embed._calls._tasks import Task
from concurrent_choices._embed._core import FEW, NO_GIL, Core
from concurrent_choices._embed._processes import _in_tray, _remote
from concurrent_choices._embed._processes._packing import callable_frames
from concurrent_choices._embed._processes._remote import Call, Report, serve
from concurrent_choices._embed._settings import Settings
from concurrent_choices._embed._threads import _stall_monitor
from concurrent_choices._embed._threads._losses import lost_by
from concurrent_choices._platform._interpreter import gil_enabled
from concurrent_choices._platform._processors import usable_cpus
from concurrent_choices._strategies._workers._hosting._host import Worker
from descriptors import no_descriptors
from interpreters import interpreter
from interruption import strike_after
from patience import patient

PATIENCE = 400


def counted(seconds):
    """A callable that takes so long, and a list of how many of its calls have run at once at most."""
    lock, running, most = threading.Lock(), [0], [0]

    def limited():
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(seconds)
        with lock:
            running[0] -= 1

    return limited, most


told_by_workers = pytest.mark.skipif(not gil_enabled(), reason="in workers without a GIL nobody holds it")


def moved(executor, fn, *args):
    """Call until the callable runs in processes; whether it came to that."""
    name = getattr(fn, "__qualname__", type(fn).__qualname__)
    for _ in range(PATIENCE):
        executor.submit(fn, *args).result()
        learnt = executor.explain()[name]
        if learnt.place == "process":
            return True
    return False


def why(executor, fn):
    """What the executor says of a callable."""
    return executor.explain()[fn.__qualname__].why


def test_a_first_call_runs_at_once_in_a_thread(executor):
    """What is not known yet starts in this process."""
    assert executor.submit(where, 1).result() == os.getpid()


def test_bursts_of_waiting_calls_that_queue_soon_run_at_once(executor):
    """Also where few queue, and nobody does any more when all that ran meanwhile are back."""
    waits, most = counted(0.02)
    for _ in range(10):
        executor.submit(waits).result()  # one at a time, which gives it the limit of what is known to wait
    for _ in range(WAITING // 2):  # of the two that queue each time, all together are no round
        for future in [executor.submit(waits) for _ in range(WAITING + 2)]:
            future.result()
        if most[0] > WAITING:
            break
    assert most[0] > WAITING


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


def test_a_lambda_and_a_closure_move(executor):
    """What pickle cannot send goes by value, since workers never import the main module."""
    base = 5
    assert moved(executor, lambda: spin(200_000) + base)


def test_waiting_stays_in_threads_and_gets_many(executor):
    """A callable that waits is not held up by a small number of threads."""
    enough = threading.Barrier(30)
    futures = [executor.submit(enough.wait, 20) for _ in range(30)]
    assert sorted(future.result() for future in futures) == list(range(30))


def test_nested_calls_do_not_deadlock(executor):
    """Calls that wait for calls of their own make room for them, however deep."""

    def nested(depth):
        return 1 + executor.submit(nested, depth - 1).result() if depth else 0

    futures = [executor.submit(nested, 6) for _ in range(8)]
    assert [future.result(30) for future in futures] == [6] * 8


@pytest.mark.parametrize("kind", ["closure", "global", "self", "argument", "default"])
def test_what_changes_what_it_holds_is_never_moved(executor, kind):
    """A change that another process would lose keeps a callable here, so no change is lost."""
    seen = []
    counts = {"global": 0}

    def close():
        counts["global"] += 1
        return spin(100_000)

    def append(to):
        to.append(1)
        return spin(100_000)

    def default(to=seen):
        to.append(1)
        return spin(100_000)

    counter = Counter()
    fn, args, count = {
        "closure": (close, (), lambda: counts["global"]),
        "global": (bump, (), lambda: COUNTED["calls"]),
        "self": (counter.step, (), lambda: counter.count),
        "argument": (append, (seen,), lambda: len(seen)),
        "default": (default, (), lambda: len(seen)),
    }[kind]
    before = count()
    for _ in range(60):
        executor.submit(fn, *args).result()
    assert count() - before == 60
    assert executor.explain()[fn.__qualname__].place == "thread"
    assert "changed" in why(executor, fn)


COUNTED = {"calls": 0}


class Counter:
    """Counts its calls on itself."""

    def __init__(self):
        self.count = 0

    def step(self):
        """Count."""
        self.count += 1
        return spin(100_000)


def bump():
    """Count in a global."""
    COUNTED["calls"] += 1
    return spin(100_000)


def not_moved(executor, fn, *args, **kwargs):
    """Call until the executor says that calls change something; what it says of that."""
    for _ in range(PATIENCE):
        executor.submit(fn, *args, **kwargs).result()
        if "would be lost" in why(executor, fn):
            break
    assert executor.explain()[fn.__qualname__].place == "thread"
    return why(executor, fn)


LATE = []


def note_late(number):
    """Note in a global what comes late."""
    spin(100_000)
    if number > 1:
        LATE.append(number)


def mark_late(_rounds, number, to):
    """Mark in an argument what comes late."""
    spin(100_000)
    if number > 1:
        to["seen"] = number


class LateCounter:
    """Counts on itself what comes late."""

    def __init__(self):
        self.count = 0

    def step(self, number):
        """Count."""
        spin(100_000)
        if number > 1:
            self.count += 1

    def __call__(self, number):
        """Count."""
        self.step(number)
        if number > 1:
            self.count = 0


def note_by_name(number, *, to=()):
    """Change what it is given under a name alone, though not at first."""
    spin(100_000)
    if number > 1:
        to.append(number)


LOST = {
    "the enclosing 'seen'": lambda enclosed: (enclosed, (1,)),
    "the global 'LATE'": lambda _: (note_late, (1,)),
    "its object": lambda _: (LateCounter().step, (1,)),
    "their arguments": lambda _: (mark_late, (1, 1, {})),
}


@pytest.mark.parametrize("changed", LOST)
def test_what_may_change_what_it_holds_later_is_never_moved(executor, changed):
    """As `run` has it: where the code plainly does so, though no call has got there yet."""
    seen = []

    def enclosed(number):
        spin(100_000)
        if number > 1:
            seen.append(number)

    fn, args = LOST[changed](enclosed)
    expected = f"calls change {changed}, which would be lost in another process"
    assert not_moved(executor, fn, *args) == expected


def test_whatever_form_a_call_has_that_may_change_what_it_is_given(executor):
    """By keyword, in a partial, in a chunk and of a callable object: what it may change is found."""
    lost = "which would be lost in another process"
    assert not_moved(executor, mark_late, 1, 1, to={}) == f"calls change their arguments, {lost}"
    assert lost_by(partial(mark_late, 1, number=1), (), {"to": {}}) == f"calls change their arguments, {lost}"
    assert lost_by(note_by_name, (1,), {"to": []}) == f"calls change their arguments, {lost}"
    assert not lost_by(note_by_name, (1,), {})
    assert lost_by(LateCounter(), (1,), {}) == f"calls change its object, {lost}"
    assert lost_by(partial(run_chunk, note_late), (((1,),),), {}) == f"calls change the global 'LATE', {lost}"
    assert not lost_by(partial(run_chunk, spin), (((1,),),), {})
    assert not lost_by(pow, (2, 3), {})


def test_what_fails_as_its_code_is_looked_at_is_a_reason_to_stay():
    """What a value raises as it is asked what it is, is no outcome of a call."""
    words = lost_by(Shy(), (), {})
    assert words == "nobody can tell what calls change (RuntimeError: shy)"


class Shy:
    """Does not say what it is."""

    def __call__(self):
        return "called"

    @property
    def __class__(self):
        raise RuntimeError("shy")


def tally(_item):
    """Count in a global."""
    return bump()


LATE_IN_A_SCRIPT = """
from concurrent_choices import AdaptiveExecutor

class Meter:
    count, counts = 0, False
    def note(self):
        object.__setattr__(self, "count", self.count + 1)
    def read(self):
        for number in range(400_000):
            pass
        if self.counts:
            self.note()

def read_until(come_to):
    for _ in range(400):
        executor.submit(meter.read).result()
        if executor.explain()["Meter.read"].place == come_to:
            break

with AdaptiveExecutor() as executor:
    meter = Meter()
    read_until("process")
    meter.counts = True
    read_until("thread")
    print(executor.explain()["Meter.read"].why)
"""


@told_by_workers
def test_what_comes_to_change_an_object_of_a_scripts_class_comes_back():
    """Of such a class nothing has a pickle in a worker, which sees all the same what calls do to it."""
    assert "changed what it holds" in interpreter("-c", LATE_IN_A_SCRIPT).stdout


def stamp(row):
    """Change what is given, in a way that no code tells of."""
    vars(dict)["__setitem__"](row, "seen", 1)


def stamp_late(row):
    """Compute, and come to change what is given."""
    spin(row["rounds"])
    if row["late"]:
        stamp(row)


class Stamped:
    """An object that its own method comes to change."""

    def __init__(self, rounds, *, late):
        self.row = {"rounds": rounds, "late": late}

    def work(self):
        stamp_late(self.row)


@pytest.mark.parametrize(
    "call_of", [lambda row: (stamp_late, row), lambda row: (Stamped(row["rounds"], late=row["late"]).work,)]
)
def test_what_comes_to_change_what_it_is_given_comes_back_and_is_told(call_of, caplog):
    """Workers look at that now and then, once they have been at work for a second."""
    with AdaptiveExecutor(max_processes=1) as executor:
        fn, *args = call_of({"rounds": 200_000, "late": False})
        name = fn.__qualname__
        assert moved(executor, fn, *args), executor.explain()
        for _ in range(PATIENCE):
            fn, *args = call_of({"rounds": 1_000_000, "late": True})
            executor.submit(fn, *args).result()
            if executor.explain()[name].place == "thread":
                break
        changed = "a call changed what it was given"
        assert executor.explain()[name].why == f"{changed}, which would be lost in another process"
        assert f"{name}: {changed} in a worker process, and the change stayed there" in caplog.text


def test_a_callable_that_does_not_say_what_it_is_is_called_all_the_same(monkeypatch):
    """What it is given cannot be told then, and is not looked at."""
    monkeypatch.setattr(_remote, "REPAID", 0.0)
    frames = callable_frames(Held(Shy))
    call = Call(token=0, frames=frames, forget=False, number=1, args=(), kwargs={}, look=False, trial=0)
    assert serve(call).value == "called"


def test_chunks_of_what_changes_what_it_holds_are_never_moved(executor):
    """What is bundled is looked at, not the bundle."""
    before = COUNTED["calls"]
    list(executor.map(tally, range(80), chunksize=2))
    assert COUNTED["calls"] - before == 80
    assert "changed" in why(executor, tally)


def test_what_a_partial_holds_is_not_asked_of_its_function(executor):
    """They hold different things, which bars neither from going to processes."""
    for _ in range(PATIENCE):
        executor.submit(partial(where, 200_000)).result()
        if executor.explain()["where"].place == "process":
            break
    assert executor.submit(where, 200_000).result() != os.getpid()
    assert "changed" not in why(executor, where)


LOCK = threading.Lock()


def locked():
    """Use something that only this process has."""
    with LOCK:
        return spin(100_000)


@cache
def first_cached(rounds):
    """Compute."""
    return spin(rounds)


@cache
def then_cached(rounds):
    """Count in a global."""
    COUNTED["calls"] += 1
    return spin(rounds)


@traced
def first_traced(rounds):
    """Compute."""
    return spin(rounds)


@traced
def then_traced(rounds):
    """Count in a global."""
    COUNTED["calls"] += 1
    return spin(rounds)


@pytest.mark.parametrize(("first", "then"), [(first_cached, then_cached), (first_traced, then_traced)])
def test_what_was_learnt_of_one_decorated_callable_moves_no_other(executor, first, then):
    """The second would go to processes unexamined, and what it changes would be lost."""
    for more in range(PATIENCE):
        executor.submit(first, 200_000 + more).result()
        if executor.explain()[first.__qualname__].place == "process":
            break
    assert executor.explain()[first.__qualname__].place == "process"
    before = COUNTED["calls"]
    wait([executor.submit(then, 200_000 + more) for more in range(20)])
    assert COUNTED["calls"] - before == 20


def plain(rounds):
    """Compute."""
    return spin(rounds)


def tallied(fn):
    """Decorate, and count the calls in a global."""

    @wraps(fn)
    def around(*args):
        COUNTED["calls"] += 1
        return fn(*args)

    return around


def test_what_was_learnt_of_a_callable_does_not_move_its_decorated_form(executor):
    """What the decorator changes would be lost."""
    assert moved(executor, plain, 200_000)
    before = COUNTED["calls"]
    wait([executor.submit(tallied(plain), 200_000) for _ in range(20)])
    assert COUNTED["calls"] - before == 20


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


def test_what_uses_a_lock_stays(executor):
    """A lock of this process means nothing in another, so its users are not moved."""
    for _ in range(40):
        executor.submit(locked).result()
    assert executor.explain()["locked"].place == "thread"
    assert "'LOCK'" in why(executor, locked)


FACTOR = {"by": 1}


def scaled(rounds):
    """Compute with a global."""
    spin(rounds)
    return FACTOR["by"]


class Scaler:
    """Computes with a global, too."""

    def scale(self, rounds):
        """Compute with a global."""
        spin(rounds)
        return FACTOR["by"]

    def __call__(self, rounds):
        """Compute with a global."""
        spin(rounds)
        return FACTOR["by"]


USERS = {
    "function": lambda executor: executor.submit(scaled, 200_000).result(),
    "method": lambda executor: executor.submit(Scaler().scale, 200_000).result(),
    "partial": lambda executor: executor.submit(partial(scaled, 200_000)).result(),
    "object": lambda executor: executor.submit(Scaler(), 200_000).result(),
    "chunk": lambda executor: next(executor.map(scaled, [100_000] * 2, chunksize=2)),
}


@pytest.mark.parametrize("kind", USERS)
def test_a_global_that_is_set_between_calls_counts_from_the_next_one_on(kind, executor, monkeypatch):
    """Whatever it is of whose calls are away, it comes back before a worker uses what it has imported."""
    use = USERS[kind]
    for _ in range(PATIENCE):
        use(executor)
        (learnt,) = executor.explain()
        if learnt.place == "process":
            break
    assert learnt.place == "process", executor.explain()
    assert [use(executor) for _ in range(3)] == [1] * 3
    monkeypatch.setitem(FACTOR, "by", 2)
    assert [use(executor) for _ in range(20)] == [2] * 20
    (learnt,) = executor.explain()
    assert learnt.place == "thread"


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


def priced(rounds):
    """Compute with another function."""
    return spin(rounds), price()


def price():
    """An old price."""
    return "old"


def test_a_function_that_is_bound_anew_counts_from_the_next_call_on(executor, monkeypatch):
    """As a helper that is defined again in a notebook, or replaced for a test."""
    for _ in range(PATIENCE):
        assert executor.submit(priced, 200_000).result()[1] == "old"
        if executor.explain()["priced"].place == "process":
            break
    monkeypatch.setitem(globals(), "price", lambda: "new")
    assert [executor.submit(priced, 200_000).result()[1] for _ in range(20)] == ["new"] * 20


def dearer():
    """A price that a test asks for."""
    return "dear"


@contextmanager
def monkeypatched(target):
    """As the fixture has it, for the time of a test."""
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(target, dearer)
        yield


@pytest.mark.parametrize(
    "patched",
    [
        partial(mock.patch, "time.localtime"),
        partial(mock.patch, f"{__name__}.price"),
        partial(mock.patch, f"{__name__}.price", new=dearer),
        partial(monkeypatched, f"{__name__}.price"),
    ],
    ids=["library", "own", "own by own", "monkeypatch"],
)
@pytest.mark.parametrize("places", [("process", "thread", "process"), ("thread", "process")])
def test_a_patch_keeps_a_callable_only_while_it_lasts(patched, places, executor):
    """It may surround one call of many in a test, and workers are the right place for those after it."""
    for place in places:
        with patched() if place == "thread" else nullcontext():
            for _ in range(PATIENCE):
                executor.submit(priced, 200_000).result()
                known = executor.explain()["priced"]
                if known.place == place and (place == "process" or "replaced" in known.why):
                    break
            assert known.place == place, known.why
            assert place == "process" or "was replaced here" in known.why


def attributed(rounds):
    """Count its calls in an attribute of its own."""
    attributed.calls += 1
    return spin(rounds)


def test_what_counts_in_an_attribute_of_its_own_stays(executor):
    """A worker has a function of its own, and another count."""
    attributed.calls = 0
    assert not_moved(executor, attributed, 200_000).endswith("which would be lost in another process")
    for _ in range(20):
        executor.submit(attributed, 200_000).result()
    assert attributed.calls == executor.explain()["attributed"].calls > 20


SETTABLE = """
LIMIT = 1


def work(rounds):
    total = 0
    for number in range(rounds):
        total += number
    return LIMIT
"""


def test_what_was_set_in_a_module_since_its_import_stays(executor, tmp_path, monkeypatch):
    """A worker imports the module and would find what it says, so results would depend on the place."""
    (tmp_path / "settable.py").write_text(SETTABLE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "settable", raising=False)
    settable = importlib.import_module("settable")
    settable.LIMIT = 2
    for _ in range(PATIENCE):
        assert executor.submit(settable.work, 200_000).result() == 2
        if "differs" in why(executor, settable.work):
            break
    assert "it was changed since that was imported" in why(executor, settable.work)


@pytest.mark.parametrize("limit", [1, 2])
def test_what_travels_by_value_stays_if_a_worker_finds_other_things_in_modules(
    limit, executor, tmp_path, monkeypatch
):
    """It brings nothing along of the modules that it uses, and a worker imports them anew."""
    (tmp_path / "settable.py").write_text(SETTABLE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "settable", raising=False)
    settable = importlib.import_module("settable")
    settable.LIMIT, inner = limit, settable.work

    def work(rounds):
        return inner(rounds)

    for _ in range(PATIENCE):
        assert executor.submit(work, 200_000).result() == limit
        if executor.explain()[work.__qualname__].place == "process" or "modules" in why(executor, work):
            break
    differs = "(settable.LIMIT has another value there than here)"
    words = f"a worker process finds other things in modules {differs}"
    assert (why(executor, work) == words) is (limit == 2)


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


def test_a_pinned_executor_runs_in_a_thread_what_cannot_travel():
    """Even where processes were asked for, a call with a lock is made."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        assert executor.submit(where, 1).result(30) != os.getpid()
        lock = threading.Lock()
        assert executor.submit(lambda given: given is lock, lock).result(30)
        assert "pickled" in next(each.why for each in executor.explain() if "lambda" in each.name)
        assert "of some calls" in next(each.why for each in executor.explain() if "lambda" in each.name)


def test_contextvars_are_carried(executor):
    """A call sees its submitter's context variables and leaks none of its own."""
    variable = contextvars.ContextVar("variable", default=0)
    variable.set(7)

    def look():
        seen = variable.get()
        variable.set(8)
        return seen

    assert [executor.submit(look).result() for _ in range(3)] == [7, 7, 7]
    assert variable.get() == 7


def test_a_coroutine_function_gives_its_coroutine(executor):
    """An `async def` is called like anything else, and never moved."""

    async def give():
        return 3

    assert asyncio.run(executor.submit(give).result()) == 3
    with AdaptiveExecutor(max_processes=1, place="process") as pinned:
        assert asyncio.run(pinned.submit(give).result()) == 3
        assert "async def" in why(pinned, give)


def test_its_futures_serve_asyncio(executor):
    """`wrap_future` and `run_in_executor` work as with any executor."""

    async def main():
        loop = asyncio.get_running_loop()
        one = await asyncio.wrap_future(executor.submit(pow, 2, 3))
        return one, await loop.run_in_executor(executor, pow, 2, 4)

    assert asyncio.run(main()) == (8, 16)


def test_its_futures_serve_wait_and_as_completed(executor):
    """Both helpers of `concurrent.futures` take them."""
    futures = [executor.submit(pow, 2, power) for power in range(5)]
    assert wait(futures).not_done == set()
    assert sorted(future.result() for future in as_completed(futures)) == [1, 2, 4, 8, 16]


def test_to_thread_is_seen_through(executor):
    """What asyncio wraps into `Context.run` is known by its own name, and may be moved."""

    async def main():
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        for _ in range(3):
            await loop.run_in_executor(executor, partial(context.run, spin, 10))

    asyncio.run(main())
    assert executor.explain()["spin"].calls == 3


@pytest.mark.parametrize("chunksize", [1, 7])
@pytest.mark.parametrize("buffersize", [None, 3])
def test_map_keeps_the_order(executor, chunksize, buffersize):
    """Results come in the order of the items, in chunks or not, ahead or not."""
    results = executor.map(pow, range(20), [2] * 20, chunksize=chunksize, buffersize=buffersize)
    assert list(results) == [number**2 for number in range(20)]


def test_map_with_a_buffer_takes_an_endless_iterable(executor):
    """With `buffersize`, items are taken only as results are."""
    from itertools import count

    taken = iter(executor.map(abs, count(), buffersize=4))
    assert [next(taken) for _ in range(10)] == list(range(10))


@pytest.mark.parametrize("chunksize", [1, 2])
def test_map_of_an_executor_that_nobody_else_holds(chunksize):
    """It is there for as long as there are items to come."""
    results = AdaptiveExecutor().map(abs, range(40), chunksize=chunksize, buffersize=4)
    gc.collect()
    assert list(results) == list(range(40))


@pytest.mark.parametrize("call", ["submit", "map", "map in chunks"])
def test_what_cannot_be_called_is_refused(executor, call):
    """At the call, rather than by each future, whose error would not say what to give."""
    calls = {
        "submit": lambda: executor.submit(3),
        "map": lambda: executor.map(3, [1], buffersize=1),
        "map in chunks": lambda: executor.map(3, [1], chunksize=2),
    }
    with pytest.raises(InvalidArgumentError) as caught:
        calls[call]()
    assert str(caught.value) == "fn: must be callable, not int; give the function itself, without calling it"


@pytest.mark.parametrize("argument", ["chunksize", "buffersize"])
@pytest.mark.parametrize("wrong", [0, 1.5, "two", True])
def test_map_refuses_what_is_no_whole_number(executor, argument, wrong):
    """The error comes at the call and names the argument."""
    with pytest.raises(InvalidArgumentError, match=f"^{argument}: must be a whole number from 1"):
        executor.map(abs, [1], **{argument: wrong})


def test_chunks_are_counted_as_calls_of_the_callable(executor):
    """`explain` speaks of the caller's function, not of how its calls were bundled."""
    list(executor.map(spin, [10] * 20, chunksize=5))
    assert executor.explain()["spin"].calls == 20


def test_chunks_of_short_calls_move(executor):
    """It is the chunk that makes the trip, and that is long enough for it."""
    for _ in range(PATIENCE):
        pids = set(executor.map(where, [5_000] * 80, chunksize=40))
        if os.getpid() not in pids:
            break
    assert os.getpid() not in pids, executor.explain()


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_threads": 0},
        {"max_threads": 1.5},
        {"max_processes": -1},
        {"max_queue": 0},
        {"when_full": "never"},
        {"place": "cloud"},
        {"limits": {pow: 0}},
        {"limits": {pow: True}},
        {"limits": [pow]},
    ],
)
def test_wrong_arguments_are_named(wrong):
    """An argument that cannot work is refused at once, by name."""
    with pytest.raises(InvalidArgumentError, match=next(iter(wrong))):
        AdaptiveExecutor(**wrong)


def test_submitting_after_shutdown_is_refused():
    """As everywhere, nothing is taken after the end."""
    executor = AdaptiveExecutor()
    executor.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(pow, 2, 2)


def test_shutdown_finishes_what_was_submitted():
    """What waits at a shutdown is still done."""
    executor = AdaptiveExecutor(1)
    gate = threading.Event()
    first = executor.submit(gate.wait, 10)
    rest = [executor.submit(pow, 2, power) for power in range(20)]
    executor.shutdown(wait=False)
    gate.set()
    assert first.result(10)
    assert [future.result(10) for future in rest] == [2**power for power in range(20)]


def test_shutdown_can_cancel_what_waits():
    """With `cancel_futures` what has not begun is cancelled, and what runs ends."""
    executor = AdaptiveExecutor(1)
    begun, gate = threading.Event(), threading.Event()

    def hold():
        begun.set()
        return gate.wait(10)

    running = executor.submit(hold)
    begun.wait(10)
    waiting = [executor.submit(pow, 2, 2) for _ in range(5)]
    executor.shutdown(wait=False, cancel_futures=True)
    gate.set()
    assert running.result(10)
    assert all(future.cancelled() for future in waiting)
    with pytest.raises(CancelledError):
        waiting[0].result()


def test_nothing_is_left_behind():
    """After a shutdown neither a thread nor a process of it lives."""
    before = set(threading.enumerate())
    with AdaptiveExecutor(max_processes=2, place="process") as executor:
        pids = {executor.submit(where, 1).result(30) for _ in range(4)}
    assert set(threading.enumerate()) <= before
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_dropping_it_ends_its_threads():
    """An executor nobody holds any more finishes its calls and lets its threads go."""
    executor = AdaptiveExecutor(2, thread_name_prefix="dropped")
    futures = [executor.submit(pow, 2, 2) for _ in range(10)]
    threads = [each for each in threading.enumerate() if each.name.startswith("dropped")]
    del executor
    gc.collect()
    assert [future.result(10) for future in futures] == [4] * 10
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def test_submitting_from_everywhere(executor):
    """From many threads, from its own threads, and from the callbacks of its futures."""
    done = threading.Event()
    inner = []

    def called_back(_future):
        inner.append(executor.submit(pow, 3, 2))
        done.set()

    executor.submit(lambda: executor.submit(pow, 2, 2)).result().add_done_callback(called_back)
    results = []

    def many():
        results.extend(executor.submit(pow, 2, 3).result() for _ in range(50))

    threads = [threading.Thread(target=many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert done.wait(10)
    assert inner[0].result(10) == 9
    assert results == [8] * 400


def test_a_result_is_its_callers_alone_while_the_callable_is_reviewed(executor, monkeypatch):
    """A review may take long, and a large result would stay in memory until its end."""
    reviewing, gate = threading.Event(), threading.Event()

    def review(_account, _fn):
        reviewing.set()
        gate.wait(PATIENCE)

    monkeypatch.setattr(executor._core._dispatch, "_on_learnt", review)
    executor.submit(Result).result(PATIENCE)
    result = executor.submit(Result).result(PATIENCE)  # from the second on
    seen = weakref.ref(result)
    del result
    assert reviewing.wait(PATIENCE)
    assert seen() is None
    gate.set()


class Result:
    """What a call gives."""


def fail(rounds, _result):
    """Compute, and raise."""
    spin(rounds)
    raise KeyError(rounds)


@pytest.mark.parametrize("rounds", [0, 100_000])
def test_what_failed_is_not_kept_until_the_collector_comes(rounds):
    """An error's traceback holds the frames of those who made the call: none of them holds its future."""
    gc.disable()
    try:
        with AdaptiveExecutor(max_threads=1) as executor:
            seen = []
            for _ in range(20):
                argument = Result()
                seen.append(weakref.ref(argument))
                assert isinstance(executor.submit(fail, rounds, argument).exception(60), KeyError)
            del argument
            executor.submit(len, "").result(60)  # in the same thread
            assert [each() for each in seen] == [None] * 20
    finally:
        gc.enable()


def test_a_callback_may_wait_for_another_call(executor):
    """The thread that it is called in counts as busy until it comes back, so the call gets another one."""
    gate, done = threading.Event(), threading.Event()
    first = executor.submit(gate.wait)

    def called_back(_future):
        assert executor.submit(pow, 2, 3).result(60) == 8
        done.set()

    first.add_done_callback(called_back)
    gate.set()
    assert done.wait(60)


@pytest.mark.parametrize("place", ["thread", "process"])
def test_a_callback_that_exits_ends_no_thread_of_ours(place, tmp_path):
    """What futures let through is logged: other calls are made, and the shutdown comes back."""
    with AdaptiveExecutor(max_threads=1, place=place) as executor:
        future = executor.submit(appear, tmp_path / "go on")
        future.add_done_callback(lambda _: sys.exit("the callback's own business"))
        (tmp_path / "go on").touch()
        wait([future])
        assert executor.submit(spin, 3).result() == 3


def test_a_future_that_somebody_else_has_ended_is_named_as_such(caplog):
    """The log does not say that a callback raised."""
    gate = threading.Event()
    with AdaptiveExecutor(max_threads=1) as executor:
        future = executor.submit(gate.wait, 60)
        while not future.running():
            time.sleep(1e-3)
        future.set_result("mine")
        gate.set()
    assert future.result() == "mine"
    assert "somebody else has ended its future" in caplog.text
    assert "callback" not in caplog.text


@pytest.mark.parametrize("place", ["thread", "process"])
def test_a_waiting_future_that_somebody_else_has_ended_stops_nobody(place, tmp_path, caplog):
    """Its call is not made, the log says so, and the calls after it are."""
    with AdaptiveExecutor(max_threads=1, max_processes=1, place=place) as executor:
        first = executor.submit(appear, tmp_path / "go on")
        ended = [executor.submit(appear, tmp_path / "never") for _ in range(3)]
        for future in ended:
            future.set_result("mine")
        (tmp_path / "go on").touch()
        wait([first])
        assert executor.submit(spin, 3).result(60) == 3
    assert [future.result() for future in ended] == ["mine"] * 3
    assert "somebody else has ended its future" in caplog.text


def test_what_fails_while_a_callable_is_reviewed_ends_no_thread(caplog):
    """A fault there is logged: other calls are made, and the shutdown comes back."""

    def fail(_task):
        raise SystemExit

    with AdaptiveExecutor(max_threads=1) as executor:
        executor._core._dispatch._on_learnt = fail
        assert [executor.submit(spin, 3).result(60) for _ in range(3)] == [3, 3, 3]
    assert "could not be used" in caplog.text


def test_what_nobody_waits_for_does_not_begin_elsewhere():
    """A call that lay ahead at a worker is given up with the one that the worker was ended for."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        for _ in range(10):
            executor.submit(nap, 0).result()
        tasks = [executor._core.submit(nap, (300,), {}) for _ in range(2)]
        for task in reversed(tasks):
            executor._core.abandon(task)
        for task in tasks:
            with pytest.raises(CancelledError):
                task.result()


class Held:
    """What a call gives that is made where this is read."""

    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call[0], self.call[1:]


def two_at_one_worker(executor, folder, *, reading=False):
    """Two calls that one worker has, the second behind the first; each ends when its gate is there.

    Or, the second, as its argument is read.
    """
    executor._core.accounts.of(hold).figures.measured = 2  # and short, so that one may be sent ahead
    tasks = []
    for name in ("first", "second"):
        call = hold, folder / f"{name} begun", folder / f"{name} gate"
        fn, *args = (where_it_is, Held(*call)) if reading and tasks else call
        tasks.append(executor._core.submit(fn, tuple(args), {}))
        while not tasks[-1].running():
            time.sleep(1e-3)
    appear(folder / "first begun")
    return tasks


def test_no_call_is_sent_behind_one_of_unknown_length(tmp_path):
    """It would wait there for as long as that takes, while another worker has nothing to do."""
    with AdaptiveExecutor(max_processes=2, place="process") as executor:
        calls = [executor.submit(hold, tmp_path / f"{at} begun", tmp_path / f"{at} gate") for at in range(2)]
        for at in range(2):
            appear(tmp_path / f"{at} begun")
        third = executor.submit(where, 1)
        (tmp_path / "1 gate").touch()
        try:
            assert third.result(20) != os.getpid()
            assert not calls[0].done()
        finally:
            (tmp_path / "0 gate").touch()


def test_a_cancelled_call_is_not_made_when_its_turn_comes(tmp_path):
    """It lay behind another at a worker, which is ended as soon as the other is done."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        first, second = two_at_one_worker(executor, tmp_path)
        executor._core.abandon(second)
        (tmp_path / "first gate").touch()
        assert first.result(60) == "made"
        with pytest.raises(CancelledError):
            second.result(60)


def test_a_cancelled_call_that_has_ended_takes_no_other_with_it(tmp_path):
    """That it has ended was not read yet, and its worker makes another call already."""
    busy = threading.Event()
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        first, second = two_at_one_worker(executor, tmp_path)
        executor._core._process_pool.tray.put(busy.wait)  # so that it does not listen
        (tmp_path / "first gate").touch()
        appear(tmp_path / "second begun")
        executor._core.abandon(first)
        busy.set()
        (tmp_path / "second gate").touch()
        assert first.result(60) == second.result(60) == "made"


def test_a_call_that_ends_as_its_worker_is_ended_takes_no_other_with_it(tmp_path, monkeypatch):
    """What that worker would have begun next is made by another."""
    kill = Worker.kill
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        first, second = two_at_one_worker(executor, tmp_path)

        def kill_late(worker):
            (tmp_path / "first gate").touch()
            while worker.page.started < 2 and not (tmp_path / "second gate").exists():
                time.sleep(1e-3)
            (tmp_path / "second gate").touch()
            kill(worker)

        monkeypatch.setattr(Worker, "kill", kill_late)
        executor._core.abandon(first)
        assert second.result(60) == "made"


def test_a_call_that_is_read_as_another_is_given_up(tmp_path):
    """Its worker is ended for the other's sake, which says nothing against the arguments that it read."""
    busy = threading.Event()
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        first, second = two_at_one_worker(executor, tmp_path, reading=True)
        executor._core._process_pool.tray.put(busy.wait)
        (tmp_path / "first gate").touch()
        appear(tmp_path / "second begun")
        executor._core.abandon(first)
        busy.set()
        (tmp_path / "second gate").touch()
        assert second.result(60) != os.getpid()


def test_a_full_queue_rejects():
    """With "reject" the call beyond the queue's length is refused, by an error that says so."""
    gate = threading.Event()
    with AdaptiveExecutor(1, max_queue=2, when_full="reject") as executor:
        held = executor.submit(gate.wait, 10)
        for _ in range(2):
            executor.submit(pow, 2, 2)
        with pytest.raises(QueueFullError, match="max_queue=2"):
            executor.submit(pow, 2, 2)
        gate.set()
        assert held.result(10)


def test_a_refused_chunk_is_told_by_its_first_call():
    """As one would write it, not by the function of ours that makes a chunk's calls."""
    gate = threading.Event()
    with AdaptiveExecutor(1, max_queue=1, when_full="reject") as executor:
        executor.submit(gate.wait, 10)
        executor.submit(gate.wait, 10)
        try:
            with pytest.raises(QueueFullError, match=r"^chunk of 3 from pow\(2, 5\) was rejected"):
                executor.map(pow, [2] * 4, [5, 6, 7, 8], chunksize=3)
        finally:
            gate.set()


def test_a_full_queue_runs_in_the_caller():
    """With "caller" the submitting thread makes the call itself."""
    gate = threading.Event()
    with AdaptiveExecutor(1, max_queue=1, when_full="caller") as executor:
        executor.submit(gate.wait, 10)
        executor.submit(pow, 2, 2)
        assert executor.submit(threading.get_ident).result() == threading.get_ident()
        gate.set()


def test_the_caller_keeps_to_a_limit_too():
    """It waits rather than make a call more of a callable than may run at once."""
    limited, most = counted(5e-3)
    with AdaptiveExecutor(4, 0, max_queue=1, when_full="caller", limits={limited: 1}) as executor:
        futures = [executor.submit(limited) for _ in range(6)]
    assert all(future.exception() is None for future in futures)
    assert most == [1]


def test_a_call_in_the_caller_may_submit_more_of_its_kind():
    """It has the only place of its callable, so what it submits waits, though the queue is full."""
    gate, begun = threading.Event(), []

    def crawl(depth):
        begun.append(depth)
        if depth:
            executor.submit(crawl, depth - 1)
            executor.submit(crawl, depth - 1)

    with AdaptiveExecutor(1, 0, max_queue=1, when_full="caller", limits={crawl: 1}) as executor:
        executor.submit(gate.wait, 10)
        executor.submit(pow, 2, 2)
        executor.submit(crawl, 1)
        gate.set()
        while len(begun) < 3:
            time.sleep(1e-3)


def test_ctrl_c_stops_a_caller_that_makes_a_call():
    """It strikes in the caller's own thread: to leave it to the future would let the caller go on."""
    gate = threading.Event()
    with AdaptiveExecutor(1, max_queue=1, when_full="caller") as executor:
        executor.submit(gate.wait, 10)
        executor.submit(pow, 2, 2)
        with pytest.raises(KeyboardInterrupt):
            executor.submit(signal.raise_signal, signal.SIGINT)
        gate.set()


def test_ctrl_c_while_a_submitter_waits_holds_up_nobody(monkeypatch):
    """It may strike wherever a caller waits for room; the executor goes on."""
    gate = threading.Event()
    with AdaptiveExecutor(1, max_queue=1) as executor:
        waiting = [executor.submit(gate.wait, 10), executor.submit(pow, 2, 2)]
        monkeypatch.setattr(executor._core._room, "wait", lambda: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            executor.submit(pow, 2, 5)
        gate.set()
        assert [future.result(10) for future in waiting] == [True, 4]


@pytest.mark.parametrize("calls", range(24))
def test_ctrl_c_while_a_call_is_submitted_holds_up_nobody(executor, calls):
    """It may strike after any call that submitting makes: the lock is let go of, and others go on."""
    executor.submit(pow, 2, 2).result(10)
    while not executor._core._dispatch._idle:
        time.sleep(1e-3)
    strike_after(calls, partial(executor.submit, pow, 2, 3))
    later = []
    other = threading.Thread(target=lambda: later.append(executor.submit(pow, 2, 4).result()), daemon=True)
    other.start()
    other.join(10)
    assert later == [16]


@pytest.mark.parametrize("calls", range(16, 34))
def test_ctrl_c_while_a_call_is_sent_to_a_worker_holds_up_no_shutdown(calls):
    """What was counted is there: it is made, or was never taken."""
    executor = AdaptiveExecutor(place="process")
    executor.submit(pow, 2, 2).result(60)
    strike_after(calls, partial(executor.submit, pow, 2, 3))
    end = threading.Thread(target=executor.shutdown, daemon=True)
    end.start()
    end.join(20)
    assert not end.is_alive()


def interrupted(module, monkeypatch, moment):
    """Have Ctrl-C strike as a module starts its first thread: before that begins, or after."""

    def new_thread(target, name):
        made = threading.Thread(target=target, name=name, daemon=True)
        start = made.start

        def strike():
            monkeypatch.undo()
            if moment == "after":
                start()
            raise KeyboardInterrupt

        made.start = strike
        return made

    monkeypatch.setattr(module, "new_thread", new_thread)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_ctrl_c_while_the_thread_of_the_processes_starts_holds_up_nobody(moment, monkeypatch):
    """The next call has it begin, where it has not."""
    with AdaptiveExecutor(place="process") as executor:
        interrupted(_in_tray, monkeypatch, moment)
        with pytest.raises(KeyboardInterrupt):
            executor.submit(pow, 2, 2)
        assert executor.submit(pow, 2, 3).result(60) == 8


@pytest.mark.parametrize("moment", ["before", "after"])
def test_ctrl_c_while_the_watching_thread_starts_holds_up_nobody(moment, monkeypatch):
    """The next call that waits has it begin, where it has not, so that calls that stand still make room."""
    gate = threading.Event()

    def turn(what):
        return gate.set() if what == "open" else gate.wait(60)

    with AdaptiveExecutor() as executor:
        first = [executor.submit(turn, "wait") for _ in range(round(usable_cpus()) + FEW)]
        interrupted(_stall_monitor, monkeypatch, moment)
        with pytest.raises(KeyboardInterrupt):
            executor.submit(turn, "wait")
        executor.submit(turn, "open")
        assert all(future.result(60) for future in first)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_shutdown_after_ctrl_c_has_struck_as_the_watching_thread_started(moment, monkeypatch):
    """It has no thread to wait for that never began."""
    gate = threading.Event()
    executor = AdaptiveExecutor(1)
    first = executor.submit(gate.wait, 60)
    interrupted(_stall_monitor, monkeypatch, moment)
    with pytest.raises(KeyboardInterrupt):
        executor.submit(pow, 2, 2)
    gate.set()
    executor.shutdown()
    assert first.result(0)


def test_a_shutdown_waits_for_a_call_in_the_caller():
    """All that was submitted has ended when it comes back."""
    gate, begun, end = threading.Event(), threading.Event(), threading.Event()
    executor = AdaptiveExecutor(1, max_queue=1, when_full="caller")
    executor.submit(gate.wait, 10)
    executor.submit(pow, 2, 2)
    caller = threading.Thread(target=executor.submit, args=(lambda: (begun.set(), end.wait(10)),))
    caller.start()
    begun.wait(10)
    gate.set()
    shutdown = threading.Thread(target=executor.shutdown)
    shutdown.start()
    shutdown.join(0.05)
    assert shutdown.is_alive()
    end.set()
    shutdown.join(10)
    caller.join(10)
    assert not shutdown.is_alive()


def test_a_full_queue_blocks_until_there_is_room():
    """With "block" a submitter waits, and goes on as soon as a call has left the queue."""
    gate = threading.Event()
    with AdaptiveExecutor(1, max_queue=1) as executor:
        executor.submit(gate.wait, 10)
        executor.submit(pow, 2, 2)
        late = []
        submitter = threading.Thread(target=lambda: late.append(executor.submit(pow, 2, 5)))
        submitter.start()
        submitter.join(0.05)
        assert submitter.is_alive()
        gate.set()
        submitter.join(10)
        assert late[0].result(10) == 32


def test_a_submitter_goes_on_when_more_calls_may_run():
    """Calls that stand still make room for others, which leave the queue though none has ended."""
    meet = threading.Barrier(60)
    with AdaptiveExecutor(max_queue=1) as executor:
        futures = [executor.submit(meet.wait, 20) for _ in range(60)]
        assert sorted(future.result() for future in futures) == list(range(60))


def test_a_submitter_goes_on_when_waiting_calls_move_to_processes(tmp_path):
    """They leave the queue there and then, not when the first of them has ended."""
    gate, late = threading.Event(), threading.Event()
    with AdaptiveExecutor(1, max_queue=1) as executor:
        executor.submit(gate.wait, 60)
        moving = executor.submit(hold, tmp_path / "begun", tmp_path / "gate")
        submitter = threading.Thread(target=lambda: (executor.submit(pow, 2, 5), late.set()))
        submitter.start()
        while not executor._core._room._waiters:
            time.sleep(1e-3)
        account = executor._core.accounts.of(hold)
        account.move()
        executor._core._move_waiting(account)
        gone_on = late.wait(10)
        (tmp_path / "gate").touch()
        gate.set()
        assert moving.result(60) == "made"
        submitter.join()
    assert gone_on


def test_its_own_threads_are_never_blocked_by_a_full_queue():
    """A call that submits more than the queue holds would wait for itself, so it need not."""
    with AdaptiveExecutor(1, max_queue=1) as executor:

        def fan_out():
            return [executor.submit(pow, 2, power) for power in range(10)]

        futures = executor.submit(fan_out).result(10)
        assert [future.result(10) for future in futures] == [2**power for power in range(10)]


def test_what_came_back_from_the_processes_is_not_forgotten():
    """Calls that cannot travel wait for a thread; their futures say that they run: nothing cancels them."""
    gate = threading.Event()
    executor = AdaptiveExecutor(max_threads=1, max_processes=1, place="process")
    futures = [executor.submit(lambda _lock: gate.wait(60), threading.Lock()) for _ in range(3)]
    while not all(future.running() for future in futures):
        time.sleep(1e-3)
    executor.shutdown(wait=False, cancel_futures=True)
    gate.set()
    assert all(future.result(60) for future in futures)
    executor.shutdown()


@pytest.mark.parametrize("waiting", [0, 1])
def test_where_no_more_threads_can_be_started(waiting):
    """What waits is done by the threads there are."""
    gate, before = threading.Event(), round(usable_cpus()) + FEW + waiting
    with AdaptiveExecutor() as executor:
        futures = [executor.submit(gate.wait, 60) for _ in range(before)]
        size = threading.stack_size(1 << 46)  # more than there is
        try:
            futures += [executor.submit(gate.wait, 60) for _ in range(6)]
            time.sleep(0.05)  # so that more are tried
        finally:
            threading.stack_size(size)
            gate.set()
        assert all(future.result(60) for future in futures)


def refuse_threads(patch, meanwhile):
    """No thread for a call can be started, which is seen after something else has happened."""
    start = threading.Thread.start

    def refuse(thread):
        if not thread.name.startswith("tests"):
            start(thread)
            return
        meanwhile()
        msg = "can't start new thread"
        raise RuntimeError(msg)

    patch.setattr(threading.Thread, "start", refuse)


def test_what_waits_while_all_threads_come_to_rest_is_made(core, monkeypatch):
    """They rest by the time it is known that no further one can be started, and one of them makes it."""
    gate = threading.Event()
    held = core.submit(gate.wait, (60,), {})
    account = core.accounts.of(len)
    waiting = Task(len, ("abc",), {}, account, copy_context(), 2, 1)

    def rest():
        gate.set()
        while not core._dispatch._idle:
            time.sleep(1e-3)

    with monkeypatch.context() as patched:
        refuse_threads(patched, rest)
        with core._dispatch.lock:
            core._dispatch.backlog.add(waiting)
        core._dispatch.spread()
    assert held.result(60)
    assert waiting.result(60) == 3


def test_a_shutdown_does_not_wait_for_a_thread_that_cannot_be_started(core, monkeypatch):
    """It had begun to wait for the call, and is told that it is not made."""
    shutdown = threading.Thread(target=core.join, daemon=True)

    def begin_to_wait():
        core.close()
        shutdown.start()
        while not core._dispatch.ended._waiters:
            time.sleep(1e-3)

    refuse_threads(monkeypatch, begin_to_wait)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        core.submit(len, ("abc",), {})
    shutdown.join(60)
    assert not shutdown.is_alive()


def test_where_no_thread_can_be_started_for_the_processes():
    """Computing stays in the threads there are, and `explain` says why."""
    with AdaptiveExecutor() as executor:
        executor.submit(len, "").result()
        size = threading.stack_size(1 << 46)
        try:
            for _ in range(20):
                while not executor._core._dispatch._idle:  # it still thinks about the last call
                    time.sleep(0)
                executor.submit(where, 200_000).result(60)
        finally:
            threading.stack_size(size)
        assert "no thread could be started" in why(executor, where)


def test_where_no_thread_can_be_started_at_all():
    """A call that nobody will ever make says so, and nobody waits for it at the end."""
    with AdaptiveExecutor(place="process") as executor:
        size = threading.stack_size(1 << 46)
        try:
            future = executor.submit(where, 1)
        finally:
            threading.stack_size(size)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            future.result(60)


def test_where_there_are_no_descriptors():
    """Threads and what hands calls to the processes do without; no call is forgotten."""
    with AdaptiveExecutor() as executor, no_descriptors():
        futures = [executor.submit(time.sleep, 0.01) for _ in range(60)]
        futures += [executor.submit(where, 50_000) for _ in range(60)]
        assert [future.exception(60) for future in futures] == [None] * 120


def test_where_there_are_no_descriptors_for_worker_processes():
    """What belongs to them is made in threads."""
    with AdaptiveExecutor(place="process") as executor:
        with no_descriptors():
            assert executor.submit(where, 1).result(60) == os.getpid()
        assert executor.submit(where, 1).result(60)


def test_where_there_are_no_descriptors_for_large_results():
    """A result that cannot be held is its call's failure, and the others go on."""
    with AdaptiveExecutor(place="process", max_processes=1) as executor:
        executor.submit(large, 0).result(60)
        with no_descriptors():
            with pytest.raises(NotPicklableError, match="Too many open files"):
                executor.submit(large, 1).result(60)
            assert executor.submit(abs, -1).result(60) == 1
        assert len(executor.submit(large, 2).result(60)) == 3 << 20


def test_a_limit_of_its_own():
    """A callable with a limit never runs more often at once, while others go on."""
    limited, most = counted(2e-3)
    with AdaptiveExecutor(limits={limited: 3}) as executor:
        wait([executor.submit(limited) for _ in range(60)])
    assert most == [3]


def test_a_callable_and_its_decorated_form_have_limits_of_their_own():
    """One must not take the place of the other."""
    with AdaptiveExecutor(limits={traced(plain): 1, plain: 8}) as executor:
        decorated, bare = (executor._core.accounts.of(fn) for fn in (traced(plain), plain))
        assert decorated.limit == 1 < bare.limit


TWINS = {
    "partials": (partial(pow, 2), partial(pow, 3)),
    "methods": (Counter().step, Counter().step),
    "closures": tuple(counted(seconds)[0] for seconds in (1, 2)),
}


@pytest.mark.parametrize("kind", TWINS)
@pytest.mark.parametrize("second", [1, 5])
def test_callables_that_calls_are_not_told_apart_by_have_no_limits_of_their_own(kind, second):
    """One's would silently take the place of the other's, so two are refused; one does for both."""
    one, other = TWINS[kind]
    with pytest.raises(InvalidArgumentError) as caught:
        AdaptiveExecutor(limits={one: 1, other: second})
    assert str(caught.value) == (
        f"limits: cannot tell {one!r} from {other!r}, as both run the same code: name one of them, whose "
        "limit then holds for both together, or have an executor for each"
    )
    with AdaptiveExecutor(limits={one: 1}) as executor:
        assert executor._core.accounts.of(other).limit == 1


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


@pytest.fixture
def core():
    """An executor without its face, which is closed."""
    settings = Settings(
        max_threads=None,
        max_processes=None,
        max_queue=None,
        when_full="block",
        limits={},
        place="auto",
        name="tests",
    )
    made = Core(settings)
    yield made
    made.close()
    made.join()


def test_threads_without_a_clock_of_their_own(monkeypatch):
    """Under gevent's patches a thread is a greenlet, and the system knows none of that number."""

    def no_such_thread(_ident):
        raise ProcessLookupError

    monkeypatch.setattr(time, "pthread_getcpuclockid", no_such_thread, raising=False)
    gate = threading.Event()
    with AdaptiveExecutor() as executor:
        futures = [
            executor.submit(gate.wait, 60) for _ in range(FEW + os.cpu_count() + 1)
        ]  # so that one waits
        gate.set()
        assert all(future.result(60) for future in futures)
        watch = next(each for each in threading.enumerate() if each.name == "executor-watch")
        assert watch.is_alive()


class Raising(logging.Handler):
    """As one whose disk is full."""

    def emit(self, record):
        raise RuntimeError(record.getMessage())


def test_a_log_that_raises_does_not_end_a_thread():
    """Calls would wait for it for ever."""
    handler = Raising()
    logging.getLogger().addHandler(handler)
    try:
        with AdaptiveExecutor(max_threads=1, max_processes=0) as executor:
            begun = threading.Event()
            first = executor.submit(begun.wait, 10)
            first.add_done_callback(lambda future: future.missing)
            begun.set()
            assert first.result(10)
            assert executor.submit(abs, -1).result(10) == 1
    finally:
        logging.getLogger().removeHandler(handler)


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
