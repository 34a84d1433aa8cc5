"""What a program sets in modules of others is so in workers: in new ones, in resting ones, and set back."""

from __future__ import annotations

import csv
import os
import socket
import sys
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from worker_acts import (
    OwnWarning,
    default_timeout,
    longest_field,
    read_by_name,
    rights_of_a_file,
    set_own_filter,
    warned,
)

from concurrent_choices import HybridStrategy, ProcessStrategy, run
from concurrent_choices._strategies._workers._between import _settings, _surroundings
from concurrent_choices._transfer._pickling import dump, names_what_stays
from interpreters import interpreter


@pytest.fixture(params=[ProcessStrategy, HybridStrategy])
def workers(request):
    """One worker, which rests between runs."""
    with request.param(max_workers=1) as strategy:
        yield strategy


def filters():
    """Those of warnings: where `catch_warnings` keeps them to its context, as without the GIL, of that."""
    return warnings._get_filters() if hasattr(warnings, "_get_filters") else warnings.filters


@pytest.fixture
def usual_filters():
    """No filters of warnings but Python's own; afterwards those of pytest."""
    with warnings.catch_warnings():
        filters()[:] = _settings._FILTERS
        yield


@contextmanager
def in_effect(change, back):
    """A setting that is set for a while."""
    change()
    try:
        yield
    finally:
        back()


def in_three_runs(look, workers, setting):
    """What a function sees before, while and after something is set here."""
    (before,) = run(look, [None], strategy=workers)
    with setting:
        (meanwhile,) = run(look, [None], strategy=workers)
        with ProcessStrategy(max_workers=1) as new:
            assert run(look, [None], strategy=new) == [meanwhile]
    (after,) = run(look, [None], strategy=workers)
    return before, meanwhile, after


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="nothing says the umask without setting it")
def test_the_umask(workers):
    """Files that are made in a worker are as private as the caller's."""
    before = rights_of_a_file(None)
    setting = in_effect(lambda: os.umask(0o077), lambda: os.umask(before))
    assert in_three_runs(rights_of_a_file, workers, setting) == (before, 0o077, before)


def test_where_nothing_tells_the_umask(monkeypatch):
    """It is left as it is."""
    monkeypatch.setattr(os, "open", lambda *_: os.close(-1))
    assert _surroundings._umask() is None
    before = rights_of_a_file(None)
    _surroundings._take_umask(None)
    assert rights_of_a_file(None) == before


def test_the_longest_field(workers):
    """What the csv module reads in the caller, it reads everywhere."""
    usual = csv.field_size_limit()
    setting = in_effect(lambda: csv.field_size_limit(1 << 24), lambda: csv.field_size_limit(usual))
    assert in_three_runs(longest_field, workers, setting) == (usual, 1 << 24, usual)


def test_dialects_of_csv(workers):
    """Those that are registered by name are there under that name, and gone when they are gone here."""

    def register():
        csv.register_dialect("piped", delimiter="|")
        csv.register_dialect("excel", delimiter="|")

    def forget():
        csv.unregister_dialect("piped")
        csv.register_dialect("excel", csv.excel)

    usual = [["a|b", "c"]]
    piped = ["a", "b,c"]
    setting = in_effect(register, forget)
    assert in_three_runs(read_by_name, workers, setting) == (usual, [piped, piped], usual)


def test_the_timeout_of_sockets(workers):
    """A request gives up after as long as it would in the caller."""
    setting = in_effect(lambda: socket.setdefaulttimeout(2.5), lambda: socket.setdefaulttimeout(None))
    assert in_three_runs(default_timeout, workers, setting) == (None, 2.5, None)


def divided(_item):
    """What comes of a division by zero, and how a third is printed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return str(np.array([1.0]) / np.array([0.0]))
    except FloatingPointError:
        return repr(np.array([1 / 3]))


def test_errors_and_printing_of_numpy(workers):
    """Errors in floating point are raised where the caller has them raised, and arrays printed as there."""
    before = np.get_printoptions(), np.geterr()

    def change():
        np.seterr(divide="raise")
        np.set_printoptions(precision=3)

    def back():
        np.set_printoptions(**before[0])
        np.seterr(**before[1])

    assert in_three_runs(divided, workers, in_effect(change, back)) == ("[inf]", "array([0.333])", "[inf]")


def test_settings_of_numpy_for_a_callable_without_it(workers):
    """A new worker knows where NumPy is when it takes over what is set there."""
    with np.errstate(divide="raise"):
        assert run(abs, [-1], strategy=workers) == [1]


def test_errors_of_numpy_that_call_the_callers_own():
    """What is called on them lives in the caller, so workers go on as usual."""
    with np.errstate(divide="call", call=print):
        assert _settings.settings().get("numpy") is None


@pytest.mark.usefixtures("usual_filters")
@pytest.mark.parametrize(
    ("rule", "raised"),
    [
        ({"action": "error"}, ["UserWarning", "OwnWarning", "DeprecationWarning"]),
        ({"action": "error", "category": DeprecationWarning}, ["DeprecationWarning"]),
        ({"action": "error", "category": OwnWarning}, ["OwnWarning"]),
        ({"action": "error", "message": "OLD"}, ["UserWarning", "OwnWarning", "DeprecationWarning"]),
        ({"action": "error", "message": "new"}, []),
    ],
)
def test_filters_of_warnings(workers, rule, raised):
    """Warnings are errors in a worker where they are in the caller, by kind and by words."""
    before = [*filters()]

    def back():
        warnings.resetwarnings()
        filters().extend(before)

    setting = in_effect(lambda: warnings.filterwarnings(**rule), back)
    assert in_three_runs(warned, workers, setting) == (([], 1), (raised, 1), ([], 1))


@pytest.mark.usefixtures("usual_filters")
def test_filters_of_an_initializer():
    """They stay, ahead of what the caller changes later."""
    with ProcessStrategy(max_workers=1, initializer=set_own_filter) as workers:
        assert run(warned, [None], strategy=workers) == [(["OwnWarning"], 1)]
        warnings.simplefilter("ignore")
        assert run(warned, [None], strategy=workers) == [(["OwnWarning"], 1)]


MAIN = """
import sys, warnings
sys.path[:0] = {path!r}
from concurrent_choices import run

class Odd(UserWarning):
    pass

def warn(_item):
    warnings.warn("odd", Odd)

warnings.simplefilter("error", Odd)
(error,) = run(warn, [1], strategy="process", return_exceptions=True)
print(type(error) is Odd)
"""


def test_a_category_of_the_main_module():
    """A category that travels by value is known by its name."""
    done = interpreter("-c", MAIN.format(path=sys.path))
    assert (done.stdout, done.stderr) == ("True\n", "")


@pytest.mark.usefixtures("usual_filters")
def test_filters_that_name_the_main_module_need_no_cloudpickle():
    """Python's own do: what is set as a rule must cost no first run 30 ms."""
    warnings.filterwarnings("error", category=OwnWarning)
    assert not names_what_stays(dump(_settings.settings())[0])


@pytest.mark.usefixtures("usual_filters")
def test_where_nobody_has_set_anything():
    """Nothing is carried."""
    assert _settings.settings() == {}


AWARE = """
import sys, warnings
sys.path[:0] = {path!r}
from concurrent_choices import run

def warn(_item):
    warnings.warn("odd", UserWarning)

with warnings.catch_warnings():
    warnings.simplefilter("error")
    print(*map(type, run(warn, [1], strategy="process", return_exceptions=True)))
print(run(warn, [1], strategy="process"))
"""


@pytest.mark.skipif(sys.version_info < (3, 14), reason="CPython has the option from 3.14 on")
def test_filters_of_a_context():
    """Those of `catch_warnings` hold in workers where they are its context's alone, as without the GIL."""
    done = interpreter("-X", "context_aware_warnings=1", "-c", AWARE.format(path=sys.path))
    assert done.stdout.splitlines() == ["<class 'UserWarning'>", "[None]"]
