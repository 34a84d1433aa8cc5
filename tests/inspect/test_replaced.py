"""What a test has put into a library's modules is seen where the code of a callable names it."""

from __future__ import annotations

import builtins
import datetime as dt
import functools
import http.client
import json
import os
import socket
import sys
import time
from types import ModuleType
from unittest.mock import MagicMock, create_autospec, patch

import numpy as np
import pytest

from concurrent_choices import AdaptiveExecutor, AutoStrategy, recommend, run, stream
from concurrent_choices._embed import _core
from concurrent_choices._inspect._captured import data_among, reached_from
from concurrent_choices._inspect._strangers import strangers_in
from concurrent_choices._transfer._imported import Imported
from concurrent_choices._transfer._kept_here import kept_here, mocked, replaced_in


@pytest.fixture(autouse=True)
def gil(monkeypatch):
    """That there is one, for which calls that compute move to processes; on builds without one, too."""
    monkeypatch.setattr(_core, "gil_enabled", lambda: True)


def uses(item):
    """Names a function, one of a submodule, a class, a method of a class, and what nobody has replaced."""
    there = os.path.exists(os.getcwd())  # noqa: PTH109, PTH110 - it is their names that matter
    day = dt.datetime.fromtimestamp(time.time(), dt.UTC)
    return item, there, day, json.dumps(item), http.client.HTTPConnection.send, np.linalg.norm([item])


def unlike(*_args, **_options):
    """What stands there instead."""
    return 5.0


class FakeDate(dt.datetime):
    """As tests have it that set the clock."""


def seen(fn=uses):
    """What of libraries it sees replaced."""
    return [name for name, _ in data_among(reached_from(fn)) if "." in name] + [
        ".".join(place) for place in Imported(fn).marks
    ]


def test_where_nothing_was_replaced():
    """A library's own things are none of ours, whatever it had written by code or took from others."""
    assert seen() == []
    assert replaced_in(uses) == ""


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ((time, "time"), "time.time"),
        ((json, "dumps"), "json.dumps"),
        ((os, "getcwd"), "os.getcwd"),
        ((os.path, "exists"), "os.path.exists"),
        ((http.client.HTTPConnection, "send"), "http.client.HTTPConnection.send"),
    ],
)
@pytest.mark.parametrize("kind", ["mock", "function", "autospec"])
def test_what_was_replaced_is_named(place, name, kind, monkeypatch):
    """By a mock, by a function of one's own, and by one that was made after the other's example."""
    instead = {"mock": MagicMock, "function": lambda: unlike, "autospec": lambda: create_autospec(unlike)}
    if name == "http.client.HTTPConnection.send":
        name = "http.HTTPConnection.send" if False else name
    with monkeypatch.context() as patches:
        patches.setattr(*place, instead[kind]())
        assert name in {*seen()}
        assert replaced_in(uses) == ("" if kind == "function" else name)
    assert replaced_in(uses) == ""


@pytest.mark.parametrize(
    ("place", "instead"),
    [
        ((builtins, "open"), functools.partial(open)),
        ((dt, "datetime"), FakeDate),
        ((socket, "socket"), type("Guarded", (socket.socket,), {"__module__": __name__})),
        ((time, "time"), lambda: 5.0),
    ],
    ids=["open", "datetime", "socket", "time"],
)
def test_what_all_libraries_use(place, instead, monkeypatch):
    """As freezegun, pyfakefs and pytest-socket replace it, for all there is and without a patch."""
    assert kept_here(len) == ""
    with monkeypatch.context() as patches:
        patches.setattr(*place, instead)
        assert kept_here(len).startswith(f"{place[0].__name__}.{place[1]} was replaced")
    assert kept_here(len) == ""


def test_a_mock_that_says_more_is_no_pretence():
    """pytest-mock patches the methods of mocks for as long as tests run."""
    with patch.object(MagicMock, "assert_called", lambda _mock: None):
        assert kept_here(len) == ""


def test_a_class_of_ones_own_is_a_stranger(monkeypatch):
    """As where a test sets the clock by a class derived from the library's."""
    monkeypatch.setattr(dt, "datetime", FakeDate)
    assert "datetime.datetime" in seen()


def test_what_a_library_has_written_by_code_is_none():
    """Some that decorate functions compile new ones, of no file."""
    space = {"__name__": "somewhere"}
    exec(compile("def wrapped(): pass", "<made>", "exec"), space)
    with patch.object(functools, "made", space["wrapped"], create=True):
        assert list(strangers_in(functools, frozenset({"made"}))) == []


def stamped(item):
    """Computes for a while; the clock it names is replaced."""
    return sum(range(20_000)) and time.time(), item


def test_auto_keeps_it_here():
    """Results are those of the function that was put there, in all items, however long they take."""
    with patch("time.time", return_value=5.0):
        assert {at for at, _ in run(stamped, range(3000), strategy=AutoStrategy(max_workers=2))} == {5.0}


def counted(item):
    """Computes for a while, with a function of Python's own."""
    return abs(sum(range(20_000))) * 0 + item


def test_what_replaces_a_function_of_pythons_own_is_seen():
    """As where a test has put a mock in the place of `open`."""
    assert replaced_in(counted) == ""
    with patch("builtins.abs", return_value=2):
        assert replaced_in(counted) == "builtins.abs"


def test_recommend_keeps_it_here():
    """No process is recommended, and the obstacle says what was replaced."""
    with patch("time.time", return_value=5.0):
        verdict = recommend(stamped, range(3000))
    assert "time.time was replaced here" in verdict.profile.payload.obstacle


def test_an_executor_keeps_it_here():
    """Calls that compute long enough for a process are made in this one."""
    with patch("time.time", return_value=5.0), AdaptiveExecutor() as pool:
        done = [pool.submit(stamped, number) for number in range(400)]
        assert {each.result()[0] for each in done} == {5.0}


@pytest.mark.parametrize("strategy", ["auto", "sequential"])
def test_a_stream_does_without_a_clock(strategy):
    """As where a test has stopped it."""
    with patch("time.perf_counter", return_value=5.0):
        assert list(stream(abs, range(100), strategy=strategy)) == list(range(100))


def calls_deep(item):
    """Names nothing of what is replaced far inside of what it calls."""
    return json.dumps(item)


@pytest.mark.parametrize(
    "place",
    [
        "http.client.HTTPConnection.send",  # where `responses` and `respx` answer instead of a network
        "socket.getaddrinfo",
    ],
)
def test_what_is_replaced_far_inside_of_libraries_keeps_every_callable_here(place):
    """As long as that lasts: nobody knows what its calls come to."""
    patcher = patch(place)
    patcher.start()
    try:
        assert mocked(calls_deep) == f"{place} was replaced here, which another process would not see"
        with AdaptiveExecutor(max_processes=1) as executor:
            assert executor.submit(computes).result() == os.getpid()
            while executor.explain()["computes"].why != mocked(computes):
                assert executor.submit(computes).result() == os.getpid()
    finally:
        patcher.stop()
    assert mocked(calls_deep) == ""


def test_a_patch_that_is_a_with_or_a_decorator_is_seen_as_well():
    """Of those there is no list; one that was made and does not stand changes nothing."""
    place = "http.client.HTTPConnection.send"

    @patch(place)
    def decorated(_mock):
        return mocked(calls_deep)

    told = f"{place} was replaced here, which another process would not see"
    for _ in range(2):
        assert mocked(calls_deep) == ""
        with patch(place):
            assert mocked(calls_deep) == told
        assert decorated() == told
    del decorated
    assert mocked(calls_deep) == ""
    with patch(place, calls_deep):
        assert mocked(computes) == told


def test_what_is_replaced_after_calls_went_to_workers_keeps_the_next_ones_here():
    """The callable holds what it has held, and its workers are still there."""
    with AdaptiveExecutor(max_processes=1) as executor:
        while executor.submit(computes).result() == os.getpid():
            pass
        with patch("http.client.HTTPConnection.send"):
            assert {executor.submit(computes).result() for _ in range(3)} == {os.getpid()}
            assert executor.explain()["computes"].why == mocked(computes)


def computes():
    """Where it has computed for some milliseconds."""
    sum(range(300_000))
    return os.getpid()


def test_what_is_replaced_in_modules_of_ones_own_keeps_those_here_that_use_it():
    """They are looked at one by one; and what a dictionary holds is no module's."""
    patchers = patch(f"{__name__}.unlike"), patch.dict(os.environ, {"REPLACED": "yes"})
    for patcher in patchers:
        patcher.start()
    try:
        assert mocked(calls_deep) == ""
    finally:
        for patcher in patchers:
            patcher.stop()


class Shop:
    """A class with a method that a test replaces, in one object or in all."""

    def sell(self):
        """Tell of a sale."""
        return len(vars(self))


def limit():
    """What a test replaces."""


SHOP, PRICES = Shop(), {"tea": 1}


def trades():
    """Name all of that."""
    return limit(), SHOP.sell(), PRICES


def test_what_stands_in_a_place_of_ones_own_is_found_whoever_put_it_there(monkeypatch):
    """A patch with something of one's own leaves no mock to be found; nor does `monkeypatch`."""
    told = "the global {!r} was replaced here, which another process would not see"
    assert mocked(trades) == ""
    for kind in (patch(f"{__name__}.limit", unlike), patch.object(SHOP, "sell", unlike, create=True)):
        with kind:
            assert mocked(trades) in {told.format("limit"), told.format("SHOP")}
            assert mocked(computes) == ""
        assert mocked(trades) == ""
    for setting, *how in (("setattr", f"{__name__}.limit", unlike), ("setitem", PRICES, "tea", 2)):
        with monkeypatch.context() as patches:
            getattr(patches, setting)(*how)
            assert mocked(trades) in {told.format("limit"), told.format("PRICES")}
            assert mocked(computes) == ""
        assert mocked(trades) == ""


def dear(shop):
    """Stand in for the method, and compute for some milliseconds as that does."""
    sum(range(200_000))
    return "dear" if vars(shop) == {} else "not empty"


def sells(shop):
    """Name nothing of what a test replaces in the class of what it is given."""
    return shop.sell()


def test_what_is_replaced_in_a_class_of_ones_own_keeps_every_callable_here():
    """Its objects are found in items, and in what calls hold, where no code names the class."""
    with patch.object(Shop, "sell", dear):
        assert mocked(sells) == f"{__name__}.Shop.sell was replaced here, which another process would not see"
        assert {*run(sells, [Shop() for _ in range(200)])} == {"dear"}
    assert mocked(sells) == ""


def test_so_does_what_monkeypatch_replaces_there(monkeypatch):
    """It is found as a patch is; what pytest itself keeps replaced in its own classes is not asked for."""
    assert kept_here(sells) == ""
    monkeypatch.setattr(Shop, "sell", dear)
    assert kept_here(sells) == f"{__name__}.Shop.sell was replaced here, which another process would not see"
    assert {*run(sells, [Shop() for _ in range(200)])} == {"dear"}
    monkeypatch.undo()
    assert kept_here(sells) == ""


FEW = 3


def test_what_is_equal_to_what_a_test_has_put_elsewhere_is_not_taken_for_it(monkeypatch):
    """Small numbers are one object, wherever they stand."""
    monkeypatch.setattr(f"{__name__}.limit", FEW)
    assert mocked(trades)
    assert mocked(lambda: FEW) == ""


def test_a_clock_that_was_moved_keeps_every_callable_here(monkeypatch):
    """`time_machine` replaces nothing that could be seen, and says that it is at work."""
    module = ModuleType("time_machine")
    monkeypatch.setitem(sys.modules, "time_machine", module)
    module.traveller_stack = []
    assert mocked(calls_deep) == ""
    module.traveller_stack.append(object())
    assert "the time was replaced here" in mocked(calls_deep)


class Lazy(ModuleType):
    """A module that is imported when it is asked for anything, and is not there."""

    def __getattribute__(self, name):
        raise ImportError(name)


LATER = Lazy("later")


def test_a_lazy_module_that_cannot_be_imported():
    """It tells nothing as long as calls do without it: a run that named it ended with its ImportError."""

    def seldom_loads(item):
        return LATER.load(item) if item < 0 else item

    assert dict(reached_from(seldom_loads)) == {"it": seldom_loads}
    assert run(seldom_loads, range(3)) == [0, 1, 2]
