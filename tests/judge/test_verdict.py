import ast
from pathlib import Path

import pytest
from attrs import evolve
from judge_cases import MS, TWO, US, coroutine, function

import concurrent_choices._judge
from concurrent_choices._facts._costs import Costs
from concurrent_choices._facts._machine import Machine
from concurrent_choices._facts._plan import Plan
from concurrent_choices._facts._profile import Payload, Profile
from concurrent_choices._facts._recommendation import Recommendation
from concurrent_choices._facts._workload import Workload
from concurrent_choices._judge import _changes
from concurrent_choices._judge._reason import RATIONED, SUPPOSED, reason
from concurrent_choices._judge._recommend import recommend, settle, with_changes

PYTHON = function(3, cpu=3, gil=3)
NATIVE = function(3, cpu=3)
SLEEP = function(5, cpu=0.03, blocking_calls=1.0)
AWAITS = coroutine(20, held=0.05, cpu=0.05)
BLOCKS = coroutine(20, held=19, cpu=0.05, blocks_at="app.py:31")
LOCKED = function(2, cpu=0.05, pair_speedup=1.0, pair_parallelism=0.05)


def verdict(profile, items=500, machine=TWO, **more):
    workload = Workload(len, (), items_count=items, name="work")
    return with_changes(recommend(workload, profile, Costs(), machine, **more), Costs())


@pytest.mark.parametrize(
    ("profile", "items", "machine", "strategy"),
    [
        (PYTHON, 500, TWO, "process"),
        (PYTHON, 5, TWO, "sequential"),
        (PYTHON, 500, Machine(cpus=1), "sequential"),
        (PYTHON, 500, Machine(cpus=4, gil=False), "thread"),
        (NATIVE, 500, TWO, "thread"),
        (NATIVE, 500, Machine(cpus=1), "sequential"),
        (SLEEP, 500, TWO, "thread"),
        (SLEEP, 1, TWO, "sequential"),
        (function(1 * US / MS, cpu=1 * US / MS, gil=1 * US / MS), 1000, TWO, "sequential"),
        (AWAITS, 5, TWO, "asyncio"),
        (AWAITS, 50, TWO, "uvloop"),
        (AWAITS, 2000, TWO, "uvloop"),
        (AWAITS, 50_000, TWO, "uvloop"),
        (coroutine(20, held=0.5, cpu=0.5), 50_000, TWO, "hybrid"),
        (BLOCKS, 500, TWO, "thread"),
        (coroutine(5, held=5, cpu=5), 500, TWO, "process"),
        (function(6, cpu=3, gil=3), 5000, Machine(cpus=8), "process"),
        (function(60, cpu=60, native=1.0), 100, TWO, "sequential"),
        (function(165, cpu=0.5, children=160 * MS), 50, TWO, "thread"),
        (LOCKED, 500, TWO, "sequential"),
    ],
)
def test_the_textbook_is_followed_where_it_is_right(profile, items, machine, strategy):
    """The cases that everybody knows, and those that everybody gets wrong."""
    assert verdict(profile, items, machine).plan.strategy == strategy


def test_every_strategy_has_a_row():
    """From the fastest to those that cannot run, none left out."""
    told = verdict(evolve(PYTHON, payload=Payload(obstacle="this lambda's closure holds a socket")))
    assert [each.plan.strategy for each in told.estimates] == [
        "sequential",
        "thread",
        "asyncio",
        "uvloop",
        "anyio",
        "process",
        "hybrid",
    ]
    assert told.estimate("process").obstacle == "this lambda's closure holds a socket"
    assert told.estimate("hybrid").seconds is None


def test_reasons_are_sentences():
    """What the callable does, what the plan does about it, and how much that gains."""
    assert verdict(PYTHON).reason == (
        "each call computes for 3.00 ms under the GIL, which only one thread at a time can hold, so "
        "2 processes with a GIL each share the work: 1.9 times as fast as one after another "
        "(predicted)."
    )
    assert verdict(LOCKED).reason == (
        "two calls at once get only 1.0 times as much done as one: they queue for something, so one "
        "after another is as good as anything."
    )


def test_processes_for_what_leaves_the_gil_are_explained():
    """Of threads one would think first, so how far they got is told where it is not far."""
    told = verdict(function(0.245, cpu=0.23, gil=0.056, pair_speedup=1.3, pair_parallelism=1.45), 5000)
    assert (told.plan.strategy, told.diagnosis) == ("process", "cpu outside the GIL")
    assert told.reason.startswith(
        "each call computes for 230 µs without holding the GIL, yet two threads get only 1.3 times as much "
        "done as one, so 2 processes with a GIL each share the work"
    )


@pytest.mark.parametrize(
    ("wall", "items", "why"),
    [
        (2.0, 1, "all of it takes 2.00 ms, too little for anything else to pay"),
        (0.0002, 100_000, "each call takes 200 ns, less than it costs to hand it over"),
    ],
)
def test_what_is_tiny_is_so_as_a_whole_or_each(wall, items, why):
    """Of a single call of 2 ms it said that handing it over would not be worth so much."""
    told = verdict(function(wall + 5, cpu=wall, gil=wall, queued=5 * MS), items)
    assert told.diagnosis == "tiny"
    assert told.reason.startswith(why)


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        ("thread", "so 1 thread does it"),
        ("process", "so 1 process with a GIL of its own does the work"),
        ("hybrid", "so 1 process with 3 threads does it"),
    ],
)
def test_a_single_worker_is_singular(strategy, words):
    """It shares nothing with anybody, and nothing goes on at the same time."""
    plan = Plan(strategy=strategy, workers=1, concurrency=3 if strategy == "hybrid" else 1)
    assert words in reason(evolve(verdict(PYTHON, 5), plan=plan))


def test_what_computes_and_waits_says_which_is_which():
    """The share is the one that the note on borders tells."""
    told = verdict(function(10, cpu=6.6, gil=3, blocking_calls=1.0))
    assert told.reason.startswith("each call computes for 66% of its 10.0 ms and waits for the rest, so ")
    assert "It computes for 66% of its time" in " ".join(told.notes)


def test_threads_in_spite_of_the_gil_overlap_the_rest():
    """Only one at a time holds it, so it is not the computing that goes on at the same time."""
    threads = Plan(strategy="thread", workers=6, concurrency=6)
    told = reason(evolve(verdict(function(10, cpu=7.5, gil=7.5, blocking_calls=1.0)), plan=threads))
    assert "can hold; but the rest of a call, above all its waits, overlaps in 6 threads" in told


def test_the_line_that_blocks_is_named():
    """In the diagnosis, in the reason, and in what would change the verdict."""
    told = verdict(evolve(BLOCKS, pair_speedup=1.0))  # on one loop, two get no more done than one
    assert told.diagnosis == "async that blocks the loop at app.py:31"
    assert "blocks its loop for 95% of its 20.0 ms at app.py:31" in told.reason
    assert told.changes[0].startswith("If it awaited instead of blocking at app.py:31: uvloop (")


@pytest.mark.parametrize("profile", [NATIVE, SLEEP, evolve(AWAITS, gil=0.0)])
def test_where_there_is_no_gil_nothing_is_said_of_it(profile):
    """Nor that it was not measured how calls do without, where those that were measured did not hold it."""
    told = verdict(profile, machine=Machine(cpus=2, gil=False))
    assert not [each for each in (told.reason, *told.changes, *told.notes) if "GIL" in each]


def test_what_would_change_it_is_computed():
    """Another number of items, another machine, no GIL: only what leads to another strategy."""
    changes = verdict(PYTHON, 100).changes
    assert any(each.startswith("With a tenth of the items: sequential (") for each in changes)
    assert any(each.startswith("Without the GIL: thread (2 threads), ") for each in changes)
    assert not any("64 CPUs" in each for each in changes)


@pytest.mark.parametrize("profile", [PYTHON, NATIVE, SLEEP, LOCKED])
def test_of_a_def_no_loop_is_what_it_would_change_to(monkeypatch, profile):
    """It runs in threads there too: predicting that for every "what if" was a fifth of a verdict's time."""
    asked = set()
    best = _changes.best_plan
    monkeypatch.setattr(_changes, "best_plan", lambda case, name: asked.add(name) or best(case, name))
    verdict(profile)
    assert asked == {"sequential", "thread", "process", "hybrid"}


def test_what_stands_against_processes_is_told_if_it_matters():
    """A socket in a closure costs half the time on two cores; with a sleeping callable, nothing."""
    stuck = Payload(obstacle="its closure holds a socket")
    assert any(
        each.startswith("If it could run in other processes: process (2 processes), ")
        and each.endswith("but its closure holds a socket.")
        for each in verdict(evolve(PYTHON, payload=stuck)).changes
    )
    assert not any("other processes" in each for each in verdict(evolve(SLEEP, payload=stuck)).changes)


def test_what_more_calls_at_once_than_were_tried_rest_on():
    """A server that lets fifteen in looks like one that lets all in: it took 16.8 s, not 3.1."""
    tried = evolve(SLEEP, pair_speedup=2.0, ramp=((16, 16.0),))
    told = verdict(tried)
    assert told.plan.in_flight > 32
    assert told.changes[-1].startswith(
        "No more than 16 calls at once were tried. If no more are served: thread (16 threads), "
    )
    seen = settle(told, {"thread": 0.05, "sequential": 2.5})
    few = verdict(tried, 16)
    computing = verdict(evolve(NATIVE, pair_speedup=2.0), machine=Machine(cpus=64))
    for other in (verdict(SLEEP), with_changes(seen, Costs()), few, computing):
        assert not any("were tried" in each for each in other.changes)


def test_more_machines_are_named_where_one_is_not_enough():
    """Hours of computing on all cores; it does not sound as if there were strategies of these names here."""
    told = verdict(function(1000, cpu=1000, gil=1000), 1_000_000)
    assert told.changes[-1].endswith("with Dask or Ray for example; no strategy here does.")


def test_what_if_there_were_more_processors():
    """The same profile on 64, and the same question with a thousand times the items."""
    large = verdict(evolve(PYTHON, cpus=2.0), 5000, Machine(cpus=64))
    assert large.plan.workers == 64
    assert large.chosen.seconds < 15 / 20
    assert verdict(PYTHON, 500_000).chosen.seconds == pytest.approx(750, rel=0.01)


def test_unknown_numbers_of_items_are_assumed():
    """And it is said."""
    told = recommend(Workload(len, iter(())), SLEEP, Costs(), TWO)
    assert not told.items_known
    assert told.items == 1000
    assert "1,000 items were assumed. A list tells it" in told.notes[-1]


def test_the_profile_knows_the_number_of_items_too():
    """Whoever measured it may have counted."""
    told = recommend(Workload(len, iter(())), evolve(SLEEP, items=7), Costs(), TWO)
    assert (told.items, told.items_known) == (7, True)


def test_no_items_are_nothing_to_do():
    """One after another, in no time."""
    told = verdict(SLEEP, 0)
    assert (told.plan.strategy, told.chosen.seconds, told.changes) == ("sequential", 0.0, ())
    assert (told.reason, told.notes) == ("there are no items.", ())
    assert "There are no items.\n" in str(told)
    assert verdict(Profile(items=0, missing=("gil: too few looks to tell",)), 0).notes == ()


def test_an_unmeasured_callable_is_called_unknown():
    """The simplest thing, and an honest word."""
    told = verdict(Profile(), 100)
    assert (told.plan.strategy, told.bound, told.diagnosis) == ("sequential", "unknown", "unknown")
    assert "nothing could be measured" in told.reason


@pytest.mark.parametrize(
    ("items", "why"), [(0, "there was no item to make one with"), (None, "the budget was over")]
)
def test_where_no_call_was_made_nothing_is_predicted(items, why):
    """Seconds of what is around a call are none of the work's: nobody should read a microsecond there."""
    told = verdict(Profile(items=items), 1000)

    assert {each.seconds for each in told.estimates} == {None}
    assert "not measured" in str(told)
    assert "±" not in str(told)
    assert f"No call was made: {why}" in told.notes[0]
    assert told.contenders == (told.plan,)
    assert Recommendation.from_json(told.to_json()) == told


def test_what_was_not_measured_is_noted():
    """Nobody should take a default for a measurement."""
    told = verdict(evolve(PYTHON, missing=("gil: no witness here",), errors=0.25, calls=1))
    assert told.notes[:3] == (
        "Not measured: how long a call holds the GIL: no witness here.",
        "Only one call was measured; its time may not be typical.",
        "25% of the sampled calls raised.",
    )


def test_it_says_that_the_sizes_of_all_items_were_counted():
    """Then its seconds rest on more than the sampled calls."""
    (note,) = (each for each in verdict(evolve(SLEEP, by_size=0.98)).notes if "sizes" in each)
    assert note == "Calls take longer the larger their items are; the sizes of all items were counted."


@pytest.mark.parametrize(
    ("seen", "note"),
    [
        ({"native": 20.0}, "1 call and the threads that each has of its own fill the cores."),
        (
            {"pair_speedup": 1.9, "ramp": ((16, 1.2),)},
            "More than 2 calls at once got less done",
        ),
    ],
)
def test_what_trials_have_shown_is_told_apart_from_what_follows(seen, note):
    """Nobody is told of a trial that did not take place."""
    told = verdict(function(4, cpu=0.4, gil=0.4, pair_parallelism=0.2, **seen))
    (said,) = (each for each in told.notes if "call" in each and "Not measured" not in each)
    assert said.startswith(note)


@pytest.mark.parametrize("at", range(40, 100, 7))
def test_a_path_is_not_broken_into_two_lines(at):
    """Nor at its hyphens: it is there to be copied."""
    place = f"/srv/{'my-' * 5}{'x' * at}-app/{'long-' * 4}name.py:31"
    assert str(verdict(evolve(BLOCKS, blocks_at=place))).count(place) == 3


@pytest.mark.parametrize(("native", "busy"), [(9.0, "1.0"), (100.0, "2.0")])
def test_cpus_kept_busy_are_of_those_that_there_are(native, busy):
    """The threads' CPU time over the call's wall time, not over the little CPU time that it has itself."""
    told = verdict(function(4, cpu=0.4, gil=0.4, native=native, pair_speedup=1.0, pair_parallelism=0.2))
    assert told.reason.startswith(f"each call already keeps {busy} CPUs busy with threads of its own")


@pytest.mark.parametrize(
    "figure",
    [
        "wall",
        "queued",
        "gil",
        "children",
        "payload",
        "load",
        "pair_speedup",
        "pair_inflation",
        "blocking_calls, disk_blocks, fresh_memory",
    ],
)
def test_figures_are_named_in_words(figure):
    """Nobody needs to know what a field of the profile is called."""
    told = verdict(evolve(PYTHON, missing=(f"{figure}: it could not be",)))
    assert figure not in told.notes[0]


def test_obstacles_from_outside_are_heard():
    """A package that is not installed is nothing that a profile shows."""
    told = verdict(AWAITS, 5000, obstacles={"uvloop": "uvloop is not installed"})
    assert told.estimate("uvloop").obstacle == "uvloop is not installed"
    assert told.plan.strategy != "uvloop"


def test_what_the_platform_lacks_is_an_obstacle():
    """No processes where no interpreter can be started, no uvloop on Windows."""
    told = verdict(PYTHON, machine=Machine(cpus=2, start_methods=("fork",), platform="win32"))
    assert not any(told.estimate(each).feasible for each in ("process", "hybrid", "uvloop"))


def test_processes_race_where_nobody_knows_whether_they_share_the_lock():
    """The prediction is for the worse case, its error reaches to the better one."""
    told = verdict(LOCKED)
    process = told.estimate("process")
    assert process.plan.workers > 1
    assert "if each process has its own" in process.note
    assert process.seconds - 2 * process.error < told.chosen.seconds
    assert process.plan in told.contenders


def test_a_race_settles_it():
    """Measured seconds stand in the table, decide, and are what the reason speaks of."""
    settled = settle(verdict(LOCKED), {"sequential": 1.0, "process": 0.3})
    assert settled.plan.strategy == "process"
    assert settled.chosen.measured == 0.3
    assert settled.estimates[0].plan.strategy == "process"
    assert settled.reason.endswith("3.3 times as fast as one after another (measured).")


def test_a_gain_is_measured_if_both_sides_of_it_are():
    """One after another seldom races: how much slower it is than what did is predicted."""
    raced = settle(verdict(SLEEP), {"thread": 0.05, "process": 0.3})
    assert raced.chosen.measured == 0.05
    assert raced.reason.endswith("times as fast as one after another (predicted).")


def test_who_raced_stands_first_in_the_table():
    """Threads took twice what was predicted of them, and of loops, which do not race beside them."""
    told = verdict(SLEEP)
    raced = settle(told, {"thread": 2 * told.chosen.seconds, "process": 9.0})
    assert raced.estimates[0].plan.strategy == "asyncio"
    assert str(raced).index(">  thread") < str(raced).index("   process") < str(raced).index("   asyncio")


def test_what_a_race_has_told_is_supposed_no_longer():
    """It said "race them to know" under the table of a race, and would change to what had won it."""
    raced = settle(verdict(LOCKED), {"sequential": 1.0, "process": 0.3})
    assert SUPPOSED in verdict(LOCKED).notes
    assert SUPPOSED not in raced.notes
    assert raced.estimate("process").note == ""
    assert any(": process (" in each for each in verdict(LOCKED).changes)
    assert not any(": process (" in each for each in with_changes(raced, Costs()).changes)
    assert "Measured: what a short race" in str(raced)
    assert "Measured" not in str(verdict(LOCKED))


def test_where_calls_are_turned_away_no_more_are_made_at_once_than_were_served():
    """Sixteen lanes of refusals looked like 35 times the throughput of one: 192 threads were advised."""
    some = verdict(evolve(SLEEP, congestion=0.1, errors=0.1, pair_speedup=2.0, ramp=((4, 4.0),)))
    assert (some.diagnosis, some.plan.strategy, some.plan.in_flight) == ("rate-limited", "thread", 4)
    assert "Of more than 4 calls at once, some were turned away in the trials." in some.notes
    assert RATIONED in some.notes  # sixteen at once were served until 100 a second had been
    assert RATIONED not in verdict(SLEEP).notes
    assert verdict(evolve(SLEEP, congestion=0.1, errors=0.1)).plan.in_flight == 1


def test_calls_that_few_are_turned_away_of_make_no_limit():
    """Some hosts of a hundred are down, whatever the number of calls: a verdict had 15 threads, not 64."""
    ramp = {"pair_speedup": 2.0, "ramp": ((15, 15.0),)}
    told = verdict(evolve(SLEEP, congestion=0.03, errors=0.03, refused=0.001, **ramp))
    assert told.diagnosis == "waiting"
    assert told.plan == verdict(evolve(SLEEP, **ramp)).plan
    assert told.plan.in_flight > 15
    assert verdict(evolve(SLEEP, congestion=0.2, refused=0.1, **ramp)).plan.in_flight == 15


def test_where_one_call_alone_is_turned_away_nobody_speaks_of_trials_or_of_fewer():
    """It said that of more than 1 call at once some were, in trials that nobody had made."""
    told = verdict(evolve(SLEEP, congestion=0.1, errors=0.1))
    assert told.reason.startswith("10% of the sampled calls were turned away, and more at once would be more")
    assert "Calls were turned away, and no trial has shown that several at once are not." in told.notes
    assert not any("in the trials" in each for each in told.notes)


@pytest.mark.parametrize("served", [2, 3])
def test_processes_with_threads_make_no_more_calls_than_were_served_either(served):
    """Two processes of two threads each were advised to who takes two at once, or three."""
    ramp = ((3, 3.0),) if served > 2 else ()
    told = verdict(evolve(SLEEP, congestion=0.1, errors=0.1, pair_speedup=2.0, ramp=ramp))
    assert (told.plan.strategy, told.plan.in_flight) == ("thread", served)
    assert max(each.plan.in_flight for each in told.estimates) == served


def test_a_race_between_equals_goes_to_the_simpler():
    """Within 7 %, as ever."""
    settled = settle(verdict(NATIVE), {"thread": 1.05, "process": 1.0})
    assert settled.plan.strategy == "thread"
    assert settled.close


@pytest.mark.parametrize("profile", [PYTHON, SLEEP, AWAITS, BLOCKS, LOCKED])
def test_verdicts_survive_json_and_print(profile):
    """Whatever the case."""
    told = verdict(profile)
    assert Recommendation.from_json(told.to_json()) == told
    assert "> " in str(told)


SOURCES = sorted(Path(concurrent_choices._judge.__file__).parent.rglob("*.py"))
IMPURE = {"asyncio", "multiprocessing", "os", "subprocess", "sys", "threading", "time"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_the_judge_imports_nothing_that_acts(path):
    """No clock, no thread, no file: arithmetic can be tested by thousands."""
    tree = ast.parse(path.read_text())
    plain = [each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names]
    from_ = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    roots = {name.split(".")[0] for name in (*plain, *from_)}
    assert not roots & IMPURE


def test_what_is_bound_to_its_thread_stays_there():
    """No strategy has threads run it, and where it cannot travel either, the reason stands in the table."""
    bound = function(5, cpu=0.1, binding="it sets signal handlers, which only the main thread may")
    told = verdict(evolve(bound, payload=Payload(obstacle="its closure holds a socket")))

    assert told.plan.strategy == "sequential"
    assert {each.obstacle for each in told.estimates[1:]} == {bound.binding, "its closure holds a socket"}
    assert told.reason.endswith(
        "waiting; but it sets signal handlers, which only the main thread may, so it goes one after another."
    )


def test_what_is_bound_to_its_thread_may_run_in_workers():
    """Each makes its calls in its own main thread."""
    told = verdict(function(5, cpu=0.1, binding="it sets signal handlers, which only the main thread may"))

    assert told.plan.strategy == "process"
    assert all(each.obstacle.startswith("it sets signal") for each in told.estimates if not each.seconds)


def test_what_did_not_come_back_has_computed_for_at_least_so_long():
    """Nobody knows how long it would take."""
    told = verdict(function(1000, cpu=800, gil=800, wall_at_least=True))

    assert told.reason.startswith("each call computes for at least 800 ms under the GIL")
    assert "times as fast" not in told.reason
    assert told.changes
    assert all(", at least " in each for each in told.changes)


def test_calls_that_all_raised_are_nothing_to_go_by():
    """How long failing takes is no reason to use anything."""
    told = verdict(evolve(SLEEP, errors=1.0, congestion=1.0, refused=0.6))

    assert (told.bound, told.diagnosis) == ("unknown", "failing")
    assert not any("turned away" in each for each in told.notes)
    assert "It was close" not in str(evolve(told, close=True))
    assert "Nothing to go by: no sampled call succeeded" in str(told)
    assert "Use " not in str(told)
    assert told.changes == ()


def test_no_more_lanes_than_items_come_for():
    """256 threads were recommended for items that came one in 4 ms, and 0.08 s told for what took 4."""
    told = verdict(evolve(SLEEP, wall=10 * MS, source=4 * MS), 1000)
    assert (told.plan.strategy, told.plan.workers) == ("thread", 3)
    assert told.chosen.seconds == pytest.approx(4.0, rel=0.02)
    assert "and the iterable takes 4.00 ms to give an item, so 3 threads" in told.reason
    assert told.changes[0].startswith("If all items were there at once: thread (")


def test_where_items_come_slowly_one_after_another_will_do():
    """What calls take is nothing beside it."""
    told = verdict(evolve(PYTHON, source=100 * MS), 100)
    assert told.plan.strategy == "sequential"
    assert "the iterable takes 100 ms to give an item, so one after another" in told.reason


@pytest.mark.parametrize(("lane", "who"), [(0.0, "process pays"), (80 * MS, "process and thread pays")])
def test_who_pays_for_a_slow_first_call(lane, who):
    """Threads do, where each connects."""
    told = verdict(evolve(SLEEP, first_excess=90 * MS, lane_excess=lane))
    assert f"The first call takes 90.0 ms longer; every worker {who} that once." in told.notes
