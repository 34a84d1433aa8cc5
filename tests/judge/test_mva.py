import threading
from contextlib import suppress
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concurrent_choices._judge._mva import Network, _Curve, invert, throughput

demands = st.floats(min_value=0, max_value=1)
lanes = st.integers(min_value=1, max_value=64)
networks = st.builds(
    Network,
    queues=st.lists(demands, max_size=3).map(tuple),
    held=demands,
    work=demands,
    cores=st.floats(min_value=0.5, max_value=64),
    think=demands,
)


def test_waiting_is_divided_among_lanes():
    """Ten lanes that only wait deliver ten times what one does."""
    assert throughput(Network(think=2.0), 10) == 5.0


def test_a_queue_serves_one_at_a_time():
    """However many lanes there are, one item per demand."""
    assert throughput(Network(queues=(0.25,)), 8) == 4.0


def test_cores_serve_as_many_as_there_are():
    """Three lanes on four cores do not notice each other; eight share four."""
    network = Network(work=0.5, cores=4.0)
    assert throughput(network, 3) == 6.0
    assert throughput(network, 8) == 8.0


def test_half_a_core_is_half_as_fast():
    """A quota of half a CPU doubles computing, even alone."""
    assert throughput(Network(work=1.0, cores=0.5), 1) == 0.5


@pytest.mark.parametrize(("lanes", "rate"), [(1, 1 / 2), (2, 2 / 2.5), (3, 3 / 3.2), (4, 4 / 4.0625)])
def test_a_queue_and_waiting_follow_the_equations(lanes, rate):
    """With a second of each, by hand: the queues before each step are 0, 0.5, 1.2 and 2.0625."""
    assert throughput(Network(queues=(1.0,), think=1.0), lanes) == pytest.approx(rate)


def test_the_holder_of_the_gil_needs_a_core():
    """Half under it, half outside, two cores: two lanes get 1.6 of 2, as if the cores were free."""
    network = Network(held=0.5, work=0.5, cores=2.0)
    assert throughput(network, 1) == 1.0
    assert throughput(network, 2) == pytest.approx(1.6)


def test_a_ceiling_bounds_everything():
    """What no station shows can be said from outside."""
    assert throughput(Network(think=1.0, ceiling=3.0), 100) == 3.0


def test_what_costs_nothing_is_infinitely_fast():
    """Nothing divided by nothing is not asked."""
    assert throughput(Network(), 1) == inf


@settings(derandomize=True, max_examples=100, deadline=None)
@given(networks, lanes)
def test_throughput_stays_within_its_bounds(network, lanes):
    """Never above any station's capacity, nor above what lanes without queues would do."""
    alone = network.think + sum(network.queues) + network.held + network.work
    rate = throughput(network, lanes)
    assert rate <= network.bound
    assert alone == 0 or rate <= lanes / alone * 1.000001


@settings(derandomize=True, max_examples=50, deadline=None)
@given(st.floats(min_value=0.01, max_value=1), st.floats(min_value=0, max_value=1), lanes)
def test_more_lanes_never_deliver_less(demand, think, lanes):
    """Queueing costs latency, not throughput."""
    network = Network(queues=(demand,), think=think)
    assert throughput(network, lanes + 1) >= throughput(network, lanes) * 0.999999


@pytest.mark.parametrize("true", [0.0, 0.3, 1.0, 2.0])
def test_an_unknown_demand_is_found_from_its_throughput(true):
    """A lock held 2 ms of 2 ms, part of it, or not at all."""

    def build(seconds):
        return Network(queues=(seconds,), think=2.0 - seconds)

    observed = throughput(build(true), 4)
    assert invert(build, 4, observed, 2.0) == pytest.approx(true, abs=1e-6)


def test_an_impossible_observation_gives_the_nearest_end():
    """Slower than any demand explains: all of it; faster: none."""

    def build(seconds):
        return Network(queues=(seconds,), think=1.0 - seconds)

    assert invert(build, 2, 0.1, 1.0) == pytest.approx(1.0)
    assert invert(build, 2, 100.0, 1.0) == pytest.approx(0.0)


def test_threads_that_ask_at_once_are_told_the_same(monkeypatch):
    """A curve is kept for all of them: what two work out at the same moment is written down once."""
    network = Network(queues=(1.0,), work=1.0, think=20.0)
    truth = [_Curve(network).at(lanes) for lanes in range(10)]
    shared, both, step = _Curve(network), threading.Barrier(2), _Curve._step

    def slow_step(self, lanes):
        rate = step(self, lanes)
        with suppress(threading.BrokenBarrierError):
            both.wait(0.1)
        return rate

    monkeypatch.setattr(_Curve, "_step", slow_step)
    threads = [threading.Thread(target=shared.at, args=(9,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [shared.at(lanes) for lanes in range(10)] == truth
