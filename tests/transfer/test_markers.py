"""Markers, which are told by their identity, are the same in every process."""

import dataclasses
import multiprocessing
import subprocess
import sys
from pathlib import Path

import marking
import pytest

from concurrent_choices import NotPicklableError, run
from concurrent_choices._transfer._markers import Markers
from concurrent_choices._transfer._pickling import load

MARKS = marking.MISSING, marking.NAMED, marking.SLOTTED, dataclasses.MISSING

SCRIPT = """
import elsewhere
from concurrent_choices import run

class Mark:
    def __init__(self, name):
        self.name = name

MISSING, NAMED = object(), Mark("named")

def gives(item):
    return NAMED if item % 2 else (MISSING, item)

def knows(item):
    return item is MISSING, item is NAMED

class Holding:
    MARK = object()

    def gives(self, item):
        return self.MARK

def closed_over(mark):
    return lambda item: (mark, item is mark)

if __name__ == "__main__":
    first, second = run(gives, range(2), strategy="process")
    print(first[0] is MISSING, second is NAMED, run(knows, [MISSING, NAMED], strategy="process"))
    print(*(mark is Holding.MARK for mark in run(Holding().gives, range(2), strategy="process")))
    for mark in (object(), MISSING, elsewhere.MARK):
        ((given, known),) = run(closed_over(mark), [mark], strategy="process")
        print(given is mark, known)
"""


def trip(value, fn=marking.gives):
    """What arrives of a value."""
    return load([bytes(frame) for frame in Markers(fn).dump(value)])


def test_a_marker_stays_what_it_is():
    """One by itself, and one deep in what travels; with or without attributes, of any module."""
    assert all(there is here for there, here in zip(trip([*MARKS]), MARKS, strict=True))
    assert trip({"a": [(1, marking.MISSING)]})["a"][0][1] is marking.MISSING


def test_others_of_its_class_are_copied():
    """What no module has a name for is another object there, and holds what it held."""
    other = trip(marking.Named("named"))
    assert other is not marking.NAMED
    assert other.name == "named"
    assert trip(object()) is not marking.MISSING


@pytest.mark.parametrize("value", [[1], {"a": 1}, lambda: 1], ids=["list", "dict", "lambda"])
def test_one_that_holds_what_may_change_is_copied(monkeypatch, value):
    """It may have been changed, and what is told of it is what was given."""
    monkeypatch.setattr(marking.CHANGED, "name", value)
    assert trip(marking.CHANGED) is not marking.CHANGED


def test_one_that_has_gone_is_made_anew(monkeypatch):
    """It holds what it held where it came from, as another by its name does here."""
    frames = [bytes(frame) for frame in Markers(marking.gives).dump([marking.NAMED, marking.SLOTTED])]
    monkeypatch.setattr(marking, "NAMED", marking.Named("another"))
    monkeypatch.delattr(marking, "SLOTTED")
    named, slotted = load(frames)
    assert (named.name, slotted.name) == ("named", "slotted")
    assert named is not marking.NAMED


def test_a_name_that_is_another_s_by_now_is_not_used(monkeypatch):
    """Where a name leads is looked up again for each object."""
    markers, old = Markers(marking.gives), marking.NAMED
    markers.dump(old)
    monkeypatch.setattr(marking, "NAMED", marking.Named("another"))
    assert load([bytes(frame) for frame in markers.dump(old)]).name == "named"


@pytest.mark.parametrize("strategy", ["process", "hybrid"])
def test_workers_give_markers_and_know_them(strategy):
    """As results and as items, whatever is around them."""
    results = run(marking.gives, range(8), strategy=strategy)
    for item, (mark, around) in enumerate(results):
        assert mark is MARKS[item % 4]
        assert around["inside"][0] is mark
    assert run(marking.knows, MARKS, strategy=strategy) == [0, 1, 2, 3]


@pytest.mark.parametrize("fn", [marking.gives_held, marking.Holding().gives], ids=lambda fn: fn.__qualname__)
def test_a_class_may_have_a_marker(fn):
    """It has a name in it, whether the callable names the class or is one of its methods."""
    assert trip(marking.Holding.MISSING, fn) is marking.Holding.MISSING
    results = run(fn, range(4), strategy="process")
    assert [each is marking.Holding.NAMED for each in results] == [False, True] * 2
    assert [each is marking.Holding.MISSING for each in results] == [True, False] * 2


def test_a_marker_needs_no_name():
    """One that a function has made for itself is known again in a worker, and when it comes back."""
    missing, exchanges = marking.holds_one()
    items = [None, missing, object()]
    given, known, other = run(exchanges, items, strategy="process")
    assert (given is missing, known, other) == (True, True, False)


@pytest.mark.parametrize("home", [None, 5, ["a"]], ids=repr)
def test_a_class_whose_module_is_no_name(monkeypatch, home):
    """Its objects are pickled as they would be without markers."""
    monkeypatch.setattr(marking.Changing, "__module__", home)
    assert Markers(len)[marking.Changing](marking.CHANGED) == marking.CHANGED.__reduce_ex__(5)


def test_a_callable_that_answers_anything():
    """What it says that its globals are is none of them; a marker's own module is asked all the same."""
    assert run(marking.Answering(), [marking.NAMED, marking.Named("other")], strategy="process") == [
        True,
        False,
    ]


def test_one_that_calls_change_is_given_as_they_leave_it():
    """The copy that a worker changes is what comes back, as from any pool."""
    results = run(marking.gives_changed, range(5), strategy="process")
    assert [each.name for each in results] == [0, 1, 2, 3, 4]
    assert marking.CHANGED.name == "changed"


def test_markers_of_a_script(tmp_path):
    """They are found in the script, which no worker imports."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "elsewhere.py").write_text("MARK = object()", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, cwd=Path(tmp_path)
    )
    assert done.stdout == "True True [(True, False), (False, True)]\n" + 4 * "True True\n"


def test_the_end_of_a_pipe_is_no_item_of_a_worker():
    """It would take the descriptor of that number for it, which may be its own line to here."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    with receiver, sender:
        with pytest.raises(NotPicklableError, match="cannot pickle 'Connection' object"):
            run(marking.sends, [(sender, 5)], strategy="process")
        run(marking.sends, [(sender, 5)])
        assert receiver.recv() == 5
