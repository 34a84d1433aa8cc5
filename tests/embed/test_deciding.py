"""The parts of the executor that only calculate: exact figures in, exact answers out."""

from __future__ import annotations

import builtins
import gc
import sys
import threading
import weakref
from concurrent.futures import CancelledError
from contextvars import copy_context
from functools import cache, lru_cache, partial, update_wrapper
from operator import itemgetter
from types import SimpleNamespace
from unittest import mock

import pytest
from executor_acts import traced

from concurrent_choices._embed._accounting._account import EXAMINED, Account
from concurrent_choices._embed._accounting._accounts import KEPT, Accounts
from concurrent_choices._embed._accounting._figures import Figures
from concurrent_choices._embed._accounting._held import held_by
from concurrent_choices._embed._accounting._identity import identity_of, number_of, unwrapped
from concurrent_choices._embed._accounting._placing import place
from concurrent_choices._embed._accounting._ramp import Ramp
from concurrent_choices._embed._calls._backlog import Backlog
from concurrent_choices._embed._calls._tasks import Task
from concurrent_choices._embed._explain import explain
from concurrent_choices._embed._processes._packing import BelongsHereError, Packer, SentCallables
from concurrent_choices._embed._threads._examine import Examination
from concurrent_choices._embed._threads._lane import Lane
from concurrent_choices._embed._threads._stall_monitor import STILL, StallMonitor
from concurrent_choices._measure._clock import SystemClock

MS = 1e-3


def figures(**known):
    """What is known of a callable."""
    given = {
        "measured": 11,
        "wall": 20 * MS,
        "cpu": 20 * MS,
        "queued": 0.0,
        "blocked": 0.0,
        "gil": 1.0,
        "payload": 0.1 * MS,
        "obstacle": "",
        "alone": None,
    }
    return Figures(**(given | known))


@pytest.mark.parametrize(
    ("known", "where", "kind"),
    [
        ({}, "process", "computing under the GIL"),
        ({"measured": 1}, "thread", "new"),
        ({"wall": 5e-6, "cpu": 5e-6}, "thread", "tiny"),
        ({"cpu": 1 * MS, "blocked": 19 * MS}, "thread", "waiting"),
        ({"cpu": 2 * MS, "blocked": 38 * MS, "at_once": 10.0}, "thread", "waiting"),
        ({"cpu": 2 * MS, "blocked": 38 * MS, "at_once": 20.0}, "process", "computing under the GIL"),
        (
            {"cpu": 2 * MS, "blocked": 38 * MS, "at_once": 20.0, "obstacle": "it holds a lock"},
            "thread",
            "waiting",
        ),
        ({"cpu": 10 * MS, "blocked": 10 * MS, "gil": 0.3}, "thread", "mixed"),
        ({"cpu": 10 * MS, "blocked": 10 * MS, "gil": None}, "process", "computing"),
        ({"gil": 0.1}, "thread", "computing outside the GIL"),
        ({"gil": None}, "process", "computing"),
        ({"gil": None, "obstacle": "it holds a lock"}, "thread", "computing"),
        ({"obstacle": "it holds a lock"}, "thread", "computing under the GIL"),
        ({"payload": None}, "thread", "computing under the GIL"),
        ({"payload": 15 * MS}, "thread", "computing"),
        ({"wall": 0.8 * MS, "cpu": 0.8 * MS}, "thread", "computing"),
        ({"wall": 60 * MS, "queued": 40 * MS}, "process", "computing under the GIL"),
        ({"wall": 100 * MS, "blocked": 80 * MS, "alone": 0.2}, "thread", "waiting"),
        ({"wall": 100 * MS, "blocked": 1 * MS}, "process", "computing under the GIL"),
    ],
)
def test_a_callable_is_placed_by_its_figures(known, where, kind):
    """Waiting and what the GIL does not hold go to threads; long computing under it to processes."""
    found = place(figures(**known), cpus=2.0)
    assert (found.place, found.kind) == (where, kind)


def test_half_waiting_gets_more_processes():
    """Processes that wait half of the time are twice as many."""
    assert place(figures(alone=1.0), cpus=4).limit == 4
    assert place(figures(wall=40 * MS, alone=0.5), cpus=4).limit == 8


def drive(ramp, capacity, rounds):
    """Run a closed loop against a server that serves so many at once, in a millisecond."""
    now = 0
    for _ in range(rounds):
        for _ in range(ramp.limit + 1):
            now += 1_000_000 // min(ramp.limit, capacity)
            began = now - 1_000_000 * max(1, ramp.limit // capacity)
            ramp.ended(began, now, queued=True)


def test_the_limit_doubles_while_more_helps():
    """While twice as many calls at once end twice as often, the limit doubles."""
    ramp = Ramp(4, 256)
    drive(ramp, 1000, 8)
    assert ramp.limit == 256


def test_the_limit_settles_where_more_does_not_help():
    """Beyond what the other side can serve, the limit is left at twice of what was good."""
    ramp = Ramp(4, 256)
    drive(ramp, 16, 40)
    assert 16 <= ramp.limit <= 64


def test_without_a_queue_nothing_is_concluded():
    """Calls that nobody waits behind say nothing about the limit."""
    ramp = Ramp(4, 256)
    for now in range(100):
        ramp.ended(now - 10, now, queued=False)
    assert ramp.limit == 4


@pytest.mark.parametrize(("capacity", "limit"), [(1000, 256), (1, 8)])
def test_bursts_of_one_more_than_the_limit_raise_it_while_more_helps(capacity, limit):
    """Their queue has gone before a round is over; those that ran meanwhile tell as much."""
    ramp = Ramp(4, 256)
    for burst in range(12):
        began = burst * 10**9
        for ended in range(ramp.limit + 1):
            now = began + 10**6 * (1 + ended // capacity)
            ramp.ended(began, now, queued=ended == 0)
    assert ramp.limit == limit


def test_those_that_end_tell_nothing_of_those_that_are_let_in_last():
    """Where a lock is given to who has just let go of it, a few calls are quick and all others wait on."""
    ramp = Ramp(4, 256)
    for ended in range(1, 100):
        ramp.ended((ended - 1) * 10**6, ended * 10**6, queued=True)
    assert ramp.limit == 8


def account(name, expected=0.0):
    """An account of a callable that is expected to take so many seconds."""
    made = Account(name, name, start=4, most=64, processes=2, ceiling=None, cpus=2.0)
    made.figures.wall = expected
    return made


def test_a_neighbour_makes_no_waiting_of_computing():
    """Of six calls at once each has a core, and the GIL, for a sixth of its time or less: they compute."""
    made = account("compute")
    for queued, in_turn in [(20, 90), (35, 70), (25, 45), (40, 60), (15, 30), (5, 2), (30, 80), (20, 95)]:
        made.learn((8 + queued + in_turn) * MS, 8 * MS, queued * MS)
    made.review()
    assert made.placement.kind == "computing"


def test_no_more_calls_at_once_are_told_of_than_there_are_processes():
    """Of calls that wait half of the time three would fill two cores, and each process makes one."""
    made = account("compute")
    made.figures.payload = 0.1 * MS
    for _ in range(8):
        made.learn(20 * MS, 10 * MS, 0.0)
    made.review()
    assert (made.place, made.at_once) == ("thread", 3)
    made.move()
    assert (made.place, made.at_once) == ("process", 2)


def test_calls_that_fill_the_gil_together_are_tried_in_a_process():
    """Many that computed at once from the first had it for a small part of their time each: no waiting."""
    made = account("compute")
    made.running = 16
    made.figures.payload = 0.1 * MS
    for _ in range(3):
        made.learn(160 * MS, 10 * MS, 0.0)
    made.review()
    assert made.placement.place == "process"
    made.running = 1
    for _ in range(8):
        made.learn(160 * MS, 10 * MS, 0.0)
    made.review()
    assert made.placement.kind == "waiting"


@pytest.mark.parametrize(("blocked", "limit"), [(0.0, 2), (38 * MS, None)])
def test_calls_that_may_wait_are_not_held_back_before_they_are_tried(blocked, limit):
    """Until it is known whether they can travel: what plainly computes gains nothing by more at once."""
    assert place(figures(cpu=2 * MS, blocked=blocked, at_once=20.0, payload=None), cpus=2.0).limit == limit


def test_what_a_process_shows_is_looked_at_soon():
    """The first trip is no evidence, and with the second it is known whether it waits there."""
    made = account("compute")
    for _ in range(100):
        made.learn(10 * MS, 10 * MS, 0.0)
    made.review()
    made.move()
    for _ in range(2):
        made.learn_remote(100 * MS, 2 * MS, 0.0)
    assert made.figures.measured >= made.review_at


def test_a_thread_computes_before_it_is_first_looked_at():
    """What it did until then counts, so that none counts as standing still for want of an earlier look."""
    lane, waiting = Lane(), account("compute")
    lane.thread = threading.current_thread()
    lane.task = Task(print, (), {}, waiting, copy_context(), 1, 1)
    watched = SimpleNamespace(lock=threading.Lock(), lanes={lane: None})
    seen, _ = StallMonitor(watched, SystemClock())._look()
    assert seen[waiting][0][1] > STILL


def test_the_first_call_in_a_process_is_no_evidence():
    """It may have waited for an import that later ones find done; those say whether it computes."""
    made = account("compute")
    for _ in range(3):
        made.learn(10 * MS, 10 * MS, 0.0)
    made.figures.payload = 0.1 * MS
    made.move()
    made.learn_remote(300 * MS, 20 * MS, 0.0)
    made.review()
    assert made.place == "process"
    for _ in range(2):
        made.learn_remote(100 * MS, 2 * MS, 0.0)
    made.review()
    assert made.place == "thread"


class SharedCore:
    """A clock where a neighbour has the core for a second before each reading of the wall."""

    def __init__(self):
        self.seconds = 0

    def wall(self):
        """All time that passed."""
        self.seconds += 1
        return self.seconds * 10**9

    def thread_cpu(self):
        """None of it was this thread's."""
        return 0


def test_a_neighbour_makes_no_trip_dearer():
    """What pickling costs is counted by its own computing, not by the turns of other processes."""
    made = account("compute")
    for _ in range(EXAMINED):
        Examination(task(made, 0), SharedCore()).end(1, failed=False)
    assert made.figures.payload == 0.0


class Pickled:
    """An argument that notes how often it was pickled."""

    times = 0

    def __reduce__(self):
        self.times += 1
        return int, ()


def test_nothing_is_pickled_while_a_patch_stands():
    """Each call is examined then, of which none is evidence: that took longer than the calls themselves."""
    made, given = account("compute"), Pickled()
    with mock.patch("time.localtime"):
        call = Task(len, (given,), {}, made, copy_context(), 1, 1)
        Examination(call, SharedCore()).end(1, failed=False)
    assert made.why.startswith("time.localtime was replaced here")
    assert not given.times


def test_the_first_pickling_is_no_evidence():
    """It may have imported what pickles, for longer than a call computes; that keeps no callable at home."""
    made = account("compute")
    for _ in range(3):
        made.learn(4 * MS, 4 * MS, 0.0)
    for cost in (3 * MS, 0.01 * MS):
        assert made.candidate
        made.weigh(cost)
    made.review()
    assert made.ready_to_move


def test_a_chunk_is_explained_by_the_call():
    """What was measured is the chunk, by which calls are placed; a person asks what a call takes."""
    made = account("compute")
    for _ in range(3):
        made.learn(10 * MS, 8 * MS, 1 * MS)
    made.weigh(4 * MS)
    made.weigh(4 * MS)
    made.tasks, made.calls = 3, 60
    told = explain([made])["compute"]
    assert (told.wall, told.cpu, told.queued, told.payload) == pytest.approx(
        (0.5 * MS, 0.4 * MS, 0.05 * MS, 0.2 * MS)
    )


def task(of, submitted):
    """A call that waits since so many nanoseconds."""
    waiting = Task(len, (), {}, of, copy_context(), 1, 1)
    waiting.waits_since = submitted
    return waiting


def test_what_was_abandoned_is_not_begun_again():
    """A call that came back from the processes, and that nobody waits for, is not made."""
    call = task(account("compute"), 0)
    assert call.begin()
    call.abandoned = True
    assert not call.begin()
    assert isinstance(call.exception(), CancelledError)


def test_short_calls_go_first_until_a_long_one_has_waited():
    """A short call overtakes a long one; but a long one that has waited for ages is next."""
    backlog, short, long = Backlog(), account("short", 0.001), account("long", 1.0)
    backlog.add(task(long, 1))
    backlog.add(task(short, 1))
    taken = backlog.take(10_000_000, lambda _: True)
    assert taken.account is short
    backlog.add(task(short, 10_000_000_000))
    assert backlog.take(10_000_100_000, lambda _: True).account is long


def test_a_callable_at_its_limit_is_passed_over():
    """Calls that may not run now do not hold up others."""
    backlog, full, free = Backlog(), account("full"), account("free")
    backlog.add(task(full, 1))
    backlog.add(task(free, 5))
    assert backlog.take(10, lambda each: each is free).account is free
    assert backlog.take(10, lambda each: each is free) is None
    assert backlog.size == 1


def test_calls_of_one_callable_keep_their_order():
    """First come, first served; and what is put back comes first again."""
    backlog, one = Backlog(), account("one")
    tasks = [task(one, number) for number in range(3)]
    for each in tasks:
        backlog.add(each)
    first = backlog.take(10, lambda _: True)
    assert first is tasks[0]
    backlog.put_back(first)
    assert [backlog.take(10, lambda _: True) for _ in range(3)] == tasks


@pytest.mark.parametrize("calls", range(4))
def test_what_a_signals_handler_adds_meanwhile_waits_too(calls):
    """It may run after any call, in the midst of adding another call of the same callable."""
    backlog, one, left = Backlog(), account("one"), [calls]
    tasks = {task(one, 1), task(one, 0)}
    late, first = tasks

    def strike(frame, event, arg):
        left[0] -= event in {"call", "c_return"}
        if left[0] < 0:
            sys.setprofile(None)
            backlog.add(late)

    sys.setprofile(strike)
    backlog.add(first)
    sys.setprofile(None)
    if left[0] >= 0:  # there were not so many
        backlog.add(late)
    assert {backlog.take(10, lambda _: True) for _ in range(2)} == tasks


def test_the_same_code_is_the_same_callable():
    """New lambdas of one line, methods of any object, and partials share what was learnt."""

    class Box:
        def open(self):
            """Open."""

        def __call__(self):
            """Call."""

    def made(number):
        return lambda: number

    assert identity_of(made(1)) == identity_of(made(2))
    assert identity_of(traced(made(1))) == identity_of(traced(made(2)))
    assert identity_of(Box().open) == identity_of(Box.open)
    assert identity_of(Box()) == identity_of(Box())
    assert identity_of(partial(made, 1)) == identity_of(made)
    assert identity_of([].append) == identity_of([1].append)
    assert identity_of([].__len__) == identity_of([1].__len__)
    box = Box()
    assert identity_of(weakref.proxy(box)) == identity_of(box)
    assert identity_of(itemgetter(1)) == identity_of(itemgetter(2))
    assert identity_of(len) == (len,)


class Named:
    """Decorates by an object."""

    def __init__(self, fn):
        update_wrapper(self, fn)
        self.fn = fn

    def __call__(self, *args):
        return self.fn(*args)


class Remote:
    """Has whatever it is asked for, on another machine."""

    def __getattr__(self, name):
        return Remote()

    def __call__(self):
        """Call it there."""


@pytest.mark.parametrize("decorate", [traced, Named, cache, lambda fn: partial(traced(fn), 1)])
def test_what_is_decorated_is_one_callable_and_its_decorated_form_another(decorate):
    """What was learnt of one says nothing of the other, whatever its decorator is written in."""

    def first():
        """One."""

    def second():
        """The other."""

    numbers = [number_of(identity_of(fn)) for fn in (decorate(first), decorate(second), first, second)]
    assert len(set(numbers)) == 4
    assert numbers[0] == number_of(identity_of(decorate(first)))


def test_two_callables_written_in_c_are_two():
    """Though they are of one type, or hang on classes of one type."""
    assert identity_of(dict.fromkeys) == identity_of(dict.fromkeys)
    assert identity_of(dict.fromkeys) != identity_of(int.from_bytes)
    assert identity_of(str.upper) != identity_of(str.lower)
    assert identity_of("a".upper) == identity_of(str.upper)


def test_a_callable_that_seems_to_wrap_without_end_is_recognised():
    """It names itself, or has an attribute of every name."""
    number = 1

    def loop():
        return number

    update_wrapper(loop, loop)
    assert identity_of(loop) == (loop.__code__,)
    assert identity_of(Remote()) == (Remote.__call__.__code__,)
    ring, other = traced(print), traced(print)
    ring.__wrapped__, other.__wrapped__ = other, ring
    assert identity_of(ring) == identity_of(other) != identity_of(traced(print))
    own = Named(print)
    own.__wrapped__ = own
    assert identity_of(own) == identity_of(own)


class InC:
    """As a Cython lambda or a bound method of nanobind: it has a name, and is made anew for each call."""

    __name__ = "<lambda>"
    __call__ = print

    def __init__(self, **says):
        vars(self).update(says)


@pytest.mark.parametrize("says", [{"__code__": traced.__code__}, {"__code__": None, "__func__": traced}])
def test_what_is_written_in_c_and_made_anew_is_known_by_what_it_is_made_of(says):
    """Else nothing would ever be learnt of it."""
    assert identity_of(InC(**says)) == identity_of(InC(**says))


def test_a_context_around_a_call_is_taken_off():
    """What asyncio wraps is found inside."""
    wrapped = partial(copy_context().run, pow, 2)
    assert unwrapped(wrapped, (3,), {}) == (pow, (2, 3), {})
    assert identity_of(wrapped) == (pow,)


def test_what_an_account_is_found_by_lives_as_long():
    """Else another callable could come to have its number, and what was learnt of it."""
    accounts = Accounts(
        lambda name, key, _: Account(name, key, start=1, most=1, processes=1, ceiling=None, cpus=1.0)
    )

    def opened():
        inner = eval("lambda: 1")
        return accounts.of(traced(inner)), weakref.ref(inner.__code__)

    account, code = opened()
    gc.collect()
    assert code() in account.identity


def test_callables_without_end_are_forgotten():
    """But those whose calls run: they are still counted on."""
    accounts = Accounts(
        lambda name, key, _: Account(name, key, start=1, most=1, processes=1, ceiling=None, cpus=1.0)
    )
    made = [eval(f"lambda: {number}") for number in range(KEPT + 1)]
    first, second = accounts.of(made[0]), accounts.of(made[1])
    first.running = 1
    for fn in made:
        accounts.of(fn)
    assert len(list(accounts)) <= KEPT
    assert accounts.of(made[0]) is first
    assert accounts.of(made[1]) is not second


def test_what_holds_something_else_than_when_it_was_packed_is_not_sent():
    """The workers would go on with what it held then."""
    held = [1]
    known = account("reads")
    known.learn(1.0, 1.0, 0.0)  # so long that a look costs next to nothing
    call = Task(lambda: held, (), {}, known, copy_context(), 1, 1)
    packer = Packer()
    assert packer.pack(call, SentCallables())
    held.append(2)
    with pytest.raises(BelongsHereError, match="has changed here"):
        packer.pack(call, SentCallables())


class Seen:
    """A value that counts how often it is pickled."""

    times = 0

    def __getstate__(self):
        Seen.times += 1
        return {}


def test_what_has_just_been_packed_is_not_looked_at_again():
    """It is pickled for its trip, and once for its digest."""
    held = Seen()
    Seen.times = 0
    call = Task(lambda: held, (), {}, account("reads"), copy_context(), 1, 1)
    assert Packer().pack(call, SentCallables())
    assert Seen.times == 2


STATE = {"count": 0}


class Settings:
    """Data on a class."""

    limit = 1


def reads():
    """Read a global."""
    return STATE["count"]


def reads_class():
    """Read from a class."""
    return Settings.limit


def calls_reader():
    """Read a global by way of another function."""
    return reads()


class Reader:
    """Has caches under names by which it has something else."""

    @property
    @lru_cache  # noqa: B019 - as others write it
    def count(self):
        """Read a global."""
        return STATE["count"]

    @classmethod
    @lru_cache
    def counted(cls):
        """The same."""
        return STATE["count"]


def reads_property():
    """Read a global by way of a property."""
    return Reader().count


def reads_class_method():
    """Read a global by way of a class method."""
    return Reader.counted()


@pytest.mark.parametrize("fn", [reads, calls_reader, reads_property, reads_class_method])
def test_a_changed_global_changes_the_digest(fn):
    """What a callable names is part of what it holds, through functions it calls too, also cached ones."""
    before = held_by(fn)
    assert before.obstacle == ""
    STATE["count"] += 1
    assert held_by(fn) != before
    assert held_by(fn) == held_by(fn)


def test_a_changed_class_changes_the_digest():
    """Data of a class that a callable names is part of it."""
    before = held_by(reads_class)
    Settings.limit += 1
    assert held_by(reads_class) != before


def translated():
    """Name what was put into `builtins`."""
    return _("the sea")  # noqa: F821 - as of `gettext.install`


def test_what_was_put_into_builtins_is_in_the_digest(monkeypatch):
    """A worker, which does not have it, finds that the callable holds something else there."""
    before = held_by(translated)
    monkeypatch.setattr(builtins, "_", "la mer", raising=False)
    assert held_by(translated) != before


@pytest.mark.parametrize("output", [sys.__stdout__, sys.__stderr__], ids=lambda each: each.name)
def test_the_standard_output_is_no_obstacle(output):
    """Nor is standard error: each process has its own."""

    def say(word, to=output):
        print(word, file=output)
        print(word, file=to)

    assert held_by(say).obstacle == ""


def test_sets_have_one_digest():
    """Equal sets are equal, in whatever order they hold their members."""

    def holding(values):
        return lambda: values

    assert held_by(holding({"a", "b", "c"})) == held_by(holding({"c", "b", "a"}))
