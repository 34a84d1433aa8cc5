"""The thread that looks after runs, and what it holds of them."""

import threading
import weakref

from concurrent_choices._engine._ticker import Ticker


class Beat:
    """Looks after a run that would be looked at again in a minute."""

    def __call__(self):
        return 60.0


def test_a_beat_that_is_stopped_is_let_go():
    """It holds a run, whose items may hold what is to be closed as soon as the run is over."""
    ticker, beat, called = Ticker(), Beat(), threading.Event()
    held = weakref.ref(beat)
    ticker.start(beat, 60)
    ticker.stop(beat)
    del beat
    assert held() is None

    ticker.start(called.set, 0)
    assert called.wait(10)


def test_a_beat_that_is_stopped_while_it_is_called_is_let_go():
    """What it answers then is not heard: it would be called, and hold its run, for once more."""
    ticker, begun, stopped, over = Ticker(), threading.Event(), threading.Event(), threading.Event()

    def beat():
        begun.set()
        stopped.wait(10)
        return 60.0

    ticker.start(beat, 0)
    assert begun.wait(10)
    ticker.stop(beat)
    stopped.set()
    ticker.start(over.set, 0)  # which the same thread calls next

    assert over.wait(10)
    assert not ticker._due


def test_a_beat_that_was_never_started_can_be_stopped():
    """A run that found no thread for it ends as any other."""
    ticker = Ticker()
    ticker.stop(Beat())
    assert not ticker._due
