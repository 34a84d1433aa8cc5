import asyncio
import subprocess
import sys
import time
from textwrap import dedent

import pytest
from attrs import fields

from concurrent_choices._facts._costs import Costs
from concurrent_choices._measure import _calibration
from concurrent_choices._measure._calibration import describe, machine_costs
from concurrent_choices._measure._probes import DIRECT
from patience import patient


def test_probes_measure_costs_that_there_are():
    """Each probe has the name of a cost."""
    assert set(DIRECT) <= {each.name for each in fields(Costs)}


@pytest.mark.parametrize("name", sorted(set(DIRECT) - {"uvloop_start"}))
@patient
def test_each_probe_gives_a_plausible_time(name):
    """Not nothing, and no more than a hundred times what is usual."""
    probe, how = DIRECT[name]
    assert 0 < probe() < 100 * getattr(Costs(), name)
    assert how


def test_uvloop_can_be_imported_only_once():
    """Where it has been, its start cannot be measured any more."""
    import uvloop  # noqa: F401 - so that it has been

    with pytest.raises(RuntimeError, match="imported already"):
        DIRECT["uvloop_start"][0]()


@pytest.mark.parametrize("name", ["uvloop_start", "uvloop_step", "uvloop_socket_step"])
def test_without_standard_streams_uvloop_is_left_alone(name):
    """A daemon that has closed them is not aborted by what is measured."""
    code = f"""
        import os
        from concurrent_choices._measure._probes import DIRECT, for_another_process
        os.closerange(0, 2)
        if {name!r} not in for_another_process():
            os._exit(2)
        try:
            DIRECT[{name!r}][0]()
        except RuntimeError as error:
            os._exit(7 if "closed" in str(error) else 1)
        """
    assert subprocess.run([sys.executable, "-c", dedent(code)], check=False, timeout=60).returncode == 7


@patient
def test_all_of_them_take_no_longer_than_promised(monkeypatch):
    """A second or two, also inside a running event loop, and most figures are measured."""
    monkeypatch.setattr(_calibration, "_known", {})
    monkeypatch.setenv("CONCURRENT_CHOICES_CACHE", "off")

    async def inside():
        start = time.perf_counter()
        return machine_costs(), time.perf_counter() - start

    found, seconds = asyncio.run(inside())
    measured = {row.name for row in describe(found) if row.how.startswith("measured")}

    assert seconds < 5
    assert {"call", "step", "switch"} <= measured
    assert found.costs.switch_interval == sys.getswitchinterval()
