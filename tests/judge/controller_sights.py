"""Controllers by hand, and sights that say one thing clearly: of a thread that computes, lanes, workers."""

from concurrent_choices._judge._controller._controller import Controller
from concurrent_choices._judge._controller._sight import Limits, Sight


def controller(**limits):
    return Controller(Limits(**{"cpus": 2.0, "processes": 2, "process_start": 0.08} | limits))


def computing(now, *, items, remaining=1000, **more):
    """The calling thread has computed since the start, a millisecond an item."""
    return Sight(
        now=now,
        done=items,
        remaining=remaining,
        alone_items=items,
        alone_wall=now,
        alone_cpu=now,
        cpu=now,
        lane_cpu=now,
        **more,
    )


def at_the_pair(**limits):
    """A controller that has looked until two lanes are compared."""
    decider = controller(**limits)
    for now in (0.002, 0.005, 0.006):
        arrangement = decider.look(computing(now, items=round(now * 1000)))
    assert (arrangement.stage, arrangement.threads, arrangement.relieved) == ("pair", 1, False)
    decider.look(computing(0.008, items=8, in_flight=1))
    return decider


def outside(**limits):
    """A controller that has the items go to processes."""
    decider = at_the_pair(**limits)
    for now, ready in ((0.03, 0), (0.08, 0), (0.17, 2)):
        arrangement = decider.look(computing(now, items=round(now * 1000), ready=ready))
    assert arrangement.outside
    decider.look(Sight(now=0.2, remaining=700, outside_items=2, outside_seconds=0.002))
    return decider
