"""Streams: results as they come, early ends, streams left lying about."""

from __future__ import annotations

import gc
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count, islice
from math import inf

import contract_acts as acts
import pytest
from contract_ways import eventually, only, only_keeping, parameters, sizes

from concurrent_choices import stream
from concurrent_choices._strategies._workers._hosting import _parting
from concurrent_choices._work import _tap

LONG = 30

pytestmark = pytest.mark.usefixtures("hurried")


@only(sizes)
def test_as_completed_gives_the_quick_first(strategy, of_kind, log):
    """A slow item holds up no quick one, where more than one is in flight."""
    items = [(str(log), 0, 4), (str(log), 1, 1), (str(log), 2, 1)]
    results = stream(of_kind(acts.meet), items, strategy=strategy, ordered=False)
    assert sorted(islice(results, 2)) == [1, 2]
    acts.logged((log, "go"))  # the fourth line, for which the first item waits
    assert list(results) == [0]


@only(sizes)
def test_two_items_use_two_workers(strategy, of_kind, log):
    """Two items that wait for each other run at the same time, where a strategy can."""
    items = [(str(log), number, 2) for number in range(2)]
    assert list(stream(of_kind(acts.meet), items, strategy=strategy)) == [0, 1]


def test_in_order_despite_a_slow_first(strategy, of_kind):
    """In order means that quick ones wait for slow ones before them."""
    results = stream(of_kind(acts.sleep), [0.1, 0, 0.01], strategy=strategy)
    assert list(results) == [0.1, 0, 0.01]


def test_the_first_result_does_not_wait_for_the_last(strategy, of_kind):
    """A result is given while later items still run."""
    results = stream(of_kind(acts.hold), [0, LONG], strategy=strategy)
    began = time.monotonic()
    assert next(results) == 0
    assert time.monotonic() - began < LONG / 3
    results.close()


def test_closing_early(strategy, of_kind, log, parting):
    """After `close` nothing more is started."""
    parting(LONG)  # so that who is about to note a call has done so
    items = ((str(log), number) for number in count())
    results = stream(of_kind(acts.logged), items, strategy=strategy, buffersize=16)
    assert list(islice(results, 5)) == [0, 1, 2, 3, 4]
    results.close()
    called = len(acts.calls(log))
    assert called < 50
    assert next(results, "ended") == "ended"
    time.sleep(0.05)
    assert len(acts.calls(log)) == called


def test_closing_before_the_first_result(strategy, of_kind):
    """A stream that was never asked for anything needs nothing."""
    results = stream(of_kind(acts.double), count(), strategy=strategy)
    results.close()


def test_closing_while_items_sleep(strategy, of_kind):
    """Closing is quick although items are in the middle of something."""
    results = stream(of_kind(acts.hold), [0, LONG, LONG, LONG], strategy=strategy)
    next(results)
    began = time.monotonic()
    results.close()
    assert time.monotonic() - began < LONG / 3


def test_breaking_out_of_a_loop(strategy, of_kind):
    """Leaving a for loop and letting go of the stream ends the work."""
    for result in stream(of_kind(acts.double), count(), strategy=strategy):
        if result >= 20:
            break
    assert result == 20


def test_a_stream_abandoned_in_a_cycle(strategy, of_kind):
    """A stream that only the garbage collector finds is ended by it."""
    results = stream(of_kind(acts.double), count(), strategy=strategy)
    next(results)
    cycle = [results]
    cycle.append(cycle)
    del results, cycle
    gc.collect()


def test_an_error_in_the_loop_that_reads(strategy, of_kind):
    """What goes wrong in the reader's own code ends the stream with it."""
    with pytest.raises(KeyError, match="of the reader"):  # noqa: PT012 - the loop is what is tested
        for _ in stream(of_kind(acts.double), count(), strategy=strategy):
            raise KeyError("of the reader")


def assert_read_in_turns(strategy, fn):
    """Two streams give their results by turns."""
    left = stream(fn, range(20), strategy=strategy)
    right = stream(fn, range(20, 40), strategy=strategy)
    pairs = list(zip(left, right, strict=True))
    assert pairs == [(2 * number, 2 * number + 40) for number in range(20)]


def test_two_streams_at_once(strategy, of_kind):
    """Streams of one strategy can be read in turns."""
    assert_read_in_turns(strategy, of_kind(acts.double))


@only_keeping
def test_two_streams_at_once_inside_a_with_block(name, strategy, of_kind):
    """The same for workers that are kept warm."""
    with strategy:
        assert_read_in_turns(strategy, of_kind(acts.double))


@only_keeping
def test_a_stream_left_open_at_the_end_of_the_with_block(name, strategy, of_kind):
    """Closing the strategy under a stream leaves nothing running."""
    with strategy:
        results = stream(of_kind(acts.double), count(), strategy=strategy)
        next(results)
    results.close()


@only(sizes)
@pytest.mark.parametrize("made", [list, iter])
def test_room_is_filled_while_results_wait(strategy, of_kind, made, log, monkeypatch):
    """A caller who takes his time with what is due has others begin with each that he takes."""
    monkeypatch.setattr(_tap, "FEED_SECONDS", inf)  # a busy machine must not make the items seem slow
    items = made([(str(log), 0, 4), *((str(log), number, 1) for number in range(1, 12))])
    with closing(stream(of_kind(acts.meet), items, strategy=strategy, buffersize=4)) as results:
        for number in range(2):
            assert next(results) == number
            assert eventually(lambda: len(acts.calls(log)) >= 4)
            time.sleep(2e-3)  # else he would be back soon anyway
        next(results)
        assert eventually(lambda: len(acts.calls(log)) >= 5)


@pytest.mark.parametrize("name", ["thread", "process", "hybrid"])
def test_items_of_a_burst_begin_before_the_next_is_waited_for(strategy, of_kind, log):
    """They are there, and so are lanes; who gives them may take his time with the next one."""

    def items():
        yield from ((str(log), number, 2) for number in range(2))
        assert eventually(lambda: len(acts.calls(log)) == 2)

    assert list(stream(of_kind(acts.meet), items(), strategy=strategy)) == [0, 1]


def test_results_asked_for_in_one_thread_and_another(strategy, of_kind):
    """Each advances the items when it is its turn: a server asks in whichever of its threads is free."""
    with ThreadPoolExecutor(1) as server:
        results = stream(of_kind(acts.double), count(), strategy=strategy, buffersize=1)
        with closing(results):
            for number in range(0, 8, 2):
                assert next(results) == number * 2
                assert server.submit(next, results).result(LONG) == number * 2 + 2


def test_an_exception_in_place_as_completed(strategy, of_kind):
    """Unordered streams carry exceptions in place of results too."""
    results = stream(
        of_kind(acts.invert),
        [1, 0, 1, 0],
        strategy=strategy,
        ordered=False,
        return_exceptions=True,
    )
    found = list(results)
    assert [found.count(1.0), len(found)] == [2, 4]


def test_a_stream_that_is_read_slowly(strategy, of_kind):
    """A caller who takes his time gets everything, in order."""
    results = []
    for result in stream(of_kind(acts.double), range(15), strategy=strategy):
        time.sleep(0.003)
        results.append(result)
    assert results == list(range(0, 30, 2))


@only(lambda name: "concurrency" in parameters(name))
def test_coroutines_in_flight_are_cancelled(strategy, log, monkeypatch):
    """As a stream is closed they clean up before that is over, in a worker too."""
    monkeypatch.setattr(_parting, "MERCY", 10.0)  # of a busy machine
    with closing(stream(acts.linger, [(str(log), 1), (str(log), 0)], strategy=strategy)) as results:
        assert next(results) == 1
        assert eventually(lambda: acts.calls(log))
    assert acts.calls(log) == ["begun", "left"]
