import contextlib
import hashlib
import math
import sys
import threading
import time
import timeit

import pytest

from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._measure._witness import (
    Look,
    WitnessThread,
    idle_lateness,
    weigh,
)
from concurrent_choices._runtime._switching import FOR_EACH, QUICK, URGENT, quick_switching
from patience import patient

MS = 1_000_000


def test_idle_lateness_is_the_median():
    """One late look among many does not change what is usual."""
    assert idle_lateness([Look(0, 0, late) for late in (5, 4, 900, 6, 5)]) == 5


@pytest.mark.parametrize(
    ("late", "share"),
    [
        ([0] * 10, 0.0),
        ([MS] * 10, 1.0),
        ([0, MS] * 5, (5 + 5) / (10 + 5)),
        ([0] * 9 + [9 * MS], 10 / 19),
    ],
)
def test_share(late, share):
    """(k s + L) / (n s + L), with k of n looks late by L in all after sleeping s each."""
    assert weigh([Look(0, MS, each) for each in late], 50_000).share == pytest.approx(share)


def test_to_wake_takes_a_while_too():
    """Whoever waited woke twice, the second time to a GIL that was free; the others slept for longer."""
    looks = [Look(0, MS, 20_000)] * 6 + [Look(0, MS, MS + 40_000, sleeps=2)] * 4

    waited = 4 * MS + 4 * (MS + 20_000)
    assert weigh(looks, 50_000).share == pytest.approx(waited / (waited + 4 * 20_000 + 6 * (MS + 20_000)))


def test_looks_after_sleeps_of_different_kinds():
    """Each stands for the time that was to be slept, whatever he had seen before."""
    looks = [Look(0, MS, 0)] * 6 + [Look(0, MS, 5 * MS, expected=10 * MS)] * 2

    assert weigh(looks, 50_000).share == pytest.approx((20 + 10) / (6 + 20 + 10))


def test_a_core_that_slept_for_long_wakes_slowly():
    """After ten milliseconds 150 µs are no sign of anybody; after a tenth of one they are."""
    late = 150_000

    assert weigh([Look(0, 10 * MS, late)] * 10, 50_000).share == 0
    assert weigh([Look(0, MS // 10, late)] * 10, 50_000).share == 1


@pytest.mark.parametrize(("late", "sleeps", "share"), [(5 * MS, 1, 0.0), (5_000, 2, 1.0), (5_000, 0, 0.0)])
def test_who_went_to_sleep_again_waited_for_the_gil(late, sleeps, share):
    """However late: a host that takes a core away makes him late too, and a hold may be over in a moment."""
    looks = [Look(0, MS, late, sleeps=sleeps)] * 10

    assert weigh(looks, 50_000).share == pytest.approx(share)


def test_starved_looks_say_nothing():
    """A look that was late for want of a core counts neither as held nor as free."""
    looks = [Look(0, MS, MS, starved=MS)] * 10 + [Look(0, MS, 0)] * 5 + [Look(0, MS, MS)] * 5

    testimony = weigh(looks, 50_000)

    assert testimony.share == pytest.approx((5 + 5) / (10 + 5))
    assert testimony.looks == 10


class Naps:
    """Stands in for the lock that a witness sleeps at: ten in time, one late for a core, one for the GIL."""

    def __init__(self, clock):
        self._clock = clock
        self._times = iter([(0.0, 0.0, 1)] * 10 + [(5e-3, 5e-3, 1), (5e-3, 0.0, 2)])

    def acquire(self, timeout):
        late, queued, sleeps = next(self._times)
        self._clock.spend(wall=timeout + late, queued=queued, sleeps=sleeps)


def test_a_look_is_starved_by_its_own_want_of_a_core(clock, monkeypatch):
    """One before it, that waited for a core and then found the GIL free, keeps what it waited."""
    witness = WitnessThread(clock)
    monkeypatch.setattr(witness, "_stop", Naps(clock))
    monkeypatch.setattr("concurrent_choices._measure._witness.wake_promptly", lambda: None)
    with pytest.raises(StopIteration):
        witness._work()

    assert witness._looks[-1].starved == 0


def test_starved_and_then_kept_waiting():
    """What is left of the lateness beyond the want of a core was the GIL."""
    assert weigh([Look(0, MS, 3 * MS, starved=2 * MS)] * 10, 50_000).share == 1.0


@pytest.mark.parametrize("looks", [[], [Look(0, MS, 0)] * 2, [Look(0, MS, MS, starved=MS)] * 50])
def test_too_few_looks(looks):
    """Little evidence gives no share and no certainty."""
    testimony = weigh(looks, 50_000)

    assert testimony.share is None
    assert testimony.error == math.inf


def test_one_look_that_waited_for_long():
    """A long call in C keeps the witness from looking, and that is evidence enough."""
    testimony = weigh([Look(0, MS, 200 * MS)], 50_000)

    assert testimony.share == 1.0
    assert testimony.error < 0.1


def test_error_shrinks_with_looks_and_is_never_zero():
    """Looks that all agree are not taken for certainty."""
    few, many = (weigh([Look(0, MS, 0)] * count, 50_000).error for count in (10, 1000))

    assert 0 < many < few / 5


def test_only_looks_within_the_spans_count(clock):
    """What the witness saw between the calls is not about the calls."""
    witness = WitnessThread(clock)
    witness._looks = [Look(at * MS, MS, MS if at >= 50 else 0) for at in range(100)]

    assert witness.testify([(10 * MS, 40 * MS)]).share == 0.0
    assert witness.testify([(60 * MS, 90 * MS)]).share == 1.0
    assert witness.testify([(0, 5 * MS), (95 * MS, 100 * MS)]).looks == 11
    assert witness.testify([]).share is None


def test_the_switch_interval_is_put_back():
    """It is what it was, even where the block changed it or raised."""
    before = sys.getswitchinterval()
    with contextlib.suppress(ZeroDivisionError), quick_switching():
        assert sys.getswitchinterval() == pytest.approx(QUICK)
        sys.setswitchinterval(0.5)
        1 / 0  # noqa: B018 - it raises

    assert sys.getswitchinterval() == before


def test_overlapping_users_of_the_switch_interval():
    """The first finds the value that the last puts back, in whatever order they leave."""
    before = sys.getswitchinterval()
    first, second = quick_switching(), quick_switching(2e-3)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert sys.getswitchinterval() == pytest.approx(2e-3)
    second.__exit__(None, None, None)

    assert sys.getswitchinterval() == before


@pytest.mark.parametrize("threads", [40, 400])
def test_among_many_threads_switches_are_less_quick(threads):
    """Each that waits for the GIL wakes once in an interval; it gets no longer than it was found."""
    before, over = sys.getswitchinterval(), threading.Event()
    others = [threading.Thread(target=over.wait) for _ in range(threads)]
    for each in others:
        each.start()
    try:
        with quick_switching(URGENT):
            assert min(before, threads * FOR_EACH) <= sys.getswitchinterval() <= before
    finally:
        over.set()
        for each in others:
            each.join()
    with quick_switching(URGENT):
        assert sys.getswitchinterval() < threads * FOR_EACH
    assert sys.getswitchinterval() == before


@pytest.mark.parametrize("entering", [True, False], ids=["entering", "leaving"])
@pytest.mark.parametrize("done", [True, False], ids=["after", "before"])
def test_ctrl_c_does_not_keep_the_switch_interval(monkeypatch, entering, done):
    """All threads of the program would have it for as long as that lives."""
    before, change = sys.getswitchinterval(), sys.setswitchinterval
    presses = iter([KeyboardInterrupt] if entering else [None, KeyboardInterrupt])

    def change_and_press(seconds):
        press = next(presses, None)
        if done or not press:
            change(seconds)
        if press:
            raise press

    monkeypatch.setattr(sys, "setswitchinterval", change_and_press)
    with pytest.raises(KeyboardInterrupt), quick_switching():
        pass
    assert sys.getswitchinterval() == before


def loop():
    return sum(range(20_000))


LARGE = bytes(8_000_000)  # made beforehand: whoever is interrupted while he makes it holds the GIL until then


def outside():
    return hashlib.sha256(LARGE).digest()


def sleep():
    time.sleep(10e-3)


def by_turns(seconds):
    """What holds the GIL for so long, and does without it for as long."""
    # By this thread's own clock, as others may have the core; and for each try anew.
    each = min(timeit.repeat(outside, timer=time.thread_time, number=1, repeat=3))
    small = LARGE[: int(len(LARGE) * seconds / each)]

    def turn():
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            pass
        hashlib.sha256(small).digest()

    return turn


def share_held_by(call):
    clock = SystemClock()
    with WitnessThread(clock) as witness:
        start = clock.wall()
        while (told := witness.testify([(start, clock.wall())])).error > 0.03:
            # Not after each call: to weigh hundreds of looks holds the GIL, for longer than a short call.
            again = clock.wall() + 50 * MS
            while clock.wall() < again:
                call()
    return told.share


@pytest.mark.skipif(sys.version_info >= (3, 13) and not sys._is_gil_enabled(), reason="no GIL")
@pytest.mark.parametrize(("call", "least", "most"), [(loop, 0.7, 1), (outside, 0, 0.3), (sleep, 0, 0.2)])
@patient
def test_real_callables(call, least, most):
    """On real work the witness, once he is sure, tells who holds the GIL from who does not.

    Not in every try: a host that takes our cores away makes him late, and this kernel sees none of it.
    """
    assert least <= share_held_by(call) <= most


@pytest.mark.skipif(SystemClock().missing != (), reason="nobody counts how often a thread goes to sleep")
@pytest.mark.skipif(sys.version_info >= (3, 13) and not sys._is_gil_enabled(), reason="no GIL")
@patient
def test_a_gil_that_is_held_for_moments():
    """Half of the time, never so long that a thread which waits for it would be late."""
    assert 0.25 <= share_held_by(by_turns(50e-6)) <= 0.75


def test_a_witness_leaves_nothing_behind():
    """Its thread has ended and the switch interval is as before."""
    before, seen = sys.getswitchinterval(), []
    with WitnessThread(SystemClock(), seen.append) as witness:
        while not seen:
            time.sleep(1e-3)

    assert not witness._thread.is_alive()
    assert sys.getswitchinterval() == before


class Interrupted(threading.Event):
    """Ctrl-C comes while somebody waits for it."""

    def wait(self, timeout=None):
        raise KeyboardInterrupt


def test_a_witness_that_is_interrupted_at_its_beginning(monkeypatch):
    """Ctrl-C while it looks how late one always wakes leaves nothing behind either."""
    before, witness = sys.getswitchinterval(), WitnessThread(SystemClock())
    monkeypatch.setattr(witness, "_calm", Interrupted())
    with pytest.raises(KeyboardInterrupt), witness:
        pass

    assert not witness._thread.is_alive()
    assert sys.getswitchinterval() == before
