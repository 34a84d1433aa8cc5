from attrs import fields

from concurrent_choices._facts._costs import Costs
from concurrent_choices._measure._probes import DIRECT
from concurrent_choices._run._probes import PROBES


def test_each_cost_is_measured_in_one_way():
    """By itself or by running a strategy, and each probe says how."""
    assert not set(DIRECT) & set(PROBES)
    assert set(DIRECT) | set(PROBES) == {each.name for each in fields(Costs)}
    assert all(how for _, how in [*DIRECT.values(), *PROBES.values()])
