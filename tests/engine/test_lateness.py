"""The GIL witness that looks are."""

import sys
import threading
import time
from contextlib import closing
from itertools import count

import engine_acts as acts
import pytest
from engine_fakes import STARTING, Scripted, ScriptedStrategy

from concurrent_choices import stream
from concurrent_choices._engine import _lateness
from concurrent_choices._engine._lateness import Lateness
from concurrent_choices._runtime._switching import QUICK, URGENT, quick_switching


@pytest.fixture
def lateness(monkeypatch):
    """One that watches the run queue under a GIL, and whose next look was due a while ago."""
    monkeypatch.setattr(_lateness, "gil_enabled", lambda: True)
    made = Lateness()
    made.count()
    made.expect(-1.0)
    yield made
    made.close()


def test_a_late_look_counts(lateness):
    """Nobody can have been in the run queue all that time, so somebody held the GIL."""
    with quick_switching(QUICK):
        lateness.arrive()
    time.sleep(0)
    lateness.count()
    assert (lateness.looks, lateness.late) == (1, 1)


def test_a_look_while_the_gil_is_passed_on_urgently_tells_nothing(lateness):
    """It would have come in time though somebody held it."""
    with quick_switching(URGENT):
        assert sys.getswitchinterval() < QUICK
        lateness.arrive()
    lateness.count()
    assert (lateness.looks, lateness.late) == (0, 0)


def test_without_a_gil_no_look_tells_of_it(lateness, monkeypatch):
    """One that comes late waited for a core, whatever the run queue says of that."""
    monkeypatch.setattr(_lateness, "gil_enabled", lambda: False)
    with quick_switching(QUICK):
        lateness.arrive()
    lateness.count()
    assert (lateness.looks, lateness.late) == (0, 0)


def test_a_look_that_nobody_awaited_tells_nothing(lateness):
    """Such as the one when workers are up: it comes when it comes."""
    with quick_switching(QUICK):
        lateness.arrive()
    lateness.count()
    lateness.count()
    assert (lateness.looks, lateness.late) == (1, 1)


def test_a_look_that_is_due_at_once_tells_nothing(lateness):
    """The thread that looks goes on, and waits for nobody."""
    lateness.expect(0.0)
    lateness.arrive()
    lateness.count()
    assert (lateness.looks, lateness.late) == (0, 0)


def test_a_look_beside_the_awaited_ones_does_not_put_them_off(monkeypatch):
    """Or the next of them would be late for what this one has asked for."""
    awaiting, looking = set(), set()

    def expect(lateness, seconds):
        awaiting.add(threading.current_thread().name)
        awaited(lateness, seconds)

    def look(controller, sight):
        looking.add(threading.current_thread().name)
        return looked(controller, sight)

    awaited, looked = Lateness.expect, Scripted.look
    monkeypatch.setattr(Lateness, "expect", expect)
    monkeypatch.setattr(Scripted, "look", look)
    with closing(stream(acts.double, count(), strategy=ScriptedStrategy(STARTING))) as results:
        for _ in results:
            if len(looking) > 1:
                break
    assert awaiting == {"concurrent_choices-ticker"}


def test_a_glance_counts_before_the_queue_is_watched(monkeypatch):
    """Whether that may stand is found out at the first look, from what this thread has queued in all."""
    monkeypatch.setattr(_lateness, "gil_enabled", lambda: True)
    made = Lateness()
    made.expect(-1.0)
    with quick_switching(QUICK):
        made.arrive()
    made.glance()
    assert (made.looks, made.late) == (1, 1)
    made.close()
