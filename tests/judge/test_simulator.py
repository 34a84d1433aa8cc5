import pytest
from attrs import evolve
from judge_cases import FREE, MS, TWO

from concurrent_choices._facts._machine import Machine
from concurrent_choices._facts._plan import Plan
from concurrent_choices._judge._simulator import (
    Block,
    Call,
    Exponential,
    Locked,
    LogNormal,
    Native,
    Python,
    Script,
    Server,
    Uniform,
    Wait,
    observe,
    rehearse,
    simulate,
    steer,
    with_trials,
)

ONE = Machine(cpus=1)


def threads(count):
    return Plan(strategy="thread", workers=count, concurrency=count)


def tasks(count):
    return Plan(strategy="asyncio", concurrency=count)


def processes(count):
    return Plan(strategy="process", workers=count, concurrency=count)


ALONE = Plan(strategy="sequential")


def seconds(phases, items, plan, machine=TWO, costs=FREE, **more):
    script = Script(tuple(phases), items, **more)
    outcome = simulate(script, plan, machine, costs)
    assert outcome.items == items
    return outcome.seconds


@pytest.mark.parametrize("phase", [Python(3 * MS), Native(3 * MS), Wait(3 * MS), Block(3 * MS)])
def test_one_after_another_is_the_sum(phase):
    """Whatever the items do."""
    assert seconds([phase], 10, ALONE) == pytest.approx(30 * MS)


def test_the_gil_lets_one_thread_compute():
    """Four threads on two cores, and no faster."""
    assert seconds([Python(3 * MS)], 12, threads(4)) == pytest.approx(36 * MS)


def test_without_a_gil_threads_compute_together():
    """Two cores, half the time."""
    free = Machine(cpus=2, gil=False)
    assert seconds([Python(3 * MS)], 12, threads(4), free) == pytest.approx(18 * MS)


def test_native_code_computes_together():
    """On two cores; on one core it does not."""
    assert seconds([Native(3 * MS)], 12, threads(4)) == pytest.approx(18 * MS)
    assert seconds([Native(3 * MS)], 12, threads(4), ONE) == pytest.approx(36 * MS)


def test_waiting_overlaps():
    """Twelve items, four at a time."""
    assert seconds([Wait(5 * MS)], 12, threads(4)) == pytest.approx(15 * MS)


def test_processes_have_a_gil_each():
    """Two compute side by side."""
    assert seconds([Python(3 * MS)], 12, processes(2)) == pytest.approx(18 * MS, rel=0.1)


def test_half_a_core_takes_twice_as_long():
    """A quota is a slower core."""
    assert seconds([Python(3 * MS)], 10, ALONE, Machine(cpus=0.5)) == pytest.approx(60 * MS)


def test_native_threads_take_several_cores():
    """Alone it is as fast as ever; two at once take turns."""
    wide = [Native(3 * MS, threads=2)]
    assert seconds(wide, 10, ALONE) == pytest.approx(30 * MS)
    assert seconds(wide, 10, threads(2)) == pytest.approx(30 * MS, rel=0.11)


def test_memory_bound_work_slows_its_neighbour():
    """Each of two takes three times as long."""
    bound = [Native(2 * MS, inflation=3.0)]
    assert seconds(bound, 20, ALONE) == pytest.approx(40 * MS)
    assert seconds(bound, 20, threads(2)) == pytest.approx(60 * MS, rel=0.1)


def test_a_lock_lets_one_in():
    """In one process; each process has its own unless it is shared."""
    locked, shared = Locked("l", (Wait(2 * MS),)), Locked("l", (Wait(2 * MS),), shared=True)
    assert seconds([locked], 10, threads(5)) == pytest.approx(20 * MS)
    assert seconds([locked], 10, processes(2)) == pytest.approx(10 * MS, rel=0.21)
    assert seconds([shared], 10, processes(2)) == pytest.approx(20 * MS)


def test_a_server_queues_what_it_cannot_serve():
    """Three at a time."""
    servers = {"s": Server(capacity=3)}
    assert seconds([Call("s", 4 * MS)], 12, threads(12), servers=servers) == pytest.approx(16 * MS)


def test_a_loop_awaits_many_and_computes_one():
    """Awaiting overlaps; computing and blocking do not."""
    coroutine = {"is_async": True}
    assert seconds([Wait(5 * MS)], 12, tasks(12), **coroutine) == pytest.approx(5 * MS)
    assert seconds([Python(5 * MS)], 12, tasks(12), **coroutine) == pytest.approx(60 * MS)
    assert seconds([Block(5 * MS)], 12, tasks(12), **coroutine) == pytest.approx(60 * MS)
    assert seconds([Block(5 * MS)], 12, threads(12), **coroutine) == pytest.approx(5 * MS)


def test_an_awaited_lock_frees_the_loop():
    """Whoever waits for it does not block the others."""
    phases = [Locked("l", (Wait(2 * MS),)), Wait(10 * MS)]
    assert seconds(phases, 5, tasks(5), is_async=True) == pytest.approx(20 * MS)


def test_steps_cost_their_loop():
    """Half a millisecond for each time it is resumed."""
    costs = evolve(FREE, socket_step=0.5 * MS)
    taken = seconds([Wait(1 * MS)], 100, tasks(50), costs=costs, is_async=True)
    assert taken == pytest.approx(51 * MS, rel=0.02)


def test_a_def_under_a_loop_runs_in_threads():
    """As many as its concurrency."""
    assert seconds([Wait(5 * MS)], 12, tasks(4)) == pytest.approx(15 * MS)


def test_starting_takes_its_time():
    """A process is there after 30 ms, the next one 5 ms later."""
    costs = evolve(FREE, process_start=30 * MS, process_worker=5 * MS)
    assert seconds([Wait(10 * MS)], 2, processes(2), costs=costs) == pytest.approx(45 * MS)


def test_the_convoy_of_the_gil_is_there():
    """Beside a thread that computes, one that only wakes up briefly waits a switch interval."""
    costs = evolve(FREE, switch_interval=5 * MS)

    def phases(index):
        return (Python(400 * MS),) if index == 0 else (Wait(0.1 * MS), Python(0.01 * MS))

    script = Script(phases, 41)
    outcome = simulate(script, threads(2), TWO, costs)
    assert outcome.seconds > 200 * MS  # forty items wait about 5 ms each


def test_a_lane_that_has_slept_needs_the_gil_to_claim_again():
    """Eight wake at once; one of them goes on to compute for 4 ms, and takes both items that are left."""
    script = Script(lambda index: (Wait(8 * MS) if index < 8 else Python(4 * MS),), 10)
    outcome = simulate(script, threads(8), Machine(cpus=8), FREE)
    assert outcome.seconds == pytest.approx(16 * MS, rel=0.01)


def test_the_same_seed_gives_the_same_run():
    """And another seed another one."""
    script = Script((Python(Exponential(1 * MS)), Wait(LogNormal(2 * MS, 1.0))), 50)
    first, again = (simulate(script, threads(4), TWO, FREE, seed=1) for _ in range(2))
    assert first == again
    assert simulate(script, threads(4), TWO, FREE, seed=2).seconds != first.seconds


def test_items_take_the_same_time_under_every_plan():
    """What is drawn for an item depends on the item alone."""
    script = Script((Python(Exponential(1 * MS)),), 50)
    alone = simulate(script, ALONE, TWO, FREE)
    assert simulate(script, threads(4), TWO, FREE).cores == pytest.approx(alone.cores)


@pytest.mark.parametrize("drawn", [Exponential(2 * MS), Uniform(1 * MS, 3 * MS), LogNormal(2 * MS, 0.5)])
def test_random_times_have_their_mean(drawn):
    """Over two thousand draws."""
    profile = observe(Script((Wait(drawn),), 2000), calls=2000)
    assert profile.wall == pytest.approx(2 * MS, rel=0.06)


def test_observing_gives_the_figures_of_the_phases():
    """Computing under the GIL, outside it, in native threads; waiting; how often it waits."""
    phases = (Python(2 * MS), Native(1 * MS, threads=3), Wait(4 * MS))
    profile = observe(Script(phases, 10))
    told = (profile.wall, profile.cpu, profile.gil, profile.native, profile.blocking_calls)
    assert told == pytest.approx((7 * MS, 3 * MS, 2 * MS, 2 / 3, 1.0))


def test_observing_a_coroutine_tells_holding_from_awaiting():
    """Blocking holds the loop without computing."""
    profile = observe(Script((Python(1 * MS), Block(3 * MS), Wait(4 * MS)), 10, is_async=True))
    told = (profile.wall, profile.loop_held, profile.loop_cpu, profile.steps)
    assert told == pytest.approx((8 * MS, 4 * MS, 1 * MS, 1.0))


def test_trials_find_the_gil_and_a_lock():
    """Two lanes no faster than one; with computing that keeps one core busy, without it none."""
    for phase, busy in ((Python(2 * MS), 1.0), (Locked("l", (Wait(2 * MS),)), 0.0)):
        script = Script((phase,), 40)
        profile = with_trials(observe(script), script, TWO, FREE, lanes=(2, 8))
        assert profile.pair_speedup == pytest.approx(1.0, rel=0.01)
        assert profile.pair_parallelism == pytest.approx(busy, abs=0.01)
        assert profile.ramp == ((8, pytest.approx(1.0, rel=0.01)),)


class Doubling:
    """Doubles its lanes whenever as many batches as it has lanes are done."""

    def __init__(self, most):
        self.most = most
        self.since = 0
        self.seen = []

    def began(self, controls):
        controls.add_threads(1)

    def completed(self, completion, controls):
        self.seen.append(completion)
        self.since += 1
        lanes = controls.lanes("thread")
        if self.since >= lanes and lanes < self.most:
            self.since = 0
            controls.add_threads(lanes)


def test_an_agent_adds_lanes_as_it_learns():
    """From one to sixteen: nearly as fast as sixteen from the beginning."""
    script = Script((Wait(10 * MS),), 200)
    agent = Doubling(16)
    outcome = steer(script, agent, TWO, FREE)
    assert outcome.items == 200
    assert outcome.lanes == 16
    assert 130 * MS <= outcome.seconds <= 190 * MS
    assert sorted(each.start for each in agent.seen) == list(range(200))


class Retreating:
    """Begins with many lanes and sends most of them away at the first completion."""

    def began(self, controls):
        controls.add_threads(10)

    def completed(self, completion, controls):
        if controls.lanes() == 10:
            controls.remove("thread", 8)


def test_an_agent_removes_lanes():
    """Those that leave finish what they are at, and no item is lost."""
    outcome = steer(Script((Wait(10 * MS),), 50), Retreating(), TWO, FREE)
    assert outcome.items == 50
    assert outcome.seconds == pytest.approx((1 + 20) * 10 * MS)


class Moving:
    """Starts processes beside the calling thread, and lets it go when the first has delivered."""

    def began(self, controls):
        self.kinds = set()
        controls.add_caller()
        controls.add_processes(2)

    def completed(self, completion, controls):
        self.kinds.add(completion.kind)
        if completion.kind == "process" and controls.lanes("caller"):
            controls.remove("caller", 1)


def test_an_agent_hands_over_to_processes():
    """The calling thread works until they have come up."""
    costs = evolve(FREE, process_start=50 * MS)
    agent = Moving()
    outcome = steer(Script((Python(5 * MS),), 100), agent, TWO, costs)
    assert outcome.items == 100
    assert agent.kinds == {"caller", "process"}
    assert outcome.seconds == pytest.approx(275 * MS, rel=0.05)


class Watching:
    """Looks at what is in flight after a while."""

    def began(self, controls):
        controls.add_threads(1)
        controls.call_after(20 * MS, lambda: self.look(controls))

    def look(self, controls):
        self.seen = [(each.began, each.cpu) for each in controls.at_work()]
        controls.add_threads(9)

    def completed(self, completion, controls):
        pass


def test_an_agent_sees_what_is_in_flight():
    """A call whose CPU clock stands still is waiting, so more lanes can start before it ends."""
    agent = Watching()
    outcome = steer(Script((Wait(100 * MS),), 10), agent, TWO, FREE)
    assert agent.seen == [(0.0, 0.0)]
    assert outcome.seconds == pytest.approx(120 * MS)


def test_thousands_of_items_are_simulated_quickly():
    """Cheap items travel in batches, and none is lost on the way."""
    outcome = simulate(Script((Python(1e-6),), 5000), processes(2), TWO)
    assert outcome.items == 5000


def test_a_rehearsal_looks_at_once_at_a_call_that_sleeps():
    """As in a real run the others join the first after a millisecond."""
    assert rehearse(Script((Wait(20e-3),), 4), ONE).seconds == pytest.approx(21e-3, abs=1e-3 / 2)


def test_a_rehearsal_ends_before_there_is_anything_to_see():
    """Whoever only glances stops with the items."""
    outcome = rehearse(Script((Python(0.1e-3),), 3), TWO)
    assert (outcome.items, outcome.lanes) == (3, 1)


def test_more_join_a_call_that_sleeps_once_it_has_slept_for_a_glance():
    """The fifth beside it begins after 2 ms in all, not 2 ms after the four that came at the first look."""
    assert rehearse(Script((Wait(20e-3),), 6), ONE).seconds == pytest.approx(22e-3, abs=1e-3 / 2)
