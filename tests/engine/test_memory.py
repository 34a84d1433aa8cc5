"""What one run of `auto` has learnt is where the next run of the same callable begins."""

import asyncio
import gc
import threading
import time
import weakref
from functools import lru_cache, partial

import pytest

from concurrent_choices import run, run_report
from concurrent_choices._engine._automatic import Automatic, _is_patient, _wakes_first
from concurrent_choices._engine._memory import MOST, Memory, Recollection, key_of, memory
from concurrent_choices._engine._report import RunReport
from concurrent_choices._judge._controller._climb import FIRST
from concurrent_choices._judge._controller._loop_controller import LoopController
from concurrent_choices._judge._controller._sight import Limits, LoopSight, Prior, Sight
from concurrent_choices._mutation._state import State
from concurrent_choices._strategies._workers._hosting import _staffing
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source
from patience import patient

LIMITS = Limits()
WAITS = Prior(stage="waiting", lanes=32, each=0.02)
OUTSIDE = Prior(stage="outside", lanes=2, each=0.02)


@pytest.fixture(autouse=True)
def _nothing_remembered():
    memory.clear()
    yield
    memory.clear()


def nap(item):
    time.sleep(0.02)
    return item


def scale(factor):
    return lambda item: item * factor


def key(fn, item=1, limits=LIMITS):
    return key_of(fn, item, limits)


class Client:
    def __init__(self, host):
        self.host = host

    def fetch(self, item):
        return f"{self.host}/{item}"

    def __call__(self, item):
        return item


@patient
def test_the_second_run_begins_where_the_first_ended():
    """It need not find out again that the callable waits."""
    run(nap, range(60))
    first = run_report()
    assert not any("last run" in step.reason for step in first.steps)
    assert run(nap, range(60)) == list(range(60))
    second = run_report()
    assert second.steps[0].stage == "waiting"
    assert "last run" in second.steps[0].reason


@patient
def test_a_run_too_short_for_a_verdict_keeps_the_old_one():
    """One item says nothing against what a hundred have shown."""
    run(nap, range(60))
    run(nap, [1])
    run(nap, range(60))
    assert run_report().steps[0].stage == "waiting"


def test_a_speed_that_disagrees_ends_a_verdict():
    """What now takes a hundredth of the time is another kind of work."""
    verdicts = Memory()
    verdicts.settle("fetch", WAITS, WAITS.each)
    verdicts.settle("fetch", None, WAITS.each * 2)
    assert verdicts.recall("fetch") == WAITS
    verdicts.settle("fetch", None, WAITS.each / 100)
    assert verdicts.recall("fetch") is None


def test_an_unknown_speed_ends_nothing():
    """A run that was stopped before its first item has come back has seen nothing."""
    verdicts = Memory()
    verdicts.settle("fetch", WAITS, WAITS.each)
    verdicts.settle("fetch", None, 0.0)
    assert verdicts.recall("fetch") == WAITS


def test_a_verdict_without_a_speed_is_none():
    """A run that was stopped before anything came back may have started lanes, and knows nothing."""
    verdicts = Memory()
    verdicts.settle("fetch", WAITS._replace(each=0.0), 0.0)
    assert verdicts.recall("fetch") is None


def test_the_least_used_verdict_goes_first():
    """The memory is bounded."""
    verdicts = Memory()
    for name in range(MOST):
        verdicts.settle(name, WAITS, WAITS.each)
    verdicts.recall(0)
    verdicts.settle("one more", WAITS, WAITS.each)
    assert verdicts.recall(0) == WAITS
    assert verdicts.recall(1) is None


def test_a_verdict_is_recent_for_as_long_as_workers_rest():
    """So long they wait for another run."""
    now = [0.0]
    verdicts = Memory(lambda: now[0])
    assert not verdicts.is_recent("fetch")
    verdicts.settle("fetch", WAITS, WAITS.each)
    now[0] = 0.9 * _staffing.REST
    assert verdicts.is_recent("fetch")
    now[0] = _staffing.REST
    assert not verdicts.is_recent("fetch")
    assert verdicts.recall("fetch") == WAITS


@patient
def test_what_workers_import_counts_again_once_they_rest_no_more(monkeypatch):
    """A cell of a notebook is run again after a while, and new workers would import pandas each time."""
    asked = []
    limits = Automatic._limits

    def ask(auto, job, around, recent, threads):
        asked.append(recent)
        return limits(auto, job, around, recent, threads)

    monkeypatch.setattr(Automatic, "_limits", ask)
    run(nap, range(60))
    run(nap, range(60))
    monkeypatch.setattr(memory, "_clock", lambda: time.monotonic() + _staffing.REST)
    run(nap, range(60))
    assert [recent is not None for recent in asked] == [False, True, False]
    assert run_report().steps[0].reason.startswith("as the last run")


def test_what_runs_have_forgone_counts_as_long_as_workers_rest(monkeypatch):
    """They would not have waited for this run."""
    job = Job(nap, Source([1]))
    job.source.feed(1)
    job.report = RunReport("nap")
    alone = Prior("gil", lanes=1, each=0.02, forgone=0.3)
    Recollection(job, LIMITS).settle(alone)
    assert Recollection(job, LIMITS).prior == alone
    monkeypatch.setattr(memory, "_clock", lambda: time.monotonic() + _staffing.REST)
    assert Recollection(job, LIMITS).prior == alone._replace(forgone=0.0)


def test_the_same_code_is_the_same_callable():
    """A lambda made anew at each call is recognised, with the same things in its closure."""
    assert key(scale(3)) == key(scale(3))
    assert key(partial(nap)) == key(partial(nap))
    assert key(Client("a").fetch) == key(Client("a").fetch)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (scale(3), scale(3000)),
        (scale("a"), scale("b")),
        (scale([1]), scale([1] * 1000)),
        (partial(pow, 2), partial(pow, 2000)),
        (lambda item, host="a": (item, host), lambda item, host="b": (item, host)),
        (lambda item: item + 1, lambda item: item + 2),
        (len, abs),
        (Client("a"), Client("a").fetch),
    ],
    ids=["number", "word", "size", "bound argument", "default", "constant", "builtin", "method"],
)
def test_what_makes_another_callable(one, other):
    """Constants, closures, defaults and bound arguments may change what a call takes."""
    assert key(one) != key(other)


def decorated(fn):
    def call(item):
        return fn(item)

    return call


def apply(fn, item):
    return fn(item)


class Retry:
    def __init__(self, fn):
        self.fn = fn

    def __call__(self, item):
        return self.fn(item)

    def once(self, item):
        return self.fn(item)


def compute(item):
    return sum(range(item))


@pytest.mark.parametrize(
    "wrap",
    [
        decorated,
        lambda fn: partial(apply, fn),
        Retry,
        lambda fn: Retry(fn).once,
        lambda fn: Retry(partial(fn)),
        lru_cache,
    ],
    ids=["decorator", "partial", "object", "method", "partial in an object", "cache"],
)
def test_what_is_wrapped_counts(wrap):
    """Two functions under one wrapper are two callables."""
    assert key(wrap(nap)) == key(wrap(nap))
    assert key(wrap(nap)) != key(wrap(compute))


def test_items_of_another_kind_or_size():
    """Sizes count in powers of sixteen."""
    assert key(len, "four") == key(len, "five!"[:4]) == key(len, "seven!!")
    assert len({key(len, item) for item in ("four", b"four", "four" * 100, [4], 4, 4.0, 4000)}) == 7


def test_limits_count():
    """What was learnt with sixteen threads at most is nothing for one."""
    assert key(nap, limits=Limits(threads=1)) != key(nap)


def test_nothing_is_asked_by_code_of_its_own():
    """A query loads all its rows to tell its length, a proxy asks a server for names, a mock counts both."""
    asked = []

    class Query:
        lock = threading.Lock()

        def __init__(self):
            self.held = self.lock  # so that it has no pickle, and is looked at from outside

        def __len__(self):
            asked.append("length")
            return 1

        def __getattr__(self, name):
            asked.append(name)
            raise AttributeError(name)

    query = Query()
    for fn, item in ((lambda number: query and number, 1), (str, query)):
        asked.clear()
        key(fn, item)
        assert State(fn).changed() == ""
        assert [name for name in asked if not name.startswith("__")] == []  # such as pickle asks for


@pytest.mark.parametrize("place", [lambda odd: odd, lambda odd: (odd,), lambda odd: {"one": odd}])
def test_a_class_that_raises(place):
    """As a framework's proxy outside of a request does, or a weak one of what is gone."""

    class Odd:
        @property
        def __class__(self):
            raise RuntimeError

    odd = Odd()
    assert run(lambda item: place(odd) and 1, [place(odd)] * 3) == [1, 1, 1]
    assert key(scale(place(odd)), odd) == key(scale(place(odd)), odd)


def test_a_metaclass_that_raises():
    """It may have a name of its own for what every class has."""

    class Odd(type):
        @property
        def __module__(cls):
            raise RuntimeError

    odd = Odd("Thing", (), {})()
    assert run(lambda item: 1, [odd] * 3) == [1, 1, 1]
    assert key(scale(odd), odd) == key(scale(odd), odd)


def test_classes_do_not_live_on():
    """What is remembered of an item's class, or of what is captured, is its name."""

    class Local:
        pass

    seen, told = weakref.ref(Local), key(scale(Local()), Local())
    del Local
    gc.collect()

    assert seen() is None, told


def test_a_table_that_holds_itself():
    """It has no end, and one that holds tables may have too many things to look at them all."""
    table = {}
    table["itself"] = table

    assert key(scale(table)) == key(scale(table)) != key(scale({"itself": 1}))


def test_tables_in_tables_are_looked_at_in_part():
    """Of a million things the look would take longer than most runs."""
    one, other = ({at: {each: each for each in range(300)} for at in range(300)} for _ in range(2))
    other[100][100] = "another"

    assert key(scale(one)) == key(scale(other))


# Coroutines


async def wait(item):
    await asyncio.sleep(0.02)
    return item


@patient
def test_coroutines_that_waited_begin_together():
    """As many as there were at most, and none goes ahead."""
    run(wait, range(100))
    run(wait, range(100))
    steps = run_report().steps
    assert steps  # none where the machine stood still until all were over
    assert steps[0].lanes > FIRST


def test_coroutines_that_computed_have_processes_come_up_at_once():
    """Before they are looked at again."""
    decider = LoopController(Limits(cpus=2.0, processes=2), Prior(stage="outside", lanes=2, each=0.01))
    sight = LoopSight(run=Sight(now=0.001, remaining=1000), looks=1, inside=1, alone=True)
    assert decider.look(sight).stage == "starting"
    assert decider.look(sight._replace(run=Sight(now=0.1, remaining=900, ready=2))).stage == "outside"


def test_too_few_items_start_no_processes():
    """What was learnt is how long one takes."""
    decider = LoopController(Limits(cpus=2.0, processes=2), Prior(stage="outside", lanes=2, each=0.01))
    sight = LoopSight(run=Sight(now=0.001, remaining=3), looks=1, inside=1, alone=True)
    assert decider.look(sight).stage == "loop"


@pytest.mark.parametrize("stage", ["loop", "waiting", "outside"])
@pytest.mark.parametrize("looks", [0, 1])
def test_coroutines_that_were_over_too_soon_teach_nothing(stage, looks):
    """What an earlier run has found out stands."""
    decider = LoopController(Limits(cpus=2.0, processes=2), Prior(stage=stage, lanes=2, each=0.01))
    for _ in range(looks):
        decider.look(LoopSight(run=Sight(now=0.001, remaining=3), looks=1, inside=1, alone=True))
    assert decider.learnt is None


def test_coroutines_keep_their_lanes_in_processes():
    """What an item takes is new, and how many wait at once is not."""
    prior = Prior(stage="outside", lanes=8, each=0.01, inside=4)
    decider = LoopController(Limits(cpus=2.0, processes=2), prior)
    for looks in range(1, 40):
        now = looks * 1e-3
        run = Sight(now=now, calls=looks, done=looks, lane_cpu=now, in_flight=1, remaining=0)
        decider.look(LoopSight(run=run, looks=looks, inside=looks, alone=True))
    assert decider.learnt.each == pytest.approx(1e-3)
    assert decider.learnt.inside == 4


def test_what_a_run_may_use_is_part_of_what_is_remembered():
    """Items that block after waiting may leave a loop of ours, but not one whose things they may use."""
    report = RunReport("wait")
    report.seconds, report.done = 0.1, 3
    job = Job(wait, Source(range(3)), report=report)
    Recollection(job, LIMITS).settle(WAITS)
    assert Recollection(job, LIMITS).prior == WAITS
    assert Recollection(job, (LIMITS, "bound")).prior is None


@pytest.mark.parametrize("learnt", [WAITS, OUTSIDE, None], ids=["waiting", "outside", "nothing"])
def test_of_calls_that_change_something_it_is_remembered_that_they_wait(learnt):
    """A session's cookies change with its calls, and its next run needs as many lanes, but no workers."""
    report = RunReport("wait")
    report.seconds, report.done = 0.1, 3
    job = Job(wait, Source(range(3)), report=report)
    Recollection(job, LIMITS).settle(OUTSIDE)
    report.witness = "its object"
    Recollection(job, LIMITS).settle(learnt)
    assert Recollection(job, LIMITS).prior == (WAITS if learnt is WAITS else None)


def test_the_calling_thread_waits_for_workers_that_rest_where_an_item_takes_longer(monkeypatch):
    """One that is busy with an item cannot hand the others to them, and a core would be idle so long."""
    lasting, brief = (Prior(stage="outside", lanes=2, each=each) for each in (0.5, 1e-3))
    monkeypatch.setattr(_staffing, "_resting", {})
    assert not _wakes_first(lasting)
    monkeypatch.setattr(_staffing, "_resting", {_staffing._kind(): None})
    assert _wakes_first(lasting)
    assert not _wakes_first(brief)
    assert not _wakes_first(WAITS._replace(each=0.5))


@pytest.mark.parametrize(
    ("prior", "items", "waits"),
    [
        (WAITS, iter([1]), True),
        (WAITS, [1], False),
        (WAITS._replace(each=1e-5), iter([1]), False),
        (WAITS._replace(stage="gil"), iter([1]), False),
    ],
    ids=["nobody else may pull", "others find items", "a call is over soon", "nobody else is better"],
)
def test_the_calling_thread_waits_for_lanes_that_it_alone_can_give_items(prior, items, waits):
    """Busy with one it would have none begin beside it, though it is known that they wait."""
    source = Source(items)
    source.feed(1)
    assert _is_patient(prior, Job(nap, source)) is waits


@patient
def test_the_second_run_over_a_generator_begins_where_the_first_ended():
    """Nobody knows how many items are left, but that they wait."""
    memory.clear()  # of the try before
    run(nap, (item for item in range(60)))
    run(nap, (item for item in range(60)))
    assert run_report().steps[0].stage == "waiting"
    assert "last run" in run_report().steps[0].reason
