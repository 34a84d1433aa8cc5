"""The failure contract where worker processes die: by their own hand, by a signal, by a bad pointer."""

from __future__ import annotations

import signal
from collections import Counter

import contract_acts as acts
import pytest
from contract_ways import only_outside, parameters, small

from concurrent_choices import ResultLostError, WorkerDiedError, run, stream
from concurrent_choices._strategies._workers._hosting._mishaps import ATTEMPTS

DEATHS = {
    "os._exit": (acts.exit_at_three, 7),
    "SIGKILL": (acts.kill_at_three, -signal.SIGKILL),
    "segmentation fault": (acts.segfault_at_three, -signal.SIGSEGV),
}

pytestmark = only_outside


@pytest.fixture
def one_by_one(name):
    """A strategy that has one item in flight in each worker, so that a death has one cause."""
    return small(name, concurrency=1)


def has_many_in_flight(strategy):
    """Whether a worker may run several items at a time."""
    return hasattr(strategy, "concurrency")


@pytest.mark.parametrize("label", DEATHS)
def test_the_item_and_the_exit_code_are_named(one_by_one, of_kind, label):
    """The error says which item was running, and how its process ended."""
    fn, code = DEATHS[label]
    with pytest.raises(WorkerDiedError) as caught:
        run(of_kind(fn), [0, 1, 2, 3], strategy=one_by_one)
    error = caught.value
    assert error.exitcode == code
    assert error.item == f"{error.index}"
    if has_many_in_flight(one_by_one):
        assert error.index <= 3  # it died with whatever it had in hand
    else:
        assert (error.index, type(error)) == (3, WorkerDiedError)


def test_the_whole_message(one_by_one, of_kind):
    """The message reads as a sentence and gives the process, the item and the way it ended."""
    with pytest.raises(WorkerDiedError) as caught:
        run(of_kind(acts.kill_at_three), [0, 3], strategy=one_by_one)
    error = caught.value
    assert str(error) == (
        f"item {error.index} ({error.item}): worker process {error.pid} was killed by SIGKILL "
        "(exit code -9) while it ran"
    )


def test_others_in_hand_are_named(name):
    """Where a worker ran several items nobody knows which of them killed it, so the error names them all."""
    if "concurrency" not in parameters(name):
        pytest.skip("one item at a time")
    strategy = small(name, max_workers=1, concurrency=4)
    results = run(acts.kill_together, range(3), strategy=strategy, return_exceptions=True)
    said = "its worker had items 0, 1, 2 in hand at once; nobody knows which of them ended it"
    assert [result.__notes__ for result in results] == [[said]] * 3


@pytest.mark.parametrize("label", DEATHS)
def test_the_others_run_elsewhere(strategy, of_kind, label):
    """With `return_exceptions` a death costs what was started there; a new worker takes the rest."""
    fn, _ = DEATHS[label]
    results = run(of_kind(fn), range(40), strategy=strategy, return_exceptions=True)
    assert isinstance(results[3], WorkerDiedError)
    assert results[3].index == 3
    for number, result in enumerate(results):
        assert result == number or isinstance(result, WorkerDiedError)
    # Which ones were in hand depends on how fast the others were: items after 20 may be among them.
    assert sum(result == number for number, result in enumerate(results)) >= 20


def test_a_worker_whose_wire_is_closed(strategy, of_kind):
    """An item that closes what it has not opened costs what was started there; nobody waits for it."""
    results = run(of_kind(acts.close_all_at_three), range(8), strategy=strategy, return_exceptions=True)
    assert isinstance(results[3], WorkerDiedError)
    assert all(isinstance(result, WorkerDiedError) or result == item for item, result in enumerate(results))


def test_no_started_item_is_called_again(strategy, of_kind, log):
    """Each item is called once, or was never started; a lost result is reported, not repeated."""
    items = [(str(log), number) for number in range(40)]
    results = run(of_kind(acts.logged_death), items, strategy=strategy, return_exceptions=True)
    called = Counter(acts.calls(log))
    assert set(called.values()) == {1}
    assert all(str(number) in called for number in range(40) if results[number] == number)
    assert isinstance(results[3], WorkerDiedError)


def test_a_lost_result_is_told_from_a_death(name, of_kind, log):
    """An item whose result died with its worker is not the one that was running."""
    strategy = small(name, batch=8, max_workers=1)
    items = [(str(log), number) for number in range(8)]
    results = run(of_kind(acts.logged_death), items, strategy=strategy, return_exceptions=True)
    lost = [result for result in results if isinstance(result, ResultLostError)]
    for error in lost:
        assert "was not called again (idempotent=True would allow that)" in str(error)
        assert error.index < 3
    assert type(results[3]) is WorkerDiedError
    assert results[4:] == [4, 5, 6, 7] or has_many_in_flight(strategy)


def test_idempotent_items_are_called_again(strategy, of_kind, log):
    """Where calling twice does no harm, a death in between is not noticed."""
    items = [(str(log), number) for number in range(12)]
    results = run(of_kind(acts.dies_once), items, strategy=strategy, idempotent=True)
    assert results == list(range(12))
    assert Counter(acts.calls(log))["3"] == 2


def test_an_idempotent_item_that_always_kills(strategy, of_kind, log):
    """An item that kills every worker is given up after a few; here it has no company to be taken for it."""
    items = [(str(log), number) for number in range(6)]
    fn, seen = of_kind(acts.logged_death), []
    with pytest.raises(WorkerDiedError) as caught:
        seen.extend(stream(fn, items, strategy=strategy, idempotent=True, buffersize=1))
    assert (caught.value.index, seen) == (3, [0, 1, 2])
    assert acts.calls(log) == ["0", "1", "2", *["3"] * ATTEMPTS]
    with pytest.raises(WorkerDiedError):
        run(fn, [items[3]], strategy=strategy, idempotent=True)
    assert acts.calls(log)[3:] == ["3"] * 2 * ATTEMPTS


def test_an_idempotent_item_that_always_kills_takes_no_other_with_it(lean, of_kind):
    """Whatever was in hand with it, again and again, is given the chance to end by itself."""
    fn = of_kind(acts.death_in_company)
    results = run(fn, range(8), strategy=lean, idempotent=True, return_exceptions=True)
    assert type(results.pop(3)) is WorkerDiedError
    assert results == [0, 1, 2, 4, 5, 6, 7]


def test_a_fork_that_comes_out_of_its_call(lean, of_kind, log):
    """It ends there, as it was to do itself: it gives no result, raises nothing, and calls no other item."""
    items = [(str(log), number) for number in range(12)]
    assert run(of_kind(acts.come_out_of_a_fork), items, strategy=lean) == [1] * 12
    assert Counter(acts.calls(log)) == {str(number): 1 for number in range(12)}


def test_every_item_kills(strategy, of_kind):
    """Where each item ends its process, each is told so, and the run comes to its end."""
    results = run(of_kind(acts.exit_at_three), [3] * 5, strategy=strategy, return_exceptions=True)
    assert all(isinstance(result, WorkerDiedError) for result in results)


def test_a_stream_gives_what_came_before(strategy, of_kind):
    """Results already delivered stay delivered; then comes the error."""
    results = stream(of_kind(acts.exit_at_three), [0, 1, 2, 3], strategy=strategy, buffersize=1)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(WorkerDiedError):
        next(results)


def test_a_death_inside_a_with_block(name, of_kind):
    """Workers kept warm are replaced when they die, for the same run and for the next."""
    with small(name) as strategy:
        with pytest.raises(WorkerDiedError):
            run(of_kind(acts.exit_at_three), range(6), strategy=strategy)
        assert run(of_kind(acts.double), range(6), strategy=strategy) == [0, 2, 4, 6, 8, 10]


def test_workers_killed_between_two_runs(name, of_kind):
    """Workers that die while they rest are not counted on."""
    import os

    with small(name) as strategy:
        for pid in set(run(of_kind(acts.where), range(8), strategy=strategy)):
            os.kill(pid, signal.SIGKILL)
        assert run(of_kind(acts.double), range(6), strategy=strategy) == [0, 2, 4, 6, 8, 10]


def test_resting_workers_killed_between_two_runs(strategy, of_kind):
    """The same for workers that rest outside of any with block."""
    import os

    for pid in set(run(of_kind(acts.where), range(8), strategy=strategy)):
        os.kill(pid, signal.SIGKILL)
    assert run(of_kind(acts.double), range(6), strategy=strategy) == [0, 2, 4, 6, 8, 10]
