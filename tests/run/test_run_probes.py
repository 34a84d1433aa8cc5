import pytest
from attrs import fields

from concurrent_choices._facts._costs import Costs
from concurrent_choices._measure._probes import DIRECT
from concurrent_choices._run import _probes
from concurrent_choices._run._probes import probes


def test_each_cost_is_measured_in_one_way():
    """By itself or by running a strategy, and each probe says how."""
    assert not set(DIRECT) & set(probes())
    assert set(DIRECT) | set(probes()) == {each.name for each in fields(Costs)}
    assert all(how for _, how in [*DIRECT.values(), *probes().values()])


def test_every_kind_of_start_has_its_turn_in_each_round(monkeypatch):
    """A slow phase of the machine meets all of them; what one takes longer is told by the least of each."""
    order, slow = [], iter([1.0, 5.0, 1.0, 1.0])

    def starting(workers, fn=abs, item=0):
        order.append((workers, fn))
        if (workers, fn) == (1, abs):
            starting.pace = next(slow)
        return starting.pace * (0.02 + 0.001 * (workers - 1) + 0.039 * (fn is not abs))

    monkeypatch.setattr(_probes, "_starting", starting)
    monkeypatch.setattr(_probes, "_hybrid_from_nothing", lambda: None)
    measured = probes()

    assert measured["process_start"][0]() == pytest.approx(0.02)
    assert measured["process_worker"][0]() == pytest.approx(0.001)
    assert measured["module_import"][0]() == pytest.approx(0.001, rel=0.5)
    assert order[:3] == order[3:6]
    assert len(order) == 12


def test_starts_that_take_long_have_one_round(monkeypatch):
    """Beside many neighbours all four outlasted the patience, and nothing was told."""
    order = []
    monkeypatch.setattr(_probes, "_starting", lambda *asked: order.append(asked) or 1.0)
    monkeypatch.setattr(_probes, "_hybrid_from_nothing", lambda: None)
    monkeypatch.setattr(_probes, "_ENOUGH", 0.0)

    assert probes()["process_start"][0]() == 1.0
    assert len(order) == 3


def test_threads_that_wait_tell_what_they_add(monkeypatch):
    """Thirty-two that sleep take longer than one; with a loop in each, longer still."""
    measured = probes()
    for name in ("thread_start", "thread_end", "thread_loop"):
        assert 0.0 < measured[name][0]() < 1.0
