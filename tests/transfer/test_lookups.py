"""What a function finds as it runs, by names that its code does not tell, keeps it in this process."""

from __future__ import annotations

import importlib
import pickle
import pickle as salt
import sys
from functools import partial
from pickle import loads

import pytest

from concurrent_choices._inspect._captured import reached_from
from concurrent_choices._transfer._lookups import looked_up
from interpreters import printed

NAMES = {"number": 1}


def by_globals(name):
    return globals()[name]


def by_eval(text):
    return eval(text)


def by_exec(text):
    exec(text)


def by_module(name):
    return getattr(sys.modules[__name__], name)


def by_spelled_module(name):
    return getattr(sys.modules["__main__"], name)


def by_import(name):
    import __main__

    return getattr(__main__, name)


def by_imported_module(name):
    return getattr(importlib.import_module(__name__), name)


def inside(names):
    return [eval(name) for name in names]


def by_another(name):
    return by_globals(name)


def by_base(item):
    return Known.__subclasses__(), item


def of_given_names(text):
    return eval(text, NAMES)


def of_a_kind(thing):
    return type(thing).__name__, sys.path


def plain(item):
    return item


def read(data):
    return pickle.loads(data)


def read_by_another_name(data):
    return salt.loads(data)


def read_by_function(data):
    return loads(data)


def write(thing):
    return pickle.dumps(thing)


class Known:
    """Of the main module."""


def read_and_named(data):
    known = pickle.loads(data)
    return isinstance(known, Known)


OTHERS = [by_another, of_given_names, of_a_kind, plain, read_and_named, write]
READING = [read, read_by_another_name, read_by_function]
LOOKING = [
    by_globals,
    by_eval,
    by_exec,
    by_module,
    by_spelled_module,
    by_import,
    by_imported_module,
    by_base,
    inside,
]


@pytest.fixture
def main(monkeypatch):
    """Makes this the module that was started; its functions and its only class are as if defined there."""
    for each in (*LOOKING, *OTHERS, *READING, Known):
        monkeypatch.setattr(each, "__module__", "__main__")
    monkeypatch.setitem(globals(), "__name__", "__main__")


@pytest.mark.usefixtures("main")
@pytest.mark.parametrize("fn", [*LOOKING, by_another, partial(by_globals, "x")])
def test_what_looks_for_globals_of_the_main_module(fn):
    """It would raise in a worker, which has none but those that the code names."""
    assert "which finds in this process what no other has" in looked_up(reached_from(fn))


@pytest.mark.parametrize("fn", LOOKING)
def test_what_can_be_imported_finds_them_anywhere(fn):
    """Each worker has the whole of its module."""
    assert looked_up(reached_from(fn)) == ""


@pytest.mark.usefixtures("main")
@pytest.mark.parametrize("fn", [of_given_names, of_a_kind, plain, write])
def test_what_looks_for_none(fn):
    """It is at home anywhere."""
    assert looked_up(reached_from(fn)) == ""


@pytest.mark.usefixtures("main")
@pytest.mark.parametrize("fn", READING)
def test_what_reads_pickles_that_may_hold_a_class_of_the_main_module(fn):
    """Nothing would bring the class to a worker."""
    assert "pickle for classes that it does not name" in looked_up(reached_from(fn))


@pytest.mark.usefixtures("main")
def test_a_class_that_is_named_comes_along():
    """A worker finds it where pickle looks for it."""
    assert looked_up(reached_from(read_and_named)) == ""


SCRIPT = """
from concurrent_choices import AdaptiveExecutor, AutoStrategy, recommend, run

def one(n):
    return n + 1

def other(n):
    return n - 1

def found(n):
    sum(range(20_000))
    return globals()[["one", "other"][n % 2]](n)

wanted = [found(n) for n in range(600)]
print(run(found, range(600), strategy=AutoStrategy(max_workers=2)) == wanted)
verdict = recommend(found, range(600))
print("found uses globals()" in verdict.profile.payload.obstacle, verdict.run() == wanted)
with AdaptiveExecutor() as executor:
    print(list(executor.map(found, range(600))) == wanted)
"""


def test_a_script_finds_what_it_would_in_a_loop(tmp_path):
    """Whoever makes the calls, and however long they take."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    assert printed(script) == ["True", "True True", "True"]
