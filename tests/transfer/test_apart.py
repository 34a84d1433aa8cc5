"""Modules that only this process has: what is defined in them travels by value."""

from __future__ import annotations

import importlib.util
import os
import sys
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from concurrent_choices import AdaptiveExecutor, ProcessStrategy, run
from concurrent_choices._engine._report import begin_report
from concurrent_choices._engine._tally import Done
from concurrent_choices._engine._urgency import Urgency
from concurrent_choices._engine._worker_startup import WorkerStartup
from concurrent_choices._mutation._state import State
from concurrent_choices._transfer import _pickling
from concurrent_choices._transfer._apart import keep_apart
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source

CODE = """
import functools
import os

def whose(_):
    return os.getpid()

@functools.cache
def doubled(number):
    return 2 * number

class Trouble(Exception):
    pass

class Point:
    def __init__(self, x):
        self.x = x

    def moved(self, by):
        if not by:
            raise Trouble(self.x)
        return Point(self.x + by)
"""


def loaded(name, folder):
    """A module from a file that is nowhere on the path, as pytest's `importlib` mode loads it."""
    file = folder / "points.py"
    file.write_text(CODE)
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def points(tmp_path, monkeypatch):
    """Such a module, inside packages that nobody could import either."""
    for package in ("nowhere", "nowhere.near"):
        monkeypatch.setitem(sys.modules, package, ModuleType(package))
    monkeypatch.setitem(sys.modules, "nowhere.near.points", None)
    yield loaded("nowhere.near.points", tmp_path)
    _pickling.APART.pop(b"nowhere", None)


@pytest.mark.parametrize("strategy", ["process", "hybrid"])
def test_what_is_defined_there_makes_the_round_trip(points, strategy):
    """Its methods run in workers; its instances and errors come back as those of the very same classes."""
    point = points.Point(1)
    (moved,) = run(point.moved, [2], strategy=strategy)
    assert type(moved) is points.Point
    assert moved.x == 3
    with pytest.raises(points.Trouble):
        run(point.moved, [0], strategy=strategy)


def test_an_executor_has_it_make_the_trip(points):
    """It is called in a worker process."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        assert executor.submit(points.whose, None).result() != os.getpid()


def test_auto_has_it_make_the_trip(points):
    """Workers load it, and nothing keeps it here."""
    barred = []
    job = Job(points.whose, Source(range(3)), report=begin_report("whose"))
    startup = WorkerStartup(job, State(job.fn), Urgency())
    startup.order(1, 1, Done(), barred.append)
    assert (startup.ready, barred) == (1, [])
    startup.close()


def test_a_cached_function_makes_the_trip(points):
    """No worker could import it either, though here its name leads to it."""
    with ProcessStrategy(max_workers=1) as workers:
        assert run(points.doubled, [1, 2], strategy=workers) == [2, 4]


@pytest.mark.parametrize("fn", [len, test_what_is_defined_there_makes_the_round_trip, partial(int, base=2)])
def test_what_can_be_imported_travels_by_name(fn):
    """Nothing else is kept apart."""
    before = dict(_pickling.APART)
    keep_apart(fn)
    assert before == _pickling.APART


def test_the_outermost_package_is_kept_apart(points):
    """Modules beside it are as unknown as itself."""
    before = set(_pickling.APART)
    keep_apart(partial(points.Point))
    assert _pickling.APART.keys() - before == {b"nowhere"}


def test_a_module_of_another_name_than_its_file_is_kept_apart(tmp_path, monkeypatch):
    """Though its file lies where imports look, they would not find it by its name."""
    monkeypatch.syspath_prepend(tmp_path)
    module = loaded("renamed", tmp_path)
    keep_apart(module.whose)
    assert _pickling.APART.pop(b"renamed") is module
    del sys.modules["renamed"]


@pytest.fixture
def fleeting(tmp_path, monkeypatch):
    """A module that an import finds, where its file lies on the path."""
    monkeypatch.syspath_prepend(tmp_path)
    yield loaded("points", tmp_path)
    del sys.modules["points"]
    _pickling.APART.pop(b"points", None)


def test_a_module_whose_file_is_gone_is_kept_apart(fleeting):
    """A worker would look for it in vain."""
    Path(fleeting.__file__).unlink()
    assert run(fleeting.Point(1).moved, [2], strategy="process")[0].x == 3
    assert _pickling.APART[b"points"] is fleeting


def test_a_module_whose_folder_leaves_the_path_is_kept_apart(fleeting, monkeypatch, tmp_path):
    """From then on; what was found out before no longer holds."""
    keep_apart(fleeting.whose)
    assert b"points" not in _pickling.APART
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each != str(tmp_path)])
    assert run(fleeting.Point(1).moved, [2], strategy="process")[0].x == 3
    assert _pickling.APART[b"points"] is fleeting


def test_what_stands_for_a_module_is_not_kept_apart(monkeypatch):
    """Cloudpickle would refuse it, in this run and in all later ones."""
    before = dict(_pickling.APART)
    monkeypatch.setitem(sys.modules, "stand_in", SimpleNamespace())
    keep_apart(SimpleNamespace(__module__="stand_in"))
    assert before == _pickling.APART


@pytest.mark.parametrize("error", [ImportError, ValueError])
def test_what_a_finder_keeps_out_is_kept_apart(monkeypatch, error):
    """An importer that refuses a module by an error, or has a fault, does not end the run."""

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            raise error(name)

    name = f"kept_out_by_{error.__name__}"
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])
    keep_apart(SimpleNamespace(__module__=name))
    assert _pickling.APART.pop(name.encode()) is sys.modules[name]
