"""Whether computing holds the GIL, as a worker process sees it."""

from __future__ import annotations

import hashlib
import threading
import time
from contextlib import closing

from concurrent_choices._embed._accounting._placing import HOLDS
from concurrent_choices._embed._processes import _remote
from concurrent_choices._embed._processes._gil_monitor import ENOUGH, MEMORY, GilMonitor
from concurrent_choices._embed._processes._packing import callable_frames
from concurrent_choices._embed._processes._remote import Call, serve
from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._measure._witness import Statement
from patience import patient

BLOCK = bytes(8_000_000)


def spin():
    """Compute under the GIL."""
    total = 0
    for number in range(200_000):
        total += number
    return total


def digest():
    """Compute outside the GIL."""
    return hashlib.sha256(BLOCK).hexdigest()


def tried(monitor, fn, trial):
    """Call until the monitor is sure; the share it tells."""
    clock = SystemClock()
    share = None
    for _ in range(ENOUGH):
        monitor.begin()
        queued, cpu, began = clock.run_queue(), clock.thread_cpu(), clock.wall()
        fn()
        span = began, clock.wall()
        share = monitor.end(trial, span, clock.thread_cpu() - cpu, clock.run_queue() - queued)
        if share is not None:
            break
    return share


@patient
def test_callables_are_told_apart():
    """Pure Python holds the GIL, hashing does not; each is seen by itself."""
    with closing(GilMonitor(SystemClock())) as monitor:
        assert tried(monitor, spin, 1) > HOLDS > tried(monitor, digest, 2)


def test_the_doubt_grows_with_the_share_that_it_is_about(monkeypatch):
    """Seven looks at hashing beside busy processes, one of them at a holder that had lost its core."""
    said = Statement(share=0.73, error=0.16, looks=7)
    with closing(GilMonitor(SystemClock())) as monitor:
        monkeypatch.setattr(monitor._witness, "testify", lambda _: said)
        assert monitor.end(4, (0, 9_500_000), 5_900_000, 0) is None
        assert monitor.end(5, (0, 9_500_000), 9_500_000, 0) is None
        said = said._replace(share=0.99, error=0.05)
        assert monitor.end(6, (0, 9_500_000), 5_900_000, 0) == 1.0


def test_where_nothing_can_be_seen_it_is_assumed():
    """Calls that are too short to be seen are not watched for ever."""
    with closing(GilMonitor(SystemClock())) as monitor:
        shares = [monitor.end(3, (0, 1), 1, 0) for _ in range(ENOUGH)]
    assert shares == [*[None] * (ENOUGH - 1), 1.0]


def call(trial, fn=spin):
    """Have a callable called as in a worker; the share that is told of it."""
    frames = callable_frames(fn)
    return serve(
        Call(token=0, frames=frames, forget=False, number=1, args=(), kwargs={}, look=False, trial=trial)
    ).gil


def witnessed():
    """Whether somebody watches the GIL."""
    return "gil-witness" in {thread.name for thread in threading.enumerate()}


def test_callables_that_take_turns_are_decided_too():
    """One whose kind is known does not send away whoever watches the other."""
    shares = []
    while None in shares[-1:] or not shares:
        assert call(trial=0) is None
        shares.append(call(trial=4))
        assert len(shares) <= ENOUGH
    assert 0 <= shares[-1] <= 1
    call(trial=0)
    assert not witnessed()


def test_a_call_that_nobody_can_watch():
    """It is made all the same where the system gives no thread for that."""
    size = threading.stack_size(1 << 46)  # more than there is
    try:
        assert call(trial=5) is None
    finally:
        threading.stack_size(size)


def test_nobody_watches_for_ever_for_a_callable_that_is_tried_no_more(monkeypatch):
    """Another worker was sure of it first, or a call that was sent here before."""
    clock, later = SystemClock(), [0]
    clock.wall = lambda: time.perf_counter_ns() + later[0]
    monkeypatch.setattr(_remote, "_clock", clock)
    assert call(trial=5, fn=int) is None  # of so little nobody can be sure, be the machine ever so busy
    call(trial=0)
    assert witnessed()
    later[0] = MEMORY
    call(trial=0)
    assert not witnessed()
