"""What cached functions keep, such as settings, is in workers what it is here; clients are their own."""

from __future__ import annotations

import importlib
import sys

import pytest

from concurrent_choices import run
from concurrent_choices._mutation._marks import compare
from concurrent_choices._transfer._imported import Imported
from interpreters import printed

MODULE = """
import functools, random, threading, time

class Settings:
    def __init__(self):
        self.plugins = []

    def add(self, plugin):
        self.plugins = [*self.plugins, plugin]

class Parser:
    def __init__(self):
        self.known = {}

    def parse(self, item):
        self.known[item] = item
        return item

class Lazy:
    @functools.cached_property
    def plugins(self):
        return []

class Locked(Settings):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

class Home:
    @staticmethod
    @functools.lru_cache(maxsize=1)
    def settings():
        return Settings()

made = {"parser": Parser, "lazy": Lazy, "locked": Locked, "moment": time.perf_counter_ns}
made |= {"table": dict, "listed": list, "rolled": lambda: random.Random(3)}

@functools.lru_cache(maxsize=1)
def settings():
    return Settings()
"""

EACH = """
@functools.cache
def {0}():
    return made["{0}"]()
"""

MADE = ("parser", "lazy", "locked", "moment", "table", "listed", "rolled")

MODULE += "".join(map(EACH.format, MADE))

MODULE += """
@functools.cache
def of(kind):
    return []

def use_settings(_):
    return len(settings().plugins)

def use_home(_):
    return len(Home.settings().plugins)

def use_parser(item):
    return parser().parse(item)

def use_lazy(_):
    return len(lazy().plugins)

def use_others(_):
    return locked(), moment(), rolled(), of("kind")

def use_containers(_):
    return table(), listed()

def heavy(_):
    began = time.thread_time()
    while time.thread_time() - began < 0.01:
        sum(range(1000))
    return len(settings().plugins), len(listed())
"""

USING = """
settings().plugins.append("x")
listed().append("y")
"""

AUTO = USING + "print(set(run(heavy, range(60))))"

NAMED = (
    USING
    + """
print(set(run(heavy, range(4), strategy="process")))
settings().plugins.append("x")
print(set(run(heavy, range(4), strategy="process")))
settings.cache_clear()
print(set(run(heavy, range(4), strategy="process")))
"""
)

EXECUTOR = (
    USING
    + """
with AdaptiveExecutor() as executor:
    print(set(executor.map(heavy, range(100))))
"""
)

IMPORTS = "from concurrent_choices import AdaptiveExecutor, run\n"


@pytest.fixture
def cached(tmp_path, monkeypatch):
    """A module of the user's own with functions that keep what they make."""
    (tmp_path / "caching_module.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("caching_module")
    sys.modules.pop("caching_module")


def marked(fn):
    """The cached functions whose results are compared."""
    return {path for _, path in Imported(fn).marks if path.endswith("()")}


def test_settings_are_marked_once_they_are_made(cached):
    """Nothing is made for it, and what has been is compared by what it is called with."""
    assert marked(cached.use_settings) == set()
    assert cached.settings.cache_info().currsize == 0
    cached.use_settings(1)
    assert marked(cached.use_settings) == {"settings()"}
    cached.use_home(1)
    assert marked(cached.use_home) == {"Home.settings()"}
    cached.use_containers(1)
    assert marked(cached.use_containers) == {"table()", "listed()"}


@pytest.mark.parametrize("kind", ["parser", "lazy"])
def test_what_calls_change_is_each_process_s_own(cached, kind):
    """An object that learns or loads in its calls would differ in each worker, and is meant to."""
    use = getattr(cached, f"use_{kind}")
    use(1)
    assert marked(use) == set()


def test_what_cannot_have_been_changed(cached):
    """Neither numbers, nor a library's objects, nor what was made for an argument are looked at."""
    cached.use_others(1)
    assert marked(cached.use_others) == {"locked()"}  # by the name of its class alone


@pytest.mark.parametrize("fn", ["use_settings", "use_home"])
def test_a_worker_finds_others(cached, fn):
    """It makes them anew; unchanged ones are the same."""
    use = getattr(cached, fn)
    use(1)
    assert run(compare, [Imported(use).marks], strategy="process") == [None]
    (cached.Home.settings if fn == "use_home" else cached.settings)().plugins.append("x")
    with pytest.raises(ValueError, match=r"settings\(\) has another value there"):
        run(compare, [Imported(use).marks], strategy="process")


@pytest.mark.parametrize("how", [AUTO, EXECUTOR], ids=["auto", "executor"])
@pytest.mark.parametrize("where", ["module", "script"])
def test_all_results_are_of_the_callers_settings(tmp_path, where, how):
    """Whether the callable stays, or goes from a script and takes them along."""
    (tmp_path / "caching_module.py").write_text(MODULE)
    before = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from caching_module import *\n"
    assert printed("-c", IMPORTS + (before if where == "module" else MODULE) + how) == ["{(1, 1)}"]


def test_a_script_sends_what_its_caches_keep():
    """As it does with its globals, at each run, if there is anything."""
    assert printed("-c", IMPORTS + MODULE + NAMED) == ["{(1, 1)}", "{(2, 1)}", "{(0, 1)}"]


RECURSIVE = """
from functools import cache
from concurrent_choices import run

class Settings:
    def itself(self):
        return settings() is self

@cache
def settings():
    return Settings()

@cache
def table():
    return {"settings": settings(), "table": table}

def use(_):
    settings.cache_parameters()
    again = table()["settings"] is settings()
    settings.cache_clear()
    return settings().itself(), again, table()["settings"] is settings()

table()
print(set(run(use, range(1), strategy="process")))
"""


def test_caches_that_hold_one_another():
    """A copy is one object wherever it is held, and a cache that is cleared makes what is new."""
    assert printed("-c", RECURSIVE) == ["{(True, True, False)}"]
