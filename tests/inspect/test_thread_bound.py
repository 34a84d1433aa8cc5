import contextlib
import decimal
import io
import locale
import os
import random
import random as chance
import signal
import sqlite3
import sys
import tempfile
import threading
import urllib.request
import warnings
from contextlib import chdir
from functools import partial
from os import environ
from pathlib import Path
from random import seed as seed_all
from signal import signal as take_handler
from urllib.request import install_opener

import pytest

from concurrent_choices._inspect._bonds import bound_to_thread, refused_thread
from concurrent_choices._transfer._kept_here import kept_here


@pytest.fixture
def connection():
    connection = sqlite3.connect(":memory:")
    yield connection
    connection.close()


class Store:
    def __init__(self, connection):
        self.connection = connection

    def get(self, key):
        return self.connection.execute("select ?", (key,)).fetchone()


def set_alarm(seconds):
    signal.signal(signal.SIGALRM, lambda *_: None)


def set_alarm_inside(seconds):
    import signal

    signal.setitimer(signal.ITIMER_REAL, seconds)


def set_handler(number):
    return take_handler(number, None)


def end_another(process):
    os.kill(process, signal.SIGKILL)


def calls_another(seconds):
    return set_alarm(seconds)


@pytest.mark.parametrize("fn", [set_alarm, set_alarm_inside, set_handler, calls_another, partial(set_alarm)])
def test_signals(fn):
    """A function that sets signals, itself or through another, belongs to the main thread."""
    assert "signal handlers" in bound_to_thread(fn)


def enters(folder):
    os.chdir(folder)


def enters_for_a_while(folder):
    with chdir(folder):
        return Path.cwd()


def prints_elsewhere(item):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        print(item)
    return text.getvalue()


def prints_by_hand(item):
    before, sys.stdout = sys.stdout, io.StringIO()
    try:
        print(item)
        return sys.stdout.getvalue()
    finally:
        sys.stdout = before


def tells_programs(name):
    os.environ[f"{name}_{len(name)}"] = str(name).upper()


def tells_programs_no_more(name):
    del environ[name]


def tells_programs_much(settings):
    os.environ.update(settings)


def seeds(number):
    random.seed(number)
    return random.random()


def seeds_numpy(number):
    import numpy as np

    np.random.seed(number)  # noqa: NPY002 - as people do
    return np.random.random()  # noqa: NPY002 - the same


def seeds_by_name(number):
    return seed_all(number)


def seeds_by_another_name(number):
    chance.seed(number)


def plays(arguments):
    sys.argv = ["program", *arguments]


def plays_on(arguments):
    sys.argv[1:] = arguments


def rounds(digits):
    decimal.getcontext().prec = digits
    return decimal.Decimal(1) / 3


def hears_warnings(item):
    with warnings.catch_warnings(record=True) as heard:
        warnings.warn(item, stacklevel=1)
    return heard


def hides_files(path):
    os.umask(0o077)
    path.touch()


def speaks(language):
    locale.setlocale(locale.LC_ALL, language)


def draws(path):
    import matplotlib.pyplot as plt

    plt.savefig(path)


def draws_here(path):
    from matplotlib import pyplot as plt

    plt.savefig(path)


def heeds_warnings(item):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return item


def warns_not(item):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return item or "error"


def answers(text):
    sys.stdin = io.StringIO(text)


def finds_modules(folder):
    sys.path.insert(0, folder)


def finds_others(folder):
    sys.path = [folder]


def puts_files(folder):
    tempfile.tempdir = folder


def asks_a_proxy(opener):
    urllib.request.install_opener(opener)


def asks_by_name(opener):
    install_opener(opener)


def queries(path):
    import duckdb

    return duckdb.sql(f"from '{path}'").fetchall()


@pytest.mark.parametrize(
    ("fn", "what"),
    [
        (enters, "working directory"),
        (enters_for_a_while, "working directory"),
        (lambda folder: [enters(folder)], "working directory"),
        (prints_elsewhere, "what is printed"),
        (prints_by_hand, "what is printed"),
        (tells_programs, "environment variables"),
        (tells_programs_no_more, "environment variables"),
        (tells_programs_much, "environment variables"),
        (seeds, "seeds a random generator"),
        (seeds_numpy, "seeds a random generator"),
        (seeds_by_name, "seeds a random generator"),
        (seeds_by_another_name, "seeds a random generator"),
        (hides_files, "mode of new files"),
        (plays, "command line"),
        (plays_on, "command line"),
        (rounds, "decimal context"),
        (hears_warnings, "records warnings"),
        (speaks, "locale"),
        (draws, "matplotlib.pyplot"),
        (draws_here, "matplotlib.pyplot"),
        (queries, "duckdb's default connection"),
        (heeds_warnings, "has them raised"),
        (answers, "standard input"),
        (finds_modules, "where modules are searched"),
        (finds_others, "where modules are searched"),
        (puts_files, "temporary files"),
        (asks_a_proxy, "how URLs are opened"),
        (asks_by_name, "how URLs are opened"),
    ],
)
def test_what_all_threads_share(fn, what):
    """Two calls at once would meet in one directory, or read what the other has printed."""
    assert what in bound_to_thread(fn)


def test_what_is_only_called_alike_is_shared_by_nobody():
    """A client may have a directory of its own, and a name says nothing."""
    assert bound_to_thread(lambda client: client.chdir("files")) == ""
    assert bound_to_thread(lambda item, chdir=len: chdir(item)) == ""
    assert bound_to_thread(lambda item: [item, os.getpid()]) == ""
    assert bound_to_thread(lambda item: {item: os.environ["HOME"], "out": sys.stdout}) == ""
    assert bound_to_thread(lambda settings, name: settings.update({name: os.environ.get(name)})) == ""
    assert bound_to_thread(lambda item: [sys.argv[1:], item, decimal.localcontext()]) == ""
    assert bound_to_thread(lambda path, item: path.append(item) or [*path, *sys.path]) == ""
    assert bound_to_thread(warns_not) == ""
    assert bound_to_thread(lambda item, process: process.stdout.read(item) + process.environ["A"]) == ""


class Service:
    def __init__(self, more=None):
        self.more = more

    def end_on_signals(self, number):
        signal.signal(number, lambda *_: None)

    def fetch(self, key):
        return key

    def __call__(self, key):
        return key


class Alarm:
    def __call__(self, seconds):
        signal.alarm(seconds)
        signal.signal(signal.SIGALRM, lambda *_: None)


def test_a_method_that_sets_signals_binds_what_is_that_method():
    """Nobody knows that others of its object are called: a service ends on signals, and fetches."""
    service = Service()
    for fn in (service.end_on_signals, partial(Service.end_on_signals, service), Alarm(), partial(Alarm())):
        assert "signal handlers" in bound_to_thread(fn)
    for fn in (service.fetch, service, lambda key: [service.fetch(key)], Service(service).fetch):
        assert bound_to_thread(fn) == ""


def stops(item):
    breakpoint()  # noqa: T100 - only its name matters
    return item


def asks(question):
    return input(question)


def stops_inside(item):
    import pdb  # noqa: T100 - the same

    pdb.set_trace()  # noqa: T100 - the same
    return item


@pytest.mark.parametrize(
    ("fn", "name"),
    [(stops, "breakpoint"), (asks, "input"), (stops_inside, "set_trace"), (partial(stops), "breakpoint")],
)
def test_what_asks_at_the_terminal(fn, name):
    """In several threads the questions would come in a heap, and a worker process has nobody to ask."""
    assert f"{name}()" in bound_to_thread(fn)
    assert f"{name}()" in bound_to_thread(lambda item: [fn(item)])
    assert f"{name}()" in kept_here(fn)


def test_a_name_of_ones_own_asks_nobody(monkeypatch):
    """A parameter or a global that has a builtin's name is that."""
    assert bound_to_thread(lambda input: input) == ""  # noqa: A006 - as people name it
    monkeypatch.setitem(globals(), "input", len)
    assert bound_to_thread(asks) == ""


def test_sending_a_signal_binds_nothing():
    """What only names one may be called anywhere."""
    assert bound_to_thread(end_another) == ""


def test_signals_are_set_by_the_global_alone():
    """An attribute of that name sets none, and a function in the function may set them."""

    def outer(number):
        def inner():
            take_handler(number, signal.SIG_DFL)

        return inner()

    assert "signal handlers" in bound_to_thread(outer)
    assert bound_to_thread(lambda item: item.take_handler) == ""


def test_a_database_connection(connection):
    """A connection in a closure, a partial's argument, or an object's attribute binds it."""

    def query(conn, key):
        return conn.execute("select ?", (key,)).fetchone()

    for fn in (
        lambda key: connection.execute(key).fetchone(),
        partial(query, connection),
        Store(connection).get,
    ):
        assert "sqlite3.Connection" in bound_to_thread(fn)


@pytest.mark.parametrize("kept", [lambda each: {"main": each}, lambda each: [each], lambda each: (1, each)])
def test_a_database_connection_in_a_container(connection, kept):
    """Those who have several keep them in a dictionary or a list."""
    assert "sqlite3.Connection" in bound_to_thread(Store(kept(connection)).get)


def call_with(fn, key):
    return fn(key)


def test_a_database_connection_in_what_a_partial_is_given(connection):
    """It is looked into as far as what a closure holds, and functions among it are followed."""

    def query(key):
        return connection.execute("select ?", (key,)).fetchone()

    for given in (query, partial(call_with, query), Store(connection).get, Store(Store(connection))):
        assert "sqlite3.Connection" in bound_to_thread(partial(call_with, given))


class Gone:
    """A proxy of what is not there yet."""

    @property
    def __class__(self):
        raise RuntimeError("outside of a request")


def test_a_proxy_of_nothing_is_not_asked_what_it_is():
    """It would raise, and binds nothing."""
    gone = Gone()
    for fn in (Store(gone).get, partial(call_with, gone), lambda key: [gone, key], Store([gone]).get):
        assert bound_to_thread(fn) == ""


class Lazy(dict):
    """Asks somewhere else for what it holds."""

    def values(self):
        raise KeyError("outside of a request")


class Listed(list):
    """Holds a connection beside its elements."""

    def __iter__(self):
        raise KeyError("outside of a request")


def test_a_container_of_somebody_elses_is_looked_at_without_being_asked(connection):
    """Its own methods may raise, or fetch what it stands for; and it has attributes besides."""
    lazy, listed, empty = Lazy(main=connection), Listed(), Lazy()
    listed.connection = connection
    assert "sqlite3.Connection" in bound_to_thread(lambda key: lazy[key])
    assert "sqlite3.Connection" in bound_to_thread(lambda key: listed.connection)
    assert bound_to_thread(lambda key: empty[key]) == ""


def test_unbound_callables():
    """Ordinary callables are free, builtins and objects that are their own parts too."""
    store = Store(None)
    store.connection = store

    for fn in (len, lambda item: item, store.get, partial(max, key=len), threading.Lock, unbound):
        assert bound_to_thread(fn) == ""


def unbound(item):
    missing_signal = item
    return not_there(missing_signal)  # noqa: F821 - a name that is not bound yet


def test_refusals(connection):
    """The words with which the usual suspects refuse are known."""
    refused = []

    def elsewhere():
        for call in (partial(set_alarm, 1), partial(Store(connection).get, 1)):
            try:
                call()
            except Exception as error:
                refused.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()

    assert [refused_thread(error) for error in refused] == [True, True]
    assert not refused_thread(ValueError("no"))


def test_a_lock_that_the_caller_holds_binds():
    """Elsewhere the callable would wait for it for ever; a lock that nobody holds binds nothing."""
    lock = threading.RLock()

    def guarded(item):
        with lock:
            return item

    assert bound_to_thread(guarded) == ""
    with lock:
        assert "a lock that the caller holds" in bound_to_thread(guarded)
        assert bound_to_thread(guarded, caller=1) == ""
