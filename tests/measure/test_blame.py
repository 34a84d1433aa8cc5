import sys
import threading
import time

from concurrent_choices._measure._blame import Blame, culprit
from concurrent_choices._measure._steps import StepMeter


def held(event, ready):
    ready.set()
    event.wait()  # the culprit


def line_of(function, offset):
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno + offset}"


def test_the_users_line_is_named_not_the_librarys():
    """A wait inside the standard library is blamed on the line that called it."""
    event, ready = threading.Event(), threading.Event()
    thread = threading.Thread(target=held, args=(event, ready))
    thread.start()
    ready.wait()
    try:
        while not (line := culprit(sys._current_frames()[thread.ident])).endswith(
            f":{held.__code__.co_firstlineno + 2}"
        ):
            time.sleep(1e-3)
    finally:
        event.set()
        thread.join()

    assert line == line_of(held, 2)


def test_where_only_libraries_are_at_work():
    """If no frame is the user's, the innermost is named."""
    event = threading.Event()
    thread = threading.Thread(target=event.wait)
    thread.start()
    try:
        while "threading.py" not in (line := culprit(sys._current_frames()[thread.ident])):
            time.sleep(1e-3)
    finally:
        event.set()
        thread.join()

    assert "threading.py:" in line


def test_no_frame():
    """A thread that has gone is blamed for nothing."""
    assert culprit(None) == ""


def look(blame, clock):
    """Look from another thread, as a witness does."""
    thread = threading.Thread(target=blame.look, args=(clock.wall(),))
    thread.start()
    thread.join()
    return blame.worst


def test_only_long_steps_are_looked_at(clock):
    """A step counts once it has lasted a millisecond; between steps nobody is blamed."""
    meter = StepMeter(clock)
    blame = Blame(meter, threading.get_ident())
    clock.spend(wall=1.0)
    assert look(blame, clock) == ""

    meter.begin()
    clock.spend(wall=0.0005)
    assert look(blame, clock) == ""

    clock.spend(wall=0.001)
    assert look(blame, clock).startswith(__file__)


def test_the_worst_is_what_was_seen_most(clock):
    """Of several lines the one seen most often is named."""
    blame = Blame(StepMeter(clock), threading.get_ident())
    blame._seen.update(["a.py:1", "b.py:2", "b.py:2"])

    assert blame.worst == "b.py:2"
