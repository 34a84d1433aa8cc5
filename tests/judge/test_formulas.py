import pytest
from attrs import evolve
from judge_cases import FREE, MS, TWO, US, coroutine, function

from concurrent_choices._facts._costs import Costs
from concurrent_choices._facts._machine import Machine
from concurrent_choices._facts._plan import Plan
from concurrent_choices._facts._profile import Payload, Profile
from concurrent_choices._judge._formulas import STRATEGIES, case_of, predict, starting
from concurrent_choices._judge._formulas._processes import STANDARD
from concurrent_choices._judge._recommend import best_estimate

PYTHON = function(3, cpu=3, gil=3)
NATIVE = function(3, cpu=3)
SLEEP = function(5)


def plan(strategy, workers=1, concurrency=None, batch=None):
    return Plan(strategy=strategy, workers=workers, concurrency=concurrency or workers, batch=batch)


def seconds(profile, items, *how, costs=FREE, machine=TWO):
    return predict(case_of(profile, costs, machine, items), plan(*how)).seconds


def limit(profile, items, *how, costs=FREE, machine=TWO):
    return predict(case_of(profile, costs, machine, items), plan(*how)).limit


@pytest.mark.parametrize("profile", [PYTHON, NATIVE, function(3, cpu=1)])
def test_one_after_another_takes_their_sum(profile):
    """A hundred items of 3 ms, whatever they do."""
    assert seconds(profile, 100, "sequential") == pytest.approx(300 * MS)


@pytest.mark.parametrize("lanes", [1, 2, 8, 64])
def test_the_gil_lets_one_thread_compute(lanes):
    """No number of threads helps Python code, and none harms it much."""
    assert seconds(PYTHON, 100, "thread", lanes) == pytest.approx(300 * MS, rel=1e-6)


def test_threads_compute_together_outside_the_gil():
    """Two cores, half the time; more threads than cores change nothing."""
    assert seconds(NATIVE, 100, "thread", 2) == pytest.approx(150 * MS)
    assert seconds(NATIVE, 100, "thread", 8) == pytest.approx(150 * MS, rel=0.02)


def test_threads_compute_together_without_a_gil():
    """Python code too."""
    machine = Machine(cpus=4, gil=False)
    assert seconds(PYTHON, 100, "thread", 4, machine=machine) == pytest.approx(75 * MS)


def test_uvloop_starts_child_processes_by_a_fork():
    """Which holds everything up longer than what asyncio does."""
    waits = coroutine(5, held=1, cpu=1)
    starts = evolve(waits, children=0.5 * MS)
    assert seconds(waits, 1000, "uvloop", 1, 50) == seconds(waits, 1000, "asyncio", 1, 50)
    assert seconds(starts, 1000, "uvloop", 1, 50) > 2 * seconds(starts, 1000, "asyncio", 1, 50)


@pytest.mark.parametrize(("items", "waves"), [(100, 13), (96, 12), (8, 1), (7, 1), (1, 1)])
def test_waiting_goes_in_waves(items, waves):
    """Eight threads wait eight at a time; the last wave may not be full."""
    assert seconds(SLEEP, items, "thread", 8) == pytest.approx(waves * 5 * MS)


def test_processes_have_a_gil_each():
    """Python code on two cores in half the time."""
    assert seconds(PYTHON, 100, "process", 2) == pytest.approx(150 * MS)


def test_a_mixed_item_overlaps_its_waits_with_others_computing():
    """1 ms under the GIL of 3: three threads or more are limited by the GIL alone."""
    mixed = function(3, cpu=1, gil=1)
    assert seconds(mixed, 1000, "thread", 32) == pytest.approx(1000 * MS, rel=0.01)
    assert limit(mixed, 1000, "thread", 32) == "gil"
    assert limit(mixed, 1000, "thread", 1) == "lanes"


def test_processes_of_threads_overlap_and_compute():
    """The same with two processes is limited by two cores."""
    mixed = function(3, cpu=1, gil=1)
    assert seconds(mixed, 1000, "hybrid", 2, 64) == pytest.approx(500 * MS, rel=0.02)


def test_a_loop_overlaps_what_is_awaited():
    """Twenty milliseconds of which one holds the loop: a hundred items take a hundred of those."""
    awaits = coroutine(20, held=1, cpu=1)
    assert seconds(awaits, 1000, "asyncio", 1, 100) == pytest.approx(1.019, rel=1e-3)
    assert limit(awaits, 1000, "asyncio", 1, 100) == "loop"
    assert seconds(awaits, 1000, "asyncio", 1, 1) == pytest.approx(20.0)


def test_a_loop_lends_so_many_threads_and_no_more():
    """Of coroutines that wait in threads no more than those wait at once, however many are in flight."""
    waits = coroutine(50, in_threads=50 * MS)

    assert seconds(waits, 640, "asyncio", 1, 640) == pytest.approx(640 / 64 * 0.05, rel=0.1)
    assert seconds(waits, 640, "thread", 160, 160) == pytest.approx(640 / 160 * 0.05, rel=0.1)


def test_a_loop_waits_for_each_of_its_threads_to_begin():
    """Of coroutines that wait in threads, one is started for each up to 64: later ones find them there."""
    costs, waits = evolve(FREE, thread_start=1 * MS), coroutine(50, in_threads=50 * MS)

    added = [
        seconds(waits, items, "asyncio", 1, items, costs=costs) - seconds(waits, items, "asyncio", 1, items)
        for items in (32, 6400)
    ]
    assert added == pytest.approx([32 * MS, 0.0], abs=2 * MS)


def test_a_loop_goes_on_while_others_compute_for_a_coroutine():
    """Child processes of 10 ms each on two cores: as fast as the cores, and not one after another."""
    profile = coroutine(10, children=10 * MS)
    assert seconds(profile, 100, "asyncio", 1, 16) == pytest.approx(0.5, rel=0.05)
    assert seconds(profile, 100, "sequential") == pytest.approx(1.0, rel=0.01)


def test_a_blocked_loop_is_one_after_another():
    """A coroutine that sleeps without awaiting needs threads with loops."""
    blocks = coroutine(10, held=10, cpu=0)
    assert seconds(blocks, 100, "asyncio", 1, 50) == pytest.approx(1.0)
    assert seconds(blocks, 100, "thread", 50) == pytest.approx(20 * MS)


def test_steps_are_what_loops_differ_in():
    """The socket step of uvloop is cheaper, that of anyio a little dearer than asyncio's."""
    costs = evolve(FREE, socket_step=30 * US, uvloop_socket_step=10 * US, step=1 * US, anyio_step=3 * US)
    waits = coroutine(1.0, steps=1)
    times = {
        name: seconds(waits, 10_000, name, 1, 500, costs=costs) for name in ("asyncio", "uvloop", "anyio")
    }
    assert times["asyncio"] == pytest.approx(0.3, rel=0.01)
    assert times["uvloop"] == pytest.approx(0.1, rel=0.02)
    assert times["anyio"] == pytest.approx(0.32, rel=0.01)


def test_a_def_under_a_loop_costs_what_threads_cost():
    """And a hop for each thread, so that threads are preferred."""
    costs = Costs()
    threads = seconds(SLEEP, 100, "thread", 16, costs=costs)
    for name in ("asyncio", "uvloop", "anyio"):
        assert threads < seconds(SLEEP, 100, name, 1, 16, costs=costs) < threads * 1.02


def test_processes_cost_their_start():
    """One worker: its start; two: the second comes up while the first works."""
    costs = evolve(FREE, process_start=40 * MS, process_worker=10 * MS)
    assert seconds(PYTHON, 100, "process", 1, costs=costs) == pytest.approx(340 * MS)
    assert seconds(PYTHON, 100, "process", 2, costs=costs) == pytest.approx(196 * MS, rel=0.015)


def test_threads_end_when_all_is_done():
    """Unlike their starts, nothing hides it: ten threads take ten ends, however many items there are."""
    costs = evolve(FREE, thread_end=1 * MS)
    for items in (10, 1000):
        longer = seconds(SLEEP, items, "thread", 10, costs=costs) - seconds(SLEEP, items, "thread", 10)
        assert longer == pytest.approx(10 * MS)


@pytest.mark.parametrize(("lanes", "expected"), [(100, 39.8), (50, 49.8)])
def test_lanes_that_begin_at_once_queue_once(lanes, expected):
    """A hundred coroutines compute one after another, then wait together; fifty do so in two waves."""
    awaits = coroutine(20, held=0.2, cpu=0.2)
    assert seconds(awaits, 100, "asyncio", 1, lanes) == pytest.approx(expected * MS, rel=0.04)


def test_the_first_call_is_paid_in_every_process():
    """Imports and caches are not shared, and on two cores four workers pay in two turns."""
    warm = evolve(PYTHON, first_excess=50 * MS)
    cold = seconds(warm, 100, "process", 2)
    assert cold - seconds(PYTHON, 100, "process", 2) == pytest.approx(50 * MS)
    assert seconds(warm, 100, "sequential") == seconds(PYTHON, 100, "sequential")


def test_workers_import_what_the_callable_needs():
    """The standard library's part once for all; the rest on two cores in two turns; lanes need more."""
    costs = evolve(FREE, module_import=1 * MS, hybrid_start=30 * MS)
    heavy = evolve(PYTHON, payload=Payload(shared_modules=10, own_modules=20))
    known = evolve(PYTHON, payload=Payload(shared_modules=10, own_modules=20, load_seconds=5 * MS))

    def start(profile, strategy, workers):
        how = (strategy, workers, 4 * workers if strategy == "hybrid" else workers)
        return seconds(profile, 100, *how, costs=costs) - seconds(PYTHON, 100, *how)

    assert start(heavy, "process", 2) == pytest.approx((10 * STANDARD + 20) * MS)
    assert start(heavy, "process", 4) == pytest.approx((10 * STANDARD + 40) * MS)
    assert start(heavy, "hybrid", 2) == pytest.approx((10 * STANDARD + 20 + 30) * MS)
    assert start(known, "process", 2) == pytest.approx(5 * MS)
    assert start(heavy, "thread", 2) == 0


def test_large_payloads_keep_the_parent_busy():
    """Ten megabytes at a nanosecond a byte take longer than what is done with them."""
    heavy = evolve(NATIVE, payload=Payload(item_bytes=10e6))
    costs = evolve(FREE, byte=1e-9)
    assert seconds(heavy, 100, "process", 2, costs=costs) == pytest.approx(1.0, rel=0.02)
    assert limit(heavy, 100, "process", 2, costs=costs) == "parent"


def test_pickling_is_paid_at_both_ends():
    """Half of it by the parent, half by the worker, which computes that much longer."""
    pickled = evolve(NATIVE, payload=Payload(item_seconds=1 * MS, result_seconds=1 * MS))
    assert seconds(pickled, 100, "process", 1) == pytest.approx(400 * MS, rel=0.01)


def test_batches_share_the_price_of_a_message():
    """Ten items in a message cost the parent a tenth of it each."""
    costs = evolve(FREE, process_batch=10 * MS)
    assert seconds(PYTHON, 1000, "process", 2, 2, 1, costs=costs) == pytest.approx(10, rel=0.01)
    assert seconds(PYTHON, 1000, "process", 2, 2, 10, costs=costs) < 2.7


def test_native_threads_leave_no_cores_for_others():
    """A call that keeps both cores busy gains nothing from a second one beside it."""
    wide = function(3, cpu=3, native=1.0)
    assert seconds(wide, 100, "sequential") == pytest.approx(300 * MS)
    assert seconds(wide, 100, "thread", 2) == pytest.approx(300 * MS, rel=0.01)
    assert seconds(wide, 100, "process", 2) == pytest.approx(300 * MS, rel=0.01)


def test_shared_memory_bandwidth_makes_lanes_slower():
    """Three and a half times the CPU time with two of them: worse than one."""
    bound = function(3, cpu=3, pair_inflation=3.5)
    for how in (("thread", 2), ("process", 2), ("hybrid", 2, 4)):
        assert seconds(bound, 100, *how) == pytest.approx(525 * MS, rel=0.02)


def test_two_threads_are_as_fast_as_they_were_in_the_trial():
    """Small files: half of the time in turns, and each takes half as long again."""
    seen = {"pair_speedup": 1.16, "pair_parallelism": 1.78, "pair_inflation": 1.54}
    files = function(0.03, cpu=0.03, gil=0.003, **seen)
    assert seconds(files, 4_000, "thread", 2) == pytest.approx(120 * MS / 1.16, rel=0.03)


def test_coroutines_seen_in_step_are_predicted_in_step():
    """Sixteen that compute 0.3 ms each were nine times as fast as one: four waves of 32 take 16.3 ms each."""
    profile = evolve(coroutine(7, held=0.3, cpu=0.3), ramp_inflation=1.0)
    seen = evolve(profile, ramp=((16, 9.2),))
    assert 65 * MS < seconds(seen, 128, "asyncio", 32) < 75 * MS
    assert seconds(profile, 128, "asyncio", 32) < 55 * MS


def test_one_wave_of_coroutines_in_step_takes_no_longer_than_its_cycle():
    """All 128 compute 0.3 ms in turn and wait 6.7: nobody waits for a lane that began late."""
    profile = evolve(coroutine(7, held=0.3, cpu=0.3), ramp_inflation=1.0)
    assert seconds(evolve(profile, ramp=((16, 9.5),)), 128, "asyncio", 128) == pytest.approx(47 * MS, rel=0.1)


def test_coroutines_that_wait_often_fall_out_of_step():
    """As above, with the longest wait 1.2 ms: from 23 lanes on the loop always has one to go on with."""
    profile = evolve(coroutine(7, held=0.3, cpu=0.3, steps=6), ramp_inflation=1.0, longest_wait=1.2 * MS)
    seen = evolve(profile, ramp=((16, 9.5),))
    assert seconds(seen, 128, "asyncio", 128) == pytest.approx((128 * 0.3 + 1.2) * MS, rel=0.1)
    assert seconds(seen, 16, "asyncio", 16) == pytest.approx((6.7 + 16 * 0.3) * MS, rel=0.1)


def test_a_coroutine_with_a_loop_to_itself_spares_nothing():
    """Sixteen on one loop computed 0.4 of what one did; in a thread each, they compute all of it."""
    profile = evolve(coroutine(10, held=0.5, cpu=0.5, steps=40), cpu=1.0 * MS, ramp_inflation=0.4)
    assert seconds(profile, 1000, "thread", 64) == pytest.approx(1000 * MS, rel=0.1)
    assert seconds(profile, 1000, "asyncio", 500) < 600 * MS
    assert seconds(profile, 1000, "sequential") == pytest.approx(10_000 * MS, rel=0.01)


def test_a_lock_lets_one_in_whatever_the_strategy():
    """Two milliseconds each, one after another, also across processes if they share it."""
    locked = function(2, pair_speedup=1.0)
    for how in (("thread", 8), ("process", 8), ("hybrid", 2, 8)):
        assert seconds(locked, 100, *how) == pytest.approx(200 * MS, rel=0.02)
    own = evolve(locked, process_speedup=2.0)
    assert seconds(own, 100, "process", 8) == pytest.approx(26 * MS, rel=0.02)


def test_fractions_of_a_core_count():
    """A quota of half a CPU doubles all computing."""
    half = Machine(cpus=0.5)
    assert seconds(PYTHON, 100, "sequential", machine=half) == pytest.approx(600 * MS)
    assert seconds(NATIVE, 100, "thread", 4, machine=half) == pytest.approx(600 * MS, rel=0.01)


def test_work_that_is_over_before_all_lanes_have_started():
    """Starting 64 threads takes longer than 79 items of 0.1 ms need; only what is seen counts."""
    costs = evolve(FREE, thread_start=70 * US)
    taken = seconds(function(0.1), 79, "thread", 64, costs=costs)
    assert 0.9 * MS < taken < 1.4 * MS


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("profile", [SLEEP, coroutine(5, held=1, cpu=1)])
def test_no_items_take_no_time(strategy, profile):
    """Whatever the strategy, and whatever it costs."""
    assert seconds(profile, 0, strategy, 1, 2, costs=Costs()) == 0.0


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_unmeasured_callable_gets_some_prediction(strategy):
    """Nothing measured is no reason to divide by zero."""
    assert seconds(function(0), 10, strategy, 2, 4, costs=Costs()) < 0.1


def test_an_unknown_strategy_is_refused():
    """There is no formula to guess with."""
    with pytest.raises(KeyError):
        seconds(SLEEP, 10, "dask")


def test_an_estimate_carries_plan_limit_and_error():
    """What verdicts are made of."""
    told = best_estimate(case_of(SLEEP, Costs(), TWO, 100), "thread")
    assert (told.plan.strategy, told.limit) == ("thread", "lanes")
    assert 0 < told.error < 0.3 * told.seconds


def test_the_longest_of_many_items_is_longer_than_that_of_a_few():
    """Ten calls, the longest of 15 ms: a thousand items that vary as much have one of 38 ms."""
    profile = function(5, wall_sd=5 * MS, wall_max=15 * MS)
    assert case_of(profile, FREE, TWO, 1000).spread.longest_of(5 * MS) == pytest.approx(38 * MS, rel=0.01)
    assert case_of(profile, FREE, TWO, 10).spread.longest_of(5 * MS) == pytest.approx(15 * MS)


@pytest.mark.parametrize("strategy", ["thread", "asyncio", "process", "hybrid"])
def test_no_plan_takes_less_than_the_longest_call_that_was_seen(strategy):
    """Ten calls of 5 ms on average, one of them of 45: of fewer items that one may be none."""
    profile = function(5, wall_sd=14 * MS, wall_max=45 * MS)
    assert seconds(profile, 10, strategy, 2, 64) == pytest.approx(45 * MS)
    assert seconds(profile, 3, strategy, 2, 64) < 45 * MS


def test_the_longest_call_is_as_long_as_sizes_tell():
    """Where all items have told how long their calls take, none among many more is longer."""
    profile = function(5, wall_sd=5 * MS, wall_max=15 * MS, by_size=0.99)
    assert case_of(profile, FREE, TWO, 1000).spread.longest_of(5 * MS) == pytest.approx(15 * MS)


def test_the_longest_call_does_not_begin_first():
    """A hundred calls of 5 ms on average, one of them of 200: half of the rest comes before it."""
    profile = evolve(function(5, wall_sd=20 * MS, wall_max=200 * MS), calls=100)
    others = (500 - 200 - 10 * 3) / 10 / 2
    assert seconds(profile, 100, "thread", 10, 10) == pytest.approx((200 + others) * MS, rel=0.03)


def test_lanes_hand_the_gil_over_no_slower_than_a_trial_shows():
    """Four waits an item, at 30 µs each by calibration: two lanes would be slower than one, and were not."""
    costs = evolve(FREE, switch=30 * US)
    writes = function(0.28, cpu=0.13, blocking_calls=4.0)
    tried = evolve(writes, pair_speedup=1.95)
    alone = seconds(writes, 1000, "sequential", costs=costs)
    assert seconds(writes, 1000, "thread", 2, costs=costs) > 0.9 * alone
    assert seconds(tried, 1000, "thread", 2, costs=costs) < 0.7 * alone


def test_what_starting_costs():
    """Threads each, a loop once, lanes their first calls; processes after the first each, and imports."""
    costs = Costs(
        thread_start=1.0,
        process_start=10.0,
        process_worker=2.0,
        hybrid_start=7.0,
        module_import=0.1,
        loop_start=5.0,
    )
    profile = Profile(payload=Payload(shared_modules=10, own_modules=4), first_excess=0.5, lane_excess=0.25)
    case = case_of(profile, costs, Machine(cpus=3), 100)
    plans = plan("sequential"), plan("thread", 2), plan("process", 2), plan("hybrid", 3), plan("asyncio")
    assert [starting(case, each) for each in plans] == pytest.approx([0.0, 2.25, 13.5, 22.5, 5.25])
    # more than there are cores load what is their own in turn
    assert starting(case, plan("process", 6)) == pytest.approx(10 + 5 * 2 + 0.6 + 2 * (0.4 + 0.5))


@pytest.mark.parametrize("how", [("thread", 8), ("asyncio", 1, 8), ("process", 8), ("hybrid", 2, 8)])
def test_nothing_is_faster_than_the_items_come(how):
    """One thread takes them from the iterable, whoever works on them; with the last a call begins."""
    slow = evolve(SLEEP, source=2 * MS)
    assert seconds(slow, 100, *how) == pytest.approx(205 * MS, rel=0.01)
    assert limit(slow, 100, *how) == "source"
    assert limit(SLEEP, 100, *how) != "source"


def test_one_after_another_waits_for_each_item():
    """Nobody takes the next one meanwhile."""
    assert seconds(evolve(SLEEP, source=2 * MS), 100, "sequential") == pytest.approx(700 * MS, rel=0.01)


@pytest.mark.parametrize("how", [("sequential",), ("thread", 8), ("asyncio", 1, 8), ("process", 2)])
def test_results_are_kept_in_memory_that_is_new(how):
    """Whoever makes the calls, the caller keeps what they give."""
    keeps, costs = evolve(PYTHON, result_memory=40.0), evolve(FREE, fresh_byte=1e-9)
    more = seconds(keeps, 1000, *how, costs=costs) - seconds(PYTHON, 1000, *how, costs=costs)
    assert more == pytest.approx(40 * US)


@pytest.mark.parametrize("how", [("thread", 8), ("asyncio", 1, 8), ("sequential",)])
@pytest.mark.parametrize("profile", [SLEEP, coroutine(5)])
def test_lanes_connect_first(profile, how):
    """All at once, before their first items; one after another has done so in the sample."""
    connects = evolve(profile, lane_excess=90 * MS)
    more = 0.0 if how == ("sequential",) else 90 * MS
    assert seconds(connects, 100, *how) == pytest.approx(seconds(profile, 100, *how) + more)
