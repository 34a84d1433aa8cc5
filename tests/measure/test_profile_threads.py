"""In which threads and surroundings profiled calls are made, and that nothing of ours is left in them."""

import signal
import sqlite3
import sys
import threading

import pytest
from measure_fakes import FakeClock
from profiled import ends, gil, real, sleep

from concurrent_choices._measure._bench import Bench
from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._measure._profiler import profile
from concurrent_choices._runtime._hand import DaemonHand


def test_the_callers_context_is_seen(clock):
    """Sampled calls see the caller's variables, from whichever thread they are made."""
    import contextvars

    variable = contextvars.ContextVar("variable")
    variable.set("seen")
    sample = profile(lambda item: variable.get(), range(3), clock=SystemClock(), budget=0.2, is_async=False)

    assert set(sample.results.values()) == {"seen"}


def test_callables_that_need_the_main_thread():
    """What sets signals is called where that is allowed."""
    before = signal.getsignal(signal.SIGUSR1)

    def work(item):
        signal.signal(signal.SIGUSR1, before)
        return item

    sample = real(work, range(5))

    assert sample.results == {at: at for at in range(5)}
    assert "only the main thread may" in str(sample.profile.missing)


def test_a_connection_made_elsewhere():
    """A database connection of the caller's is used in the caller's thread."""
    connection = sqlite3.connect(":memory:")

    def work(item):
        return connection.execute("select ?", (item,)).fetchone()[0]

    sample = real(work, range(5))
    connection.close()

    assert sample.results == {at: at for at in range(5)}


def test_ctrl_c_during_a_call_in_the_callers_thread():
    """It is the caller's, as everywhere, and no outcome of the item."""
    connection = sqlite3.connect(":memory:")

    def work(item):
        connection.execute("select 1")
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        real(work, range(5))
    connection.close()


def test_a_refusal_nobody_could_foresee():
    """A callable that refuses the thread is called no more, and the reason is told."""
    main = threading.current_thread()

    def work(item):
        if threading.current_thread() is not main:
            raise RuntimeError("must be called from the main thread")

    sample = real(work, range(100))

    assert len(sample.results) == 1
    assert "refuses to be called in another thread" in str(sample.profile.missing)


@gil  # without one the interval means nothing, and is not borrowed
def test_a_callable_that_changes_the_switch_interval():
    """Whatever it sets, the caller finds his own value again."""
    before = sys.getswitchinterval()
    real(lambda item: sys.setswitchinterval(0.02), range(50))

    assert sys.getswitchinterval() == before


def test_a_callable_that_starts_threads():
    """Threads inside a callable do not disturb the account of calls."""

    def work(item):
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()
        return item

    sample = real(work, range(200))

    assert ends(sample) == {at: at for at in range(200)}


def test_a_callable_that_profiles():
    """Profiling within profiling gives both their results, and the switch interval back."""
    before = sys.getswitchinterval()

    def work(item):
        return len(real(sleep, range(3)).results)

    sample = real(work, range(2))

    assert set(sample.results.values()) == {3}
    assert sys.getswitchinterval() == before


def test_nothing_is_left_behind():
    """After profiling no thread of ours lives on."""
    before = set(threading.enumerate())
    real(sleep, range(20), budget=0.1)
    real(_nothing, range(20), budget=0.1)

    for thread in set(threading.enumerate()) - before:
        thread.join(30)  # on a busy machine it may be at a call that did not come back in time
        assert not thread.is_alive()


async def _nothing(item):
    return item


def test_the_hand_of_a_bench():
    """By default calls are made in a daemon thread."""
    bench = Bench(len, [], clock=FakeClock(), is_async=False, hand=DaemonHand)
    bench.close()

    assert bench.hand.thread is not threading.current_thread()
