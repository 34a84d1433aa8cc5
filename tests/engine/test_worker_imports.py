"""What each new worker has to import is told as far as it matters."""

from __future__ import annotations

import sys

import pytest

from concurrent_choices._engine import _worker_imports
from concurrent_choices._engine._automatic import Automatic
from concurrent_choices._engine._worker_imports import EACH, WorkerImports
from concurrent_choices._judge._controller._sight import Prior
from concurrent_choices._transfer import _imports
from concurrent_choices._work._job import Job
from concurrent_choices._work._source import Source


@pytest.fixture
def needs(monkeypatch):
    """Has a callable need so many modules; those that were looked at."""
    looked_at = []

    def of(*names):
        def needed_by(_things, counts):
            for name in filter(counts, names):
                looked_at.append(name)
                yield name

        monkeypatch.setattr(_imports, "needed_by", needed_by)
        monkeypatch.setattr(sys, "modules", {**sys.modules, **dict.fromkeys(names)})
        return looked_at

    return of


def test_modules_are_counted_until_they_are_too_many(needs):
    """And from there on, when asked again; the standard library is shared by all workers, or small."""
    looked_at = needs("pandas", "json", "numpy", "numpy.linalg", "pytz")
    imports = WorkerImports(Job(len, Source([])))
    assert not imports.within(1.5 * EACH)
    assert looked_at == ["pandas", "numpy"]
    assert not imports.within(0.0)
    assert imports.within(4.0 * EACH)
    assert looked_at == ["pandas", "numpy", "numpy.linalg", "pytz"]


def test_where_all_modules_are_few_none_is_looked_at(needs):
    """Counting those that a callable needs takes a hundred times as long."""
    looked_at = needs("pandas")
    assert WorkerImports(Job(len, Source([]))).within(EACH * len(sys.modules))
    assert not looked_at


def test_what_items_need_is_counted():
    """An array is made anew by NumPy, whatever is done with it."""
    __import__("numpy")
    few = 5 * EACH
    assert WorkerImports(Job(len, Source([[1]]))).within(few)
    assert not WorkerImports(Job(len, Source([[sys.modules["numpy"].zeros(1)]]))).within(few)


class Awkward(type):
    """Makes classes that cannot be asked where they are from."""

    @property
    def __module__(cls):
        raise RuntimeError


def test_items_that_cannot_be_asked_are_taken_as_they_are():
    """The walk ends with them, not the run."""
    item = Awkward("Item", (), {})()
    assert WorkerImports(Job(len, Source([item]))).within(EACH / 2)


def test_what_is_run_again_is_taken_to_be_worth_it(monkeypatch):
    """Workers that rest have imported it by the run after that."""
    monkeypatch.setattr(_worker_imports, "EACH", 9.0)
    job = Job(test_what_is_run_again_is_taken_to_be_worth_it, Source([1]))
    assert not Automatic()._limits(job, 1, None, 1).ready_within(8.0)
    assert Automatic()._limits(job, 1, Prior("gil", lanes=1, each=0.1), 1).ready_within(8.0)


@pytest.mark.parametrize(("forgone", "within"), [(2.5 * EACH, False), (3.5 * EACH, True)])
def test_imports_are_worth_what_runs_just_before_have_lost_without_them(needs, forgone, within):
    """Until they have lost as much nobody knows that there will be more of them."""
    needs("pandas", "numpy", "pytz")
    prior = Prior("gil", lanes=1, each=0.1, forgone=forgone)
    assert Automatic()._limits(Job(len, Source([1])), 1, prior, 1).ready_within(EACH) is within
