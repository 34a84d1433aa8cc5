"""What is set around a call in its caller's process is set where the call runs, whichever process that is."""

from __future__ import annotations

import decimal
import sys
import time
from pathlib import Path

import contract_acts as acts
import pytest
from contract_ways import only, parameters, small

from concurrent_choices import run
from interpreters import printed


@pytest.fixture
def strategy(lean):
    """As few processes as will do."""
    return lean


@pytest.fixture
def in_tokyo(monkeypatch):
    """The caller's clock is set to another zone; it is set back."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "JST-9")  # in full: a small image has no table of zones
        time.tzset()
        yield
    time.tzset()


def test_the_environment_of_now(strategy, of_kind, monkeypatch):
    """A variable that was set or deleted since the last run is so in the next, however warm the workers."""
    look = of_kind(acts.environment)
    assert run(look, ["CONTRACT"], strategy=strategy) == [None]
    monkeypatch.setenv("CONTRACT", "signed")
    assert run(look, ["CONTRACT"], strategy=strategy) == ["signed"]
    monkeypatch.delenv("CONTRACT")
    assert run(look, ["CONTRACT"], strategy=strategy) == [None]


@only(lambda name: "initializer" in parameters(name))
def test_the_environment_changes_inside_a_with_block(name, of_kind, monkeypatch):
    """The same for workers that are kept, and what an initializer has set stays."""
    look = of_kind(acts.environment)
    setting = {"initializer": acts.set_environment, "initargs": ("OWN", "set")}
    with small(name, max_workers=1, **setting) as strategy:
        assert run(look, ["CONTRACT", "OWN"], strategy=strategy) == [None, "set"]
        monkeypatch.setenv("CONTRACT", "signed")
        assert run(look, ["CONTRACT", "OWN"], strategy=strategy) == ["signed", "set"]


@pytest.mark.usefixtures("in_tokyo")
def test_the_zone(strategy, of_kind):
    """A zone that was chosen in the environment is the one that times are told in."""
    assert run(of_kind(acts.zone), [None], strategy=strategy) == ["JST"]


def test_the_folder(strategy, of_kind, monkeypatch, tmp_path):
    """Names of files are meant as in the caller's folder."""
    run(of_kind(acts.folder), [None], strategy=strategy)
    monkeypatch.chdir(tmp_path)
    assert list(map(Path, run(of_kind(acts.folder), [None], strategy=strategy))) == [tmp_path.resolve()]


def test_decimals(strategy, of_kind):
    """As many digits as the caller has asked for, and as usual when it asks no more."""
    with decimal.localcontext(prec=50):
        (many,) = run(of_kind(acts.third), [1], strategy=strategy)
    assert len(str(many)) == 52
    (usual,) = run(of_kind(acts.third), [1], strategy=strategy)
    assert len(str(usual)) == 30


def test_the_recursion_limit(strategy, of_kind):
    """What may recurse deeply in the caller may do so everywhere."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 500)
    try:
        assert run(of_kind(acts.recursion_limit), [None], strategy=strategy) == [before + 500]
    finally:
        sys.setrecursionlimit(before)


def test_the_digits_of_integers(strategy, of_kind):
    """What may be written at full length in the caller may be everywhere."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        assert run(of_kind(acts.most_digits), [None], strategy=strategy) == [0]
    finally:
        sys.set_int_max_str_digits(before)


def test_decimal_rules_that_are_the_default_ones(strategy, of_kind):
    """The context that all others are made from can be changed, too."""
    before = decimal.getcontext()
    with decimal.localcontext():
        decimal.DefaultContext.prec = 12
        decimal.setcontext(decimal.DefaultContext)
        try:
            (third,) = run(of_kind(acts.third), [1], strategy=strategy)
        finally:
            decimal.DefaultContext.prec = before.prec
    assert len(str(third)) == 14


def test_programs_that_calls_start_find_packages(strategy, of_kind):
    """Workers do without `site`; joblib starts its own processes by the same flags, and these need it."""
    assert run(of_kind(acts.flags), ["no_site", "optimize"], strategy=strategy) == [0, sys.flags.optimize]


SHARED = """
from multiprocessing import Manager
from concurrent_choices import AdaptiveExecutor, run
from concurrent_choices._mutation._state import State
manager = Manager()
held = manager.dict()
def note(given, key):
    given[key] = held[key] = 2 * key
def note_item(item):
    note(*item)
for strategy in "process", "hybrid":
    given = manager.dict()
    run(note_item, [(given, key) for key in range(4)], strategy=strategy)
    print(len(given), len(held))
    held.clear()
with AdaptiveExecutor(place="process") as executor:
    given = manager.dict()
    assert executor.submit(note, given, 1).result() is None
    print(len(given), len(held), executor.explain()["note"].place)
def note_key(key, given=given):
    given[key] = held[key] = key
def set_key(given):
    given[3] = 3
states = State(note_key), State(set_key, [given])
note_key(2)
set_key(given)
print([state.lost_elsewhere() for state in states])
manager.shutdown()
"""


def test_proxies_of_a_manager():
    """What its server holds is one for all processes: workers are let in, and no change of it is lost."""
    assert printed("-c", SHARED) == ["4 4", "4 4", "1 1 process", "['', '']"]
