import asyncio
import itertools
import threading
import time
from functools import partial

import pytest
from measure_fakes import FakeClock, FakeWitness

from concurrent_choices._judge._trials import is_rationed, most_lanes
from concurrent_choices._measure import _control, _trial
from concurrent_choices._measure._allowance import Allowance
from concurrent_choices._measure._bench import Bench
from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._measure._control import resident_inflation
from concurrent_choices._measure._figures import PAIR, Block, Trial
from concurrent_choices._measure._lane_trials import Size, Trials
from concurrent_choices._measure._ledger import Raised, Run
from concurrent_choices._measure._profiler import profile
from concurrent_choices._measure._rounds import Rounds
from concurrent_choices._measure._sample import Sample
from concurrent_choices._measure._trial import _inflated, _surer, _taking_turns
from concurrent_choices._runtime._hand import DaemonHand, OwnHand
from patience import patient


def _spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def _spin_for(seconds, item):
    _spin(seconds)
    return item


@pytest.mark.parametrize(
    ("trial", "inflated", "turns"),
    [
        (Trial(2, 1.95, 1.5, 1.3), True, False),
        (Trial(2, 1.95, 1.05, 1.9), False, False),
        (Trial(2, 1.0, 1.5, 0.7), False, True),  # each waits for the other: it says nothing of memory
        (Trial(2, 1.9, None, 1.9), False, False),
    ],
)
def test_which_trials_are_doubted(trial, inflated, turns):
    """Those of two lanes that slowed each other down, or worked in turn."""
    assert (_inflated(trial), _taking_turns(trial)) == (inflated, turns)


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (Size(2, 5, 9.0), "pair_speedup: the budget was spent before 2 calls at once could be tried"),
        (
            Size(1, 5, 9.0, figure="pair_inflation"),
            "pair_inflation: the budget was spent before 1 call at once could",
        ),
    ],
)
def test_what_is_missing_has_its_figures_name(size, said):
    """One lane is no ramp: it confirms what two have told."""
    bench = Bench(abs, range(10), clock=FakeClock(), is_async=False, hand=OwnHand)

    assert Trials(bench, Sample(Block(0, 1, 1000, 0, 0))).lanes(size) == []
    assert bench.missing[-1].startswith(said)


def test_no_lane_is_tried_once_nobody_waits_any_longer():
    """The ledger lets nothing begin then, though no call is under way: what lanes drew would be lost."""
    bench = Bench(time.sleep, [0.0] * 100, clock=SystemClock(), is_async=False, hand=DaemonHand)
    bench.give_up([])
    block = Block(0, 1, 1_000_000, 0, 0)

    _trial.try_lanes(bench, Sample(block, [block, block], deadline=bench.clock.wall() + 10**9))
    bench.close()

    assert not bench.in_flight
    assert len([*bench.feed.rest()]) == 100


@pytest.mark.parametrize("items", [9, 1000])
def test_a_pair_that_was_tried_is_not_said_to_be_missing(items):
    """Where too few items are left to try again two lanes that wait for each other, the first counts."""
    lock = threading.Lock()

    def work(item):
        with lock:
            time.sleep(0.005)

    found = profile(work, range(items), clock=SystemClock(), budget=1.0, is_async=False).profile

    said = any(each.startswith("pair_speedup") for each in found.missing)
    assert not (said and found.pair_speedup is not None)


@pytest.mark.parametrize("left", [0.0, 0.05])
def test_a_doubtful_pair_that_cannot_be_tried_again_counts_for_nothing(left):
    """Not its inflation, and not what that made of its speed-up: nobody knows whose they are."""
    clock = FakeClock()
    bench = Bench(abs, range(10), clock=clock, is_async=False, hand=OwnHand)
    sample = Rounds(bench, FakeWitness()).sample(Allowance.of(0, 0.2, None, 10))
    doubtful, certain = Trial(PAIR, 1.95, 33.0, 0.06), Trial(PAIR, 1.95, 1.0, 1.95)
    size = Size(PAIR, 3, 0.04)
    trials = Trials(bench, sample._replace(deadline=clock.wall() + int(left * 1e9)))

    assert _surer(trials, certain, size) is certain
    assert _surer(trials, doubtful, size) is None
    assert "could not be tried again" in bench.missing[-1]


def test_a_pair_leaves_enough_items_to_be_confirmed(monkeypatch):
    """Where items are few, two lanes call a few of them: doubts would need as many again and more."""
    asked = []

    def make(trials, size):
        asked.append((size.calls, sum(map(len, trials.bench.feed.places.gaps))))

    monkeypatch.setattr(Trials, "make", make)
    work = partial(_spin_for, 1e-3)
    profile(work, range(60), clock=SystemClock(), budget=30.0, is_async=False)

    [(calls, left)] = asked
    assert _trial.TWICE <= calls <= left // 5


@patient
def test_hashing_is_measured_alone_and_in_two_lanes():
    """Two that hash take about as long as one, or twice that where they share a core."""
    inflation = resident_inflation(SystemClock())

    assert inflation is not None
    assert 0.5 < inflation < 4


@pytest.mark.parametrize(("late", "told"), [({1}, 1.0), ({1, 4}, None), ({2, 5, 6}, None), ({2, 3, 4}, 1.0)])
def test_hashing_that_does_not_come_back_in_time_tells_nothing(late, told, monkeypatch):
    """Nor does it count as the next turn, which it ends in."""
    places, pace, begin, ended = itertools.count(1), _control._pace, DaemonHand.begin, DaemonHand.ended
    turns: list[threading.Event] = []
    tardy: set[DaemonHand] = set()

    def hash_at_once(paces, clock):
        paces.append(clock)

    def next_turn(*args):
        turns.append(threading.Event())
        return pace(*args)

    def begin_and_end_the_turns_before(hand, work):
        over = turns[-1]
        if next(places) in late:
            tardy.add(hand)
            begin(hand, lambda: over.wait(30) and work())
        else:
            begin(hand, work)
        for turn in turns[:-1]:
            turn.set()

    def ended_in_time(hand, _seconds):
        return ended(hand, 0.0 if hand in tardy else 30.0)

    monkeypatch.setattr(_control, "_hash", hash_at_once)
    monkeypatch.setattr(_control, "_pace", next_turn)
    monkeypatch.setattr(DaemonHand, "begin", begin_and_end_the_turns_before)
    monkeypatch.setattr(DaemonHand, "ended", ended_in_time)
    inflation = resident_inflation(1.0)
    turns[-1].set()

    assert inflation == told


def test_a_trial_of_lanes_that_turn_out_slow_is_over_soon():
    """It is not waited for until all its items are done, and what was left of them goes back."""
    sampling: list[threading.Thread] = []

    def work(item):
        if not sampling:
            sampling.append(threading.current_thread())
        _spin(1e-3 if threading.current_thread() is sampling[0] else 0.1)
        return item

    sample = profile(work, range(1000), clock=SystemClock(), budget=30.0, is_async=False)
    late = [each.result(30) for each in sample.in_flight]
    called = [*sample.results, *(run.start + at for run in late for at in range(len(run.outcomes)))]

    assert sorted([*called, *dict(sample.feed.rest())]) == list(range(1000))
    assert len(called) < 400


@pytest.mark.parametrize(("error", "tried"), [(0.0, [2]), (0.5, [2, 16])])
def test_a_crowd_is_tried_unless_a_pair_surely_waits_for_itself(monkeypatch, error, tried):
    """A pair of calls that differ may only seem to; the time that a crowd needs is reckoned as if it did."""
    made = []

    def make(self, size):
        made.append(size.lanes)
        return Trial(size.lanes, 0.0, None, 1.0, error=error)

    monkeypatch.setattr(Trials, "make", make)
    monkeypatch.setattr(Trials, "better", lambda self, first, size, merit: first)
    block = Block(0, 1, 5_000_000, 0, 0)
    sample = Sample(block, [block, block], deadline=10**10)
    bench = Bench(abs, range(1000), clock=FakeClock(), is_async=False, hand=OwnHand)

    _trial._of_waiting(Trials(bench, sample))

    assert made == tried


@pytest.mark.parametrize(("speedups", "best"), [([1.9], 1.9), ([1.1, 1.8], 1.8), ([1.1, 1.0], 1.1)])
def test_lanes_that_seem_to_wait_for_each_other_are_tried_again(monkeypatch, speedups, best):
    """What spoilt a few calls may be gone; whether they queue for a lock is told by the better trial."""
    made = iter(Trial(PAIR, 0.5, 1.0, speedup) for speedup in speedups)
    monkeypatch.setattr(Trials, "make", lambda *_: next(made))

    bench = Bench(abs, range(10), clock=FakeClock(), is_async=False, hand=OwnHand)
    pair = _trial._waiting_pair(Trials(bench, Sample()), Size(PAIR, 2, 0.01, settles=True))

    assert pair.speedup == best
    assert next(made, None) is None


@pytest.mark.parametrize("speedup", [1.9, None])
def test_a_pair_of_which_one_was_turned_away_at_once_is_tried_again(monkeypatch, speedup):
    """It told nothing, so that no crowd was tried, and a plan had one lane for one call that was refused."""
    second = speedup and Trial(PAIR, 0.5, 1.0, speedup)
    made = iter([None, second])

    def make(trials, _):
        trials.bench.missing.append("pair_speedup: not there")
        return next(made)

    monkeypatch.setattr(Trials, "make", make)
    bench = Bench(abs, range(10), clock=FakeClock(), is_async=False, hand=OwnHand)
    pair = _trial._waiting_pair(Trials(bench, Sample()), Size(PAIR, 2, 0.01, settles=True))

    assert pair == second
    assert bench.missing == ["pair_speedup: not there"]


@pytest.mark.parametrize(
    ("lanes", "stands"),
    [([16], 16), ([12, 12], 12), ([15, 16], 16), ([12, None], 12), ([None], None)],
)
def test_a_crowd_of_which_some_were_turned_away_is_tried_again(monkeypatch, lanes, stands):
    """One trial shows too little: plans had 256 threads for a server that lets eleven in, or twelve."""
    made = iter([each and Trial(each, 0.1, 1.0, float(each)) for each in lanes])
    monkeypatch.setattr(Trials, "make", lambda *_: next(made))
    bench = Bench(abs, range(10), clock=FakeClock(), is_async=False, hand=OwnHand)
    crowd = _trial._crowd(Trials(bench, Sample()), Size(16, 2, 0.01, settles=True))

    assert (crowd.lanes if crowd else None) == stands
    assert next(made, None) is None


@pytest.mark.parametrize(
    ("lanes", "away", "later", "share"),
    [
        (16, (2, 2), 0, 2 / 16),
        (16, (3, 2), 0, 0.0),  # by chance, hardly twice as many
        (16, (1, 1), 0, 0.0),  # of one it may be
        (16, (2, 2), 1, 0.0),  # fewer lanes are turned away, too
        (16, (0, 0), 0, 0.0),
        (PAIR, (1, 1), 0, 1 / 2),
    ],
)
def test_lanes_of_which_as_many_are_turned_away_twice_show_a_limit(monkeypatch, lanes, away, later, share):
    """Plans had 256 threads for a server that lets thirteen in, or fourteen, or one."""
    bench = Bench(abs, range(10), clock=FakeClock(), is_async=False, hand=OwnHand)
    idle_lanes = iter(away)

    def call(trials, size):
        idle = next(idle_lanes)
        outcomes = [Raised(TimeoutError())] * (idle + later) + [1] * size.lanes
        trials.bench.ledger.runs.append(Run(0, outcomes))
        return [Block(0, 0, 5, 0, 0)] * idle + [Block(0, 2, 10, 0, 0)] * (size.lanes - idle)

    monkeypatch.setattr(Trials, "lanes", call)
    trials, size = Trials(bench, Sample()), Size(lanes, 2, 0.01, settles=True)
    trials.make(size)
    assert bench.turned_away == 0.0
    trials.again(size)
    assert bench.turned_away == share


@patient
@pytest.mark.parametrize(("room", "limited"), [(1, True), (14, True), (16, False)])
def test_a_room_of_nearly_as_many_as_are_tried_is_a_limit(room, limited):
    """As is one of one: coroutines that come together meet it, on one loop, in every trial."""
    inside = 0

    async def ask(_):
        nonlocal inside
        if inside == room:
            raise TimeoutError
        inside += 1
        await asyncio.sleep(0.02)
        inside -= 1

    found = profile(ask, range(1000), clock=SystemClock(), budget=1.0, is_async=True).profile
    assert is_rationed(found) == limited
    assert most_lanes(found) == (room if limited else None)


@pytest.mark.parametrize("speedup", [0.9, 1.3])
def test_lanes_of_which_few_calls_tell_little_are_tried_again_with_more(monkeypatch, speedup):
    """One call in a hundred took ten times as long, so a few say nothing: the surer trial stands."""
    asked = []

    def make(_, size):
        asked.append(size.calls)
        return Trial(PAIR, 0.4, 1.0, 0.95, error=0.4) if len(asked) == 1 else Trial(PAIR, 0.4, 1.0, speedup)

    monkeypatch.setattr(Trials, "make", make)
    bench = Bench(abs, range(10), clock=FakeClock(), is_async=False, hand=OwnHand)
    pair = _trial._waiting_pair(Trials(bench, Sample()), Size(PAIR, 6, 0.01, settles=True))

    assert pair.speedup == speedup
    assert asked[1] > asked[0]
