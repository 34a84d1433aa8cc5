import asyncio
import contextvars
import gc
import inspect
import signal
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from measure_fakes import CountingClock, FakeClock

from concurrent_choices._errors import UnawaitedError
from concurrent_choices._facts._batch import Claim
from concurrent_choices._measure import _awaited_calls
from concurrent_choices._measure._awaited_calls import STEPPED, AwaitedCalls
from concurrent_choices._measure._calls import PlainCalls, cut
from concurrent_choices._measure._figures import Block
from concurrent_choices._measure._ledger import Ledger, Raised, Run
from concurrent_choices._measure._steps import isolated
from concurrent_choices._runtime._hand import DaemonHand, OwnHand

HERE = contextvars.ContextVar("HERE", default="nothing")


@pytest.fixture
def call():
    """Make calls with items in blocks; answers the ledger."""
    ends = []

    def call(fn, *blocks, clock=None):
        kind = AwaitedCalls if inspect.iscoroutinefunction(fn) else PlainCalls
        calls = kind(fn, contextvars.copy_context(), clock or FakeClock())
        ends.append(calls.close)
        ledger, claims, start = Ledger(), [], 0
        for items in blocks:
            claims.append(Claim(start, items))
            start += len(items)
        calls.round(claims, ledger)
        return ledger

    yield call
    for end in ends:
        end()


def outcomes(ledger):
    return [outcome for run in ledger.runs for outcome in run.outcomes]


def as_async(fn):
    async def wrapped(item):
        await asyncio.sleep(0)
        return fn(item)

    return wrapped


@pytest.fixture(params=["def", "async def"])
def kind(request):
    return as_async if request.param == "async def" else lambda fn: fn


def test_blocks_are_timed_exactly(call, clock, kind):
    """Each block has the wall, CPU and queueing time of its own calls."""

    def work(item):
        clock.spend(wall=item, cpu=item / 2, queued=item / 4)
        return item

    ledger = call(kind(work), [1.0], [2.0, 3.0], clock=clock)

    assert ledger.runs == [Run(0, [1.0]), Run(1, [2.0, 3.0])]
    second = 1_000_000_000
    assert ledger.blocks == [
        Block(0, 1, second, second // 2, second // 4),
        Block(1, 2, 5 * second, 5 * second // 2, 5 * second // 4),
    ]


@pytest.mark.parametrize("error", [LookupError, SystemExit, GeneratorExit])
def test_errors_stand_in_their_items_place(call, kind, error):
    """Whatever is raised is one item's outcome, noted with the item; the others go on."""

    def work(item):
        if item == "b":
            raise error("no")
        return item.upper()

    first, second, third = outcomes(call(kind(work), ["a", "b", "c"]))

    assert (first, third) == ("A", "C")
    assert isinstance(second, Raised)
    assert isinstance(second.error, error)
    assert second.error.__notes__ == ["raised by item 1: 'b'"]


@pytest.mark.parametrize("touches_nothing", [False, True])
def test_ctrl_c_is_nobodys_outcome(call, kind, touches_nothing):
    """It ends the sampling, as it ends everything."""
    with pytest.raises(KeyboardInterrupt):
        call(kind(_add_one if touches_nothing else _interrupt), [1, Interrupting(), 3])


class Interrupting:
    def __add__(self, other):
        raise KeyboardInterrupt


def _add_one(item):
    return item + 1


def _interrupt(item):
    print(end="")
    return _add_one(item)


@pytest.mark.parametrize("lanes", [0, 2])
def test_ctrl_c_while_coroutines_are_called_in_the_callers_thread(lanes):
    """There a loop cancels what it runs, which no item takes for its own end."""

    async def work(item):
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(60)

    calls = AwaitedCalls(work, contextvars.copy_context(), FakeClock())
    claims = [Claim(at, [at]) for at in range(3)]
    with pytest.raises(KeyboardInterrupt):
        calls.lanes(claims, Ledger(), lanes) if lanes else calls.round(claims, Ledger())
    calls.close()


def test_cancelled_by_itself(call):
    """A coroutine that ends as cancelled does not take the others along."""

    async def work(item):
        if item == 1:
            raise asyncio.CancelledError
        return item

    result = outcomes(call(work, [0, 1, 2]))

    assert isinstance(result[1].error, asyncio.CancelledError)
    assert (result[0], result[2]) == (0, 2)


def test_each_item_has_its_own_context(call, kind):
    """The caller's variables are seen; what an item sets is not seen by the next."""
    HERE.set("the caller's")

    def work(item):
        before = HERE.get()
        HERE.set(item)
        return before

    assert outcomes(call(kind(work), ["a", "b"])) == ["the caller's", "the caller's"]
    assert HERE.get() == "the caller's"


@pytest.mark.parametrize(("leaves", "apart"), [(False, 0), (True, 3)])
def test_short_coroutines_are_awaited_as_lanes_do(call, monkeypatch, leaves, apart):
    """In one context, which costs nothing; each in its own once one has left something in it."""
    made = []

    def counted(coroutine, context):
        made.append(context)
        return isolated(coroutine, context)

    monkeypatch.setattr(_awaited_calls, "isolated", counted)

    async def work(item):
        before = HERE.get()
        if leaves and item == "b":
            HERE.set(item)
        return before

    watched = [[None]] * STEPPED  # each step is timed, in a context of its own
    assert set(outcomes(call(work, *watched, ["a", "b", "c"], ["d", "e"]))) == {HERE.get()}
    assert len(made) == apart


def test_callables_that_touch_nothing_go_at_once(call):
    """The quick way gives the same, errors included, and calls each item once."""

    def halves(item):
        return 1 / item

    result = outcomes(call(halves, [1, 0, 2, 0, 4]))

    assert result[::2] == [1.0, 0.5, 0.25]
    assert [type(each.error) for each in result[1::2]] == [ZeroDivisionError] * 2


class Stopping:
    def __add__(self, other):
        raise StopIteration


def test_stop_iteration(call):
    """A StopIteration ends neither the round nor anything else."""

    def add(item):
        return item + 1

    result = outcomes(call(add, [1, Stopping(), 3]))

    assert (result[0], result[2]) == (2, 4)
    assert isinstance(result[1].error, StopIteration)


def test_coroutines_that_nobody_awaits(call):
    """A call that gives a coroutine is an error of that item alone, and each is called once."""
    made = []

    async def inner(item):
        """Never runs."""

    def work(item):
        made.append(item)
        return inner(item) if item % 2 else item

    result = outcomes(call(work, [0, 1, 2, 3]))

    assert [type(getattr(each, "error", each)) for each in result] == [int, UnawaitedError] * 2
    assert made == [0, 1, 2, 3]


def test_an_async_def_that_returns_another_coroutine(call):
    """What comes of the await may be no coroutine either."""

    async def inner():
        """Never runs."""

    async def work(item):
        return inner()

    (result,) = outcomes(call(work, [1]))

    assert isinstance(result.error, UnawaitedError)


def test_awaitables_other_than_coroutines():
    """A callable may give anything that can be awaited."""

    class Later:
        def __init__(self, value):
            self.value = value

        def __await__(self):
            yield from asyncio.sleep(0).__await__()
            return self.value

    calls = AwaitedCalls(Later, contextvars.copy_context(), FakeClock())
    ledger = Ledger()
    calls.round([Claim(0, [5])], ledger)
    calls.close()

    assert outcomes(ledger) == [5]


def test_the_first_coroutines_are_watched_step_by_step(clock):
    """Long calls are watched always, short ones only while few were."""

    async def work(item):
        await asyncio.sleep(0)
        clock.spend(wall=item)

    calls = AwaitedCalls(work, contextvars.copy_context(), clock)
    ledger = Ledger()
    calls.round([Claim(0, [0] * 6), Claim(6, [0] * 6), Claim(12, [1])], ledger)
    assert calls.meter.coroutines == 12
    calls.round([Claim(13, [0, 0])], ledger)
    calls.close()

    assert calls.meter.coroutines == 14


def test_many_short_steps_are_not_timed_however_long_they_take_in_all(clock):
    """Fifty times the price of timing a step is a good part of what fifty short steps take."""

    async def work(item):
        for _ in range(50):
            clock.spend(wall=10e-6, cpu=10e-6)
            await asyncio.sleep(0)

    calls = AwaitedCalls(work, contextvars.copy_context(), clock)
    calls.round([Claim(at, [at]) for at in range(20)], Ledger())
    calls.close()

    assert calls.meter.coroutines == 8


def test_time_in_the_threads_of_the_loop_is_told(clock):
    """Of what a coroutine hands to them; an executor of its own has as many as it likes."""

    async def work(item):
        await asyncio.sleep(0)
        await asyncio.to_thread(clock.spend, 0.25)
        with ThreadPoolExecutor(1) as own:
            await asyncio.get_running_loop().run_in_executor(own, clock.spend, 1.0)

    calls = AwaitedCalls(work, contextvars.copy_context(), clock)
    calls.round([Claim(0, [0, 1])], Ledger())
    calls.close()

    assert calls.loop.in_threads == 500_000_000


def test_a_callable_that_was_awaited_is_let_go_of(clock):
    """At once, with whatever it holds, not at some later collection."""

    async def work(item):
        await asyncio.to_thread(int)

    gone = weakref.ref(work)
    calls = AwaitedCalls(work, contextvars.copy_context(), clock)
    gc.collect()
    gc.disable()
    try:
        calls.round([Claim(0, [0])], Ledger())
        calls.close()
        del work, calls
        assert gone() is None
    finally:
        gc.enable()


def test_lanes_on_a_loop_work_side_by_side(clock):
    """While one lane waits the other goes on, and they share the items."""
    running, most = [0], [0]

    async def work(item):
        running[0] += 1
        most[0] = max(most[0], running[0])
        await asyncio.sleep(0)
        running[0] -= 1
        clock.spend(wall=1.0)

    calls = AwaitedCalls(work, contextvars.copy_context(), clock)
    ledger = Ledger()
    lanes = calls.lanes([Claim(at, [at]) for at in range(6)], ledger, 2)
    calls.close()

    assert most == [2]
    assert [lane.block.calls for lane in lanes] == [3, 3]
    assert sorted(run.start for run in ledger.runs) == list(range(6))
    assert ledger.blocks == []


@pytest.mark.parametrize(("settles", "queued"), [(False, [0.2, 0.4]), (True, [0.2, 0.2])])
def test_what_a_loop_queues_for_delays_those_that_compute(clock, settles, queued):
    """Of coroutines that wait, each has its own part of it: they would wait meanwhile anyway."""

    async def work(item):
        await asyncio.sleep(0)
        clock.spend(wall=1.0, cpu=0.2, queued=0.2)

    calls = AwaitedCalls(work, contextvars.copy_context(), clock)
    lanes = calls.lanes([Claim(at, [at]) for at in range(2)], Ledger(), 2, settles=settles)
    calls.close()

    assert [lane.block.queued / 1e9 for lane in lanes] == pytest.approx(queued)


def test_a_lane_keeps_apart_what_its_thread_does_first(clock):
    """A new thread's own memory and connections are no part of its pace, where enough follows."""
    calls = PlainCalls(lambda item: clock.spend(wall=item, cpu=item), contextvars.copy_context(), clock)

    lane = calls.lane([Claim(0, [9.0]), Claim(1, [1.0]), Claim(2, [1.0, 1.0])], Ledger(), clock.wall())
    short = calls.lane([Claim(4, [9.0]), Claim(5, [1.0])], Ledger(), clock.wall())

    assert lane.block == Block(0, 3, 3_000_000_000, 3_000_000_000, 0)
    assert lane.late == 8.0
    assert short.block == Block(0, 2, 10_000_000_000, 10_000_000_000, 0)


def test_a_lane_counts_how_often_it_slept(clock):
    """Who hands over the GIL sleeps until it is handed back."""

    def work(sleeps):
        clock.spend(wall=1.0, cpu=0.5, sleeps=sleeps)

    calls = PlainCalls(work, contextvars.copy_context(), clock)

    lane = calls.lane([Claim(at, [at]) for at in range(4)], Ledger(), clock.wall())

    assert lane.block.sleeps == 1 + 2 + 3


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("settles", [True, False])
def test_who_was_turned_away_asks_no_more_and_was_not_served(clock, at, settles):
    """Refusals take no time: they passed for throughput, and a crowd of them used up the items."""
    asked = []

    def work(item):
        asked.append(item)
        clock.spend(wall=1.0)
        if item == at:
            raise TimeoutError

    async def awaited(item):
        work(item)

    claims = [Claim(place, [place]) for place in range(5)]
    plain = PlainCalls(work, contextvars.copy_context(), clock)
    lane = plain.lane(claims, Ledger(), clock.wall(), settles=settles)
    calls = AwaitedCalls(awaited, contextvars.copy_context(), clock)
    (on_loop,) = calls.lanes(claims, Ledger(), 1, settles=settles)
    calls.close()

    assert asked == 2 * list(range(at + 1 if settles else 5))
    assert (lane.block.calls, on_loop.block.calls) == (2 * (min(at, 1),) if settles else (4, 5))


def test_the_run_queue_is_read_where_a_core_may_have_been_lost(call):
    """Where nearly all the time was computed there is nothing to ask for."""
    clock = CountingClock()
    ledger = call(lambda item: clock.spend(wall=1.0, cpu=1.0 - item, queued=item), [0.0], [0.25], clock=clock)

    assert [block.queued for block in ledger.blocks] == [0, 250_000_000]
    assert clock.readings == 2


def test_who_never_slept_waited_for_a_core(call, clock):
    """A host that takes a core away counts it nowhere; only a thread that slept may have waited for more."""

    def work(sleeps):
        clock.spend(wall=1.0, cpu=0.25, queued=0.25, sleeps=sleeps)

    ledger = call(work, [0], [1], [0, 1], [0], clock=clock)

    assert [block.queued / 1e9 for block in ledger.blocks] == [0.75, 0.25, 0.5, 0.75]


def test_where_sleeps_are_not_counted_none_is_no_sign(call, clock):
    """Then all waiting would look like the want of a core."""
    clock.missing = ("blocking_calls: not here",)

    ledger = call(lambda _: clock.spend(wall=1.0, cpu=0.25, queued=0.25, sleeps=0), [0], clock=clock)

    assert [block.queued / 1e9 for block in ledger.blocks] == [0.25]


def test_what_passed_before_a_lane_began_is_no_lack_of_a_core(clock):
    """It may have waited for the GIL, asleep, where its own count does not show it."""
    calls = PlainCalls(lambda item: clock.spend(wall=item, cpu=item), contextvars.copy_context(), clock)
    start = clock.wall()
    clock.spend(wall=2.0)

    lane = calls.lane([Claim(0, [1.0])], Ledger(), start)

    assert (lane.block.wall, lane.block.queued) == (3_000_000_000, 0)


def test_an_abandoned_ledger_ends_rounds_and_lanes(clock):
    """Once nobody waits, not one more item is called."""
    made = []
    plain = PlainCalls(made.append, contextvars.copy_context(), clock)

    async def work(item):
        made.append(item)

    awaited = AwaitedCalls(work, contextvars.copy_context(), clock)
    ledger = Ledger()
    ledger.abandon()
    plain.round([Claim(0, [1])], ledger)
    assert plain.lane([Claim(0, [1])], ledger, 0).block.calls == 0
    awaited.round([Claim(0, [1])], ledger)
    assert awaited.lanes([Claim(0, [1])], ledger, 1)[0].block.calls == 0
    awaited.close()

    assert made == []


def test_a_lane_is_timed_from_when_it_was_ready(clock):
    """What it waits before its first call counts."""
    calls = PlainCalls(lambda item: clock.spend(wall=1.0), contextvars.copy_context(), clock)
    clock.spend(wall=5.0)

    lane = calls.lane([Claim(0, [1, 2])], Ledger(), 2_000_000_000)

    assert lane.block == Block(0, 2, 5_000_000_000, 0, 0)


def test_cutting():
    """Claims are cut into smaller ones of the same items."""
    assert cut([Claim(3, [1, 2, 3]), Claim(9, [4])], 2) == [
        Claim(3, [1, 2]),
        Claim(5, [3]),
        Claim(9, [4]),
    ]


def test_a_hand_works_elsewhere_and_raises_here():
    """Work is done in a thread of its own; its end, and its errors, come back."""
    hand, seen = DaemonHand(), []
    assert hand.do(lambda: seen.append(threading.current_thread()), 10)
    with pytest.raises(LookupError):
        hand.do(lambda: {}["missing"], 10)
    assert hand.do(lambda: None, 10)
    hand.close()

    assert seen == [hand.thread]
    assert not hand.thread.is_alive()


def test_a_hand_that_does_not_come_back_is_left():
    """Nobody waits for it longer than said; set free, it ends."""
    hand, gate = DaemonHand(), threading.Event()
    assert not hand.do(gate.wait, 0.01)
    hand.close()
    gate.set()
    hand.thread.join(10)

    assert not hand.thread.is_alive()
    assert hand.thread.daemon


def test_ctrl_c_leaves_a_hand_behind():
    """Whoever stops waiting for a call does not wait for it in parting either."""
    hand, gate = DaemonHand(), threading.Event()
    caller = threading.get_ident()

    def work():
        signal.pthread_kill(caller, signal.SIGINT)
        gate.wait()

    with pytest.raises(KeyboardInterrupt):
        hand.do(work, 60)
    hand.close()
    assert hand.thread.is_alive()
    gate.set()
    hand.thread.join(10)
    assert not hand.thread.is_alive()


def test_a_hand_that_nobody_holds_ends():
    """Ctrl-C may come between its making and whoever would have closed it."""
    thread = DaemonHand().thread
    thread.join(10)
    assert not thread.is_alive()


def test_ones_own_hand():
    """It works here and now."""
    hand, seen = OwnHand(), []

    assert hand.do(lambda: seen.append(threading.current_thread()), 0)
    assert seen == [hand.thread] == [threading.current_thread()]
    hand.close()


def test_no_trace_is_set_around_calls(call):
    """Watching never distorts: no tracer and no profiler is on while a callable runs."""
    found = []
    call(lambda item: found.append((sys.gettrace(), sys.getprofile())), [1])

    assert found == [(sys.gettrace(), sys.getprofile())]
