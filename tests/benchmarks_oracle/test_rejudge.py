import json

import attrs
import pytest
from benchmarks.oracle._measurement import Measurement
from benchmarks.oracle._ours import told
from benchmarks.oracle.rejudge import main

from concurrent_choices import Machine, Profile, Workload
from concurrent_choices._facts._costs import Costs
from concurrent_choices._judge._recommend import recommend, settle

COSTS = Costs(uvloop_start=0.0)
WAITS = Profile(calls=9, items=100, wall=5e-3, wall_max=5e-3)


def recorded(measured):
    """A verdict on work that waits, after a race that told so many seconds by strategy."""
    verdict = recommend(
        Workload(len, items_count=100), WAITS, COSTS, Machine(cpus=2), obstacles={"anyio": "none"}
    )
    answer = {"cost": 0.1, "verdict": told(settle(verdict, measured))}
    return Measurement(workload="sleep-5ms", kind="recommend", answer=answer)


@pytest.fixture
def folder(tmp_path):
    """What an oracle run left."""
    lines = [
        recorded({}),
        recorded({"process": 0.01, "thread": 0.02}),
        Measurement(workload="sleep-5ms", kind="ours", name="thread", answer={"seconds": 0.03}),
        Measurement(workload="sleep-5ms", kind="recommend", answer={"error": "was stopped"}),
    ]
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(attrs.asdict(each)) + "\n" for each in lines))
    note(tmp_path, COSTS)
    return tmp_path


def note(folder, costs):
    environment = {"usable_cpus": 2, "gil": True, "costs": attrs.asdict(costs)}
    (folder / "environment.json").write_text(json.dumps(environment))


def test_the_same_code_says_the_same(folder, capsys):
    """What races told and what could not run are part of it."""
    assert main([str(folder)]) == 0
    assert capsys.readouterr().out == "No verdict changes.\n"


def test_another_model_says_other_things(folder, capsys):
    """Here threads have become dear; who raced stays with what the race told."""
    note(folder, attrs.evolve(COSTS, thread_start=1.0))
    main([str(folder)])
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == "sleep-5ms, recommend of round 0: thread (io, waiting) -> process (io, waiting)"
    assert any(line.startswith("predicted against measured, median off by: ") for line in rest)
