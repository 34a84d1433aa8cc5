import pytest
from attrs import evolve
from judge_cases import MS, TWO, US, coroutine, function

from concurrent_choices._facts._costs import Costs
from concurrent_choices._facts._profile import Payload, Profile
from concurrent_choices._judge._diagnose import bound_of, diagnose
from concurrent_choices._judge._reason import BECAUSE

MEGABYTE = Payload(result_bytes=1e6, result_seconds=0.3 * MS)

TABLE = {
    "python loop": (function(3, cpu=3, gil=3), "cpu", "cpu under the GIL"),
    "hashing": (function(1, cpu=1, gil=0.02), "cpu", "cpu outside the GIL"),
    "matrices, of which the witness saw little": (
        function(1.3, cpu=1.3, gil=1.0, pair_speedup=2.0, pair_parallelism=2.0),
        "cpu",
        "cpu outside the GIL",
    ),
    "files in memory, where handing the GIL over takes long": (
        function(0.245, cpu=0.23, gil=0.056, pair_speedup=1.4, pair_parallelism=1.55, pair_inflation=1.14),
        "cpu",
        "cpu outside the GIL",
    ),
    "the same, and the witness is not sure": (
        function(0.245, cpu=0.23, gil=0.14, pair_speedup=1.2, pair_parallelism=1.45),
        "cpu",
        "cpu under the GIL",
    ),
    "python loop, a slow second core": (
        function(3, cpu=3, gil=3, pair_inflation=1.4, pair_speedup=1.0, pair_parallelism=1.0),
        "cpu",
        "cpu under the GIL",
    ),
    "more under than outside": (function(4, cpu=4, gil=3), "cpu", "cpu under the GIL"),
    "matrices on many threads": (function(60, cpu=60, native=1.0), "cpu", "native threads inside"),
    "matrices, left to a pool of its own": (
        function(4, cpu=0.3, gil=0.3, native=20.0, pair_speedup=1.05, pair_parallelism=0.2),
        "cpu",
        "native threads inside",
    ),
    "a thread of the library's, now and then": (function(20, cpu=0.3, gil=0.3, native=3.0), "io", "waiting"),
    "subprocess that computes": (
        function(165, cpu=0.5, gil=0.5, children=160 * MS),
        "cpu",
        "child processes",
    ),
    "subprocess that sleeps": (function(20, cpu=0.5, gil=0.5, children=1 * MS), "io", "waiting"),
    "large arrays": (
        function(3, cpu=3, pair_inflation=3.5, pair_speedup=0.57, pair_parallelism=2.0, pair_resident=1.1),
        "cpu",
        "memory-bound",
    ),
    "hashing on two halves of a core": (
        function(3, cpu=3, pair_inflation=1.6, pair_speedup=1.2, pair_parallelism=2.0, pair_resident=1.5),
        "cpu",
        "cpu outside the GIL",
    ),
    "hashing, slowed down once": (
        function(3, cpu=3, pair_inflation=1.5, pair_speedup=1.3, pair_parallelism=2.0),
        "cpu",
        "cpu outside the GIL",
    ),
    "returns a megabyte": (
        function(0.1, cpu=0.1, gil=0.1, payload=MEGABYTE),
        "cpu",
        "payload-bound",
    ),
    "downloads a megabyte": (function(20, cpu=0.5, gil=0.5, payload=MEGABYTE), "io", "waiting"),
    "sleep": (function(5, cpu=0.03, blocking_calls=1.0, pair_speedup=2.0), "io", "waiting"),
    "lock": (function(2, cpu=0.05, pair_speedup=1.0, blocking_calls=1.0), "io", "contended"),
    "lock around hashing": (function(2, cpu=2, pair_speedup=1.0), "cpu", "contended"),
    "server that lets one in": (function(20, ramp=((4, 1.0),)), "io", "contended"),
    "server for eight": (function(20, pair_speedup=2.0, ramp=((4, 4.0),)), "io", "waiting"),
    "fsync": (function(2, cpu=0.1, disk_blocks=8.0, blocking_calls=2.0), "io", "disk"),
    "fsync that queues": (function(2, cpu=0.1, disk_blocks=8.0, pair_speedup=1.1), "io", "disk"),
    "file in memory": (function(0.4, cpu=0.4, gil=0.05), "cpu", "cpu outside the GIL"),
    "turned away": (function(5, errors=0.2, congestion=0.2), "io", "rate-limited"),
    "nobody listens": (function(5, errors=1.0, congestion=1.0), "unknown", "failing"),
    "bad arguments": (function(5, cpu=5, gil=5, errors=1.0), "unknown", "failing"),
    "half and half": (function(4, cpu=2, gil=2), "mixed", "mixed"),
    "awaits": (coroutine(20, held=0.05, cpu=0.05), "io", "async that awaits"),
    "awaits and computes": (coroutine(4, held=2, cpu=2), "mixed", "mixed"),
    "computes": (coroutine(5, held=5, cpu=5), "cpu", "async that computes"),
    "blocks": (
        coroutine(20, held=19, cpu=0.1, blocks_at="app.py:31"),
        "io",
        "async that blocks the loop at app.py:31",
    ),
    "blocks nobody knows where": (coroutine(20, held=19), "io", "async that blocks the loop"),
    "yields all the time": (
        evolve(coroutine(0.9, held=0.04, cpu=0.04, steps=50.0), cpu=0.9 * MS),
        "cpu",
        "async that computes",
    ),
    "to_thread, which computes": (
        coroutine(3, held=0.05, cpu=0.05, native=50.0),
        "cpu",
        "async that awaits",
    ),
    "subprocess that a loop waits for": (
        coroutine(165, held=0.5, cpu=0.5, children=160 * MS),
        "cpu",
        "async that awaits",
    ),
    "to_thread": (coroutine(20, held=0.06, cpu=0.06), "io", "async that awaits"),
    "addition": (function(0.2e-3, cpu=0.2e-3, gil=0.2e-3), "cpu", "tiny"),
    "addition on a crowded machine": (
        function(1.2e-3, cpu=0.03e-3, gil=0.03e-3, queued=1 * US),
        "cpu",
        "tiny",
    ),
    "not called": (Profile(), "unknown", "unknown"),
}


@pytest.mark.parametrize(("profile", "bound", "diagnosis"), TABLE.values(), ids=TABLE)
def test_labelled_figures_get_their_label(profile, bound, diagnosis):
    """What a person would say who knows the callable."""
    assert bound_of(profile) == bound
    assert diagnose(profile, Costs(), TWO, 200) == diagnosis


@pytest.mark.parametrize(("profile", "bound", "diagnosis"), TABLE.values(), ids=TABLE)
def test_a_busy_neighbour_changes_no_label(profile, bound, diagnosis):
    """Time spent waiting for a core is nobody's nature."""
    waited = profile.wall * 0.8
    held = profile.loop_held + waited if profile.is_async else 0.0
    pushed = evolve(profile, wall=profile.wall + waited, queued=waited, loop_held=held)
    assert bound_of(pushed) == bound
    assert diagnose(pushed, Costs(), TWO, 200) == diagnosis


def test_a_loop_that_is_blocked_beside_a_neighbour():
    """A thread also queues for a core between steps: that is no excuse for what holds the loop."""
    profile = coroutine(10, held=4, cpu=0.05, queued=4 * MS, loop_queued=0.3 * MS)
    assert diagnose(profile, Costs(), TWO, 200) == "async that blocks the loop"


def test_short_calls_that_took_turns_shared_the_gil():
    """Whatever the witness saw: not everywhere are sleeps counted, and then it misses short holds."""
    turns = function(0.245, cpu=0.23, gil=0.056, pair_speedup=1.0, pair_parallelism=1.0)

    assert diagnose(turns, Costs(), TWO, 200) == "cpu under the GIL"


def test_a_few_short_items_are_tiny_whatever_they_do():
    """Three milliseconds in all are not worth a thread."""
    assert diagnose(function(3, cpu=3, gil=3), Costs(), TWO, 1) == "cpu under the GIL"
    assert diagnose(function(0.9, cpu=0.9, gil=0.9), Costs(), TWO, 3) == "tiny"


def test_a_blocked_loop_is_named_before_anything_is_tiny():
    """It is a fault however short the job."""
    blocks = coroutine(0.1, held=0.1, cpu=5 * US)
    assert diagnose(blocks, Costs(), TWO, 3) == "async that blocks the loop"


def test_every_diagnosis_is_listed():
    """The list that documentation and catalogue rest on is complete."""
    said = {diagnosis.split(" at ")[0] for _, _, diagnosis in TABLE.values()}
    assert said == set(BECAUSE)
