import json
import os
import platform
import re
import sys

import pytest
from benchmarks._results import load
from benchmarks.oracle._figures import cases_of, geometric_mean, quantile
from benchmarks.oracle._grid import grid_for
from benchmarks.oracle._measurement import Measurement
from benchmarks.oracle._ours import checksum
from benchmarks.oracle._targets import targets

from interpreters import interpreter, printed


def estimate(strategy, seconds):
    plan = json.dumps({"strategy": strategy, "workers": 1, "concurrency": 1, "batch": None})
    return {"plan": plan, "seconds": seconds, "error": 0.1, "measured": None, "obstacle": ""}


def verdict(strategy, cost=0.2, bound="io", diagnosis="waiting", seconds=2.0):
    told = {"bound": bound, "diagnosis": diagnosis, "strategy": strategy}
    told["estimates"] = {"thread": estimate("thread", 1.0), "sequential": estimate("sequential", 4.0)}
    return {"cost": cost, "verdict": told, "seconds": seconds, "check": 1}


def lines(*more):
    def of(kind, name, seconds, number=1, check=1):
        answer = {"seconds": seconds, "check": check}
        return Measurement(workload="sleep-5ms", kind=kind, name=name, round=number, answer=answer)

    return [
        Measurement(workload="sleep-5ms", kind="recommend", answer=verdict("thread")),
        of("grid", "loop", 4.0),
        of("grid", "threads 8", 1.0),
        of("grid", "threads 8", 1.2, 2),
        of("grid", "threads 8", 0.8, 3),
        of("ours", "thread", 1.1),
        of("ours", "sequential", 6.0),
        *more,
    ]


def test_a_choice_is_held_against_the_best_median():
    """The median of the rounds of each, the least of those."""
    (case,) = cases_of(lines())
    (choice,) = case.choices
    assert case.best == ("threads 8", 1.0)
    assert choice.ratio == pytest.approx(1.1)
    assert choice.whole == pytest.approx(2.0)
    assert choice.right
    assert case.alone == 4.0
    assert case.allowed == 0.25


def test_a_choice_is_held_against_some_of_them():
    """Against ours alone, or without those that fork their caller: the middle verdict, then every one."""
    processes = Measurement(workload="sleep-5ms", kind="grid", name="processes 2", answer={"seconds": 0.5})
    dearer = Measurement(workload="sleep-5ms", kind="recommend", answer=verdict("sequential"))
    (case,) = cases_of(lines(processes, dearer))
    figures = {each.figure: each.measured for each in targets([case])}

    assert figures["chosen strategy within 10 % of the oracle, by workload"] == "0% (0 of 1)"
    assert figures["its worst"] == "12.00"
    assert figures["those three against the best that forks no caller"] == "100% (1 of 1); 2.569; 6.00"
    assert figures["those three against the best of our own strategies"] == "100% (1 of 1); 2.335; 5.45"


def test_a_wrong_word_is_counted():
    """Either of the two words."""
    wrong = Measurement(workload="sleep-5ms", kind="neighbour", answer=verdict("thread", diagnosis="tiny"))
    (case,) = cases_of(lines(wrong))
    assert [choice.right for choice in case.neighbours] == [False]
    assert [choice.bound for choice in case.neighbours] == [True]


def test_predictions_are_held_against_what_ran():
    """Measured over predicted, for each of our strategies."""
    (case,) = cases_of(lines())
    assert {each.strategy: each.ratio for each in case.forecasts} == pytest.approx(
        {"thread": 1.1, "sequential": 1.5}
    )


def test_predictions_stand_beside_what_a_run_itself_foretells():
    """Nothing can be nearer than the same run some rounds before: the machine changes meanwhile."""
    (case,) = cases_of(lines())
    figures = {each.figure: each.measured for each in targets([case])}

    assert case.repeats == pytest.approx((1.2, 0.8))
    name = "those two of the same run in a later round against the first"
    assert figures[name] == "20.0%; 20.0%; within 25 %: 100% (2 of 2)"


def test_other_results_are_noticed():
    """The checksum of most is taken for the right one."""
    answer = {"seconds": 9.0, "check": 2}
    odd = Measurement(workload="sleep-5ms", kind="ours", name="anyio", answer=answer)
    (case,) = cases_of(lines(odd))
    assert case.disagreeing == ("ours anyio",)


def test_failures_have_no_time():
    """What was stopped or raised is no contestant."""
    failed = Measurement(workload="sleep-5ms", kind="grid", name="threads 2", answer={"error": "was stopped"})
    (case,) = cases_of(lines(failed))
    assert ("grid", "threads 2") not in case.taken


def test_means_and_quantiles():
    """Of ratios, the geometric mean; of errors, the value that so many stay below."""
    assert geometric_mean([0.5, 2.0]) == pytest.approx(1.0)
    assert [quantile([3, 1, 2, 4], part) for part in (0.5, 0.95)] == [2, 4]


@pytest.mark.parametrize(
    "name", [name for name in grid_for(is_async=False, count=32) if "processes" not in name]
)
def test_the_grid_gives_all_results(name):
    """In input order, however many threads."""
    runner = grid_for(is_async=False, count=32)[name]
    assert runner(str, range(32)) == [str(item) for item in range(32)]


async def awaited(item):
    return str(item)


@pytest.mark.parametrize(
    "name", [name for name in grid_for(is_async=True, count=32) if "processes" not in name]
)
def test_the_grid_awaits_all_results(name):
    """On either loop, with or without a limit, and in threads."""
    runner = grid_for(is_async=True, count=32)[name]
    assert runner(awaited, range(32)) == [str(item) for item in range(32)]


def test_checksums_tell_results_apart():
    """Order, number and values count."""
    assert checksum([1, 2, 3], 3) == checksum([1, 2, 3], 3)
    assert len({checksum(values, 3) for values in ([1, 2, 3], [3, 2, 1], [1, 2], [1, 2, 4])}) == 4


def _populates() -> bool:
    """Whether this kernel is a Linux of 5.14 or newer."""
    version = re.match(r"(\d+)\.(\d+)", platform.release())  # "6.12-amd64", elsewhere "2022Server"
    return sys.platform == "linux" and version is not None and tuple(map(int, version.groups())) >= (5, 14)


SCRIPT = """
import os, time
from benchmarks.oracle._zygote import in_own_process
def hang():
    os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "600")
    time.sleep(600)
print(in_own_process(lambda: {"pid": os.getpid()}, 10.0)["pid"] != os.getpid())
print(in_own_process(lambda: 1 / 0, 10.0))
print(in_own_process(lambda: os._exit(3), 10.0)["error"].endswith("died without an answer"))
print(in_own_process(hang, 0.2))
"""


def test_a_measurement_has_a_process_of_its_own(root):
    """It answers, raises, dies or hangs there, and leaves nothing behind."""
    assert printed("-c", SCRIPT, cwd=root) == [
        "True",
        "{'error': 'ZeroDivisionError: division by zero'}",
        "True",
        "{'error': 'was stopped after 0.20 s', 'at_least': 0.2}",
    ]


FIRST_TOUCH = """
import resource
from benchmarks.oracle._zygote import in_own_process
shared = [object() for _ in range(1_000_000)]
def touched():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for each in shared:
        pass
    return {"copied": resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before}
print(in_own_process(touched, 10.0)["copied"])
"""


@pytest.mark.skipif(not _populates(), reason="this kernel cannot copy memory in advance (Linux 5.14 can)")
def test_a_measurement_has_its_memory_for_itself(root):
    """What it uses first is not copied while it is timed: 16 MB of objects would be 4,000 pages."""
    assert int(printed("-c", FIRST_TOUCH, cwd=root)[0]) < 400


def test_a_quick_run(root, tmp_path):
    """Two workloads from end to end: results, environment, report, exit code 0."""
    command = ("-m", "benchmarks.oracle", "--quick", "--seed", "1", "--output", tmp_path)
    environment = os.environ | {"CONCURRENT_CHOICES_CACHE": str(tmp_path / "cache")}
    for only in ("waiting/sleep-5ms", "coroutines/async-blocks"):
        told = interpreter(*command, "--only", only, cwd=root, env=environment)
        assert told.returncode == 0, told.stdout + told.stderr
        described, measurements = load(tmp_path, Measurement)
        assert described["seed"] == 1
        kinds = {each.kind for each in measurements}
        assert kinds == {"recommend", "grid", "ours", "once more", "audit", "neighbour"}
        audit = next(each.answer for each in measurements if each.kind == "audit")
        assert audit["once"] == audit["items"] == audit["results"]
        report = (tmp_path / "REPORT.md").read_text()
        assert "| calls of `fn` per item | exactly one |" in report
        assert str(root) not in (tmp_path / "results.jsonl").read_text() + report


def test_what_was_chosen_is_measured_in_every_round(root, tmp_path):
    """However late it gets: a choice that is run once loses by one slow moment, its rivals are many."""
    command = ("-m", "benchmarks.oracle", "--quick", "--rounds", "3", "--minutes", "0", "--output", tmp_path)
    environment = os.environ | {"CONCURRENT_CHOICES_CACHE": str(tmp_path / "cache")}
    told = interpreter(*command, "--only", "waiting/sleep-5ms", cwd=root, env=environment)
    assert told.returncode == 0, told.stdout + told.stderr
    _, measurements = load(tmp_path, Measurement)
    first = next(each.answer["verdict"] for each in measurements if each.kind == "recommend")
    rounds = [each.round for each in measurements if (each.kind, each.name) == ("ours", first["strategy"])]
    assert sorted(rounds) == [1, 2, 3]


@pytest.mark.parametrize(
    ("ratios", "mark"),
    [
        ([1.01] * 21, "reached"),
        ([1.05] * 21, "**missed**"),
        ([0.9] * 10 + [1.05] * 11, "**missed**, within the noise"),
    ],
)
def test_what_looking_costs_is_told_with_its_noise(ratios, mark):
    """The worst of several medians is a maximum of luck: whether it is surely missed is said."""
    watched = Measurement(workload="sleep-5ms", kind="witness", answer={"ratios": ratios})
    (target,) = (each for each in targets(cases_of(lines(watched))) if each.figure.startswith("witness"))
    assert target.mark == mark
