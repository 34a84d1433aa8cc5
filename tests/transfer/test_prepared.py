"""An initializer sets globals of a script, which travels by value: the calls that follow find them."""

from __future__ import annotations

import pytest

from interpreters import printed

SCRIPT = """
import threading
from functools import cache, partial
from concurrent_choices import ProcessStrategy, run

limit, held, other, lock = 0, {{}}, "first", None

def set_limit(value):
    global limit, made, lock
    limit, made, lock = value, [value], threading.Lock()
    held["limit"] = value

class Setting:
    def begin(self, value):
        set_limit(value)

    __call__ = begin

class Beginning:
    def __init__(self, value):
        set_limit(value)

def use(item):
    with lock:
        return item, limit, held, made, other

def bare(_):
    return limit, held, other

strategy = ProcessStrategy(1, initializer={initializer}, initargs=({value},), start_method={start!r})
with strategy as workers:
    print(run({fn}, [1], strategy=workers)[0])
    other = "second"
    print(run({fn}, [2], strategy=workers)[0])
print(limit, held)
"""

INITIALIZERS = {
    "function": "set_limit",
    "partial": "partial(set_limit)",
    "lambda": "lambda value: set_limit(value)",
    "method": "Setting().begin",
    "object": "Setting()",
    "class": "Beginning",
    "decorated": "cache(set_limit)",
}


@pytest.mark.parametrize("fn", ["use", "lambda item: use(item)", "partial(use)"])
@pytest.mark.parametrize("kind", INITIALIZERS)
def test_globals_of_a_script(kind, fn):
    """Names that it sets, also to what cannot be pickled, and what it puts in; others are the caller's."""
    script = SCRIPT.format(initializer=INITIALIZERS[kind], value=7, fn=fn, start="fresh")
    assert printed("-c", script) == [
        "(1, 7, {'limit': 7}, [7], 'first')",
        "(2, 7, {'limit': 7}, [7], 'second')",
        "0 {}",
    ]


def test_globals_of_a_forked_script():
    """The same where workers are copies, which have the script itself beside what was sent."""
    lines = printed("-c", SCRIPT.format(initializer="set_limit", value=7, fn="use", start="fork"))
    assert lines[0] == "(1, 7, {'limit': 7}, [7], 'first')"


def test_what_it_leaves_alone_is_the_callers():
    """An initializer that sets nothing keeps nothing: what the caller changes is sent with each run."""
    script = SCRIPT.format(initializer="repr", value="limit", fn="bare", start="fresh")
    reading = script.replace("initializer=repr", "initializer=lambda value: (held, limit)")
    reading = reading.replace('    other = "second"', '    other, limit = "second", 3; held[1] = 1')
    for each in (script, reading):
        assert printed("-c", each)[0] == "(0, {}, 'first')"
    assert printed("-c", reading)[1] == "(3, {1: 1}, 'second')"


CLASS = """
from concurrent_choices import ProcessStrategy, run

class Settings:
    limit, names, other = 0, [], "first"

def begin():
    Settings.limit = 7
    Settings.names.append("a")

def use(item):
    return item, Settings.limit, Settings.names, Settings.other

with ProcessStrategy(1, initializer=begin, start_method="fresh") as workers:
    print(run(use, [1], strategy=workers)[0])
    Settings.other = "second"
    print(run(lambda item: use(item), [2], strategy=workers)[0])
print(Settings.limit, Settings.names)
"""


def test_attributes_of_a_scripts_class():
    """What it binds there and what it puts in: functions bring the class as the caller has it."""
    assert printed("-c", CLASS) == ["(1, 7, ['a'], 'first')", "(2, 7, ['a'], 'second')", "0 []"]


DUNDERS = """
from concurrent_choices import ProcessStrategy, run

__version__ = "0"

class Settings:
    def __len__(self):
        return 0

def begin():
    global __version__
    __version__ = "7"
    Settings.__len__ = lambda self: 7

def use(_):
    return __version__, len(Settings())

with ProcessStrategy(1, initializer=begin, start_method="fresh") as workers:
    print(run(use, [1], strategy=workers)[0])
"""


def test_names_with_two_underscores():
    """They are set like others, though Python gives some of them values itself."""
    assert printed("-c", DUNDERS) == ["('7', 7)"]
