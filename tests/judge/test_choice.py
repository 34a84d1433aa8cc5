from attrs import evolve

from concurrent_choices._facts._estimate import Estimate
from concurrent_choices._facts._plan import Plan
from concurrent_choices._judge._choice import Choice


def told(strategy, seconds, error=0.0, lanes=4, measured=None):
    workers = lanes if strategy in ("thread", "process", "hybrid") else 1
    concurrency = 1 if strategy == "sequential" else 2 * lanes if strategy == "hybrid" else lanes
    plan = Plan(strategy=strategy, workers=workers, concurrency=concurrency)
    return Estimate(plan=plan, seconds=seconds, error=error, measured=measured)


def names(plans):
    return [plan.strategy for plan in plans]


def test_the_fastest_wins():
    """By more than 7 %, that is all there is to it."""
    estimates = [told("sequential", 2.0), told("thread", 1.0), told("process", 1.5)]
    assert Choice(estimates).best().plan.strategy == "thread"


def test_within_seven_percent_the_simpler_wins():
    """Sequential, thread, asyncio, uvloop, anyio, process, hybrid: in that order."""
    slower = [1.06, 1.05, 1.04, 1.03, 1.02, 1.01, 1.0]
    order = ["sequential", "thread", "asyncio", "uvloop", "anyio", "process", "hybrid"]
    estimates = [told(name, seconds) for name, seconds in zip(order, slower, strict=True)]
    while len(estimates) > 1:
        assert Choice(estimates[::-1]).best() is estimates[0]
        estimates.pop(0)


def test_beyond_seven_percent_the_faster_wins():
    """Simplicity is worth no more than that."""
    assert Choice([told("thread", 1.08), told("process", 1.0)]).best().plan.strategy == "process"


def test_an_uncertain_prediction_is_charged_for_it():
    """Half a standard error: a risky tenth is not worth a hazard."""
    risky = told("hybrid", 0.9, error=0.45)
    assert Choice([told("thread", 1.0), risky]).best().plan.strategy == "thread"


def test_what_cannot_run_is_never_chosen():
    """However short its list of alternatives."""
    barred = Estimate(plan=Plan(strategy="process"), obstacle="cannot be pickled")
    assert Choice([barred, told("sequential", 9.0)]).best().plan.strategy == "sequential"


def test_a_race_decides_among_those_that_raced():
    """Measured beats predicted, also where a prediction is better."""
    estimates = [
        told("thread", 1.0, measured=1.5),
        told("process", 1.4, measured=1.2),
        told("hybrid", 0.9),
    ]
    assert Choice(estimates).best().plan.strategy == "process"


def test_for_a_coroutine_a_loop_is_simpler_than_threads():
    """Sequential, a loop, then threads."""
    slower = [1.06, 1.05, 1.02, 1.01, 1.0]
    order = ["sequential", "asyncio", "thread", "process", "hybrid"]
    estimates = [told(name, seconds) for name, seconds in zip(order, slower, strict=True)]
    while len(estimates) > 1:
        assert Choice(estimates[::-1], is_async=True).best() is estimates[0]
        estimates.pop(0)


def test_of_loops_for_a_coroutine_the_fastest_wins():
    """However little it gains: nothing else differs. Of equals asyncio, which everybody has."""
    loops = [told("anyio", 1.0), told("uvloop", 0.99), told("asyncio", 1.0)]
    assert Choice([*loops, told("thread", 0.98)], is_async=True).best().plan.strategy == "uvloop"
    assert Choice([loops[0], loops[2]], is_async=True).best().plan.strategy == "asyncio"


def test_a_close_race_leaves_the_decision_to_the_predictions():
    """They rest on more calls than a heat of some milliseconds."""
    estimates = [told("thread", 1.5, measured=1.0), told("process", 1.2, measured=1.1)]
    assert Choice(estimates).best().plan.strategy == "process"


def test_who_could_not_race_wins_if_predicted_far_below_what_was_measured():
    """Processes take too long to start for a short race; the race shows how far off predictions are."""
    raced = [told("sequential", 2.0, measured=2.2), told("thread", 2.0, measured=2.4)]
    assert Choice([*raced, told("process", 1.2)]).best().plan.strategy == "process"
    assert Choice([*raced, told("process", 1.9)]).best().plan.strategy == "sequential"
    by_another_name = told("asyncio", 1.0)  # threads
    assert Choice([*raced, by_another_name]).best().plan.strategy == "sequential"


def test_who_could_not_race_is_not_charged_with_what_one_alone_was_off_by():
    """A loop that starts anew in each heat looks twice as slow; the machine is no slower for that."""
    raced = [told("asyncio", 2.0, measured=2.2), told("anyio", 2.0, measured=4.0)]
    assert Choice([*raced, told("process", 1.4)], is_async=True).best().plan.strategy == "process"
    raced = [told("sequential", 2.0, measured=2.0), told("thread", 1.0, measured=0.5)]
    assert Choice([*raced, told("process", 0.9)]).best().plan.strategy == "thread"


def test_who_could_not_race_gains_nothing_where_others_were_off_in_both_directions():
    """The machine was not twice as fast for one of them, and half as fast for the other."""
    raced = [told("asyncio", 2.0, measured=1.0), told("anyio", 0.5, measured=1.1)]
    assert Choice([*raced, told("process", 1.5)], is_async=True).best().plan.strategy == "anyio"


def test_close_is_within_seven_percent_either_way():
    """A rival that is a little faster or slower makes it close."""
    thread = told("thread", 1.0)
    assert Choice([thread, told("process", 1.05)]).is_close(thread)
    assert Choice([thread, told("process", 0.95)]).is_close(thread)
    assert not Choice([thread, told("process", 1.1)]).is_close(thread)


def test_the_same_thing_by_another_name_is_not_close():
    """A `def` under asyncio runs in threads; one thread is no better than none."""
    thread, alone = told("thread", 1.0), told("sequential", 1.0)
    assert not Choice([thread, told("asyncio", 1.0)]).is_close(thread)
    assert Choice([thread, told("asyncio", 1.0)], is_async=True).is_close(thread)
    loop = told("asyncio", 1.0)
    assert not Choice([loop, told("uvloop", 1.0)], is_async=True).is_close(loop)
    assert Choice([evolve(told("uvloop", 1.0), limit="loop")], is_async=True).is_close(
        evolve(loop, limit="loop")
    )
    assert not Choice([alone, told("thread", 1.0, lanes=1)]).is_close(alone)
    process = told("process", 1.0)
    assert not Choice([process, told("hybrid", 1.0)]).is_close(process)


def test_contenders_are_those_that_might_be_faster():
    """Within a standard error of each other, the chosen one first, at most three."""
    thread = told("thread", 1.0, 0.2)
    rivals = [
        told("process", 1.3, 0.2),
        told("sequential", 1.5, 0.1),
        told("asyncio", 1.0, 0.2),
        told("hybrid", 1.35, 0.2),
    ]
    assert names(Choice([thread, *rivals]).contenders(thread)) == ["thread", "process"]
    assert names(Choice([*rivals, thread], is_async=True).contenders(thread)) == [
        "thread",
        "asyncio",
        "process",
    ]


def test_a_sure_winner_has_no_contenders():
    """Nothing to race."""
    thread = told("thread", 1.0, 0.05)
    slow = evolve(told("process", 2.0, 0.1))
    assert names(Choice([thread, slow]).contenders(thread)) == ["thread"]


def test_the_simplest_of_much_the_same_races():
    """Processes with and without lanes inside do the same to what never waits: those without race."""
    estimates = [told("thread", 1.0), told("hybrid", 0.98, error=0.1), told("process", 1.0, error=0.1)]
    assert names(Choice(estimates).contenders(estimates[0])) == ["thread", "process"]


def test_a_rival_whose_error_is_larger_than_itself_may_race():
    """Less its error it would take less than nothing."""
    estimates = [told("thread", 1.0), told("process", 0.8, error=1.0)]
    assert names(Choice(estimates).contenders(estimates[0])) == ["thread", "process"]
