"""`auto` for coroutines: on a loop, and through every switch to threads and processes with loops."""

import asyncio
import sqlite3
import threading
import time
import weakref
from collections import Counter as Tallied
from contextlib import aclosing, closing
from itertools import count, islice

import engine_acts as acts
import engine_coroutines as coroutines
import pytest
import trio
from engine_forms import in_a_loop, in_a_stream, in_an_async_stream

from concurrent_choices import (
    AutoStrategy,
    ItemTimeoutError,
    arun,
    astream,
    recommend,
    run,
    run_report,
    stream,
)
from concurrent_choices._engine import _coroutines, _succession
from concurrent_choices._engine._elastic_task_pool import ElasticTaskPool
from concurrent_choices._judge._controller._loop_controller import LoopController
from concurrent_choices._judge._controller._sight import Limits, Prior
from patience import patient, with_ample_limit


@pytest.fixture(params=coroutines.SCRIPTS)
def strategy(request, monkeypatch):
    """Each script in turn."""
    if rest := coroutines.RESTS.get(request.param):
        monkeypatch.setattr(_succession, "Controller", lambda *_: coroutines.RestScript(rest))
    return coroutines.LoopStrategy(*coroutines.SCRIPTS[request.param])


FORMS = pytest.mark.parametrize("form", [run, in_a_stream, in_a_loop, in_an_async_stream])


@FORMS
@pytest.mark.parametrize("fn", [coroutines.double_soon, coroutines.double_at_once])
def test_results_stand_in_their_places(strategy, form, fn):
    """Results are those of a loop of `await`s, whoever performed them."""
    assert form(fn, range(300), strategy=strategy) == [2 * item for item in range(300)]


@FORMS
def test_each_item_is_called_once_through_the_switch(strategy, form, tmp_path):
    """The log of calls shows each item once, wherever the run went on."""
    log = tmp_path / "calls"
    items = [(str(log), number) for number in range(200)]
    assert form(coroutines.note_soon, items, strategy=strategy) == list(range(200))
    assert Tallied(map(int, log.read_text().split())) == Tallied(range(200))


@FORMS
@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 100])
def test_an_iterator_of_any_length(strategy, form, length):
    """Also one that ends where the switch is."""
    items = (item for item in range(length))
    assert form(coroutines.double_soon, items, strategy=strategy) == [2 * item for item in range(length)]


@pytest.mark.parametrize("form", [in_a_loop, in_an_async_stream])
@pytest.mark.parametrize("length", [0, 8, 9, 100])
def test_an_async_iterator_of_any_length(strategy, form, length):
    """It goes on in the caller's loop, wherever its items are called."""

    async def items():
        for item in range(length):
            await asyncio.sleep(0)
            yield item

    assert form(coroutines.double_soon, items(), strategy=strategy) == [2 * item for item in range(length)]


@FORMS
def test_an_error_ends_the_run(strategy, form):
    """The first error is the callable's own, with a note that names the item."""
    with pytest.raises(ValueError, match="seven") as caught:
        form(coroutines.fail_at_seven_soon, range(300), strategy=strategy)
    assert "item 7" in caught.value.__notes__[0]


@FORMS
def test_errors_can_stand_in_their_places(strategy, form):
    """With `return_exceptions` the rest goes on."""
    results = form(coroutines.fail_at_seven_soon, range(150), strategy=strategy, return_exceptions=True)
    assert [index for index, result in enumerate(results) if isinstance(result, ValueError)] == [7]


@FORMS
@with_ample_limit
def test_a_time_limit_holds_in_every_state(strategy, form, limit):
    """An item that outlasts its seconds is cancelled, before and after the switch."""
    items = [0.001] * 100 + [30] + [0.001] * 20
    with pytest.raises(ItemTimeoutError) as caught:
        form(coroutines.sleep, items, strategy=strategy, timeout=limit)
    assert caught.value.index == 100


@pytest.mark.parametrize("length", [0, 1, 2, 15, 16, 17, 31, 33])
def test_a_list_of_any_length(strategy, length):
    """Also one that ends where the switch is, and where the loop has all of it."""
    assert run(coroutines.double_soon, range(length), strategy=strategy) == [
        2 * item for item in range(length)
    ]


@pytest.mark.parametrize("after", [0.02, 0.1, 0.3])
def test_ctrl_c_ends_the_run_in_every_state(strategy, after, ctrl_c):
    """On the loop, beside its last items, in threads and in processes."""
    timer = threading.Timer(after, ctrl_c.press)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - it may come as soon as the timer has started
        timer.start()
        run(coroutines.sleep, [0.01] * 20 + [0.3] * 500, strategy=strategy)
    timer.join()


def test_an_error_beside_the_loop_ends_what_the_loop_is_at():
    """It need not wait for items that take an hour."""
    strategy = coroutines.LoopStrategy(*coroutines.SCRIPTS["threads"])
    with pytest.raises(ValueError, match="beside the loop"):
        run(coroutines.fail_beside_the_loop, range(300), strategy=strategy)


def test_an_endless_stream_can_be_left(strategy):
    """Closing early ends the work in whatever state it is."""
    results = stream(coroutines.double_soon, count(), strategy=strategy)
    assert list(islice(results, 60)) == list(range(0, 120, 2))
    results.close()


def test_an_async_stream_can_be_left(strategy):
    """The same on the caller's own loop."""

    async def main():
        found = []
        async with aclosing(astream(coroutines.double_soon, range(500), strategy=strategy)) as results:
            async for result in results:
                found.append(result)
                if len(found) == 60:
                    return found
        return found

    assert asyncio.run(main()) == list(range(0, 120, 2))


@pytest.mark.parametrize("fn", [coroutines.sleep, time.sleep])
@pytest.mark.parametrize("after", [0.05, 0.2])
def test_ctrl_c_ends_the_run(fn, after, ctrl_c):
    """It comes back as KeyboardInterrupt, and no worker goes on."""
    timer = threading.Timer(after, ctrl_c.press)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - as above
        timer.start()
        run(fn, [0.01] * 20 + [0.3] * 500, strategy=AutoStrategy(concurrency=2))
    timer.join()


# With the controller that decides by evidence


@patient
def test_coroutines_that_wait_get_more_lanes():
    """Nothing has come back, and the loop is idle: more of them start."""
    run(coroutines.sleep, [0.05] * 100)
    assert max(step.lanes for step in run_report().steps) > 32


@pytest.mark.parametrize("form", [run, in_a_stream, in_a_loop])
@pytest.mark.parametrize("limits", [{}, {"timeout": 60}])
@pytest.mark.parametrize("made", [list, iter])
@patient
def test_coroutines_that_block_go_to_threads(form, limits, made):
    """One that calls `time.sleep` would hold up all others, and the caller's own loop; also under a limit."""

    async def fn(item):
        return await coroutines.block(item)  # of no earlier run, which would be remembered

    results = form(fn, made(range(150)), **limits)
    if [item for item, _ in results] != list(range(150)):
        pytest.fail(f"not by chance: {results}")
    assert len({thread for _, thread in results}) > 2


@pytest.mark.parametrize("form", [run, in_a_loop])
def test_what_does_not_wait_is_begun_one_at_a_time(form):
    """Turning the loop is no waiting: an item that blocks afterwards would hold up all that were begun."""
    flying: list[int] = []

    async def call(item):
        flying.append(item)
        await asyncio.sleep(0)
        assert len(flying) == 1
        flying.pop()

    form(call, range(300), strategy=coroutines.LoopStrategy(coroutines.LOOP))


@pytest.mark.parametrize("form", [run, in_a_stream])
def test_items_that_wait_in_threads_do_so_at_once(form):
    """A loop of a run's own has threads for them: all of these meet, or none is let through."""
    meeting = threading.Barrier(13)

    async def meet(item):
        await asyncio.to_thread(meeting.wait, 60) if item else await asyncio.to_thread(time.sleep, 0.01)

    form(meet, range(14), strategy=coroutines.LoopStrategy(coroutines.LOOP._replace(threads=16)))


@FORMS
def test_items_that_come_to_wait_go_back_to_a_loop(form):
    """After those that blocked theirs: many at once, in the thread where the first were."""
    threads, waiting = [], Tallied()

    async def block_first(item):
        here = threading.get_ident()
        threads.append(here)
        if item < 60:
            await coroutines.block(item)
            return item
        waiting[here] += 1
        await asyncio.sleep(0.05)  # seldom, or they fill a loop
        waiting[here] -= 1
        return item

    def until_back():
        for item in range(20_000):  # as many as a slow host takes until it has seen that they wait
            yield item
            if threads and waiting[threads[0]] > 1:
                return

    found = form(block_first, until_back())
    assert found == list(range(len(found)))
    assert run_report().done == len(found)
    stages = [step.stage for step in run_report().steps]
    assert stages[0] == stages[-1] == "loop"


@FORMS
def test_runs_within_items_that_came_back_have_as_much_as_before(form, monkeypatch):
    """How many lanes there were meanwhile is nothing to them."""
    rest = coroutines.RESTS["threads and back"]
    monkeypatch.setattr(_succession, "Controller", lambda *_: coroutines.RestScript(rest))
    strategy = coroutines.LoopStrategy(*coroutines.SCRIPTS["threads and back"])
    assert form(coroutines.lanes_soon, range(2000), strategy=strategy)[-1] == 1


def test_the_callers_loop_keeps_its_threads():
    """It is not ours to change."""

    async def main():
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, int)
        before = loop._default_executor
        await arun(coroutines.double_soon, range(50))
        return loop._default_executor is before

    assert asyncio.run(main())


@pytest.mark.parametrize("form", [run, in_a_stream])
def test_coroutines_known_to_block_begin_in_threads(form):
    """Not one is begun on a loop of the calling thread."""
    known = Prior(stage="waiting", lanes=8, each=0.005)
    strategy = coroutines.LoopStrategy(controller=LoopController(Limits(), known))
    results = form(coroutines.block, range(60), strategy=strategy)
    assert [item for item, _ in results] == list(range(60))
    assert threading.get_ident() not in {thread for _, thread in results}
    assert strategy.report.done == 60


def test_who_looks_at_a_loop_has_it_turn(monkeypatch):
    """Items that wait stay on the caller's, and may hold it up later, however many were claimed at once."""
    asked = threading.Event()
    monkeypatch.setattr(ElasticTaskPool, "turn_soon", lambda _self: asked.set())

    async def holds(_item):
        return asked.wait(60)

    assert in_a_loop(holds, range(3), strategy=coroutines.LoopStrategy(coroutines.LOOP)) == [True] * 3


def test_a_loop_that_is_held_up_is_asked_once(monkeypatch):
    """Else there would be as many calls when it turns as there were looks, each at all that is suspended."""
    looks, answers, turned = count(), count(), threading.Event()
    look, turn = ElasticTaskPool.turn_soon, ElasticTaskPool._turned

    def looks_at(tasks):
        look(tasks)
        if next(looks) == 5:
            turned.set()

    def answered(tasks):
        next(answers)
        turn(tasks)

    monkeypatch.setattr(ElasticTaskPool, "turn_soon", looks_at)
    monkeypatch.setattr(ElasticTaskPool, "_turned", answered)

    async def holds(_item):
        return turned.wait(60)

    assert in_a_loop(holds, range(1, 3)) == [True] * 2
    assert next(looks) > next(answers)


@pytest.mark.parametrize("form", [run, in_a_loop])
@patient
def test_a_lock_that_a_coroutine_holds_for_a_moment_binds_nothing(form):
    """Whoever looks from another thread finds it taken, as that of a log's handler; the loop is asked."""
    lock = threading.RLock()

    async def blocks(_item):
        with lock:
            time.sleep(4e-3)  # noqa: ASYNC251 - what makes it leave
        return threading.get_ident()

    assert len(set(form(blocks, range(100)))) > 1


def test_coroutines_that_wait_for_the_callers_loop_stay_there():
    """They may use a client that belongs to it; only what never waits for a loop may leave it."""

    async def main():
        home = asyncio.get_running_loop()

        async def where(item):
            await asyncio.sleep(0.001)
            time.sleep(0.002)  # noqa: ASYNC251 - what would make it leave
            return asyncio.get_running_loop() is home

        return await arun(where, range(150))

    assert all(asyncio.run(main()))


@pytest.mark.parametrize("limits", [{}, {"timeout": 60}])
@pytest.mark.parametrize("waits", [1e-5, 1e-3])
def test_coroutines_that_block_and_then_wait_a_moment_stay_on_the_callers_loop(waits, limits):
    """However short the moment, and also where items come one at a time, so that none is begun beside it."""

    async def fn(_item):
        time.sleep(4e-3)  # noqa: ASYNC251 - what would make it leave
        await asyncio.sleep(waits)
        return threading.get_ident()

    async def slowly():
        for item in range(60):
            time.sleep(3e-3)  # noqa: ASYNC251 - so that little is in flight
            yield item

    async def main():
        return {thread async for thread in astream(fn, slowly(), **limits)}

    assert asyncio.run(main()) == {threading.get_ident()}


@pytest.mark.parametrize("form", [run, in_a_stream])
def test_coroutines_that_share_what_belongs_to_a_loop_stay_on_one(form):
    """A client, a semaphore: on the loops of other threads it would be spoilt."""
    few = asyncio.Semaphore(8)

    async def where(item):
        async with few:
            await asyncio.sleep(0.001)
            time.sleep(0.002)  # noqa: ASYNC251 - what would make it leave
            return threading.get_ident()

    assert len(set(form(where, range(150)))) == 1


@pytest.mark.parametrize("form", [run, in_a_stream, in_a_loop])
def test_coroutines_that_never_had_to_wait_for_a_lock_stay_with_it(form):
    """Nobody waits for it while one blocks the loop; in threads they would, where it refuses them."""
    few = asyncio.Semaphore(1)

    async def where(_item):
        async with few:
            time.sleep(0.002)  # noqa: ASYNC251 - what would make it leave
            return threading.get_ident()

    assert len(set(form(where, range(150)))) == 1


@pytest.mark.parametrize("form", [run, in_a_loop])
def test_coroutines_bound_to_the_calling_thread_stay_in_it(form):
    """However long each blocks the loop: other threads are refused."""
    connection = sqlite3.connect(":memory:")

    async def ask(item):
        time.sleep(0.002)  # noqa: ASYNC251 - what would make it leave
        return connection.execute("select ?", (item,)).fetchone()[0]

    with closing(connection):
        assert form(ask, range(150)) == list(range(150))


def test_coroutines_known_to_block_stay_while_the_caller_holds_their_lock():
    """It is the caller's own in this thread, and no other would get it before the run is over."""
    lock = threading.RLock()

    async def block(item):
        with lock:
            time.sleep(0.002)  # noqa: ASYNC251 - what would make it leave
        return threading.get_ident()

    known = Prior(stage="waiting", lanes=8, each=0.005)
    strategy = coroutines.LoopStrategy(controller=LoopController(Limits(), known))
    with lock:
        assert set(run(block, range(60), strategy=strategy, timeout=5)) == {threading.get_ident()}


def test_concurrency_is_a_ceiling():
    """Never more in flight than asked for, however much they wait."""
    at_once = most = 0

    async def call(item):
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.005)
        at_once -= 1

    run(call, range(60), strategy=AutoStrategy(concurrency=5))
    assert most == 5


def test_the_report_is_closed_in_every_form(strategy):
    """Its seconds and items are there when the run is over."""
    run(coroutines.double_soon, range(200), strategy=strategy)
    assert (strategy.report.done, strategy.report.seconds is not None) == (200, True)


def test_a_controller_that_fails_fails_the_run():
    """Its error is raised, not lost in the thread that looks."""

    class Broken(coroutines.LoopScript):
        def look(self, sight):
            msg = "broken"
            raise RuntimeError(msg)

    strategy = coroutines.LoopStrategy()
    strategy.controller = Broken(())
    with pytest.raises(RuntimeError, match="broken"):
        run(coroutines.sleep, [0.05] * 100, strategy=strategy)
    assert run(acts.double, [1, 2, 3]) == [2, 4, 6]


@pytest.fixture
def _counting_is_no_change(monkeypatch):
    """What calls count here would keep them on one loop."""
    monkeypatch.setattr(_coroutines.LoopConductor, "_mutation", "")


@pytest.mark.usefixtures("_counting_is_no_change")
@pytest.mark.parametrize("threads", [1, 3])
def test_concurrency_is_a_ceiling_through_the_switch(threads):
    """Neither what the loop has begun and what threads begin, nor what one begins, is more."""
    lock, at_once, peaks = threading.Lock(), [], []

    async def call(item):
        with lock:
            at_once.append(item)
            peaks.append(len(at_once))
        await asyncio.sleep(0.005)
        with lock:
            at_once.remove(item)

    script = [order._replace(threads=threads) for order in (coroutines.LOOP, coroutines.THREADS)]
    limits = coroutines.LIMITS._replace(concurrency=3, threads=3)
    strategy = coroutines.LoopStrategy(*script, limits=limits)
    strategy.controller.first = 3
    run(call, range(60), strategy=strategy)
    assert max(peaks) <= 3


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("call", [run, in_a_loop])
def test_a_run_that_is_over_lets_go_of_its_items(call):
    """Nothing of it is in a cycle, which would wait for the next collection, with all that its items hold."""

    class Item:
        pass

    async def wait(_item):
        await asyncio.sleep(0)

    items = [Item() for _ in range(20)]
    traces = [weakref.ref(item) for item in items]
    call(wait, items)
    del items
    until = time.monotonic() + 30
    while any(trace() for trace in traces) and time.monotonic() < until:  # the ticker may be at a last look
        time.sleep(0.01)
    assert not any(trace() for trace in traces)


def test_ctrl_c_before_anybody_looks_comes_as_itself(monkeypatch):
    """There is nobody to stop yet."""

    def struck():
        raise KeyboardInterrupt

    monkeypatch.setattr(_coroutines, "Lateness", struck)
    with pytest.raises(KeyboardInterrupt):
        run(coroutines.double_soon, range(3))
    assert run_report().seconds is not None


@pytest.mark.usefixtures("_counting_is_no_change")
def test_a_ceiling_of_threads_holds_while_the_loop_is_at_its_last_item():
    """Its thread is one of them, until it has come back."""
    lock, present, most = threading.Lock(), Tallied(), []

    async def block(seconds):
        with lock:
            present[threading.get_ident()] += 1
            most.append(len(+present))
        time.sleep(seconds)  # noqa: ASYNC251 - that is what holds its loop up
        with lock:
            present[threading.get_ident()] -= 1
        return seconds

    items = [0.2, *[0.02] * 30]
    assert run(block, items, strategy=AutoStrategy(max_workers=2)) == items
    assert max(most) == 2


@pytest.mark.parametrize("made", [list, iter])
def test_under_trio_coroutines_stay(made):
    """Loops elsewhere are asyncio's: items that call trio would fail there, though the first do not."""

    async def fn(item):
        time.sleep(4e-3)  # noqa: ASYNC251 - what blocks leaves a loop of asyncio's
        if item >= 80:
            await trio.sleep(5e-4)
        return threading.get_ident()

    async def main():
        return await arun(fn, made(range(100)))

    assert set(trio.run(main)) == {threading.get_ident()}
    assert "calls of trio fail" in str(run_report())


def counting(counted):
    """A coroutine that counts, and holds its loop up meanwhile."""

    async def count_one(item):
        before = counted[0]
        time.sleep(0.002)  # noqa: ASYNC251 - what would make it leave
        counted[0] = before + 1
        return item

    return count_one


@FORMS
def test_coroutines_that_block_and_change_something_stay_on_one_loop(form):
    """Nothing comes between two awaits, in a second run as in the first."""
    counted = [0]
    count_one = counting(counted)
    for runs in (1, 2):
        assert form(count_one, range(60)) == [*range(60)]
        assert counted == [60 * runs]


def test_a_verdict_keeps_them_on_one_loop():
    """Threads with loops are none of its candidates."""
    counted = [0]
    verdict = recommend(counting(counted), range(60))
    assert "nothing may come between" in verdict.estimate("thread").obstacle
    assert verdict.run() == [*range(60)]
    assert counted == [60]
