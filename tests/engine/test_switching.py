"""Whatever a controller orders, and whenever: every item once, in its place, and nothing left over."""

import os
import sys
import threading
import time
from collections import Counter as Tallied
from contextlib import closing
from itertools import accumulate, count, islice, repeat, takewhile
from types import SimpleNamespace

import engine_acts as acts
import pytest
from engine_fakes import ALONE, HYBRID, LANES, OUTSIDE, PAIR, STARTING, ScriptedStrategy, wandering

from concurrent_choices import ItemTimeoutError, arun, run, stream
from concurrent_choices._engine import _conductor, _workforce
from concurrent_choices._engine._elastic_pool import ElasticPool
from concurrent_choices._engine._fallback_pump import FallbackPump
from concurrent_choices._engine._worker_startup import WorkerStartup
from patience import with_ample_limit

SCRIPTS = {
    "alone": [ALONE],
    "pair": [PAIR],
    "lanes": [LANES],
    "lanes and back": [LANES, LANES, ALONE, LANES, ALONE],
    "outside": [STARTING, OUTSIDE],
    "outside and back": [STARTING, OUTSIDE, OUTSIDE, ALONE, LANES, OUTSIDE, PAIR],
    "hybrid": [LANES, HYBRID],
}


@pytest.fixture(params=SCRIPTS)
def strategy(request):
    """Each script in turn."""
    return ScriptedStrategy(*SCRIPTS[request.param])


@pytest.mark.parametrize(
    "items", [range(400), [1], [], iter(range(300))], ids=["range", "one", "none", "iterator"]
)
def test_results_stand_in_their_places(strategy, items):
    """Results are those of a comprehension, whoever performed them."""
    kept = list(items) if not isinstance(items, range) else items
    given = iter(kept) if not isinstance(items, (range, list)) else items
    assert run(acts.spun, given, strategy=strategy) == list(kept)


@pytest.mark.parametrize("seed", range(6))
def test_each_item_is_called_once_through_every_switch(seed, tmp_path):
    """Orders change at random, many times a run; the log of calls shows each item once."""
    log = tmp_path / "calls"
    strategy = ScriptedStrategy(*wandering(seed))
    items = [(str(log), number) for number in range(300)]
    assert run(acts.note_slowly, items, strategy=strategy) == list(range(300))
    assert Tallied(map(int, log.read_text().split())) == Tallied(range(300))


@pytest.mark.parametrize("seed", range(4))
def test_no_more_items_are_in_flight_than_may_be(seed, tmp_path):
    """Who begins in threads or in processes waits for those who are at as many elsewhere."""
    log = tmp_path / "flights"
    script = [each._replace(threads=min(each.threads, 2), inside=1) for each in wandering(seed)]
    strategy = ScriptedStrategy(*script)
    strategy.limits = {"most": 2, "limited": True}
    assert run(acts.fly, [str(log)] * 300, strategy=strategy) == [None] * 300
    assert max(accumulate({ord("+"): 1}.get(mark, -1) for mark in log.read_bytes())) == 2


@pytest.mark.parametrize("ordered", [True, False])
def test_a_stream_gives_everything_through_switches(ordered):
    """The same lazily, from an iterator, in order and as they come."""
    strategy = ScriptedStrategy(*wandering(11))
    results = stream(acts.double, (number for number in range(2000)), strategy=strategy, ordered=ordered)
    found = list(results)
    assert sorted(found) == [2 * number for number in range(2000)]
    assert not ordered or found == sorted(found)


@pytest.mark.parametrize("script", ["outside", "hybrid"])
def test_a_short_stream_does_not_wait_for_lanes_left_behind(script):
    """Once processes are at work, a result of a thread that was still busy is handed over as it comes."""
    results = stream(acts.nap, range(120), strategy=ScriptedStrategy(*SCRIPTS[script]), buffersize=3)
    assert list(results) == list(range(120))


def test_an_endless_stream_can_be_left(strategy):
    """Closing early ends the work in whatever state it is."""
    results = stream(acts.double, count(), strategy=strategy)
    assert list(islice(results, 50)) == list(range(0, 100, 2))
    results.close()


def test_an_error_ends_the_run(strategy):
    """The first error is the callable's own, with a note that names the item."""
    with pytest.raises(ValueError, match="seven") as caught:
        run(acts.fail_at_seven, range(500), strategy=strategy)
    assert "item 7" in caught.value.__notes__[0]


def test_errors_can_stand_in_their_places(strategy):
    """With `return_exceptions` the rest goes on."""
    results = run(acts.fail_at_seven, range(300), strategy=strategy, return_exceptions=True)
    assert [index for index, result in enumerate(results) if isinstance(result, ValueError)] == [7]


@pytest.mark.usefixtures("released")
@with_ample_limit
def test_a_time_limit_holds_in_every_state(strategy, limit):
    """An item that outlasts its seconds is given up, also where the calling thread would work."""
    with pytest.raises(ItemTimeoutError) as caught:
        run(acts.hold, [0.001] * 20 + [60] + [0.001] * 20, strategy=strategy, timeout=limit)
    assert caught.value.index == 20


@pytest.mark.usefixtures("released")
def test_a_time_limit_holds_for_what_was_begun_before_processes_took_over():
    """A stream waits for that item, and has no room for others, so no worker process has anything to say."""
    items = [20, *[0.001] * 100]
    strategy = ScriptedStrategy(LANES, STARTING, OUTSIDE)
    options = {"timeout": 0.5, "buffersize": 16, "return_exceptions": True}
    first, *rest = stream(acts.hold, items, strategy=strategy, **options)
    assert "still runs it" in str(first)
    assert rest == [None] * 100


@pytest.mark.usefixtures("released")
@pytest.mark.parametrize("tolerant", [True, False])
def test_a_time_limit_holds_for_the_call_that_processes_wait_for(tolerant):
    """What it changes decides whether they may have the others; it may never end."""
    strategy, results = ScriptedStrategy(STARTING, OUTSIDE), []
    options = {"timeout": 0.5, "return_exceptions": tolerant}
    try:
        results = run(acts.hold, [20, *[0] * 20], strategy=strategy, **options)
    except ItemTimeoutError as error:
        results = [error]
    assert "still runs it" in str(results[0])
    assert results[1:] == [None] * 20 * tolerant


def test_items_that_cannot_travel_are_performed_here():
    """What sequential would do must not depend on where the items went."""
    items = [acts.Unmovable(number) if number % 5 == 0 else number for number in range(200)]
    strategy = ScriptedStrategy(STARTING, OUTSIDE)
    assert run(acts.number_of, items, strategy=strategy) == list(range(200))


def test_where_no_file_can_be_opened_there_are_no_workers(monkeypatch):
    """What starts them could not be imported; a traceback on standard error helps nobody."""
    monkeypatch.setattr(_workforce.Workforce, "_make_startup", acts.find_no_descriptor)
    strategy = ScriptedStrategy(STARTING)
    results = stream(acts.double, range(10**6), strategy=strategy)
    with closing(results):
        before = list(takewhile(lambda _: not strategy.controller.barred, results))
    assert before == [2 * number for number in range(len(before))]
    assert strategy.controller.barred == "worker processes cannot be started here ([Errno 24] none left)"


def test_a_callable_that_cannot_travel_any_more_is_called_here(monkeypatch):
    """It could when workers were ordered; by now it has opened what stays here, and was not sent."""
    counter, hand_over = acts.Opening(), WorkerStartup.hand_over

    def hand_over_late(startup):
        counter.lock = threading.Lock()
        host, _sent = hand_over(startup)
        return host, None

    monkeypatch.setattr(WorkerStartup, "hand_over", hand_over_late)
    strategy = ScriptedStrategy(STARTING, OUTSIDE)
    with closing(stream(counter, count(), strategy=strategy)) as results:
        before = list(takewhile(lambda _: not strategy.controller.barred, results))
        after = list(islice(results, 10))

    assert "cannot travel any more (cannot pickle" in strategy.controller.barred
    assert before == [acts.spin(item) for item in range(len(before))]
    assert after == [acts.spin(item) for item in range(len(before) + 1, len(before) + 11)]


@pytest.mark.parametrize(
    ("script", "process"), [("lanes", 0), ("hybrid", os.getpid())], ids=["lanes", "hybrid"]
)
def test_errors_about_threads_say_what_to_do(script, process):
    """Wherever the other threads are, and also where the error stands in its item's place."""
    strategy = ScriptedStrategy(*SCRIPTS[script])
    results = stream(acts.set_handler_outside, repeat(process), strategy=strategy, return_exceptions=True)
    with closing(results):
        error = next(result for result in results if result is not None)
    assert "thread_safe=False" in error.__notes__[-1], repr(error)


def test_in_a_running_loop_too(strategy):
    """`arun` works beside its loop, whatever is ordered."""
    import asyncio

    async def main():
        return await arun(acts.double, range(500), strategy=strategy)

    assert asyncio.run(main()) == [2 * number for number in range(500)]


def test_what_starting_lanes_takes_counts_as_rest(monkeypatch):
    """Where it has taken as long as the next look is off, that comes at once."""
    staff, passed, looked = ElasticPool.staff, [0.0], threading.Event()

    def slow(pool):
        staff(pool)
        passed[0] += 60.0

    def script():
        yield LANES._replace(look=60.0)
        looked.set()
        yield LANES

    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + passed[0], process_time=time.process_time)
    monkeypatch.setattr(ElasticPool, "staff", slow)
    monkeypatch.setattr(_conductor, "time", clock)
    strategy = ScriptedStrategy.following(script())
    assert run(lambda _: looked.wait(30), range(3), strategy=strategy) == [True] * 3


def test_lanes_by_themselves_take_the_gil_from_one_another_no_sooner_than_usual():
    """The switch interval is short while the calling thread works, and not for lanes that relieve it."""
    usual, caller, seen = sys.getswitchinterval(), threading.get_ident(), []
    told = threading.Event()

    def act(_):
        if threading.get_ident() == caller:
            return told.wait(30)
        seen.append(sys.getswitchinterval())
        if len(seen) >= 50:
            told.set()
        return time.sleep(1e-3) or True

    strategy = ScriptedStrategy(*[LANES] * 1000)
    assert run(act, range(60), strategy=strategy) == [True] * 60
    assert set(seen) == {usual}


def test_who_waits_for_workers_takes_the_gil_from_others_sooner_than_usual(monkeypatch):
    """Other threads may compute meanwhile, and each answer would wait for all of them in turn.

    Whoever draws results may take any time between two of them, in which nobody waits.
    """
    usual, here, listen, seen = sys.getswitchinterval(), os.getpid(), FallbackPump._listen, []

    def listens(pump, seconds):
        seen.append(sys.getswitchinterval())
        return listen(pump, seconds)

    monkeypatch.setattr(FallbackPump, "_listen", listens)
    strategy = ScriptedStrategy(*SCRIPTS["outside"])
    with closing(stream(acts.work_somewhere, count(), strategy=strategy)) as results:
        possible = takewhile(lambda _: not strategy.controller.barred, results)  # else it would never end
        abroad = (process for process, _ in possible if process != here)
        drawn = len(list(islice(abroad, 5000)))  # by then those who order workers are done
        assert drawn == 5000, strategy.controller.barred
        assert sys.getswitchinterval() == usual
    assert sys.getswitchinterval() == usual
    assert max(seen) < usual
