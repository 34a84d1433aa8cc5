"""The process pool: while its thread is only being started, and what its workers cannot do."""

import logging
import os
import sys
import threading
import time
from concurrent.futures import CancelledError, wait
from contextlib import closing, nullcontext
from contextvars import ContextVar, copy_context
from queue import SimpleQueue
from unittest import mock

import pytest
from pool_calls import OnlyHere, account, die_at, hold, meet, pid_after, pid_of, task, wait_for

from concurrent_choices import AdaptiveExecutor, NotPicklableError, WorkerDiedError
from concurrent_choices._embed._accounting._held import held_by
from concurrent_choices._embed._processes import _in_tray, _process_pool
from concurrent_choices._embed._processes._desk import Desk
from concurrent_choices._embed._processes._process_pool import ProcessPool
from concurrent_choices._strategies._workers._between._surroundings import surroundings
from concurrent_choices._strategies._workers._hosting import _host
from concurrent_choices._strategies._workers._hosting._host import FALSE_STARTS, Host
from concurrent_choices._strategies._workers._hosting._wires import Wires
from descriptors import no_descriptors


class Unstartable:
    """A thread that is refused, after a while."""

    daemon = True
    starting, may_fail = threading.Event(), threading.Event()

    def start(self):
        self.starting.set()
        assert self.may_fail.wait(60)
        raise RuntimeError("can't start new thread")


def test_calls_that_come_while_its_thread_fails_to_start(monkeypatch):
    """None of them is left where nobody looks: each is made in a thread."""
    monkeypatch.setattr(_in_tray, "new_thread", lambda *_: Unstartable())
    returned = []
    pool = ProcessPool(2, Desk(on_returned=returned.append, on_ended=None, on_looked=None))
    calls = [task(pid_of, 1) for _ in range(2)]
    first, second = (threading.Thread(target=pool.submit, args=(call,)) for call in calls)
    first.start()
    assert Unstartable.starting.wait(60)
    second.start()
    second.join(0.1)  # it waits now, unless the machine is crowded: then it comes later, to the same end
    Unstartable.may_fail.set()
    first.join(60)
    second.join(60)
    assert set(returned) == set(calls)
    assert all(call.account.place == "thread" for call in calls)


class Exits:
    """A callable, or an argument, that would end whatever thread pickles it."""

    def __call__(self):
        return os.getpid()

    def __reduce_ex__(self, protocol):
        sys.exit(f"pickled as of {protocol}")


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (OnlyHere("no"), "a worker process cannot load it: ValueError: no"),
        (OnlyHere("deadly"), "loading it ends a worker process (exit code 3)"),
        (OnlyHere(threading.Lock()), "it cannot be pickled"),
        (Exits(), "it cannot be pickled (SystemExit: pickled as of"),
    ],
)
def test_a_look_says_why_a_callable_cannot_be_loaded(fn, words):
    """That keeps it in this process, and no other callable with it."""
    said = SimpleQueue()
    pool = ProcessPool(1, Desk(on_returned=None, on_ended=None, on_looked=lambda *about: said.put(about)))
    with closing(pool):
        asked = [account(), account()]
        pool.look_at(asked[0], fn)
        pool.look_at(asked[1], hold)
        answers = dict(said.get(timeout=60) for _ in range(2))
    assert answers[asked[0]].startswith(words)
    assert answers[asked[1]] == held_by(hold)


def opened():
    """Stand for what a test replaces."""


@pytest.mark.parametrize("held", [threading.Lock(), 1], ids=["without a pickle", "with one"])
def test_what_a_test_replaces_before_a_callable_is_sent_says_nothing_against_it(held):
    """It is neither looked at nor called in a worker then, and may go there afterwards."""

    def opens():
        return opened()

    answered = SimpleQueue()
    desk = Desk(on_returned=answered.put, on_ended=answered.put, on_looked=lambda *about: answered.put(about))
    looked_at, called = account(), account()
    call = task(opens, known=called)
    with closing(ProcessPool(1, desk)) as pool, mock.patch(f"{__name__}.opened", return_value=held):
        pool.look_at(looked_at, opens)
        pool.submit(call)
        assert answered.get(timeout=60) is call
        assert answered.empty()
    for known in (looked_at, called):
        assert known.place == "thread"
        assert not known.figures.obstacle
        assert known.why.endswith("was replaced here, which another process would not see")


@pytest.mark.parametrize("call", [(pid_of, OnlyHere("no")), (pid_of, OnlyHere("deadly")), (OnlyHere("no"),)])
def test_a_call_that_a_worker_cannot_read_is_made_here(call):
    """Be it the argument or the callable: nothing of it was begun there. Others still go there.

    Also where an argument ends the worker that reads it, as it would end the next one.
    """
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        assert executor.submit(pid_of, 1).result(60) != os.getpid()
        assert executor.submit(*call).result(60) == os.getpid()
        assert executor.submit(pid_of, 1).result(60) != os.getpid()


class ExitsHere:
    """A result that would end whatever thread of the caller's process reads it."""

    def __init__(self, home):
        self.home = home

    def __setstate__(self, state):
        if os.getpid() == state["home"]:
            sys.exit("read")
        self.__dict__ = state


@pytest.mark.parametrize("call", [(pid_of, Exits()), (Exits(),)])
def test_what_would_end_the_thread_that_pickles_it_is_called_here(call):
    """That thread serves all calls."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        assert executor.submit(*call).result(60) == os.getpid()
        assert executor.submit(pid_of, 1).result(60) != os.getpid()


def test_what_would_end_the_thread_that_reads_it_is_an_error():
    """Nothing else is lost with it."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        with pytest.raises(NotPicklableError, match="SystemExit: read"):
            executor.submit(ExitsHere, os.getpid()).result(60)
        assert executor.submit(pid_of, 1).result(60) != os.getpid()


def made_of(path, home):
    """What another process can only load once there is such a file."""
    if os.getpid() != home and not path.exists():
        raise FileNotFoundError(path)
    return OnlyWith(path)


class OnlyWith:
    """A thing that needs a file to be loaded elsewhere."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return made_of, (self.path, os.getpid())


def test_a_callable_that_could_not_be_loaded_is_sent_again(tmp_path):
    """With its next call: the worker does not know it yet."""
    held = OnlyWith(tmp_path / "now")

    def fn():
        return os.getpid(), held

    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        assert executor.submit(fn).result(60)[0] == os.getpid()
        (tmp_path / "now").touch()
        assert executor.submit(fn).result(60)[0] != os.getpid()


def test_workers_that_cannot_load_what_they_need_of_this_library(monkeypatch):
    """As where it has been upgraded meanwhile: calls, also those that were sent already, are made here."""
    monkeypatch.setattr(_process_pool, "serve", OnlyHere("upgraded"))
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        calls = [executor.submit(pid_of, number) for number in range(4)]
        assert {call.result(60) for call in calls} == {os.getpid()}


def test_workers_that_do_not_come_up(monkeypatch):
    """One that says so is not replaced for ever: calls are made in threads."""
    monkeypatch.setattr(_host, "surroundings", lambda: {**surroundings(), "recursion": -1})
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        assert executor.submit(abs, -1).result() == 1
        assert "recursion" in executor.explain()["abs"].why


def test_a_thread_that_ends_a_call_just_before_the_pool_goes_to_sleep(monkeypatch):
    """Then a call that waited for that, by its own limit, is handed to a worker all the same."""
    monkeypatch.setattr(_process_pool, "REST", 1e6)
    about_to_sleep, go_on = threading.Event(), threading.Event()

    class Sleepy(ProcessPool):
        def _deal(self):
            super()._deal()
            if self._desk.backlog.size and all(queue.worker.ready for queue in self._queues.values()):
                about_to_sleep.set()
                assert go_on.wait(60)

    limited = account(ceiling=1)
    limited.running = 1
    call = task(pid_of, 1, known=limited)
    with closing(Sleepy(1, Desk(on_returned=None, on_ended=lambda _task: None, on_looked=None))) as pool:
        pool.submit(call)
        assert about_to_sleep.wait(60)
        limited.running = 0
        pool.poke()
        go_on.set()
        assert call.result(60) != os.getpid()


def test_calls_given_up_before_their_worker_is_ready(monkeypatch):
    """To end it was our doing: it says nothing of workers that cannot start."""
    deal = ProcessPool._deal

    def dealt(self):
        deal(self)
        for queue in list(self._queues.values()):
            for asked in queue.assignments:
                asked.abandoned = True
                self._give_up(asked)

    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        with monkeypatch.context() as patch:
            patch.setattr(ProcessPool, "_deal", dealt)
            for _ in range(FALSE_STARTS):
                assert isinstance(executor.submit(pid_of, 1).exception(60), CancelledError)
        assert executor.submit(pid_of, 1).result(60) != os.getpid()


def no_process(_host):
    """As where there may be no more of them."""
    raise OSError("no more processes")


def killed(host, hire=Host.hire):
    """A worker that somebody kills as it comes up."""
    worker = hire(host)
    worker.kill()
    return worker


@pytest.mark.parametrize("place", ["auto", "process"])
@pytest.mark.parametrize(
    ("hired", "reason"), [(no_process, "no more processes"), (killed, "ended before they were ready")]
)
def test_where_no_workers_could_be_had_they_are_tried_again_after_a_while(
    hired, reason, place, monkeypatch, caplog
):
    """It is said in the log, and until then calls are made in threads."""
    with AdaptiveExecutor(max_processes=1, place=place) as executor:
        with monkeypatch.context() as patch:
            patch.setattr(Host, "hire", hired)
            while not executor._core._process_pool.unfit:
                executor.submit(pid_after, 200_000).result(60)
        assert executor.submit(pid_after, 200_000).result(60) == os.getpid()
        while "not known yet" in executor.explain()["pid_after"].why:  # its look is being refused
            executor.submit(pid_after, 200_000).result(60)
        assert reason in executor.explain()["pid_after"].why
        assert reason in caplog.text
        monkeypatch.setattr(executor._core._process_pool._respite, "_until", 0.0)
        while executor.submit(pid_after, 200_000).result(60) == os.getpid():
            pass


def test_a_look_that_lies_ahead_of_a_worker_that_dies_is_made_by_another(tmp_path):
    """The callable is none the worse for it."""
    said = SimpleQueue()
    pool = ProcessPool(
        1, Desk(on_returned=None, on_ended=lambda _task: None, on_looked=lambda *it: said.put(it))
    )
    dying = task(die_at, tmp_path / "now")
    with closing(pool):
        pool.submit(dying)
        while not dying.started:
            time.sleep(1e-3)
        pool.look_at(account(), hold)
        while not any(len(queue.assignments) > 1 for queue in list(pool._queues.values())):
            time.sleep(1e-3)
        (tmp_path / "now").touch()
        assert isinstance(dying.exception(60), WorkerDiedError)
        assert said.get(timeout=60)[1] == held_by(hold)


def test_where_no_further_worker_can_be_started_there_are_those_that_have_been(tmp_path):
    """As where this process may open no more files."""
    with AdaptiveExecutor(max_processes=2, place="process") as executor:
        worker = executor.submit(pid_of, 1).result(60)
        with no_descriptors():
            busy, then = executor.submit(wait_for, tmp_path / "now"), executor.submit(pid_of, 1)
            while executor._core._process_pool.most > 1 and not then.done():
                time.sleep(1e-3)
        (tmp_path / "now").touch()
        assert busy.result(60) == worker == then.result(60)


def test_calls_whose_callable_goes_back_to_threads_wait_for_no_worker(tmp_path):
    """Neither those that waited already nor one that comes later."""
    returned = SimpleQueue()
    known = account()
    pool = ProcessPool(1, Desk(on_returned=returned.put, on_ended=lambda _task: None, on_looked=None))
    with closing(pool):
        pool.submit(task(wait_for, tmp_path / "now"))
        ahead, *waiting = (task(pid_of, 1, known=known) for _ in range(3))
        for call in (ahead, *waiting):
            pool.submit(call)
        while not ahead.started:
            time.sleep(1e-3)
        known.bar("of what a test says")
        late = task(pid_of, 1, known=known)
        pool.submit(late)
        assert [returned.get(timeout=60) for _ in range(3)] == [*waiting, late]
        (tmp_path / "now").touch()


def test_a_call_that_lies_ahead_of_a_worker_that_dies_is_made_by_another(tmp_path):
    """It had not begun, so it is not lost with the one that had."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        executor._core.accounts.of(die_at).figures.measured = 2  # and short, so that one may be sent ahead
        dying = executor.submit(die_at, tmp_path / "now")
        ahead = executor.submit(pid_of, 1)
        (tmp_path / "now").touch()
        assert isinstance(dying.exception(60), WorkerDiedError)
        assert ahead.result(60) != os.getpid()


def test_workers_without_calls_are_let_go(monkeypatch):
    """The next call gets a new one."""
    monkeypatch.setattr(_process_pool, "REST", 0.05)
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        first = executor.submit(pid_of, 1).result(60)
        queues = executor._core._process_pool._queues
        until = time.monotonic() + 60
        while queues and time.monotonic() < until:
            time.sleep(1e-3)
        assert executor.submit(pid_of, 1).result(60) not in {first, os.getpid()}


def test_what_could_not_be_opened_for_once_makes_the_pool_no_smaller_for_good(tmp_path, monkeypatch):
    """When its workers have been let go, as many as before may follow."""
    with AdaptiveExecutor(max_processes=2, place="process") as executor:
        pool = executor._core._process_pool
        executor.submit(pid_of, 1).result(60)
        with no_descriptors():
            busy, then = executor.submit(wait_for, tmp_path / "now"), executor.submit(pid_of, 1)
            while pool.most > 1 and not then.done():
                time.sleep(1e-3)
        assert pool.most == 1
        monkeypatch.setattr(_process_pool, "REST", 0.05)
        (tmp_path / "now").touch()
        busy.result(60)
        then.result(60)
        while pool._queues:
            time.sleep(1e-3)
        monkeypatch.setattr(_process_pool, "REST", 60.0)
        first, second = tmp_path / "first", tmp_path / "second"
        calls = executor.submit(meet, first, second), executor.submit(meet, second, first)
        try:
            assert len({os.getpid(), *(each.result(10) for each in calls)}) == 3
        finally:
            first.touch()
            second.touch()


class Spelled:
    """An argument that counts how often somebody asks for its repr in the process that made it."""

    times = 0

    def __repr__(self):
        type(self).times += 1
        return "Spelled()"


def test_what_came_of_a_call_is_handed_over_without_spelling_its_arguments_again():
    """A repr of large data takes longer than many a call: once, on the way there, is enough."""
    Spelled.times = 0
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        calls = [executor.submit(pid_of, Spelled()) for _ in range(3)]
        assert os.getpid() not in {call.result(60) for call in calls}
    assert Spelled.times <= len(calls)


REQUEST = ContextVar("request", default="none")
LOG = logging.getLogger("embed.pool")


def logs(item):
    LOG.info("called with %s", item)
    return item


def test_what_calls_log_there():
    """It is handled here, each record in its own call's context, before the call's result is there."""
    seen = []
    handler = logging.Handler()
    handler.emit = lambda record: seen.append((REQUEST.get(), record.getMessage()))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    try:
        with AdaptiveExecutor(max_processes=1, place="process") as executor:
            for number in range(5):
                context = copy_context()
                context.run(REQUEST.set, f"request {number}")
                assert context.run(executor.submit, logs, number).result() == number
                assert seen[-1] == (f"request {number}", f"called with {number}")
    finally:
        LOG.removeHandler(handler)
        LOG.setLevel(logging.NOTSET)
    assert len(seen) == 5


def fail(*_about, **_more):
    """What nobody foresees: a stand-in for what a library for tests has put in place of the system's."""
    raise TypeError("not the system's")


def test_where_the_pool_cannot_even_begin_calls_are_made_in_threads(monkeypatch, caplog):
    """Whatever the reason is: the log has it, with its traceback, and the executor can be shut down."""
    monkeypatch.setattr(_process_pool, "Host", fail)
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        assert [executor.submit(pid_of, 1).result(60) for _ in range(3)] == [os.getpid()] * 3
        assert "not the system's" in executor.explain()["pid_of"].why
    assert "in fail" in caplog.text


def test_workers_may_be_had_again_as_a_call_is_dealt_out(caplog):
    """It goes where was said before: nobody is there yet who could hire any."""

    class Relenting(ProcessPool):
        answers = iter(["for a while"])
        unfit = property(lambda self: next(self.answers, ""))

    returned = SimpleQueue()
    with closing(Relenting(1, Desk(on_returned=returned.put, on_ended=returned.put, on_looked=None))) as pool:
        call = task(pid_of, 1)
        pool.tray.orders.append(pool.order(call))
        pool.tray.open()
        assert returned.get(timeout=60) is call
        assert not call.done()
    assert "unexpected" not in caplog.text


def test_an_error_in_the_thread_of_the_pool_leaves_nobody_waiting(tmp_path, monkeypatch):
    """What a worker had begun ends, with that error as the cause; the rest is made here for a while."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        pool = executor._core._process_pool
        executor._core.accounts.of(meet).figures.measured = 2  # and short, so that one may be sent ahead
        begun = executor.submit(meet, tmp_path / "begun", tmp_path / "never")
        ahead, waiting = (executor.submit(pid_of, number) for number in range(2))
        wait_for(tmp_path / "begun")
        while not any(len(queue.assignments) > 1 for queue in list(pool._queues.values())):
            time.sleep(1e-3)
        with monkeypatch.context() as patch:
            patch.setattr(Wires, "heard", fail)
            pool.poke()
            error = begun.exception(60)
            assert ahead.result(60) == waiting.result(60) == os.getpid()
        assert isinstance(error, WorkerDiedError)
        assert isinstance(error.__cause__, TypeError)
        assert executor.submit(pid_of, 1).result(60) == os.getpid()
        assert {known.away for known in executor._core.accounts} == {0}
        monkeypatch.setattr(pool._respite, "_until", 0.0)
        assert executor.submit(pid_of, 1).result(60) != os.getpid()


def read_for_ever(path, home):
    """Never come back, but in the process of that number; there is a file then."""
    path.touch()
    while os.getpid() != home:
        time.sleep(1e-3)


class NeverRead:
    """A callable that no other process can load."""

    def __init__(self, path):
        self.path = path

    def __call__(self):
        return None

    def __reduce__(self):
        return read_for_ever, (self.path, os.getpid())


def test_a_look_that_had_begun_as_the_pool_failed_says_nothing_against_its_callable(tmp_path, monkeypatch):
    """Its worker was ended for another reason, so the callable may move later."""
    known = account()
    pool = ProcessPool(1, Desk(on_returned=None, on_ended=None, on_looked=None))
    with closing(pool):
        pool.look_at(known, NeverRead(tmp_path / "begun"))
        wait_for(tmp_path / "begun")
        with monkeypatch.context() as patch:
            patch.setattr(Wires, "heard", fail)
            pool.poke()
            while "not the system's" not in known.why:
                time.sleep(1e-3)
    assert not known.figures.obstacle


def interrupt(_future):
    """Raise what Ctrl-C does, wherever it is called."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("callback", [sys.exit, interrupt])
@pytest.mark.parametrize("place", ["process", "thread"])
def test_a_callback_that_raises_as_its_call_is_cancelled(tmp_path, place, callback):
    """Others are cancelled all the same, and those who wait hear of it; whoever may press Ctrl-C is told."""
    with AdaptiveExecutor(1, max_processes=1, place=place) as executor:
        busy = executor.submit(meet, tmp_path / "begun", tmp_path / "now")
        calls = [executor.submit(pid_of, number) for number in range(4)]
        wait_for(tmp_path / "begun")
        calls[1].add_done_callback(callback)
        here = callback is interrupt and place == "thread"
        with pytest.raises(KeyboardInterrupt) if here else nullcontext():
            executor.shutdown(wait=False, cancel_futures=True)
        if here:  # the rest is made, as by other executors
            (tmp_path / "now").touch()
        assert wait(calls, 60).not_done == set()
        (tmp_path / "now").touch()
        assert busy.result(60)
    assert [call.cancelled() for call in calls[1:]] == [True, not here, not here]
