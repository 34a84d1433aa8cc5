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


def test_a_beat_that_was_never_started_can_be_stopped():
    """A run that found no thread for it ends as any other."""
    ticker = Ticker()
    ticker.stop(Beat())
    assert not ticker._due
