import pytest

from concurrent_choices import _cli
from concurrent_choices._facts._costs import Costs
from concurrent_choices._measure._calibration import Calibration
from concurrent_choices._run import _choosing


@pytest.fixture(autouse=True)
def usual_costs(monkeypatch):
    """Verdicts are reached with the costs of an ordinary machine; none is calibrated here."""
    calibration = Calibration(
        costs=Costs(), origins=(("call", "measured: by a test"),), taken=0.0, kept="not kept: a test"
    )
    monkeypatch.setattr(_choosing, "machine_costs", lambda probes: calibration)
    monkeypatch.setattr(_cli, "machine_costs", lambda probes: calibration)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A current folder with a module `mine` in it."""
    (tmp_path / "mine.py").write_text(
        "class Shop:\n"
        "    @staticmethod\n"
        "    def price(item):\n"
        "        return len(str(item))\n"
        "def talks(item):\n"
        "    print('so far', item)\n"
        "def fails(item):\n"
        "    raise ValueError(item)\n"
        "def broken():\n"
        "    raise RuntimeError('no more')\n"
        "    yield\n"
    )
    (tmp_path / "faulty.py").write_text("raise OSError('no settings')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path
