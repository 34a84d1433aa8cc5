"""What a profile says of calls, to the figure, and what sampling leaves: results, errors, and the rest."""

import asyncio
import itertools

import pytest
from measure_fakes import CountingClock, FakeWitness
from profiled import Called, real, sampled

from concurrent_choices._measure import _profiler
from concurrent_choices._measure._bench import Bench
from concurrent_choices._measure._ledger import Raised
from concurrent_choices._measure._profiler import profile_at
from concurrent_choices._runtime._hand import OwnHand


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
