import pytest

from concurrent_choices._facts._costs import Costs
from concurrent_choices._measure._calibration import Calibration
from concurrent_choices._run import _choosing


@pytest.fixture(autouse=True)
def usual_costs(monkeypatch):
    """Verdicts are reached with the costs of an ordinary machine; none is calibrated here."""
    calibration = Calibration(costs=Costs(), origins=(), taken=0.0)
    monkeypatch.setattr(_choosing, "machine_costs", lambda probes: calibration)
    return calibration.costs
