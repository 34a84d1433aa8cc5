"""Marks of what has no pickle: by what it holds, and the same in every process."""

from __future__ import annotations

import subprocess
import sys

import pytest

MODULE = """
import ctypes, io, mmap, threading, types, weakref
from functools import partial


class Kept:
    pass

class Settings:
    __slots__ = ("depth", "lock", "others")

    def __init__(self, depth):
        self.depth, self.lock = depth, threading.Lock()
        self.others = {"self": self, "names": {"a", "b", "c"}, "kinds": {Kept, Settings}}

class Registry(dict):
    def __init__(self, *given):
        super().__init__(*given)
        self.lock = threading.Lock()

class Odd:
    def __reduce_ex__(self, protocol):
        raise RuntimeError("not to be pickled")

def make(number):
    def hook():
        return number, hook
    return hook

def local():
    class Local:
        depth = threading.Lock()
    return Local

KEPT, OTHER = Kept(), Kept()
LINE = lambda: 1; SAME_LINE = lambda: 1
BETWEEN = lambda: 1
"""

ASK = """
import shop
from shop import *
from concurrent_choices._mutation._marks import mark_of
things = {things}
print([mark_of(each) for each in things])
"""


@pytest.fixture
def marks_of(tmp_path):
    """The marks of things that are made in a process of its own each time."""
    (tmp_path / "shop.py").write_text(MODULE)

    def asked(*things):
        code = ASK.format(things=f"[{', '.join(things)}]")
        told = {subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path) for _ in range(2)}
        assert len(told) == 1  # whatever the process
        return eval(told.pop())

    return asked


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Settings(1)", "Settings(2)"),
        ("[Settings(1), Odd()]", "[Settings(2), Odd()]"),
        ("Registry()", "Registry({'a': 1})"),
        (
            "types.SimpleNamespace(lock=threading.Lock(), depth=1)",
            "types.SimpleNamespace(lock=threading.Lock(), depth=2)",
        ),
        ("types.MappingProxyType({'a': 1})", "types.MappingProxyType({'a': 2})"),
        ("make(1)", "make(2)"),
        ("{'a': make(1)}", "{'a': make(2)}"),
        ("partial(make(1), 1)", "partial(make(1), 2)"),
        ("LINE", "BETWEEN"),
        ("lambda depth=1: depth", "lambda depth=2: depth"),
        ("weakref.ref(KEPT)", "weakref.ref(shop)"),
        ("weakref.WeakValueDictionary()", "weakref.WeakValueDictionary(a=KEPT)"),
        ("weakref.WeakKeyDictionary({KEPT: 1})", "weakref.WeakKeyDictionary({KEPT: 2})"),
        ("memoryview(b'one')", "memoryview(b'two')"),
        ("(ctypes.c_int * 3)(1, 2, 3)", "(ctypes.c_int * 3)(1, 2, 4)"),
        ("mmap.mmap(-1, 4)", "mmap.mmap(-1, 5)"),
        ("local()", "Kept"),
        ("Odd()", "Settings(1)"),
    ],
)
def test_what_differs(marks_of, one, other):
    """What is held tells one from the other, and not where it is, or in what order a set has it."""
    first, again, second = marks_of(one, one.replace("make", "shop.make"), other)
    assert first == again != second


@pytest.mark.parametrize(
    "things",
    [
        ("open('shop.py')", "open('/dev/null')"),  # as a client, which each process has for itself
        ("Odd()", "Odd()"),
        ("threading.Lock()", "threading.Lock()"),
        ("LINE", "SAME_LINE"),
        ("(view := memoryview(b'a')).release() or view", "(view := memoryview(b'b')).release() or view"),
    ],
)
def test_what_does_not_tell(marks_of, things):
    """A library's object without a pickle is whatever its class is called."""
    one, other = marks_of(*things)
    assert one == other


def test_more_than_is_looked_at(marks_of):
    """The first pieces are, and of those that follow only how many there are."""
    many = "[Settings(depth) for depth in range({})]"
    early = f"[Settings(-1), *{many.format(4999)}]"
    late = f"[*{many.format(4999)}, Settings(-1)]"
    one, other, same, less = marks_of(many.format(5000), early, late, many.format(3))
    assert one == same != other
    assert less not in {one, other}
    plain, longer = marks_of(*(f"[*[Kept() for _ in range({many})], Odd()]" for many in (3000, 3001)))
    assert plain != longer  # though nothing stood for anything before


def test_what_was_asked_for_its_attributes(marks_of):
    """That changes the pickle of a partial, and of a file in memory."""
    for thing in ("partial(print, 1)", "[partial(print, 1)]", "io.StringIO('text')"):
        assert len(set(marks_of(thing, f"[(it := {thing}), getattr(it, '__dict__', 0)][0]"))) == 1
    asked = "[part := partial(print, 1), part.__dict__][:1]"
    assert len(set(marks_of("[partial(print, 1)]", asked))) == 1
