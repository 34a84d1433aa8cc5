"""What lies behind a call that does not end: it is taken back, made by another worker, and made once."""

import os
import signal
import time
from contextlib import closing, contextmanager
from itertools import combinations
from queue import SimpleQueue
from socket import MSG_DONTWAIT, socketpair
from types import SimpleNamespace

import pytest
from pool_calls import OnlyHere, account, appear, task

from concurrent_choices import AdaptiveExecutor, WorkerDiedError
from concurrent_choices._embed._accounting._held import held_by
from concurrent_choices._embed._processes._call_queue import JOB, CallQueue
from concurrent_choices._embed._processes._desk import Desk
from concurrent_choices._embed._processes._process_pool import ProcessPool
from concurrent_choices._embed._processes._recall import SEEN, SLOW, overdue

# The rule, with workers that do what the test says


class Scripted:
    """A worker that is at its first call and has another behind that."""

    def __init__(self, ours, theirs):
        self.page = SimpleNamespace(started=1, cancelled=0)
        self.link = SimpleNamespace(fileno=ours.fileno, unfinished=0)
        self.made = 0
        self._ours, self._theirs = ours, theirs

    @property
    def started(self):
        return self.page.started

    def say_of_first(self):
        self._theirs.send(b"made")

    def begin_second(self):
        self.page.started += 1
        self.made += self.page.cancelled != JOB

    def say_of_second(self):
        self._theirs.send(b"made" if self.made else b"none")

    def heard(self):
        """What it has said since it was last asked, by whether the call was made."""
        try:
            said = self._ours.recv(100, MSG_DONTWAIT)
        except BlockingIOError:
            said = b""
        return [said[at : at + 4] == b"made" for at in range(0, len(said), 4)]


@contextmanager
def scripted():
    """A queue of two calls, and its worker."""
    ours, theirs = socketpair()
    with ours, theirs:
        worker = Scripted(ours, theirs)
        queue = CallQueue(worker)
        queue.assignments += task(pow, 2, 3), task(pow, 2, 4)
        yield queue, worker


def test_a_call_is_given_its_time_and_then_the_one_behind_is_taken_back():
    """Not before the worker is sure to see that it may begin nothing; then nothing is sent to it."""
    with scripted() as (queue, worker):
        second = queue.assignments[1]
        assert overdue([queue], 2, 10.0) == ([], pytest.approx(SLOW))
        assert overdue([queue], 2, 10.0 + SLOW / 2) == ([], pytest.approx(SLOW / 2))
        assert not queue.halted
        assert overdue([queue], 2, 20.0) == ([], pytest.approx(SEEN))
        assert worker.page.cancelled == JOB
        assert overdue([queue], 2, 20.0 + SEEN / 2) == ([], pytest.approx(SEEN / 2))
        assert overdue([queue], 2, 30.0) == ([queue], None)
        assert queue.recall() is second
        assert overdue([queue], 2, 40.0) == ([], None)
        assert not queue.room()


@pytest.mark.parametrize("part", [False, True])
def test_nothing_is_taken_back_from_a_worker_that_has_said_something(part):
    """It may have begun the second by then: what it says, be it half of a message yet, tells."""
    with scripted() as (queue, worker):
        overdue([queue], 2, 10.0)
        overdue([queue], 2, 20.0)
        if part:
            worker.link.unfinished = 1
        else:
            worker.say_of_first()
        assert overdue([queue], 2, 30.0) == ([], None)


def test_nothing_is_taken_back_where_nobody_could_make_it_sooner():
    """Where there is one worker, or all take as long; but as soon as one of them gets on."""
    with scripted() as (queue, _), scripted() as (other, worker):
        assert overdue([queue], 1, 10.0) == ([], pytest.approx(SLOW))
        assert overdue([queue], 1, 20.0) == ([], None)
        other.since = queue.since
        assert overdue([queue, other], 2, 30.0) == ([], None)
        assert {queue.halted, other.halted} == {0.0}
        other.answered()
        assert overdue([queue, other], 2, 40.0) == ([], pytest.approx(SEEN))
        assert queue.halted
        assert not worker.page.cancelled


def test_a_worker_that_has_begun_nothing_is_not_slow():
    """It starts up, or reads: its first call would not be made there if it were told to begin nothing."""
    with scripted() as (queue, worker):
        worker.page.started = 0
        assert overdue([queue], 2, 10.0) == ([], pytest.approx(SLOW))
        assert overdue([queue], 2, 20.0) == ([], pytest.approx(SLOW))
        worker.page.started = 1
        assert overdue([queue], 2, 20.0 + SLOW / 2) == ([], pytest.approx(SLOW / 2))
        assert not queue.halted


def merged(left, right):
    """All ways in which two may take their steps in turns."""
    for places in combinations(range(len(left) + len(right)), len(left)):
        mine, others = iter(left), iter(right)
        yield [next(mine) if at in places else next(others) for at in range(len(left) + len(right))]


@pytest.mark.parametrize("looks", ["halt take", "halt take hear", "halt hear take", "hear halt hear take"])
def test_the_second_call_is_made_once_whoever_comes_first(looks):
    """In every order in which the worker and the pool may take their steps."""
    for steps in merged(["say_of_first", "begin_second", "say_of_second"], looks.split()):
        with scripted() as (queue, worker):
            given = []

            def hear(queue=queue, worker=worker, given=given):
                for made in worker.heard():
                    asked = queue.answered()
                    given += [] if made or asked is None else [asked]

            overdue([queue], 2, 10.0)
            for step in steps:
                if step == "hear":
                    hear()
                elif step in {"halt", "take"}:
                    free, _ = overdue([queue], 2, 20.0 if step == "halt" else 30.0)
                    given += [each.recall() for each in free]
                else:
                    getattr(worker, step)()
            hear()
            assert worker.made + len(given) == 1, steps
            assert queue.room(), steps
            assert worker.page.cancelled == 0, steps


# With processes


def call(folder, name):
    """Note that it is made, and end when there is a file of its name; where that was."""
    notes = os.open(folder / "calls", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    os.write(notes, f"{name}\n".encode())
    os.close(notes)
    (folder / f"{name} begun").touch()
    while not (folder / name).exists():
        time.sleep(1e-3)
    return os.getpid()


def calls_in(folder):
    """The names of all calls that were made."""
    return sorted((folder / "calls").read_text().split())


class HeldUp:
    """An executor of two workers: one hangs and has a call behind that, the other is at a call as well."""

    def __init__(self, executor, folder, behind):
        self.executor = executor
        executor._core.accounts.of(call).figures.measured = 2  # and short, so that one may be sent ahead
        self.hanging = executor.submit(call, folder, "hanging")
        self.busy = executor.submit(call, folder, "busy")
        appear(folder / "hanging begun")
        appear(folder / "busy begun")
        self.behind = executor.submit(*behind)
        pool = executor._core._process_pool
        while not any(len(queue.assignments) > 1 for queue in list(pool._queues.values())):
            time.sleep(1e-3)
        self.workers = [queue.worker.pid for queue in pool._queues.values()]


@contextmanager
def held_up(folder, *behind):
    """The executor; afterwards nothing hangs."""
    with AdaptiveExecutor(max_processes=2, place="process") as executor:
        try:
            yield HeldUp(executor, folder, behind or (call, folder, "behind"))
        finally:
            for name in ("hanging", "busy", "behind"):
                (folder / name).touch()


def test_a_call_behind_one_that_hangs_is_made_by_another_worker(tmp_path):
    """It ends while that hangs; which then ends as well, and its worker goes on, knowing what it is sent."""

    def there(name):
        return call(tmp_path, name)

    with held_up(tmp_path, there, "behind") as pool:
        (tmp_path / "behind").touch()
        (tmp_path / "busy").touch()
        assert pool.behind.result(60) == pool.busy.result(60)
        assert not pool.hanging.done()
        (tmp_path / "hanging").touch()
        assert {pool.hanging.result(60), pool.busy.result(60)} == {*pool.workers}
        later = [pool.executor.submit(there, name) for name in ("left", "right")]
        for name in ("left", "right"):
            appear(tmp_path / f"{name} begun")
        for name in ("left", "right"):
            (tmp_path / name).touch()
        assert {each.result(60) for each in later} == {*pool.workers}
        assert {known.away for known in pool.executor._core.accounts} == {0}
    assert calls_in(tmp_path) == ["behind", "busy", "hanging", "left", "right"]


def test_a_worker_that_hangs_and_is_killed_takes_no_other_call_with_it(tmp_path):
    """The one that lay behind was taken back, and is being made or has been."""
    with held_up(tmp_path) as pool:
        (tmp_path / "busy").touch()
        appear(tmp_path / "behind begun")
        (hangs,) = {*pool.workers} - {pool.busy.result(60)}
        os.kill(hangs, signal.SIGKILL)
        assert isinstance(pool.hanging.exception(60), WorkerDiedError)
        (tmp_path / "behind").touch()
        assert pool.behind.result(60) == pool.busy.result(60)
        assert {known.away for known in pool.executor._core.accounts} == {0}
    assert calls_in(tmp_path) == ["behind", "busy", "hanging"]


def where(_given):
    """Where it runs."""
    return os.getpid()


@pytest.mark.parametrize("how", ["deadly", "no"])
def test_what_was_taken_back_and_cannot_be_read(tmp_path, how):
    """The other worker says so, or dies of it; so does the first, later, which is then nobody's loss."""
    with held_up(tmp_path, where, OnlyHere(how)) as pool:
        (tmp_path / "busy").touch()
        assert pool.behind.result(60) == os.getpid()
        (tmp_path / "hanging").touch()
        assert pool.hanging.result(60) in pool.workers
        assert pool.executor.submit(where, 1).result(60) != os.getpid()


def test_a_worker_gets_to_its_second_call_after_it_was_told_to_begin_nothing(tmp_path, monkeypatch):
    """It answers that it has not begun it, and so it is given out again: here to itself."""
    given = []
    hand_on = Desk.hand_on

    def handed_on(self, queue, asked):
        given.append(asked)
        hand_on(self, queue, asked)

    monkeypatch.setattr(Desk, "hand_on", handed_on)
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        executor._core.accounts.of(call).figures.measured = 2
        first, second = (executor.submit(call, tmp_path, name) for name in ("first", "second"))
        appear(tmp_path / "first begun")
        (queue,) = executor._core._process_pool._queues.values()
        while len(queue.assignments) < 2:
            time.sleep(1e-3)
        queue.halt(time.monotonic() + 3600)  # it is not sure yet that it sees that
        (tmp_path / "first").touch()
        (tmp_path / "second").touch()
        assert first.result(60) == second.result(60) != os.getpid()
    assert given == [second]
    assert calls_in(tmp_path) == ["first", "second"]


def test_a_look_behind_a_call_that_hangs_is_had_of_another_worker(tmp_path):
    """The callable is moved all the sooner."""
    said = SimpleQueue()
    pool = ProcessPool(
        2, Desk(on_returned=None, on_ended=lambda _task: None, on_looked=lambda *it: said.put(it))
    )
    calls = [task(call, tmp_path, name) for name in ("hanging", "busy")]
    with closing(pool):
        try:
            for each in calls:
                pool.submit(each)
            appear(tmp_path / "hanging begun")
            appear(tmp_path / "busy begun")
            pool.look_at(account(), call)
            while not any(len(queue.assignments) > 1 for queue in list(pool._queues.values())):
                time.sleep(1e-3)
            (tmp_path / "busy").touch()
            assert said.get(timeout=60)[1] == held_by(call)
            assert not calls[0].done()
        finally:
            (tmp_path / "hanging").touch()
            (tmp_path / "busy").touch()
        assert calls[0].result(60) != calls[1].result(60)
