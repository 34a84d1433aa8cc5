from math import sqrt

import pytest
from attrs import evolve
from judge_cases import MS, TWO, coroutine, function

from concurrent_choices._facts._machine import Machine
from concurrent_choices._judge._demand import demand_of

FREE_THREADED = Machine(cpus=2, gil=False)


def test_computing_is_split_by_the_gil_and_the_rest_is_waiting():
    """3 ms of 10 under the GIL, 2 outside, 5 waiting."""
    demand = demand_of(function(10, cpu=5, gil=3), TWO)
    assert (demand.gil, demand.work, demand.wait) == pytest.approx((3 * MS, 2 * MS, 5 * MS))
    assert demand.alone == pytest.approx(10 * MS)


@pytest.mark.parametrize(("gil", "held"), [(9, 10), (0.4, 0), (5, 5)])
def test_a_share_of_the_gil_near_an_end_is_taken_as_the_end(gil, held):
    """The witness errs by a few percent; nearly all and nearly nothing mean all and nothing."""
    assert demand_of(function(10, cpu=10, gil=gil), TWO).gil == pytest.approx(held * MS)


def test_an_unknown_share_counts_as_under_the_gil():
    """Python code is the usual reason for computing."""
    profile = function(10, cpu=10, missing=("gil: nobody looked",))
    assert demand_of(profile, TWO).gil == 10 * MS


def test_short_bursts_between_waits_count_as_under_the_gil():
    """The witness is blind to them."""
    profile = function(10, cpu=0.2, blocking_calls=1.0)
    assert demand_of(profile, TWO).gil == pytest.approx(0.2 * MS)


def test_two_lanes_tell_what_handing_the_gil_over_can_cost():
    """They got on 1.9 times as fast as one: of 0.158 ms an item, 0.14 are computed under it."""
    writes = function(0.3, cpu=0.14, blocking_calls=4.0, pair_speedup=1.9)
    assert demand_of(writes, TWO).handing == pytest.approx((0.3 / 1.9 - 0.14) * MS)
    assert demand_of(evolve(writes, pair_speedup=2.2), TWO).handing == 0.0


def test_many_lanes_tell_it_too():
    """Ten that got on three times as fast as one handed it over in what their items left of the time."""
    writes = function(0.48, cpu=0.1, blocking_calls=5.0, pair_speedup=1.5, ramp=((10, 3.0),))
    assert demand_of(writes, TWO).handing == pytest.approx((0.48 / 3.0 - 0.1) * MS)


def test_two_lanes_tell_what_nobody_saw():
    """Without a witness, a speed-up of one means the GIL, and of two means none of it."""
    unseen = function(10, cpu=10, missing=("gil: nobody looked",))
    assert demand_of(evolve(unseen, pair_speedup=1.0), TWO).gil == pytest.approx(10 * MS, rel=0.01)
    assert demand_of(evolve(unseen, pair_speedup=2.0), TWO).gil == pytest.approx(0.0, abs=1e-6)


def test_two_lanes_correct_what_was_seen():
    """The estimate moves from the witness towards the trial, each weighed by its error."""
    seen = function(10, cpu=10, gil=3)
    moved = demand_of(evolve(seen, pair_speedup=1.45), TWO).gil
    assert 3.1 * MS < moved < 5 * MS


def test_of_short_calls_two_lanes_tell_and_not_the_witness():
    """Holds of some microseconds between system calls are too short for him."""
    short = function(0.03, cpu=0.03, gil=0.003, pair_speedup=0.9, pair_parallelism=1.3)
    assert demand_of(short, TWO).gil == pytest.approx(0.03 * MS, rel=0.01)


def test_a_lock_is_found_by_a_trial():
    """Two lanes as fast as one, and nothing computes: all of the waiting is at one place."""
    demand = demand_of(function(2, pair_speedup=1.0), TWO)
    assert demand.resource == pytest.approx(2 * MS, rel=0.01)
    assert demand.wait == pytest.approx(0.0, abs=1e-5)
    assert demand.shared_resource == demand.resource


@pytest.mark.parametrize(("error", "found"), [(0.0, True), (0.4, True), (0.6, False)])
def test_calls_too_unequal_for_a_pair_show_no_lock(error, found):
    """Two lanes as slow as one may have met the long ones by chance."""
    demand = demand_of(function(2, pair_speedup=1.0, pair_se=error), TWO)

    assert (demand.resource > 0) is found


@pytest.mark.parametrize("error", [0.4, 2.0])
def test_calls_too_unequal_for_a_crowd_show_no_lock(error):
    """Of a hundred calls one is long: their mean tells nothing of what sixteen lanes should have achieved."""
    uneven = function(2, wall_sd=error * sqrt(10) * 2 * MS, pair_speedup=1.9, ramp=((16, 3.0),))

    assert demand_of(uneven, TWO).resource == 0.0


def test_a_lock_of_each_process_is_not_shared():
    """Where two processes were twice as fast, each has its own."""
    demand = demand_of(function(2, pair_speedup=1.0, process_speedup=2.0), TWO)
    assert demand.resource > 0
    assert demand.shared_resource == 0.0


def test_a_server_for_two_is_found_by_a_trial_of_four():
    """Four lanes twice as fast as one: the limit is two at a time, half the time each."""
    demand = demand_of(function(20, ramp=((4, 2.0),), pair_speedup=2.0), TWO)
    assert demand.resource == pytest.approx(9.3 * MS, rel=0.1)


def test_a_trial_as_fast_as_predicted_shows_nothing():
    """Noise of a fifth is no lock."""
    assert demand_of(function(20, pair_speedup=1.6), TWO).resource == 0.0


@pytest.mark.parametrize(("error", "found"), [(0.01, True), (0.08, False)])
def test_lanes_that_may_have_queued_for_the_gil_show_nothing_else(error, found):
    """Sixteen that compute 0.5 of 3.5 ms do 6.5 times as much if all of it is under the GIL; was it seen?"""
    profile = evolve(function(3.5, cpu=0.5, gil=0.25, ramp=((16, 6.5),)), gil_se=error)
    demand = demand_of(profile, TWO)
    assert (demand.resource > 0) is found
    assert found or demand.gil == pytest.approx(0.5 * MS)


@pytest.mark.parametrize(("speedup", "resource"), [(8.0, 0.15), (4.0, 1.7)])
def test_coroutines_in_step_queue_for_their_loop(speedup, resource):
    """Sixteen begin at once, each 0.3 ms on its loop: 12 ms instead of 7. That is most of 14, not of 28."""
    profile = evolve(coroutine(7, held=0.2, cpu=0.2, steps=8), cpu=0.32 * MS, ramp_inflation=1.0)
    demand = demand_of(evolve(profile, ramp=((16, speedup),)), TWO)
    assert demand.resource == pytest.approx(resource * MS, rel=0.1)
    assert demand.in_step is (speedup == 8.0)


def test_coroutines_slowed_by_their_loop_alone_queue_for_nothing_else():
    """Nine times as fast is what sixteen achieve that compute 0.3 ms each, in turn, and then all wait."""
    profile = evolve(coroutine(7, held=0.2, cpu=0.2, steps=8), cpu=0.32 * MS, ramp_inflation=1.0)
    demand = demand_of(evolve(profile, ramp=((16, 9.0),)), TWO)
    assert demand.resource < 0.05 * MS
    assert demand.in_step


@pytest.mark.parametrize(("held", "steps", "own"), [(0.8, 1, 0.74), (0.4, 8, 0.12)])
def test_computing_after_a_wait_is_cheaper_among_many_by_what_a_cold_start_costs(held, steps, own):
    """The trial took 0.3 of the CPU time: a loop's selector, shared by all, is most of what was saved."""
    profile = evolve(coroutine(20, held=held, cpu=held, steps=steps), ramp_inflation=0.3)
    demand = demand_of(profile, TWO)
    assert demand.own == pytest.approx(own * MS)
    assert demand.cold == pytest.approx((held - own) * MS)


def test_lanes_beyond_the_best_trial_are_not_wanted():
    """A database that is slower with sixteen than with eight gets eight at most."""
    assert demand_of(function(20, ramp=((8, 6.0), (16, 4.0))), TWO).most_lanes == 8


def test_memory_that_lanes_share_is_seen_in_their_cpu_time():
    """With three and a half times the CPU time per item, two lanes are slower than one."""
    demand = demand_of(
        function(3, cpu=3, pair_inflation=3.5, pair_speedup=2 / 3.5, pair_parallelism=2.0), TWO
    )
    assert (demand.inflation, demand.gil, demand.resource) == (3.5, pytest.approx(0.0), 0.0)
    assert demand.slowed(2) == pytest.approx(3.5)
    assert demand.slowed(1) == 1.0


def test_lanes_that_slow_each_other_down_show_whether_they_took_turns():
    """What the witness took for half is little, where both computed nearly all the time (as of sha256)."""
    seen = {"cpu": 0.593, "gil": 0.304, "pair_inflation": 1.1255}
    at_once = demand_of(function(0.594, pair_parallelism=1.95, pair_speedup=1.778, **seen), TWO)
    in_turns = demand_of(function(0.594, pair_parallelism=1.0, pair_speedup=0.95, **seen), TWO)
    assert at_once.gil < 0.8 * at_once.work
    assert in_turns.gil > 1.2 * in_turns.work


@pytest.mark.parametrize(
    ("inflation", "parallelism", "held"),
    [(1.0, 1.75, 0.5), (1.08, 1.75, 0.39675), (1.08, 1.65, 0.46057), (0.98, 1.75, 0.5), (1.08, 1.3, 0.5)],
)
def test_little_inflation_is_no_share_of_the_gil_either(inflation, parallelism, held):
    """Of calls too short for the witness, two at 1.6 times the pace are held sqrt(2 / 1.6 - 1) of the time.

    They are held less where each computed for longer, if so much of the time was computed at once.
    """
    seen = {"pair_speedup": 1.6, "pair_inflation": inflation, "pair_parallelism": parallelism}
    assert demand_of(function(0.2, cpu=0.2, **seen), TWO).gil == pytest.approx(0.2 * MS * held, rel=1e-4)


def test_waiting_lanes_say_nothing_about_memory():
    """The CPU time of a call that waits is made of switches, and grows for their sake."""
    assert demand_of(function(5, cpu=0.05, pair_inflation=3.0), TWO).inflation == 1.0


def test_native_threads_widen_the_work():
    """Twice its own CPU time in other threads: three cores for as long as it computes."""
    demand = demand_of(function(10, cpu=10, native=2.0), TWO)
    assert (demand.work, demand.width, demand.busy) == pytest.approx((10 * MS, 3.0, 30 * MS))


def test_threads_that_fill_the_machine_are_not_multiplied():
    """Two cores for a call that keeps both busy are for one call; four are for two."""
    filling = function(10, cpu=10, native=1.0)
    assert demand_of(filling, TWO).most_lanes == 1
    assert demand_of(filling, Machine(cpus=4)).most_lanes == 2
    assert demand_of(function(10, cpu=10, native=0.2), TWO).most_lanes is None


def test_threads_of_its_own_that_two_lanes_did_not_multiply_hold_the_gil():
    """A pool of Python code: five times its CPU in other threads, and two calls no faster than one."""
    pool = {"native": 20.0, "pair_parallelism": 0.5}
    demand = demand_of(function(4, cpu=0.2, gil=0.2, pair_speedup=1.0, **pool), TWO)

    assert demand.gil == pytest.approx(4 * MS, rel=0.01)
    assert (demand.work, demand.aside) == pytest.approx((0.0, 0.0), abs=0.05 * MS)
    assert demand_of(function(4, cpu=0.2, gil=0.2, pair_speedup=1.9, **pool), TWO).gil == pytest.approx(
        0.2 * MS
    )


def test_threads_that_fill_both_cores_are_outside_the_gil():
    """Two calls are no faster than one then, whatever they hold."""
    profile = function(4, cpu=0.1, gil=0.1, native=75.0, pair_speedup=1.0, pair_parallelism=0.2)
    assert demand_of(profile, TWO).gil == pytest.approx(0.1 * MS)


def test_numbers_of_lanes_that_nobody_would_try_are_none():
    """Beside a call that computes for a nanosecond, any trifle is a large multiple of that."""
    assert demand_of(function(20, cpu=1e-9, gil=1e-9, native=4.0), TWO).most_lanes is None


def test_children_compute_while_it_waits():
    """A process it starts and waits for needs a core, not the GIL."""
    demand = demand_of(function(20, cpu=1, gil=1, children=15 * MS), TWO)
    assert (demand.gil, demand.work, demand.wait) == pytest.approx((1 * MS, 15 * MS, 4 * MS))


def test_threads_compute_while_it_waits():
    """So do threads of this process that it leaves the computing to: 6 ms of CPU in 3 of waiting."""
    demand = demand_of(function(4, cpu=1, gil=1, native=6.0), TWO)
    assert (demand.gil, demand.work, demand.wait) == pytest.approx((1 * MS, 3 * MS, 0.0))
    assert (demand.width, demand.own) == pytest.approx((2.0, 1 * MS))
    assert demand.most_lanes == 1


def test_a_trifle_of_threads_keeps_no_lanes_from_a_call_that_waits():
    """Many of those fit on two cores."""
    demand = demand_of(function(20, cpu=0.1, gil=0.1, native=4.0), TWO)
    assert demand.most_lanes == 80


def test_what_others_compute_for_a_coroutine_holds_no_loop():
    """A child process, or a thread, needs a core, and its loop goes on with others."""
    demand = demand_of(coroutine(20, held=1, cpu=1, children=15 * MS), TWO)
    assert (demand.own, demand.aside, demand.wait) == pytest.approx((1 * MS, 15 * MS, 4 * MS))
    assert demand.work == demand.aside


def test_a_trial_that_two_children_explain_shows_no_resource():
    """Two coroutines whose children compute side by side, on two cores."""
    demand = demand_of(coroutine(20, held=1, cpu=1, children=19 * MS, pair_speedup=1.9), TWO)
    assert demand.resource == 0.0


def test_children_in_parallel_need_several_cores():
    """Forty milliseconds of CPU in twenty of waiting: two at once."""
    demand = demand_of(function(20, children=40 * MS), TWO)
    assert (demand.work, demand.width) == pytest.approx((20 * MS, 2.0))


def test_without_a_gil_all_computing_is_on_cores():
    """The same profile, asked about a free-threaded interpreter."""
    demand = demand_of(function(10, cpu=8, gil=8), FREE_THREADED)
    assert (demand.gil, demand.work, demand.wait) == pytest.approx((0.0, 8 * MS, 2 * MS))


def test_trials_count_for_the_machine_they_were_made_on():
    """Asked about 64 cores, two lanes on two cores still were two lanes on two cores."""
    profile = function(10, cpu=10, gil=10, pair_speedup=1.0, cpus=2.0)
    demand = demand_of(profile, Machine(cpus=64))
    assert (demand.gil, demand.resource, demand.cores) == pytest.approx((10 * MS, 0.0, 64.0))


def test_a_busy_neighbour_keeps_a_core():
    """Two lanes that queued for half a core between them leave a core and a half."""
    profile = function(10, cpu=10, pair_speedup=1.5, pair_parallelism=2.0, pair_inflation=1.0)
    assert demand_of(profile, TWO).cores == pytest.approx(1.5)


@pytest.mark.parametrize(("speedup", "parallelism", "inflation"), [(0.73, 1.35, 1.06), (0.61, 1.17, 1.69)])
def test_lanes_that_queue_behind_threads_of_their_own_show_no_neighbour(speedup, parallelism, inflation):
    """Nor a resource: matrices on both cores, of which two at once are slower than one after the other."""
    trial = {"pair_speedup": speedup, "pair_parallelism": parallelism, "pair_inflation": inflation}
    demand = demand_of(function(8.9, cpu=8.2, queued=0.7 * MS, native=0.95, **trial), TWO)
    assert (demand.cores, demand.resource, demand.most_lanes) == (2.0, 0.0, 1)


def test_run_queue_delay_counts_as_computing():
    """Whoever slowed the sample down will slow the rest down."""
    demand = demand_of(function(12, cpu=10, gil=10, queued=2 * MS), TWO)
    assert demand.gil == pytest.approx(12 * MS)
    assert demand.wait == pytest.approx(0.0)


def test_waiting_for_a_core_between_steps_holds_no_loop():
    """A coroutine's thread is queued after each wait too; that makes no step longer."""
    demand = demand_of(coroutine(20, held=1, cpu=1, queued=5 * MS), TWO)
    assert (demand.gil, demand.block, demand.wait) == pytest.approx((1 * MS, 0.0, 19 * MS))


def test_a_coroutine_blocks_computes_and_awaits():
    """Held without computing is blocking; the rest of the wall time is awaited."""
    demand = demand_of(coroutine(20, held=15, cpu=5), TWO)
    assert (demand.gil, demand.block, demand.wait) == pytest.approx((5 * MS, 10 * MS, 5 * MS))


def test_lanes_that_queue_for_a_core_wait_for_no_resource():
    """Two neighbours took both cores: the pair was no faster than one, and never blocked."""
    crowded = function(1, cpu=0.7, queued=0.3, pair_speedup=0.6, pair_parallelism=1.9, pair_inflation=1.05)
    assert demand_of(crowded, TWO).resource == 0.0
    blocked = function(1, cpu=0.1, pair_speedup=0.6, pair_parallelism=0.2)
    assert demand_of(blocked, TWO).resource > 0.5e-3


def test_very_short_calls_hold_the_gil():
    """Whatever a witness and a trial on a crowded machine make of them."""
    short = function(0.1e-3, cpu=0.1e-3, gil=0.02e-3, pair_speedup=1.6, pair_parallelism=1.8)
    assert demand_of(short, TWO).gil == pytest.approx(0.1e-3 * MS)
