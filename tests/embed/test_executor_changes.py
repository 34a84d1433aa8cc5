"""No change is lost that calls make to what they hold or are given: such calls stay here, or come back."""

from __future__ import annotations

import os
from concurrent.futures import wait
from functools import cache, partial, wraps

import pytest
from executor_acts import Counter, Held, plain, spin, traced, where
from executor_verdicts import PATIENCE, moved, told_by_workers, why

from concurrent_choices import AdaptiveExecutor
from concurrent_choices._embed._calls._mapping import run_chunk
from concurrent_choices._embed._processes import _remote
from concurrent_choices._embed._processes._packing import callable_frames
from concurrent_choices._embed._processes._remote import Call, serve
from concurrent_choices._embed._threads._losses import lost_by
from interpreters import interpreter


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


def bump():
    """Count in a global."""
    COUNTED["calls"] += 1
    return spin(100_000)


def not_moved(executor, fn, *args, **kwargs):
    """Call until the executor says that calls change something, or list a set; what it says of that."""
    for _ in range(PATIENCE):
        executor.submit(fn, *args, **kwargs).result()
        if "would be lost" in why(executor, fn) or "another order" in why(executor, fn):
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


def list_late(_rounds, words):
    """List a set after a while."""
    spin(100_000)
    return [word.upper() for word in words]


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


def test_a_call_that_lists_a_set_it_is_given(executor, monkeypatch):
    """It stays: in a worker process the set has another order."""
    monkeypatch.setattr("concurrent_choices._transfer._hashed.hashes_are_set", lambda: False)
    words = "calls go through sets that they are given, and each process has those in another order"
    assert not_moved(executor, list_late, 1, {"a", "b"}) == words
    assert lost_by(list_late, (1,), {"words": {"a", "b"}}) == words
    assert lost_by(list_late, (1,), {"words": ("a", "b")}) == ""


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


def test_what_finds_what_it_is_given_by_its_identity_stays():
    """A worker has copies of both, and would not find it."""
    key, other = type("Key", (), {}), type("Key", (), {})
    one = key()
    names = {one: "a", other(): "b"}
    assert "holds its items themselves" in lost_by(lambda given: names[given], (one,), {})
    assert "holds its items themselves" in lost_by(lambda *, given: names[given], (), {"given": one})
    assert lost_by(lambda given: given in names, (other(),), {}) == ""


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
    count, counted, counts = 0, "count", False
    def note(self):
        object.__setattr__(self, self.counted, self.count + 1)
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
