import asyncio
import hashlib
import inspect
import itertools
import signal
import sqlite3
import sys
import threading
import time
from pathlib import Path

import pytest
from measure_fakes import CountingClock, FakeClock, FakeWitness

from concurrent_choices._measure import _payload, _profiler
from concurrent_choices._measure._allowance import AFTERWARDS, Allowance
from concurrent_choices._measure._bench import Bench
from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._measure._ledger import Raised
from concurrent_choices._measure._profiler import profile, profile_at
from concurrent_choices._measure._trial import SELDOM
from concurrent_choices._platform._processors import usable_cpus
from concurrent_choices._runtime._hand import DaemonHand, OwnHand
from patience import patient


class Called:
    """A callable that says what time its calls take, and counts them."""

    def __init__(self, clock, *, result=None, **times):
        self.clock = clock
        self.times = times
        self.items = []
        self.result = result or (lambda item: item)

    def __call__(self, item):
        self.items.append(item)
        self.clock.spend(**self.times)
        return self.result(item)


def sampled(fn, items, *, clock, budget=1.0, share=None):
    """Profile with exact instruments, in this thread."""
    is_async = inspect.iscoroutinefunction(fn)
    bench = Bench(fn, items, clock=clock, is_async=is_async, hand=OwnHand)
    return profile_at(bench, FakeWitness(share), budget)


def ends(sample):
    """What the whole job gives: outcomes of calls, be they late, and the items that were not called with."""
    called = sample.results | {
        index: outcome
        for late in (each.result(10) for each in sample.in_flight)
        for index, outcome in enumerate(late.outcomes, late.start)
    }
    whole = dict(sample.feed.rest())
    assert not whole.keys() & called.keys()
    return whole | called


def test_figures_are_exact(clock, monkeypatch):
    """With a fake clock every figure is what the callable spent."""
    monkeypatch.setattr(_profiler, "gil_enabled", lambda: True)  # on builds without one, too
    fn = Called(clock, wall=0.010, cpu=0.004, queued=0.001, children=0.002, sleeps=2, blocks=4)

    sample = sampled(fn, range(1000), clock=clock, share=0.5)

    profile = sample.profile
    assert (profile.wall, profile.cpu, profile.queued) == pytest.approx((0.010, 0.004, 0.001))
    assert profile.gil == pytest.approx(0.004)
    assert profile.children == pytest.approx(0.002)
    assert (profile.blocking_calls, profile.disk_blocks) == (2, 4)
    assert (profile.wall_sd, profile.trend, profile.first_excess) == (0.0, 0.0, 0.0)
    assert profile.items == 1000
    assert profile.calls == len(sample.results) - 1


@pytest.mark.parametrize("make", [list, iter, set, lambda items: (item for item in items)])
def test_every_item_once_and_no_result_lost(clock, make):
    """What was sampled and what is left are the whole, without overlap, for any kind of iterable."""
    fn = Called(clock, wall=0.01, result=lambda item: item * 2)

    sample = sampled(fn, make(range(100)), clock=clock)
    results, rest = sample.results, dict(sample.feed.rest())

    assert sorted(fn.items) == sorted(result // 2 for result in results.values())
    assert sorted([*fn.items, *rest.values()]) == list(range(100))
    assert not results.keys() & rest.keys()
    assert sorted([*results, *rest]) == list(range(100))
    assert not sample.in_flight


def test_an_infinite_generator(clock):
    """It is sampled, and goes on where sampling ended."""
    sample = sampled(Called(clock, wall=0.02), itertools.count(), clock=clock)

    used = len(sample.results)
    assert sample.profile.items is None
    assert list(sample.results) == list(range(used))
    assert next(sample.feed.rest()) == (used, used)
    assert sample.feed.places is None


def test_sequences_are_sampled_everywhere(clock):
    """Of a sorted sequence dear items are met as well as cheap ones, and the trend is seen."""

    def work(item):
        clock.spend(wall=0.001 + item * 1e-5, cpu=0.001)

    sample = sampled(work, range(1000), clock=clock)

    assert sample.profile.wall == pytest.approx(0.006, rel=0.15)
    assert sample.profile.trend == pytest.approx(0.01 / 0.006, rel=0.2)
    assert sum(map(len, sample.feed.places.gaps)) == 1000 - len(sample.results)


def test_sizes_tell_how_long_all_calls_will_take(clock):
    """Items that are not called with are longer than any that was."""

    def work(item):
        clock.spend(wall=item)

    naps = [0.02] * 50 + [0.03] * 40 + [1.5] + [0.05] * 9

    profile = sampled(work, naps, clock=clock).profile

    assert profile.by_size == pytest.approx(1.0)
    assert profile.wall == pytest.approx(sum(naps) / 100)
    assert profile.wall_max == pytest.approx(1.5)


def test_the_first_call_is_kept_apart(clock):
    """Imports and connections of the first call are its excess, not everybody's mean."""

    def work(item):
        clock.spend(wall=1.0 if item == 0 else 0.01)

    profile = sampled(work, range(100), clock=clock, budget=2.0).profile

    assert profile.wall == pytest.approx(0.01)
    assert profile.first_excess == pytest.approx(0.99)


@pytest.mark.parametrize(("items", "began"), [(range(100), 1_000_000_000), (["only"], 0)])
def test_the_witness_speaks_of_the_calls_after_the_first(clock, items, began):
    """What connecting or importing did with the GIL says nothing of later calls; alone, it is heard."""
    witness = FakeWitness(1.0)
    fn = Called(clock, wall=1.0)
    fn.result = lambda item: fn.times.update(wall=0.01)

    profile_at(Bench(fn, items, clock=clock, is_async=False, hand=OwnHand), witness, 2.0)

    assert witness.spans[0][0] == began


def test_small_calls_are_timed_in_blocks(clock):
    """A clock that takes longer than the call is read seldom."""
    clock = CountingClock()
    sample = sampled(Called(clock, wall=1e-6, cpu=1e-6), range(10_000), clock=clock)

    assert sample.profile.wall == pytest.approx(1e-6)
    assert len(sample.results) == 10_000
    assert clock.readings < 500


@pytest.mark.parametrize(("budget", "calls"), [(0.0, 1), (0.05, 1), (0.25, 2)])
def test_the_budget(clock, budget, calls):
    """What would not come back in time is not begun; the first call is always made."""
    fn = Called(clock, wall=0.1)

    sampled(fn, range(1000), clock=clock, budget=budget)

    assert len(fn.items) == calls


def test_slow_calls_may_take_a_twentieth_of_the_work(clock):
    """Where that is more than the budget, and no more than the caller allows."""
    fn = Called(clock, wall=0.3)

    profile_at(Bench(fn, range(100), clock=clock, is_async=False, hand=OwnHand), FakeWitness(), 0.2, most=1.0)

    assert 0.9e9 <= clock.wall() <= 1.0e9


def test_of_a_twentieth_some_is_kept_for_judging():
    """A verdict is due by then, and sampling took all of it."""
    allowance = Allowance.of(0, 0.2, 10.0, 100)

    assert allowance.after(int(0.3e9)) == pytest.approx((1.5 - AFTERWARDS) * 1e9)


def test_a_slow_beginning_is_no_slow_work(clock):
    """What only the first call took says nothing of the whole, of which sampling may take its part."""
    fn = Called(clock, wall=0.001)
    fn.times = {"wall": 0.3}
    fn.result = lambda item: fn.times.update(wall=0.001)

    profile_at(
        Bench(fn, range(1000), clock=clock, is_async=False, hand=OwnHand), FakeWitness(), 0.2, most=1.0
    )

    assert len(fn.items) == 2


def test_a_slow_beginning_leaves_time_to_watch(clock):
    """Two more calls were made where new memory took 150 ms of 200, and what they do was not seen."""
    fn = Called(clock, wall=0.15)
    fn.result = lambda item: fn.times.update(wall=0.0025)

    sampled(fn, range(60), clock=clock, budget=0.2)

    assert len(fn.items) > 8


class SlowWitness(FakeWitness):
    """Computes for a while to begin, and says so."""

    def __init__(self, clock):
        super().__init__()
        self.clock = clock
        self.said = self.said._replace(start=1_000_000)

    def __enter__(self):
        self.clock.spend(wall=0.003, native=0.001)
        return self


def test_the_witness_beginning_is_no_other_thread_at_work(clock):
    """On a slow core that takes a third of the time, which was taken off native threads: they were none."""
    fn = Called(clock, wall=0.01, cpu=0.01, native=0.005)
    bench = Bench(fn, range(100), clock=clock, is_async=False, hand=OwnHand)

    assert profile_at(bench, SlowWitness(clock), 0.2).profile.native == pytest.approx(0.5)


def test_few_slow_calls_get_the_budget(clock):
    """A twentieth of three calls is nothing."""
    fn = Called(clock, wall=0.3)

    profile_at(Bench(fn, range(3), clock=clock, is_async=False, hand=OwnHand), FakeWitness(), 0.2, most=1.0)

    assert len(fn.items) == 1


def test_enough_is_enough(clock):
    """Calls that all take the same time need no second of sampling."""
    fn = Called(clock, wall=0.001)

    sampled(fn, range(100_000), clock=clock, budget=10.0)

    assert clock.wall() < 0.2e9


@pytest.mark.parametrize(("growth", "calls"), [(0.0, 3), (0.01, 6)])
def test_two_long_waits_that_are_alike_are_enough(clock, growth, calls):
    """What time is left is better spent on several lanes at once."""
    fn = Called(clock, wall=0.022)
    fn.result = lambda item: fn.times.update(wall=fn.times["wall"] + growth)

    sampled(fn, range(100_000), clock=clock, budget=1.5)

    assert len(fn.items) == calls


@pytest.mark.parametrize("looked_up", [True, False])
def test_waiting_for_items_is_not_calling(clock, looked_up):
    """An iterable that takes longer than the budget to give its first item has that item called."""

    class Slow(list):
        def __getitem__(self, place):
            clock.spend(wall=1.0)
            return super().__getitem__(place)

    def slow():
        clock.spend(wall=1.0)
        yield from range(100)

    fn = Called(clock, wall=0.01)
    sample = sampled(fn, Slow(range(100)) if looked_up else slow(), clock=clock, budget=0.5)

    assert sample.profile.wall == pytest.approx(0.01)


def test_no_items(clock):
    """Without items there is nothing to know."""
    sample = sampled(Called(clock), [], clock=clock)

    assert (sample.profile.calls, sample.results, list(sample.feed.rest())) == (0, {}, [])


def test_one_item(clock):
    """One item is called once, and its times are those of a first call."""
    sample = sampled(Called(clock, wall=0.5), ["only"], clock=clock)

    assert sample.results == {0: "only"}
    assert sample.profile.wall == pytest.approx(0.5)
    assert sample.profile.calls == 0


@pytest.mark.parametrize("which", [{0}, {2}, {0, 2, 4, 6, 8}])
def test_calls_that_raise(clock, which):
    """An error stands in its item's place, and sampling goes on."""

    def work(item):
        clock.spend(wall=0.01)
        if item in which:
            raise LookupError(item)
        return item

    sample = sampled(work, iter(range(10)), clock=clock)
    raised = {at for at, outcome in sample.results.items() if isinstance(outcome, Raised)}

    assert raised == which & sample.results.keys()
    assert sample.profile.errors == pytest.approx(len(raised) / len(sample.results))


def test_calls_that_all_raise(clock):
    """After a few errors and nothing else, nobody goes on."""

    def work(item):
        clock.spend(wall=0.01)
        raise ConnectionResetError

    sample = sampled(work, range(1000), clock=clock)

    assert len(sample.results) == 3
    assert sample.profile.errors == sample.profile.congestion == 1.0


@pytest.mark.parametrize("asynchronous", [False, True])
def test_lanes_do_not_repeat_what_always_raises(asynchronous):
    """Each call may do something for good before it raises."""
    called = []

    def work(item):
        called.append(item)
        raise ConnectionResetError

    async def awaited(item):
        work(item)

    real(awaited if asynchronous else work, range(1000))

    assert len(called) == 3


def test_an_iterable_that_raises(clock):
    """Its error comes in its place: after the items it gave."""

    def items():
        yield from range(3)
        raise OSError("gone")

    sample = sampled(Called(clock, wall=0.01), items(), clock=clock)

    assert sample.results == {0: 0, 1: 1, 2: 2}
    with pytest.raises(OSError, match="gone"):
        list(sample.feed.rest())


def test_coroutines(clock):
    """Steps, held time and CPU within it are means per coroutine."""

    async def work(item):
        clock.spend(wall=0.004, cpu=0.001)
        await asyncio.sleep(0)
        clock.spend(wall=0.002, cpu=0.002)
        return item

    profile = sampled(work, range(100), clock=clock, share=1.0).profile

    assert profile.is_async
    assert profile.steps == 1.0
    assert (profile.loop_held, profile.loop_cpu) == pytest.approx((0.006, 0.003))
    assert profile.wall == pytest.approx(0.006)


def test_the_callers_context_is_seen(clock):
    """Sampled calls see the caller's variables, from whichever thread they are made."""
    import contextvars

    variable = contextvars.ContextVar("variable")
    variable.set("seen")
    sample = profile(lambda item: variable.get(), range(3), clock=SystemClock(), budget=0.2, is_async=False)

    assert set(sample.results.values()) == {"seen"}


# Real clocks and real callables from here on.


def real(fn, items, budget=3.0):
    """Profile until enough is known: on a busy machine that takes longer, but seldom the whole budget."""
    return profile(
        fn,
        items,
        clock=SystemClock(),
        budget=budget,
        is_async=inspect.iscoroutinefunction(fn),
    )


def count_up(item):
    return sum(number * number for number in range(5000))


LARGE = bytes(3_000_000)  # made beforehand: whoever is interrupted while he makes it holds the GIL until then


def digest(item):
    return hashlib.sha256(LARGE).digest()


def sleep(item):
    time.sleep(0.01)


gil = pytest.mark.skipif(hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled(), reason="needs a GIL")


@gil
@patient
def test_a_python_loop():
    """It computes, and holds the GIL."""
    seen = real(count_up, range(10_000)).profile

    assert seen.cpu + seen.queued > 0.7 * seen.wall
    assert seen.gil > 0.7 * seen.cpu
    assert (seen.pair_speedup or 1.0) < 1.4  # None: nothing could be said for certain on a busy machine


@gil
@pytest.mark.skipif(usable_cpus() < 2, reason="on one core the witness is in the way of who hashes")
@patient
def test_hashing():
    """It computes, and does not hold the GIL."""
    seen = real(digest, range(10_000)).profile

    assert seen.cpu + seen.queued > 0.7 * seen.wall
    unseen = any(each.startswith("gil") for each in seen.missing)  # too few looks on a busy machine
    assert unseen or seen.gil < SELDOM * seen.cpu


@patient
def test_sleeping():
    """It waits, and lanes wait side by side."""
    seen = real(sleep, range(10_000)).profile

    assert seen.blocked > 0.6 * seen.wall
    assert (seen.pair_speedup or 0.0) > 1.5
    assert seen.ramp
    assert seen.ramp[0][1] > 2.5
    assert seen.blocking_calls >= 0.9


@patient
def test_a_lock():
    """What lets one in at a time is no faster with two."""
    lock = threading.Lock()

    def work(item):
        with lock:
            time.sleep(0.002)

    seen = real(work, range(10_000)).profile

    assert (seen.pair_speedup or 1.0) < 1.5
    assert "closure cell 'lock'" in seen.payload.obstacle


@patient
def test_a_coroutine_that_blocks_its_loop():
    """The line that blocks is named."""

    async def work(item):
        await asyncio.sleep(0)
        time.sleep(0.005)  # noqa: ASYNC251 - the fault to be found

    seen = real(work, range(1000)).profile

    assert seen.loop_held > 0.8 * seen.wall
    assert seen.loop_cpu < 0.5 * seen.loop_held
    assert seen.blocks_at == f"{__file__}:{work.__code__.co_firstlineno + 2}"


@patient
def test_a_coroutine_that_awaits():
    """It holds its loop for next to nothing, and nobody is blamed."""

    async def work(item):
        await asyncio.sleep(0.01)

    seen = real(work, range(1000)).profile

    assert seen.loop_held < 0.5 * seen.wall
    assert (seen.pair_speedup or 0.0) > 1.5


@patient
def test_a_call_that_never_returns():
    """The budget holds, what is known is said, and the call is not made again."""
    gate, calls = threading.Event(), []

    def work(item):
        calls.append(item)
        gate.wait()
        return "at last"

    before = time.monotonic()
    sample = real(work, range(10), budget=0.2)
    spent = time.monotonic() - before

    assert len(sample.in_flight) == 1
    (adrift,) = sample.in_flight
    assert spent < 5
    assert "had not come back" in str(sample.profile.missing)
    assert sample.profile.calls == 0
    assert sample.profile.wall >= 0.15
    assert sample.profile.cpu < 0.5 * sample.profile.wall
    assert [at for at, _ in sample.feed.rest()] == list(range(1, 10))
    gate.set()
    assert list(adrift.result(10).outcomes) == ["at last"]
    assert calls == [0]


@patient
def test_a_later_call_that_never_returns():
    """What was learnt before stands, and the items behind it are left."""
    gate = threading.Event()

    def work(item):
        if item == 3:
            gate.wait()
        return item

    sample = real(work, iter(range(10)), budget=0.2)
    gate.set()

    assert sample.in_flight
    assert sample.profile.calls >= 1
    assert ends(sample) == {at: at for at in range(10)}


@patient
def test_what_a_later_call_has_taken_is_its_own(clock):
    """The calls of the same round that came back before it have times of their own."""
    gate = threading.Event()

    def work(item):
        clock.spend(wall=0.3 if item == 5 else 0.002, cpu=0.001)
        if item == 5:
            gate.wait()

    bench = Bench(work, iter(range(10)), clock=clock, is_async=False, hand=DaemonHand)
    profile = profile_at(bench, FakeWitness(), 0.25).profile
    gate.set()

    assert profile.calls >= 4
    assert profile.wall_max == pytest.approx(0.3)
    assert "item 5 had not come back after 0.3 s" in str(profile.missing)


@patient
def test_a_coroutine_that_never_returns():
    """An await without end costs the budget too; let go, it ends in its own loop."""
    started = []

    async def work(item):
        started.append((asyncio.get_running_loop(), event := asyncio.Event()))
        await event.wait()
        return "at last"

    sample = real(work, range(5), budget=0.2)
    assert len(sample.in_flight) == len(started) == 1
    (adrift,) = sample.in_flight
    loop, event = started[0]
    loop.call_soon_threadsafe(event.set)

    assert list(adrift.result(10).outcomes) == ["at last"]
    assert len(started) == 1


@patient
def test_a_call_that_hangs_among_lanes():
    """In a trial of lanes too, nobody waits longer than the budget, and nothing is called twice."""
    gate, calls, callers = threading.Event(), [], []

    def work(item):
        calls.append(item)
        caller = threading.get_ident()
        callers.append(caller)
        if caller != callers[0]:
            gate.wait()  # also where several lanes do
        time.sleep(0.01)
        return item

    sample = real(work, range(10_000), budget=1.0)
    gate.set()
    late = [each.result(10) for each in sample.in_flight]

    assert sample.in_flight
    assert "pair_speedup: 2 calls at once did not come back in time" in sample.profile.missing
    assert len(calls) == len(set(calls)) == len(sample.results) + sum(len(r.outcomes) for r in late)


def test_callables_that_need_the_main_thread():
    """What sets signals is called where that is allowed."""
    before = signal.getsignal(signal.SIGUSR1)

    def work(item):
        signal.signal(signal.SIGUSR1, before)
        return item

    sample = real(work, range(5))

    assert sample.results == {at: at for at in range(5)}
    assert "only the main thread may" in str(sample.profile.missing)


def test_a_connection_made_elsewhere():
    """A database connection of the caller's is used in the caller's thread."""
    connection = sqlite3.connect(":memory:")

    def work(item):
        return connection.execute("select ?", (item,)).fetchone()[0]

    sample = real(work, range(5))
    connection.close()

    assert sample.results == {at: at for at in range(5)}


def test_ctrl_c_during_a_call_in_the_callers_thread():
    """It is the caller's, as everywhere, and no outcome of the item."""
    connection = sqlite3.connect(":memory:")

    def work(item):
        connection.execute("select 1")
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        real(work, range(5))
    connection.close()


def test_a_refusal_nobody_could_foresee():
    """A callable that refuses the thread is called no more, and the reason is told."""
    main = threading.current_thread()

    def work(item):
        if threading.current_thread() is not main:
            raise RuntimeError("must be called from the main thread")

    sample = real(work, range(100))

    assert len(sample.results) == 1
    assert "refuses to be called in another thread" in str(sample.profile.missing)


@gil  # without one the interval means nothing, and is not borrowed
def test_a_callable_that_changes_the_switch_interval():
    """Whatever it sets, the caller finds his own value again."""
    before = sys.getswitchinterval()
    real(lambda item: sys.setswitchinterval(0.02), range(50))

    assert sys.getswitchinterval() == before


def test_a_callable_that_starts_threads():
    """Threads inside a callable do not disturb the account of calls."""

    def work(item):
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()
        return item

    sample = real(work, range(200))

    assert ends(sample) == {at: at for at in range(200)}


def test_a_callable_that_profiles():
    """Profiling within profiling gives both their results, and the switch interval back."""
    before = sys.getswitchinterval()

    def work(item):
        return len(real(sleep, range(3)).results)

    sample = real(work, range(2))

    assert set(sample.results.values()) == {3}
    assert sys.getswitchinterval() == before


@patient
def test_child_processes():
    """The CPU time of children that were waited for is the callable's doing."""
    import subprocess

    def work(item):
        subprocess.run([sys.executable, "-S", "-c", "sum(range(10**5))"], check=True)

    seen = real(work, range(100)).profile

    assert seen.children > seen.cpu


@patient
@pytest.mark.skipif(not Path("/proc/thread-self/children").exists(), reason="nobody tells whose they are")
def test_child_processes_that_outlast_the_budget():
    """They seemed to wait: of ten that compute for a second each, ten were to run at once on two cores."""
    import subprocess

    def work(item):
        code = "import time\nwhile time.process_time() < 0.3: pass"
        subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)

    sample = profile(work, range(2), clock=SystemClock(), budget=0.1, is_async=False)
    for flight in sample.in_flight:
        flight.result(30)

    assert sample.profile.wall_at_least
    assert sample.profile.children > sample.profile.cpu


def test_items_that_cannot_be_pickled():
    """They are sampled like others; only the trip to a process has an obstacle."""
    sample = real(type, [threading.Lock() for _ in range(5)])

    assert len(sample.results) == 5
    assert sample.profile.payload.obstacle.startswith("the item is a lock (cannot pickle")


def test_pickling_that_does_not_end(monkeypatch):
    """A hook that hangs costs a fifth of a second, and that is said."""
    gate = threading.Event()

    class Stubborn:
        def __reduce__(self):
            gate.wait()
            return int, ()

    sample = real(type, [Stubborn()])
    gate.set()

    assert "pickling had not ended" in str(sample.profile.missing)
    assert sample.profile.payload.item_seconds > 0


def test_a_callable_whose_pickling_does_not_end():
    """It goes to each worker once: items are not said to cost as much, each of them."""
    gate = threading.Event()

    class Stubborn:
        def __call__(self, item):
            return item

        def __reduce__(self):
            gate.wait()
            return int, ()

    profile = real(Stubborn(), range(5)).profile
    gate.set()

    assert "load: pickling the callable had not ended" in str(profile.missing)
    assert profile.payload.item_bytes > 0
    assert profile.payload.load_seconds > profile.payload.item_seconds


class CrowdedClock(SystemClock):
    """Says that whoever pickles has queued for a core all the time; from then on there is one."""

    def __init__(self):
        super().__init__()
        self.picklers = set()
        self.free = threading.Event()

    def watch(self, thread):
        if thread not in self.picklers:
            return super().watch(thread)
        self.free.set()
        return 0, 1_000_000_000


def test_pickling_on_a_crowded_machine(monkeypatch):
    """What takes long because there is no core for it is waited for, and does not count as dear."""
    monkeypatch.setattr(_payload, "PATIENCE", (0.05, 30.0))  # the machine may be crowded indeed
    clock = CrowdedClock()

    class Late:
        def __reduce__(self):
            clock.picklers.add(threading.current_thread())
            clock.free.wait()
            return int, ()

    sample = profile(type, [Late()], clock=clock, budget=0.2, is_async=False)
    clock.free.set()

    assert "payload" not in str(sample.profile.missing)
    assert sample.profile.payload.item_bytes > 0


def test_nothing_is_left_behind():
    """After profiling no thread of ours lives on."""
    before = set(threading.enumerate())
    real(sleep, range(20), budget=0.1)
    real(_nothing, range(20), budget=0.1)

    for thread in set(threading.enumerate()) - before:
        thread.join(30)  # on a busy machine it may be at a call that did not come back in time
        assert not thread.is_alive()


async def _nothing(item):
    return item


def test_the_hand_of_a_bench():
    """By default calls are made in a daemon thread."""
    bench = Bench(len, [], clock=FakeClock(), is_async=False, hand=DaemonHand)
    bench.close()

    assert bench.hand.thread is not threading.current_thread()


def test_half_of_few_items_is_spared_for_trials(clock):
    """One lane does not use up what two are to be tried on; where all is next to nothing, it may."""
    few, tiny = Called(clock, wall=0.005, cpu=0.005), Called(clock, wall=0.000_5)

    sampled(few, range(20), clock=clock)
    sampled(tiny, range(20), clock=clock)

    assert len(few.items) == 10
    assert len(tiny.items) == 20


SEEN = []


def _keep(item):
    SEEN.append(item)


def _extend(item):
    item.append(0)


@pytest.mark.parametrize("make", [list, iter])
@pytest.mark.parametrize(
    ("fn", "changed"), [(_keep, "the global 'SEEN'"), (_extend, "their items"), (len, "")]
)
def test_what_calls_change_stands_in_the_way_of_processes(fn, changed, make):
    """A list that every call adds to would be another one in each process."""
    payload = real(fn, make([[place] for place in range(50)])).profile.payload

    assert changed in payload.obstacle
    assert bool(payload.obstacle) == bool(changed)
