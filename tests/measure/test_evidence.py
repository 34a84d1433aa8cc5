import math

import pytest

from concurrent_choices._facts._profile import Payload
from concurrent_choices._measure._evidence import Evidence, profile_of
from concurrent_choices._measure._figures import Block, Totals, Trial, beside_others, compare
from concurrent_choices._measure._ledger import Raised, Run
from concurrent_choices._measure._sample import Gauge, Sample, Unfinished, native_share, worth_counting
from concurrent_choices._measure._sizes import Foretold
from concurrent_choices._measure._steps import Steps
from concurrent_choices._measure._witness import Statement

MS = 1_000_000


def blocks(*milliseconds, cpu=1.0, queued=0.0):
    return [
        Block(at + 1, 1, round(each * MS), round(each * cpu * MS), round(each * queued * MS))
        for at, each in enumerate(milliseconds)
    ]


def said(share, error=0.02):
    return Statement(share, error, 0.05, 80)


def evidence_of(**measured):
    """What was measured, wherever it stands."""
    sample = {name: measured.pop(name) for name in Sample._fields if name in measured}
    return Evidence(Sample(**sample), **measured)


def test_means_of_the_calls_apart_from_the_first():
    """Wall, CPU and queueing are means; the first call only tells how much longer it took."""
    profile = profile_of(
        evidence_of(
            items=10,
            first=Block(0, 1, 50 * MS, 20 * MS, 0),
            blocks=blocks(2, 4, cpu=0.5, queued=0.25),
            testimony=said(0.5),
        )
    )

    assert profile.calls == 2
    assert profile.items == 10
    assert (profile.wall, profile.cpu, profile.queued) == pytest.approx((3e-3, 1.5e-3, 0.75e-3))
    assert profile.first_excess == pytest.approx(47e-3)
    assert profile.wall_max == pytest.approx(4e-3)
    assert profile.wall_sd == pytest.approx(math.sqrt(2) * 1e-3)
    assert profile.blocked == pytest.approx(0.75e-3)


def test_figures_of_all_items_where_their_sizes_tell():
    """Times are as much longer as those of all items; how they differ, and the longest, is of all too."""
    told = Foretold(mean=1.5, deviation=2.0, longest=9.0, share=0.96)
    sample = {"first": Block(0, 1, 5 * MS, 0, 0), "blocks": blocks(2, 4, cpu=0.5, queued=0.25)}

    profile = profile_of(evidence_of(**sample, foretold=told))

    assert (profile.wall, profile.cpu, profile.queued) == pytest.approx((4.5e-3, 2.25e-3, 1.125e-3))
    assert (profile.wall_sd, profile.wall_max) == pytest.approx((6e-3, 27e-3))
    assert profile.by_size == 0.96
    assert profile.first_excess == pytest.approx(2e-3)


def test_a_call_that_has_not_come_back_tells_more_than_sizes():
    """Its own time is in no line through the others."""
    told = Foretold(mean=1.5, deviation=2.0, longest=9.0, share=0.96)

    profile = profile_of(
        evidence_of(blocks=blocks(2, 4), unfinished=Unfinished(0.1, 0.0, 0.0), foretold=told)
    )

    assert profile.by_size == 0.0
    assert profile.wall == pytest.approx(53e-3)


def test_the_longest_call_of_a_block():
    """What a block took beyond the usual is taken to be one call's."""
    usual = [Block(at, 4, 4 * MS, 0, 0) for at in range(1, 37, 4)]

    profile = profile_of(evidence_of(blocks=[*usual, Block(37, 4, 24 * MS, 0, 0)]))

    assert profile.wall == pytest.approx(1.5e-3)
    assert profile.wall_max == pytest.approx(24e-3 - 3 * 1.5e-3)


def test_only_one_call():
    """With the first call alone its times are all there is, and it counts as none."""
    profile = profile_of(evidence_of(first=Block(0, 1, 5 * MS, 5 * MS, 0), testimony=said(1.0)))

    assert profile.calls == 0
    assert profile.wall == pytest.approx(5e-3)
    assert profile.first_excess == 0.0


def test_nothing_at_all():
    """Without a call every figure keeps its zero."""
    profile = profile_of(evidence_of(items=0))

    assert (profile.calls, profile.wall, profile.cpu, profile.errors) == (0, 0.0, 0.0, 0.0)


def test_a_call_that_did_not_come_back():
    """Its times so far are lower bounds."""
    unfinished = Unfinished(1.0, 0.9, 0.05, children=0.7)
    profile = profile_of(evidence_of(unfinished=unfinished, testimony=said(0.95)))

    assert profile.calls == 0
    assert (profile.wall, profile.cpu, profile.queued) == (1.0, 0.9, 0.05)
    assert profile.children == 0.7
    assert profile.gil == 0.9


@pytest.mark.parametrize(
    ("cpu", "share", "part"),
    [
        (1.0, 1.0, 1.0),  # a Python loop
        (1.0, 0.9, 1.0),  # within the error
        (1.0, 0.5, 0.5),  # half in C without the GIL
        (1.0, 0.03, 0.0),  # hashing
        (0.5, 0.5, 1.0),  # computes half the time, holding it
        (0.5, 0.25, 0.5),
    ],
)
def test_gil(cpu, share, part):
    """The share of wall time the GIL was held, over that of CPU time, and sure ends snapped to."""
    profile = profile_of(evidence_of(blocks=blocks(10, 10, cpu=cpu), testimony=said(share)))

    assert profile.gil == pytest.approx(part * profile.cpu)
    assert 0.02 < profile.gil_se < 0.06
    assert profile.missing == ()


def test_a_holder_without_a_core():
    """Who waits for a core while holding the GIL holds it on."""
    evidence = evidence_of(blocks=blocks(10, 10, cpu=0.5, queued=0.5), testimony=said(0.5))

    assert profile_of(evidence).gil == pytest.approx(0.5 * 5e-3)


def test_no_gil():
    """Without a GIL none is held, and nothing is missing."""
    profile = profile_of(evidence_of(gil=False, blocks=blocks(10, 10)))

    assert (profile.gil, profile.gil_se, profile.missing) == (0.0, 0.0, ())


def test_a_witness_who_saw_too_little():
    """All CPU time counts as holding the GIL, with an error to match, and it is said."""
    profile = profile_of(evidence_of(blocks=blocks(10, 10), testimony=Statement(None, math.inf, 0.0, 2)))

    assert profile.gil == profile.cpu
    assert profile.gil_se == 1.0
    assert profile.missing == ("gil: 2 looks at it told too little; all CPU time counts as holding it",)


def test_too_little_cpu_to_tell():
    """Beside long waits the witness cannot place the little CPU time there is."""
    profile = profile_of(evidence_of(blocks=blocks(10, 10, cpu=0.05), testimony=said(0.0)))

    assert profile.gil == profile.cpu
    assert profile.gil_se == pytest.approx(0.05)
    assert "too little CPU time" in profile.missing[0]


def test_short_steps_of_coroutines():
    """Steps of microseconds are too short for the witness; all their CPU counts as held."""
    evidence = evidence_of(
        is_async=True,
        blocks=blocks(10, 10),
        steps=Steps(coroutines=2, steps=2, held=8000, cpu=4000, longest=6 * MS),
        testimony=said(0.3),
    )
    profile = profile_of(evidence)

    assert profile.gil == profile.cpu
    assert "too short to tell" in profile.missing[0]
    assert profile.steps == 1
    assert profile.loop_held == pytest.approx(4e-6)
    assert profile.loop_cpu == pytest.approx(2e-6)
    assert profile.longest_wait == pytest.approx(3e-3)


def test_counts_per_call():
    """What the rounds added up is shared among their calls."""
    whole = Gauge(wall=20 * MS, cpu=MS, children=6 * MS, switches=4, blocks=10, fresh=60)
    told = evidence_of(blocks=blocks(10, 10), whole=whole, testimony=said(1.0))
    profile = profile_of(told._replace(result_memory=37.0))

    assert profile.children == pytest.approx(3e-3)
    assert profile.blocking_calls == 2
    assert profile.disk_blocks == 5
    assert profile.result_memory == 7  # 30 bytes of what results take are in the times of calls
    assert profile_of(told._replace(result_memory=20.0)).result_memory == 0


def test_errors_and_congestion():
    """Shares of the calls made, the first among them."""
    runs = [Run(0, [1, Raised(TimeoutError())]), Run(2, [Raised(ValueError()), 4])]
    profile = profile_of(evidence_of(blocks=blocks(1, 1, 1), runs=runs, testimony=said(1.0)))

    assert profile.errors == 0.5
    assert profile.congestion == 0.25


def test_congestion_in_a_trial():
    """One at a time may never be refused what sixteen at once are."""
    alone = [Run(0, [1, 2, 3, 4])]
    crowded = [Run(4, [Raised(TimeoutError()), 1, Raised(ValueError()), 1])]
    profile = profile_of(evidence_of(blocks=blocks(1), runs=alone, crowded_runs=crowded))

    assert (profile.congestion, profile.errors) == (0.125, 0.25)


@pytest.mark.parametrize(
    ("alone", "crowded", "few"),
    [
        ((1, 7), (0, 32), True),
        ((0, 7), (2, 36), True),  # one call in fifty is refused, or in twenty
        ((0, 7), (8, 36), False),  # a server lets eight of sixteen in
        ((0, 100), (8, 36), False),
        ((3, 3), (0, 0), False),
        ((5, 20), (0, 0), False),
        ((1, 1), (0, 0), True),  # what was asked first is down
        ((2, 2), (2, 2), True),
        ((3, 12), (0, 0), False),
    ],
)
def test_few_refusals_are_no_sure_ones(alone, crowded, few):
    """Plans had 2 to 15 threads instead of 64 where one call in fifty asked a host that is down."""
    runs, crowded_runs = (
        [Run(0, [Raised(ConnectionRefusedError())] * refused + [1] * (calls - refused))]
        for refused, calls in (alone, crowded)
    )
    profile = profile_of(evidence_of(blocks=blocks(1), runs=runs, crowded_runs=crowded_runs))

    assert 0.0 <= profile.refused <= 1.0
    assert (profile.refused < 0.05) == few


def test_lanes_that_were_turned_away_twice_alike():
    """They say more than so few calls do."""
    crowded_runs = [Run(0, [Raised(TimeoutError())] * 4 + [1] * 60)]
    profile = profile_of(evidence_of(blocks=blocks(1), crowded_runs=crowded_runs, turned_away=0.125))

    assert profile.congestion == 4 / 64
    assert profile.refused == 0.125


def test_trials():
    """The trial of two is the pair; others are the ramp."""
    trials = [Trial(2, 1.9, 1.1, 1.95), Trial(4, 3.0, 1.1, 3.5)]
    evidence = evidence_of(blocks=blocks(10, 10), trials=trials, testimony=said(0.0))
    profile = profile_of(evidence)

    assert (profile.pair_parallelism, profile.pair_inflation, profile.pair_speedup) == (1.9, 1.1, 1.95)
    assert profile.ramp == ((4, 3.5),)


def test_a_trial_promises_no_more_than_the_gil_allows():
    """On a busy machine a lane that waits for the GIL looks as if it could have worked."""
    for inflation in 1.0, 0.9:
        trial = Trial(2, 1.7, inflation, 1.6)
        profile = profile_of(evidence_of(blocks=blocks(9, 10, 11, 30), trials=[trial], testimony=said(1.0)))

        assert (profile.pair_parallelism, profile.pair_speedup) == (1.0, 1.0)


@pytest.mark.parametrize(("inflation", "speedup"), [(0.25, 9.0), (1.0, 8.0), (2.0, 8.0)])
def test_the_gil_allows_more_to_a_crowd_that_computes_less(inflation, speedup):
    """An eighth of its time under the GIL: at most eight times its pace, of lanes like the one alone."""
    trial = Trial(16, 1.0, inflation, 9.0)
    profile = profile_of(evidence_of(blocks=blocks(8, 8, cpu=0.125), trials=[trial], testimony=said(0.125)))

    assert profile.ramp == ((16, pytest.approx(speedup)),)


def test_two_lanes_at_work_outweigh_a_witness_in_doubt():
    """Where the host takes cores away he is late, and says that seven tenths hold the GIL."""
    trial = Trial(2, 1.95, 1.0, 1.9)
    evidence = evidence_of(blocks=blocks(10, 10), testimony=Statement(0.7, 0.08, 0.0, 40), trials=[trial])
    profile = profile_of(evidence)
    assert (profile.pair_parallelism, profile.pair_speedup) == (1.95, 1.9)


def test_a_pair_of_coroutines_has_no_parallelism():
    """Two coroutines share a thread, so only their speed-up means anything."""
    profile = profile_of(
        evidence_of(is_async=True, blocks=blocks(1, 1, cpu=0), trials=[Trial(2, 0.1, 1.0, 1.9)])
    )

    assert profile.pair_parallelism is None
    assert (profile.pair_speedup, profile.ramp_inflation) == (1.9, 1.0)


def test_what_was_not_tried():
    """Without a trial there is no figure, rather than a made-up one."""
    profile = profile_of(evidence_of(blocks=blocks(1, 1)))

    assert (profile.pair_parallelism, profile.pair_speedup, profile.ramp) == (None, None, ())


def test_the_rest_is_passed_on():
    """Payload, blame and reasons are as they were measured."""
    payload = Payload(item_bytes=3.0)
    profile = profile_of(
        evidence_of(payload=payload, blocks_at="a.py:3", missing=("queued: none",), gil=False)
    )

    assert (profile.payload, profile.blocks_at, profile.missing) == (payload, "a.py:3", ("queued: none",))


def test_badly_timed_singles_are_left_out():
    """Calls of microseconds timed one by one give way to blocks of many."""
    singles = [Block(0, 1, 2000, 1000, 0)] * 2
    larger = [Block(2, 100, 100_000, 100_000, 0)]

    assert worth_counting(singles + larger) == larger
    assert worth_counting(singles) == singles
    slow = [Block(0, 1, 5 * MS, MS, 0)]
    assert worth_counting(slow + larger) == slow + larger


@pytest.mark.parametrize(
    ("whole", "idle", "native"),
    [
        (Gauge(wall=100 * MS, cpu=100 * MS, process=200 * MS), 0.0, 1.0),  # two BLAS threads
        (Gauge(wall=100 * MS, cpu=100 * MS, process=200 * MS), 1.0, 0.0),  # a busy neighbour inside
        (Gauge(wall=100 * MS, cpu=100 * MS, process=105 * MS), 0.0, 0.0),  # noise
        (Gauge(wall=100 * MS, cpu=MS, process=3 * MS), 0.0, 0.0),  # noise beside a wait
        (Gauge(wall=100 * MS), 0.0, 0.0),
    ],
)
def test_native_threads(whole, idle, native):
    """CPU of other threads over the caller's, less what the process takes anyway."""
    assert native_share(whole, idle) == pytest.approx(native)


def test_gauges_add_and_subtract(clock):
    """Readings are compared and summed field by field."""
    before = Gauge.read(clock)
    clock.spend(wall=1.0, cpu=0.5, native=0.25, children=0.125, sleeps=2, blocks=3, fresh=4096)
    passed = Gauge.read(clock).since(before)

    assert passed == Gauge(1000 * MS, 500 * MS, 750 * MS, 125 * MS, 2, 3, 4096)
    assert Gauge.of([passed, passed]) == Gauge(2000 * MS, 1000 * MS, 1500 * MS, 250 * MS, 4, 6, 8192)
    assert Gauge.of([]) == Gauge()


def lanes(count, wall, cpu, queued=0.0, calls=10):
    return [Block(0, calls, round(wall * 1e9), round(cpu * 1e9), round(queued * 1e9))] * count


ALONE = Totals(calls=10, wall=1.0, cpu=1.0, queued=0.0)


@pytest.mark.parametrize(
    ("together", "parallelism", "inflation", "speedup"),
    [
        (lanes(2, 2.0, 1.0), 1.0, 1.0, 1.0),  # they share the GIL
        (lanes(2, 1.0, 1.0), 2.0, 1.0, 2.0),  # they do not
        (lanes(2, 2.0, 1.0, queued=1.0), 2.0, 1.0, 2.0),  # one core was taken by a neighbour
        (lanes(2, 3.0, 3.0), 2.0, 3.0, 2 / 3),  # they share the memory's bandwidth
        (lanes(4, 1.0, 1.0), 4.0, 1.0, 4.0),
    ],
)
def test_lanes_compared_with_one(together, parallelism, inflation, speedup):
    """Parallelism, CPU inflation and speed-up from the lanes' totals."""
    trial = compare(together, ALONE, crowded=False)

    assert trial[:4] == pytest.approx((len(together), parallelism, inflation, speedup))


def handing_lanes(cpu, sleeps):
    return [lane._replace(sleeps=sleeps) for lane in lanes(2, 2.0, cpu)]


@pytest.mark.parametrize(
    ("cpu", "sleeps", "parallelism", "inflation", "handing"),
    [
        (1.5, 50_000, 1.0, 1.0, 0.5),  # all that one alone did not compute was handing over the GIL
        (1.5, 12_500, 1.25, 1.25, 0.25),  # … half of it, at 20 µs each time
        (1.9, 10, 1.9, 1.9, 0.0),  # who seldom slept shared something else
        (0.9, 50_000, 0.9, 0.9, 0.0),
    ],
)
def test_what_lanes_spend_on_handing_over_the_gil_is_no_work(cpu, sleeps, parallelism, inflation, handing):
    """Nor is it the memory's: a process would not pay it."""
    trial = compare(handing_lanes(cpu, sleeps), ALONE, crowded=False)

    assert trial[:3] == pytest.approx((2, parallelism, inflation), abs=0.01)
    assert trial.handing == pytest.approx(handing, abs=0.01)
    assert trial.hands_over == (handing > 0.2)


@pytest.mark.parametrize(("others", "behind"), [(2.0, 0.0), (5.0, 0.0), (1.0, 0.5), (0.0, 1.0), (-0.1, 1.0)])
def test_lanes_queue_behind_each_other_while_nobody_else_computes(others, behind):
    """Then the next core stood idle."""
    both = beside_others(lanes(2, 2.0, 1.0, queued=1.0), round(others * 1e9))

    trial = compare(both, ALONE, crowded=False)

    assert trial.behind == pytest.approx(behind)
    assert trial.shares_a_core == (behind > 0.2)


def test_lanes_that_did_not_queue_had_nobody_in_their_way():
    """There is nothing to share out."""
    assert beside_others(lanes(2, 1.0, 1.0), 0) == lanes(2, 1.0, 1.0)


@pytest.mark.parametrize(("handing", "doubts"), [(0.1, 0), (0.5, 1)])
def test_a_pair_that_hands_the_gil_over_knows_better_than_the_witness(handing, doubts):
    """It sees the GIL free between two holds, however short the pause is."""
    trial = Trial(2, 1.0, 1.0, 0.8, handing=handing)

    profile = profile_of(evidence_of(blocks=blocks(1, 1), testimony=said(0.0), trials=[trial]))

    assert sum(each.startswith("gil: ") for each in profile.missing) == doubts


def test_lanes_of_a_callable_with_threads_of_its_own():
    """If its own threads take the cores, waiting for them is no excuse."""
    trial = compare(lanes(2, 2.0, 1.0, queued=1.0), ALONE, crowded=True)

    assert trial.speedup == pytest.approx(1.0)


def test_lanes_that_wait():
    """Without CPU time there is no inflation to speak of."""
    alone = Totals(calls=10, wall=1.0, cpu=0.0, queued=0.0)

    assert compare(lanes(2, 1.0, 0.0), alone, crowded=False) == Trial(2, 0.0, None, 2.0)


def test_few_calls_that_differ_tell_little_of_lanes():
    """The mean of four, beside that of ten, errs by 0.59 of how much they differ."""
    pair = lanes(2, 1.0, 0.0, calls=2)

    assert compare(pair, ALONE, crowded=False, differing=0.5).error == pytest.approx(0.5 * 0.35**0.5)


@pytest.mark.parametrize(
    ("together", "alone"),
    [([], ALONE), (lanes(2, 1, 1, calls=0), ALONE), (lanes(2, 1, 1), Totals(0, 0.0, 0.0, 0.0))],
)
def test_nothing_to_compare(together, alone):
    """A lane without a call, or nothing beside it, gives no trial."""
    assert compare(together, alone, crowded=False) is None


def test_a_call_that_is_not_back_counts_with_what_it_has_taken():
    """Four calls of 1 ms, and one that has taken 196 ms so far: 50 ms each, 196 ms at the longest."""
    blocks = [Block(index, 1, 1_000_000, 1_000_000, 0) for index in range(1, 5)]
    profile = profile_of(evidence_of(first=blocks[0], blocks=blocks, unfinished=Unfinished(0.196, 0.0, 0.0)))

    assert profile.wall == pytest.approx(0.050)
    assert profile.wall_max == pytest.approx(0.196)
    assert not profile.wall_at_least


def test_where_no_call_came_back_its_time_is_a_lower_bound():
    """And the profile says so."""
    profile = profile_of(evidence_of(unfinished=Unfinished(0.2, 0.2, 0.0)))

    assert (profile.calls, profile.wall, profile.wall_at_least) == (0, 0.2, True)


def test_a_sample_that_was_disturbed():
    """Two lanes that took less CPU time than one show what one should have taken, but for chance."""
    pair = Trial(2, 1.0, 0.6, 1.5)
    told = evidence_of(blocks=blocks(3, 3, 3), testimony=said(1.0), trials=[pair])

    profile = profile_of(told)

    assert (profile.wall, profile.cpu, profile.gil) == pytest.approx((1.8e-3, 1.8e-3, 1.8e-3))
    assert profile.pair_inflation == pytest.approx(1.0)
    assert profile.pair_speedup == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("measured", "inflation"),
    [
        ({"blocks": blocks(3, 3, 3)}, 1.4),  # a pair that is dearer has its reasons
        ({"blocks": blocks(1, 3, 5)}, 0.6),  # so uneven that chance may be it
        ({"blocks": blocks(3, 3, 3, cpu=0.3)}, 0.6),  # waits: two lanes find the core awake
        ({"blocks": blocks(3, 3, 3), "native": 1.0}, 0.6),  # the cores were taken by its own threads
        ({"blocks": blocks(3)}, 0.6),  # nobody knows how even one is
    ],
)
def test_a_sample_that_stands(measured, inflation):
    """Its mean is what it is where the pair tells nothing of it."""
    told = evidence_of(**measured, testimony=said(0.0), trials=[Trial(2, 2.0, inflation, 1.5)])

    assert profile_of(told).wall == pytest.approx(3e-3)
    assert profile_of(told).pair_inflation == pytest.approx(inflation)
