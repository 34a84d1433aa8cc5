"""An interruption that strikes wherever this thread is, as Ctrl-C does, and whether it left a lock locked."""

import gc
import signal
import sys
import threading
from contextlib import contextmanager

INTERRUPTS = 50


class InterruptionError(Exception):
    """What the signal's handler raises."""


@contextmanager
def interruption():
    """Raises in this thread, soon after the block has begun."""

    def interrupt(_number, _frame):
        raise InterruptionError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.0005)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def strike_after(calls, work):
    """Do some work, with Ctrl-C after so many of the calls that it makes.

    Not in what the collector calls, which might come in between: that raises nothing, but tells of it.
    """
    left = [calls]

    def strike(_frame, event, _arg):
        left[0] -= event in {"call", "c_return"}
        if left[0] < 0:
            raise KeyboardInterrupt

    gc.disable()
    sys.setprofile(strike)
    try:
        work()
    except (KeyboardInterrupt, TimeoutError):  # not by `suppress`, which would be struck
        pass
    finally:
        sys.setprofile(None)
        gc.enable()


def is_free(lock):
    """Whether another thread could take it."""
    found = []

    def take():
        found.append(lock.acquire(blocking=False))
        if found == [True]:
            lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return found == [True]
