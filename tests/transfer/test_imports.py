"""What workers import for a callable is counted where it has been imported already."""

from __future__ import annotations

import sys
import urllib.request
from functools import partial
from subprocess import check_output
from types import ModuleType

import attrs
import numpy as np
import psutil
import pytest

from concurrent_choices import ProcessStrategy, run
from concurrent_choices._transfer._imports import _THERE, imports_of, needed_by, preloadable

IMPORT = """
import sys
sys.path.extend({path!r})
import concurrent_choices._strategies._workers._inside._fork_server
there = set(sys.modules)
import {name}
print(len(set(sys.modules) - there))
"""


def modules_here(_item):
    return list(sys.modules)


def numbers(count):
    return np.zeros(count)


def fetch(item):
    return urllib.request.quote(str(item))


@pytest.mark.parametrize("name", ["json", "logging", "asyncio", "urllib.request", "numpy", "attrs"])
def test_the_count_is_about_what_an_interpreter_imports(name):
    """Neither what another package dragged in, nor half of what is needed, for any of these."""
    __import__(name)
    of_it = type("Of", (), {"__module__": name})  # a class that says it is from there
    script = IMPORT.format(path=sys.path, name=name)
    really = int(check_output([sys.executable, "-I", "-S", "-c", script]))

    counted = sum(imports_of(of_it, is_async=False))

    assert 0.7 * really <= counted <= 1.4 * really + 5


def test_workers_have_what_is_not_counted():
    """Nothing is left out of the count that a worker would import after all."""
    with ProcessStrategy(max_workers=1) as strategy:
        (there,) = run(modules_here, [1], strategy=strategy)
    assert {name for name in _THERE if name not in sys.builtin_module_names} <= set(there)


def test_the_standard_library_is_shared():
    """One process imports it for all; what else a module imports is each worker's own."""
    shared, own = imports_of(fetch, is_async=False)
    assert "urllib" in preloadable(fetch)
    assert "urllib" in preloadable(partial(map, fetch))
    assert shared > 40
    assert own > 0
    assert sum(imports_of(partial(fetch), is_async=False)) == shared + own


def test_coroutines_need_asyncio():
    """A worker needs it even where the callable's module does not name it."""
    __import__("asyncio")
    of_asyncio = [name for name in sys.modules if name.startswith("asyncio.")]
    assert sum(imports_of(len, is_async=False)) == 0
    assert sum(imports_of(len, is_async=True)) >= len(of_asyncio) > 10


def test_a_lambda_needs_what_it_names_and_cloudpickle():
    """It travels by value, and the modules it names by their names."""
    __import__("cloudpickle")  # what is not loaded here is not counted
    plain = imports_of(lambda item: item, is_async=False)
    more = imports_of(lambda item: urllib.request.quote(str(item)), is_async=False)
    assert plain.shared > 10
    assert more.shared > plain.shared + 10
    assert plain.own == more.own == 0


def test_installed_packages_are_shared_where_that_is_known_to_do_no_harm():
    """NumPy, of a function of a module and of one that travels; what others import is each worker's own."""
    assert "numpy" in preloadable(numbers)
    assert "numpy" in preloadable(lambda: np.array([1]))
    assert "psutil" not in preloadable(lambda item: psutil.pid_exists(item + 1))


def run_within(item):
    """A function of a module that imports `run`, as this one does."""
    return run(abs, [item], strategy="sequential")


def test_ours_are_shared():
    """A module that names them needs what they import in turn, which is not on a fork server's own path."""
    needed = preloadable(run_within)
    assert needed[-1].startswith("concurrent_choices.")
    assert needed.index("attr") < needed.index(run.__module__)
    assert "attr" not in preloadable(abs)


def test_what_ours_make_values_with_is_shared_where_it_is_loaded_here(monkeypatch):
    """A module that imports `run` alone needs none, and a worker's start would take 15 ms longer for it."""
    monkeypatch.delitem(sys.modules, "attr", raising=False)
    needed = preloadable(run_within)
    assert "attr" not in needed
    assert run.__module__ in needed


def test_what_a_lambda_calls_holds_and_is_given_needs_its_own_modules():
    """A helper beside it, what surrounds it, what is bound to it and its items are sent with it."""
    quote, request = urllib.request.quote, urllib.request.Request("http://localhost")
    helper = lambda item: urllib.request.quote(str(item))  # noqa: E731 - a function that is sent
    needing = [
        [lambda item: helper(item)],  # noqa: PLW0108 - it calls a helper
        [lambda item: [quote(str(each)) for each in item]],
        [lambda item: [request for _ in item]],
        [lambda item, *, given=request: [given for _ in item]],
        [partial(isinstance, request)],
        [partial(map, helper)],
        [str, request],
        [str, ("a key", [request])],
        [str, type("<local>", (urllib.request.Request,), {"__slots__": ()})("http://localhost")],
        [type("<local>", (), {"__call__": helper})()],
    ]
    for things in needing:
        assert "urllib.parse" in set(needed_by(things, bool))
    assert "urllib.parse" not in set(needed_by([str, ("a key", ["request"])], bool))


def test_what_holds_itself_is_looked_at_once():
    """A function that calls itself, and a list within itself."""
    endless = [urllib.request.quote]
    endless.append(endless)

    def again(item):
        return again(item) if endless else item

    told = list(needed_by([again], bool))
    assert "urllib.parse" in told
    assert len(told) == len(set(told))


def test_modules_are_told_one_after_another():
    """All that are counted, each once; who has seen enough stops."""
    fn = urllib.request.urlopen  # of a module that has nothing of ours, which is shared though it is not told
    counted = imports_of(fn, is_async=False)
    told = list(needed_by([fn], bool))
    assert len(told) == len(set(told)) == counted.shared + counted.own
    assert next(needed_by([fn], bool)) in told


def test_what_a_module_needs_that_does_not_count_is_not_looked_at():
    """The standard library needs nothing of others."""
    told = list(needed_by([fetch], lambda name: name != "urllib.request"))
    assert told
    assert not {"urllib.request", "http.client"} & set(told)


def test_a_lazy_module_is_not_loaded_by_being_counted(monkeypatch):
    """Nor asked for anything: it may raise, and an object that stands for a module need not hold any."""

    class Lazy(ModuleType):
        def __getattribute__(self, name):
            raise AssertionError(name)

    monkeypatch.setitem(sys.modules, "lazy", Lazy("lazy"))
    monkeypatch.setitem(sys.modules, "no_module", object())
    of_them = [type("Of", (), {"__module__": name}) for name in ("lazy", "no_module")]
    assert [sum(imports_of(each, is_async=False)) for each in of_them] == [1, 0]


def test_a_function_needs_where_it_is_written(monkeypatch):
    """From Python 3.13 on attrs' own `evolve` says that it is from where the last class was made."""
    of_it = type("Of", (), {"__module__": "attrs"})
    counted = imports_of(of_it, is_async=False)
    monkeypatch.setattr(attrs.evolve, "__module__", "numpy")
    assert imports_of(of_it, is_async=False) == counted
