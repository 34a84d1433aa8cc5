"""What a callable uses that each process has one of its own of."""

from __future__ import annotations

import csv
import io
import multiprocessing
import queue
import sqlite3
import threading
from types import SimpleNamespace

import pytest

from concurrent_choices._inspect._captured import reached_from
from concurrent_choices._inspect._one_process import held_within, of_one_process


class Registry:
    """What threads may fill."""

    def __init__(self):
        self.lock = threading.Lock()


class Travelling(Registry):
    """It leaves its lock behind."""

    def __getstate__(self):
        return {}


class Beside:
    """What a lock of its own guards in all of its objects."""

    _locks = {"all": threading.RLock()}  # noqa: RUF012 - shared on purpose

    def __call__(self, item):
        return item


def using(thing):
    """What hangs on a callable that uses a thing."""
    return held_within(reached_from(lambda item: (thing, item)))


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (threading.Lock(), "is a threading.Lock,"),
        (threading.RLock(), "is a threading.RLock,"),
        (threading.Event(), "is a threading.Event,"),
        (threading.BoundedSemaphore(2), "is a threading.Semaphore,"),
        (queue.SimpleQueue(), "is a queue.SimpleQueue,"),
        (queue.PriorityQueue(), "is a queue.Queue,"),
        (multiprocessing.Value("i"), "is a multiprocessing.sharedctypes.Synchronized,"),
        (csv.writer(io.StringIO()), "is a csv.writer,"),
        (Registry(), "holds a threading.Lock,"),
        ([{"app": SimpleNamespace(registry=Registry())}], "holds a threading.Lock,"),
        (Beside(), "holds a threading.RLock,"),
    ],
)
def test_what_threads_of_one_process_meet_by(thing, words):
    """In another process nobody would be met by it."""
    assert f"the enclosing 'thing' {words}" in of_one_process(using(thing)).replace(
        "Beside._locks", "the enclosing 'thing'"
    )


@pytest.mark.parametrize("thing", [5, [1, 2], Travelling(), threading.local(), io.StringIO(), print, None])
def test_what_is_the_same_in_any_process(thing):
    """So is what says itself what of it travels."""
    assert of_one_process(using(thing)) == ""


def test_what_a_library_holds():
    """Its locks are its own: each process has a client of its own, with them."""
    httpx = pytest.importorskip("httpx")
    with httpx.Client() as client:
        assert of_one_process(using(client)) == ""


def test_databases_of_sqlite(tmp_path):
    """One that a file has is the same elsewhere; one in memory is not, nor perhaps another thread's."""
    connections = [sqlite3.connect(place) for place in (tmp_path / "shop.db", ":memory:")]
    for connection in connections:
        connection.row_factory = lambda *_: pytest.fail("not to be asked")
    assert [bool(of_one_process(using(each))) for each in connections] == [False, True]
    told = []
    thread = threading.Thread(target=lambda: told.append(of_one_process(using(connections[0]))))
    thread.start()
    thread.join()
    assert "a database that is, or may be, in memory" in told[0]
    for each in connections:
        each.close()


@pytest.mark.parametrize(
    ("address", "stays"),
    [("sqlite://", True), ("sqlite:///:memory:", True), ("sqlite:///shop.db", False)],
)
def test_databases_of_sqlalchemy(address, stays):
    """An engine leads to its address, and so does what makes sessions of it."""
    sqlalchemy = pytest.importorskip("sqlalchemy")
    orm = pytest.importorskip("sqlalchemy.orm")
    engine = sqlalchemy.create_engine(address)
    for thing in (engine, orm.sessionmaker(bind=engine)):
        assert bool(of_one_process(using(thing))) is stays


@pytest.mark.parametrize(
    ("library", "make"),
    [
        ("fakeredis", lambda library: library.FakeRedis()),
        ("prometheus_client", lambda library: library.Counter("seen", "", registry=None)),
        ("tqdm", lambda library: library.tqdm(file=io.StringIO())),
    ],
)
def test_libraries_whose_objects_count_or_keep(library, make):
    """What they have counted or kept would be missing in another process."""
    thing = make(pytest.importorskip(library))
    assert f"is a {library}" in of_one_process(using(thing))
