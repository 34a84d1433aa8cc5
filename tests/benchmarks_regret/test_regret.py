import math

import pytest
from benchmarks.catalogue.all import CATALOGUE
from benchmarks.oracle._audit import audited
from benchmarks.oracle._grid import loop
from benchmarks.regret import _changing as changing
from benchmarks.regret._contestants import BY_KIND, RULES, alone, contestants, rules
from benchmarks.regret._figures import cases_of, standings
from benchmarks.regret._pace import MOST, count_for, few, paced
from benchmarks.regret._protocol import AT_LENGTH, LONG, SIZES
from benchmarks.regret._run import (
    AUDIT,
    AUTO,
    CHANGING,
    CONTROL,
    DEATH,
    FORK_SERVER,
    HAND,
    NAMED,
    SINGLE,
    Run,
    decided,
    plan_of,
)
from benchmarks.regret._single import LOCKED, NO_OPS, SECONDS, TWO_HUNDRED
from benchmarks.regret._targets import classes, excess, targets
from benchmarks.regret.simulated import Drawn, Simulated, main, simulated_in

from concurrent_choices import (
    HybridStrategy,
    ProcessStrategy,
    SequentialStrategy,
    ThreadStrategy,
    UvloopStrategy,
)
from concurrent_choices._strategies._registry import strategy_for
from interpreters import interpreter


def of(kind, name, seconds, number=1, **more):
    size, items = more.pop("size", 0.5), more.pop("items", 100)
    workload = more.pop("workload", "sleep-5ms")
    answer = {"check": 1, **more}
    if seconds is not None:
        answer["seconds"] = seconds
    return Run(workload=workload, kind=kind, name=name, round=number, size=size, items=items, answer=answer)


def job(auto, best=0.1, plain=0.5, **more):
    """A job whose best by hand is a pool of 32 threads."""
    return [
        of(HAND, "loop", plain, **more),
        of(HAND, "threads 32", best, **more),
        of(HAND, "threads 6", 2 * best, **more),
        of(HAND, "joblib", None, error="was stopped after 0.40 s", at_least=0.4, **more),
        of(HAND, "processes 4, chunks of 1", None, error="PicklingError: no", **more),
        of(CONTROL, "", 1.02 * best, **more),
        of(AUTO, "", auto, report="what it did", **more),
    ]


def target(figure, runs):
    return next(
        each for each in targets(cases_of(runs), runs, Simulated(())) if each.figure.startswith(figure)
    )


def test_regret_is_the_median_over_the_least_median():
    """Of each, the median of its rounds; what was stopped or failed is no contestant."""
    more = [of(AUTO, "", 0.3, 2, report="slow"), of(AUTO, "", 0.12, 3, report="near")]
    (case,) = cases_of([*job(0.11), *more, of(HAND, "threads 32", 0.08, 2), of(HAND, "threads 32", 0.3, 3)])
    assert case.best == ("threads 32", 0.1)
    assert case.auto == 0.12
    assert case.regret == pytest.approx(1.2)
    assert case.lost == pytest.approx(0.02)
    assert case.control == pytest.approx(1.02)
    assert case.report == "near"
    assert set(case.by_hand) == {"loop", "threads 32", "threads 6"}
    assert case.stopped == {"joblib": 0.4}
    assert case.failed == {"hand processes 4, chunks of 1": "PicklingError: no"}


def test_what_fails_more_often_than_not_has_no_time():
    """One lucky round in three is no median."""
    failed = [of(AUTO, "", None, number, error="died") for number in (2, 3)]
    (case,) = cases_of([*job(0.11), *failed])
    assert case.auto is None
    assert math.isnan(case.regret)
    assert math.isnan(case.over_sequential)
    assert classes([case]) == {"5 ms": [], "50 ms": [], "0.5 s and more": []}


def test_jobs_are_told_apart_by_size():
    """A workload at two sizes is two jobs, the shorter first; 5 s belongs to 0.5 s and more."""
    runs = [each for size in (5.0, 0.05, 0.005, 0.5) for each in job(0.11, size=size)]
    cases = cases_of(runs)
    assert [case.size for case in cases] == [0.005, 0.05, 0.5, 5.0]
    sized = classes(cases)
    assert [len(each) for each in sized.values()] == [1, 1, 2]


def test_geometric_mean_share_and_worst():
    """The three figures of jobs of half a second and more."""
    runs = [*job(0.1), *job(0.4, workload="http-20ms")]
    assert target("regret, jobs of 0.5 s", runs).measured.startswith("2.000 of 2; a perfect choice")
    assert target("regret, jobs of 0.5 s", runs).reached is False
    assert target("the same: 95 %", runs).measured == "50% (1 of 2); 95 % are within 4.00"
    assert target("the same: worst", runs).measured == "4.00 (http-20ms, 0.5 s)"
    assert target("the same: worst", job(0.14)).reached is True


def test_the_best_that_does_not_fork_its_caller():
    """A pool that forks a server, or what needs none; not known where only a caller was forked."""
    forked = [*job(0.2), of(HAND, "processes 2, chunks of 1", 0.05), of(HAND, "joblib", 0.3, 2)]
    assert math.isnan(cases_of(forked)[0].bound)
    assert cases_of(job(0.2))[0].bound == 0.1
    figure = "the same against the best by hand that does not fork"
    assert target(figure, forked).measured == "nothing measured"
    served = [*forked, of(FORK_SERVER, "processes 2, chunks of 1", 0.08)]
    assert cases_of(served)[0].best == ("processes 2, chunks of 1", 0.05)
    told = target(figure, served)
    assert told.measured == "2.500 of 1; 0% (0 of 1) within 1.15; worst 2.50"
    assert told.reached is None
    told = target("what that best by hand shows itself", served)
    assert told.measured == "1.600 of 1; 0% (0 of 1) within 1.15; worst 1.60"
    assert cases_of([*forked, of(FORK_SERVER, "processes 2, chunks of 1", 0.15)])[0].bound == 0.1


def test_what_auto_ended_with_is_measured_by_its_name():
    """Over the best by hand, in the job's row and by the geometric mean."""
    runs = [*job(0.2), of(NAMED, "thread ×32", 0.12, 2), of(NAMED, "thread ×32", 0.16, 3)]
    assert cases_of(runs)[0].named == pytest.approx(0.14)
    named = [each.measured for each in targets(cases_of(runs), runs, Simulated(())) if "named" in each.figure]
    assert "1.400 of 1" in named


@pytest.mark.parametrize(
    ("doing", "strategy"),
    [
        ("this thread", SequentialStrategy()),
        ("this thread + 1", SequentialStrategy()),
        ("thread ×32", ThreadStrategy(max_workers=32)),
        ("loop ×17", UvloopStrategy(concurrency=17)),
        ("process ×2", ProcessStrategy(max_workers=2)),
        ("process ×2 of 4 lanes", HybridStrategy(max_workers=2, concurrency=4)),
    ],
)
def test_words_of_a_report_name_a_strategy(doing, strategy):
    """Each kind of lanes, with as many of them."""
    assert strategy_for(plan_of(doing)) == strategy


SERVED = """
import operator
import os

from benchmarks.oracle._grid import called
from benchmarks.regret._fork_server import by_fork_server

(pool,) = [run for name, run in called(2, (), (1,)) if name.startswith("processes")]
parents = by_fork_server(pool, operator.methodcaller("__call__"), [os.getppid] * 2)
print(os.getpid() in parents)
"""


def test_pools_of_a_fork_server(root):
    """Their workers are children of the server, not of the caller."""
    done = interpreter("-c", SERVED, cwd=root)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_a_job_of_50_ms_may_lose_a_round_trip():
    """15 ms and what one item takes: here 5 ms."""
    (case,) = cases_of(job(0.029, best=0.01, plain=0.05, size=0.05, items=10))
    assert case.round_trip == pytest.approx(0.005)
    assert excess(case) == pytest.approx(-0.001)
    (late,) = cases_of(job(0.032, best=0.01, plain=0.05, size=0.05, items=10))
    assert excess(late) == pytest.approx(0.002)


def test_who_knows_late_has_done_some_items_one_by_one():
    """A tenth of 50 ms in as much time, the rest as by the best by hand; never longer than all one by one."""
    runs = [*job(0.02, best=0.01, plain=0.05, size=0.05), of(HAND, "joblib", 0.001, size=0.05)]
    (case,) = cases_of(runs)
    assert case.informed(0.0) == 0.01  # joblib forks its caller, so that it does not count
    assert case.informed(0.005) == pytest.approx(0.005 + 0.9 * 0.01)
    assert case.informed(0.06) == 0.05
    figure = "what it would show whoever knows it after 5 ms"
    told = target(figure, job(0.02, best=0.01, plain=0.05, size=0.05))
    assert (told.measured, told.reached) == ("1.400 of 1; 0% (0 of 1) within 1.15; worst 1.40", None)


@pytest.mark.parametrize(("auto", "reached"), [(0.519, True), (0.521, False)])
def test_three_per_cent_and_five_milliseconds(auto, reached):
    """Of one item after another, at any size."""
    assert target("against plain sequential", job(auto, plain=0.5)).reached is reached


def test_rules_are_held_against_auto_over_the_same_jobs():
    """What was stopped counts as long as it ran; what failed is left out, and counted."""
    cases = cases_of([*job(0.11), *job(0.11, workload="http-20ms")])
    stood = {each.rule: each for each in standings(cases)}
    assert stood["sequential"].mean == pytest.approx(5.0)
    assert stood["32 threads"].mean == pytest.approx(1.0)
    assert not stood["32 threads"].beaten
    assert stood["ThreadPoolExecutor()"].jobs == 2
    assert stood["joblib"].mean == pytest.approx(4.0)
    assert stood["joblib"].stopped == 2
    assert stood["ProcessPoolExecutor()"].failed == 2
    assert stood["ProcessPoolExecutor()"].jobs == 0
    assert target("best single rule", [*job(0.11)]).reached is False
    assert target("best single rule", [*job(0.099)]).reached is True


def test_items_called_other_than_once_are_counted():
    """In audits, and beside killed workers: there a lost item is no mistake, an unreported one is."""
    good = {"items": 600, "results": 600, "deaths": 2, "lost": 2, "wrong": 0, "twice": 0, "never": 0}
    once = {"items": 100, "results": 100, "once": 100, "twice": 0, "never": 0}
    audit = Run(workload="sleep-5ms", kind=AUDIT, size=0.5, items=100, answer=once)
    death = Run(workload="killed workers", kind=DEATH, name="idempotent=False", items=600, answer=good)
    figure = "items called other than once"
    assert target(figure, [audit, death]).reached is True
    for wrong in ({"twice": 1}, {"never": 1}, {"wrong": 1}, {"results": 599}):
        bad = Run(workload="x", kind=DEATH, name="idempotent=False", items=600, answer=good | wrong)
        assert target(figure, [audit, bad]).reached is False
    again = good | {"twice": 2, "lost": 0}
    kept = Run(workload="x", kind=DEATH, name="idempotent=True", items=600, answer=again)
    assert target(figure, [audit, kept]).reached is True
    twice = audit.answer | {"once": 99, "twice": 1}
    assert target(figure, [Run(workload="sleep-5ms", kind=AUDIT, size=0.5, answer=twice)]).reached is False


def test_named_jobs_have_limits_of_their_own():
    """Seconds, or so many times one item after another; what was not measured is not reached."""

    def single(name, side, seconds):
        return Run(workload=name, kind=SINGLE, name=side, items=9, answer={"seconds": seconds})

    runs = [single(TWO_HUNDRED, AUTO, 0.19), single(NO_OPS, AUTO, 0.14), single(NO_OPS, HAND, 0.1)]
    assert target(TWO_HUNDRED, runs).mark == "reached"
    assert target(NO_OPS, runs).mark == "**missed**"
    left = [each for each in targets([], runs, Simulated(())) if each.figure in {SECONDS, LOCKED}]
    assert [(each.measured, each.mark) for each in left] == [("nothing measured", "")] * 2


def test_differing_results_are_found():
    """Somebody who loses the changes, and somebody who gives other results."""

    def forgetful(fn, items):
        return list(items)

    for holder in changing.HOLDERS:
        assert changing.differing(loop, holder, changing.nothing, 30)["held"]
        assert not changing.differing(forgetful, holder, changing.nothing, 450)["held"]
    told = changing.differing(forgetful, changing.how_many_so_far, changing.nothing, 30)
    assert told["different"] == 30
    runs = [Run(workload="a_list, wait", kind=CHANGING, items=30, answer={"different": 0, "held": False})]
    assert target("results that differ", runs).reached is False


def test_an_audit_sees_who_calls_twice():
    """Once, twice and never."""

    def careless(fn, items):
        return [fn(item) for item in [*items[1:], items[-1]]]

    told = audited(careless, str, range(5))
    assert (told["once"], told["twice"], told["never"]) == (3, 1, 1)


MARKS = [(1, 0.01), (2, 0.02), (4, 0.06), (8, 0.14)]


@pytest.mark.parametrize(
    ("seconds", "count"), [(0.005, None), (0.007, 1), (0.02, 2), (0.04, 3), (0.14, 8), (1.4, 80)]
)
def test_items_make_a_job_of_so_many_seconds(seconds, count):
    """Between two marks, or beyond the last; none where one item takes far longer."""
    assert count_for(MARKS, seconds) == count


def test_no_job_has_more_items_than_lists_should():
    """Where the calls are too short for such a job."""
    assert count_for([(MOST, 0.1)], 0.5) is None


@pytest.mark.parametrize("name", ["tiny", "large-array-fft", "async-5us"])
def test_a_pace_is_found(name):
    """For both kinds of callable, and where items come by the dozen."""
    entry = CATALOGUE[name]
    assert len(few(entry, 3)) == 3
    marks = paced(entry)["marks"]
    assert [count for count, _ in marks] == [2**power for power in range(len(marks))]


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=CATALOGUE)
def test_rules_lead_to_contestants(entry):
    """To each that is measured, unless calls share a lock that processes would not."""
    everybody = contestants(entry, 16)
    assert alone(entry) in everybody
    assert tuple(rules(entry)) == RULES
    led = {name for name in rules(entry).values() if entry.apart or "threads" in name or name == "loop"}
    assert led <= set(everybody)


def test_the_rule_by_kind():
    """Coroutines to asyncio, computing to processes, all else to 32 threads."""
    names = ("async-computes", "json", "http-20ms", "half-and-half")
    told = [rules(CATALOGUE[name])[BY_KIND] for name in names]
    assert told[0] == "gather"
    assert told[1].startswith("processes ")
    assert told[2:] == ["threads 32", "threads 32"]


def test_a_third_is_measured_at_length():
    """Some of every family, all of them in the catalogue."""
    assert set(CATALOGUE) >= AT_LENGTH
    assert 3 * len(AT_LENGTH) >= len(CATALOGUE)
    assert max(SIZES) >= LONG


def test_the_controller_is_simulated(tmp_path, capsys):
    """A few workloads from end to end; what is written is what is read."""
    assert main(["--count", "3", "--workers", "1", "--output", str(tmp_path)]) == 0
    told = simulated_in(tmp_path)
    assert [(each.kind, each.seed, each.cores) for each in told.drawn] == [
        ("cpu", 0, 1),
        ("native", 1, 2),
        ("wait", 2, 8),
    ]
    assert f"geometric mean {told.mean:.3f}" in capsys.readouterr().out
    assert simulated_in(tmp_path / "elsewhere").drawn == ()


@pytest.mark.parametrize(("worst", "reached"), [(2.0, True), (2.1, False)])
def test_the_controller_has_targets(worst, reached):
    """A geometric mean, and what 99 % stay within."""
    regrets = [1.0] * 98 + [worst] * 2
    simulated = Simulated(tuple(Drawn("cpu", seed, 2, regret) for seed, regret in enumerate(regrets)))
    (target,) = [each for each in targets([], [], simulated) if "simulation" in each.figure]
    assert target.reached is reached
    assert simulated.part(kind="lock").drawn == ()
    assert [each.seed for each in simulated.worst(1)] == [98]


def test_a_run_that_raises_tells_where():
    """What, where, and what was being done; one that ends tells its time."""
    told = decided(lambda item: 1 // item, [1, 0])
    assert told["error"].startswith("ZeroDivisionError")
    assert "1 // item" in told["where"] or "<lambda>" in told["where"]
    assert "items" in told["report"]
    assert decided(str, [1, 2])["seconds"] > 0.0
