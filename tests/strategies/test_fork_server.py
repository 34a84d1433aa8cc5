"""Workers are forks of one process, which can be lost, and leave nothing with one another."""

from __future__ import annotations

import errno
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from decimal import Decimal
from functools import partial
from pathlib import Path

import numpy as np
import psutil
import pytest
from worker_acts import descriptors, die_as_orphan, has_cloudpickle, lose_parent, nap, whereabouts

from concurrent_choices import (
    ClosedStrategyError,
    HybridStrategy,
    ProcessStrategy,
    WorkerDiedError,
    WorkerStartError,
    run,
)
from concurrent_choices._strategies._workers._hosting import _fork_client, _host
from concurrent_choices._strategies._workers._hosting._child import readable
from concurrent_choices._strategies._workers._inside import _fork_server


@pytest.fixture
def host():
    """A host of workers."""
    made = _host.Host("process")
    yield made
    made.close()


def exact(item):
    """Uses a module of the standard library whose file can be seen in a process's memory."""
    return Decimal(item)


def random_number(_item):
    """The next of those that all code of a process shares."""
    return os.getpid(), np.random.random()  # noqa: NPY002 - what is looked at


def ready(worker):
    """Wait for a worker's first word."""
    worker.link.receive()
    return worker


def open_at_rest(pid):
    """How many descriptors a process has open, once it waits for what comes next."""
    while psutil.Process(pid).status() != psutil.STATUS_SLEEPING:
        time.sleep(1e-3)
    return len([*Path(f"/proc/{pid}/fd").iterdir()])


@pytest.mark.parametrize("needed", [[], ["concurrent_choices._strategies._lanes._threads"]])
def test_what_lanes_inside_need_is_imported_once(needed):
    """Our own modules."""

    def has_lanes(_item):
        return "concurrent_choices._strategies._lanes._threads" in sys.modules

    with ProcessStrategy(max_workers=1) as strategy:
        with strategy._keeper.lend() as host:
            host.preload(has_lanes, needed)
        assert run(has_lanes, [0], strategy=strategy) == [bool(needed)]


class ModulesThere:
    """Comes to a worker as the names of what is imported there by then."""

    def __reduce__(self):
        return eval, ("{*__import__('sys').modules}",)


def telling_imports(*, is_async):
    """Tells what its worker has imported since it came there; by value, or its module would be among it."""
    there = ModulesThere()

    def imported(_item):
        return {*sys.modules} - there

    async def imported_on_a_loop(item):
        return imported(item)

    return imported_on_a_loop if is_async else imported


@pytest.mark.parametrize("kind", [ProcessStrategy, HybridStrategy])
@pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
def test_no_worker_imports_asyncio_or_our_modules_itself(is_async, kind):
    """Eight that each import asyncio take a quarter of a second to come up, on two cores."""
    with kind(max_workers=1) as strategy:
        [names] = run(telling_imports(is_async=is_async), [0], strategy=strategy)
    assert not [name for name in names if name.startswith(("asyncio", "concurrent_choices"))]


def test_workers_have_one_parent_that_is_not_the_caller():
    """Two workers cost one interpreter: they are forks of one process."""
    with ProcessStrategy(max_workers=2, batch=1) as strategy:
        seen = set(run(whereabouts, range(20), strategy=strategy))
    parents = {parent for _, parent in seen}
    assert len(parents) == 1
    assert os.getpid() not in parents
    assert not any(map(psutil.pid_exists, parents))


def test_a_worker_holds_nothing_of_its_siblings(host):
    """Each has its own wire, page and lifeline, or the death of one would be hidden by another."""
    workers = [ready(host.hire()) for _ in range(3)]
    held = [{str(link.readlink()) for link in Path(f"/proc/{worker.pid}/fd").iterdir()} for worker in workers]
    own = [{name for name in names if name.startswith(("socket", "pipe"))} for names in held]
    shared = own[0] & own[1] & own[2]  # the standard streams
    assert [len(names - shared) for names in own] == [2, 2, 2]
    assert not (own[0] - shared) & (own[1] - shared)


def test_how_a_worker_ended_is_told(host):
    """The fork server tells the exit status, which only a parent can know."""
    worker = ready(host.hire())
    os.kill(worker.pid, signal.SIGSEGV)
    assert worker.process.wait(10) == -signal.SIGSEGV
    host.dismiss(worker)


def test_workers_that_are_not_forked_yet_can_be_killed(host):
    """One that was ordered a moment ago has no number to kill; it ends all the same."""
    worker = host.hire()
    assert worker.pid == 0
    worker.kill()
    assert worker.process.wait(10) == 1
    host.dismiss(worker)


def test_a_worker_that_cannot_be_forked(host):
    """Its wire is closed before anything is said: whoever listens to it hears that, and not who hires it."""

    def refuse(wire, page, _lifeline):
        ending, theirs = os.pipe()
        wire.close()
        os.close(theirs)
        return _fork_client.Forked(page, ending)

    host._start = refuse
    worker = host.hire()
    with pytest.raises(EOFError):
        worker.link.receive()
    assert host.dismiss(worker) is None


def test_the_fork_server_is_killed_between_two_runs():
    """Another takes its place."""
    with ProcessStrategy(max_workers=2, batch=1) as strategy:
        ((_, parent),) = set(run(whereabouts, [1], strategy=strategy))
        os.kill(parent, signal.SIGKILL)
        assert run(abs, range(-8, 0), strategy=strategy) == [8, 7, 6, 5, 4, 3, 2, 1]
        ((_, other),) = set(run(whereabouts, [1], strategy=strategy))
        assert other != parent


def test_a_fork_server_that_somebody_else_has_waited_for_is_not_killed_again(host):
    """Its number is another's by now, or nobody's."""
    ready(host.hire())
    os.kill(host.fork_server.pid, signal.SIGKILL)
    os.waitpid(host.fork_server.pid, 0)
    host.fork_server.kill()


def test_a_fork_server_keeps_nothing_of_what_it_cannot_fork(host):
    """Where it has no room for all descriptors of a worker, some of them arrive."""
    ready(host.hire())
    before = open_at_rest(host.fork_server.pid)
    with socket.socket() as some:
        rights = struct.pack("2i", some.fileno(), some.fileno())
        for _ in range(10):
            host.fork_server._control.sendmsg([b"+"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    ready(host.hire())
    assert open_at_rest(host.fork_server.pid) == before + 2  # of the second worker


def refuse():
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def test_no_worker_can_be_forked(monkeypatch, capfd):
    """The error says why, and what to look at; nothing is written beside it."""

    def start(_, wire, page, lifeline):
        ending, theirs = os.pipe()
        with monkeypatch.context() as patched, socket.socket() as control:
            patched.setattr(os, "fork", refuse)
            _fork_server._Server(control)._fork(wire.fileno(), page.descriptor, lifeline, theirs)
        return _fork_client.Forked(page, ending)

    monkeypatch.setattr(_fork_client.ForkServer, "start", start)
    complaint = pytest.raises(WorkerStartError, match=f"forked: {os.strerror(errno.EAGAIN)}; `ulimit -u`")
    with ProcessStrategy(max_workers=2) as strategy, complaint:
        run(exact, [1, 2], strategy=strategy)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("batch", [1, 20])
def test_the_fork_server_is_killed_while_workers_work(batch):
    """Its workers outlive it: it costs no item."""
    with ProcessStrategy(max_workers=2, batch=batch) as strategy:
        assert run(lose_parent, range(60), strategy=strategy) == [*range(60)]


def test_a_worker_that_ends_after_its_fork_server():
    """Nobody can tell how it ended; its item is named, and another fork server gives the next worker."""
    with ProcessStrategy(max_workers=1, batch=1) as strategy:
        results = run(die_as_orphan, range(8), strategy=strategy, return_exceptions=True)
    assert [result for result in results if not isinstance(result, Exception)] == [0, 1, 2, 4, 5, 6, 7]
    assert isinstance(results[3], WorkerDiedError)
    assert results[3].exitcode is None


def test_a_worker_without_a_fork_server_can_be_killed(host):
    """Its end is seen, and its number is not killed again."""
    worker = ready(host.hire())
    os.kill(host.fork_server.pid, signal.SIGKILL)
    assert readable(worker.sentinel, 10)
    assert not worker.process.ended
    worker.kill()
    assert readable(worker.sentinel, 10)
    assert worker.process.ended
    assert host.dismiss(worker) is None


def test_a_fork_server_that_is_killed_before_it_forks(monkeypatch):
    """Those who waited for it are one try, however many they are: others come up."""
    ask, asked = _fork_client.ForkServer._ask, []

    def ask_one_that_dies(server, descriptors):
        ask(server, descriptors)
        asked.append(server.pid)
        if len(asked) <= 4:
            os.kill(server.pid, signal.SIGSTOP if len(asked) < 4 else signal.SIGKILL)

    monkeypatch.setattr(_fork_client.ForkServer, "_ask", ask_one_that_dies)
    with ProcessStrategy(max_workers=4, batch=1) as strategy:
        assert run(abs, range(-60, 0), strategy=strategy) == [*range(60, 0, -1)]
    assert len(set(asked)) == 2


@pytest.mark.parametrize(("fn", "preloaded"), [(lambda: None, True), (abs, False), (partial(abs), False)])
def test_what_all_workers_will_need_is_imported_once(fn, preloaded):
    """A fork server that is told of a callable which goes by value forks workers that have cloudpickle."""
    with ProcessStrategy(max_workers=1) as strategy:
        with strategy._keeper.lend() as host:
            host.preload(fn)
        assert run(has_cloudpickle, [0], strategy=strategy) == [preloaded]


def test_the_standard_library_is_imported_once(host):
    """What a callable's module imports of it, the fork server has when it forks workers, and nothing else."""
    host.preload(exact)
    ready(host.hire())
    loaded = Path(f"/proc/{host.fork_server.pid}/maps").read_text(encoding="utf-8")
    assert "_decimal" in loaded
    assert "psutil" not in loaded


def test_numpy_is_imported_once(host):
    """It takes each worker longer than all the rest; those that are forked with it can compute with it."""
    host.preload(random_number)
    ready(host.hire())
    loaded = Path(f"/proc/{host.fork_server.pid}/maps").read_text(encoding="utf-8")
    assert "numpy" in loaded
    with ProcessStrategy(max_workers=2, batch=1) as strategy:
        product = run(
            lambda size: (np.ones((size, size)) @ np.ones((size, size)))[0, 0], [300] * 4, strategy=strategy
        )
    assert product == [300.0] * 4


PRELOAD = """
import sys
sys.path.append({root!r})
from concurrent_choices._strategies._workers._inside._fork_server import _preload
_preload("json", "numpy=" + {file!r})
print("json" in sys.modules, getattr(sys.modules.get("numpy"), "__file__", None))
"""


@pytest.mark.parametrize(("first", "wanted", "found"), [("a", "a", "a"), ("", "b", "b"), ("a", "b", None)])
def test_no_other_package_of_that_name_is_imported(tmp_path, first, wanted, found):
    """Workers have the caller's own NumPy, which may be another than their path leads to, or one each."""
    for folder in "ab":
        (tmp_path / folder / "numpy").mkdir(parents=True)
        (tmp_path / folder / "numpy" / "__init__.py").touch()
    files = {folder: str(tmp_path / folder / "numpy" / "__init__.py") for folder in "ab"}
    script = PRELOAD.format(root=str(Path(_host.__file__).parents[4]), file=files[wanted])
    around = {**os.environ, "PYTHONPATH": str(tmp_path / first) if first else ""}
    told = subprocess.check_output([sys.executable, "-S", "-c", script], text=True, env=around)
    assert told.split() == ["True", str(files.get(found))]


def test_numpy_s_random_numbers_are_each_worker_s_own():
    """A fork would go on with those of the process that it was forked from."""
    seen = []
    with ProcessStrategy(max_workers=2, batch=1) as strategy:
        while len({worker for worker, _ in seen}) < 2:  # one may be up long before the other
            seen += run(random_number, range(40), strategy=strategy)
    assert len({number for _, number in seen}) == len(seen)


def test_a_caller_that_ignores_the_ends_of_its_children(host):
    """The fork server waits for its own all the same."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        first, second = ready(host.hire()), ready(host.hire())
    finally:
        signal.signal(signal.SIGCHLD, before)
    os.kill(first.pid, signal.SIGKILL)
    assert first.process.wait(10) == -signal.SIGKILL
    assert second.process.wait(0.1) is None


def test_a_timeout_for_all_sockets_is_not_for_workers():
    """They wait for what comes however long it takes."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(5)
    try:
        with ProcessStrategy(max_workers=1, batch=1) as strategy:
            workers = {worker for worker, _ in run(whereabouts, range(6), strategy=strategy)}
            assert {worker for worker, _ in run(whereabouts, range(6), strategy=strategy)} == workers
            assert len(workers) == 1
    finally:
        socket.setdefaulttimeout(before)


def test_the_number_of_a_worker_that_has_ended_is_not_killed(monkeypatch, host):
    """It may be another process's by then."""
    worker = ready(host.hire())
    os.kill(worker.pid, signal.SIGKILL)
    assert worker.process.wait(10) == -signal.SIGKILL
    with monkeypatch.context() as watched:
        watched.setattr(os, "killpg", lambda *_: pytest.fail("killed"))
        worker.kill()


def test_a_worker_hired_as_the_host_closes_is_not_left_behind(host):
    """Another thread may close it meanwhile."""
    host.close()
    with pytest.raises(ClosedStrategyError):
        host.hire()
    assert not host.workers
    assert host.fork_server.pid is None


@pytest.mark.parametrize("kind", [ProcessStrategy, HybridStrategy])
@pytest.mark.parametrize("after", [0.0, 0.02, 0.1])
def test_a_strategy_that_is_closed_while_it_works_says_so(kind, after):
    """Another thread leaves its block; whoever works with it hears of that, and no worker stays."""
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    strategy = kind(max_workers=2)
    strategy.__enter__()
    run(nap, [1, 2], strategy=strategy)
    closing = threading.Timer(after, strategy.__exit__, (None, None, None))
    closing.start()
    with pytest.raises(ClosedStrategyError, match=strategy.name):
        run(nap, range(1000), strategy=strategy)
    closing.join()
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before


@pytest.mark.parametrize("kind", [ProcessStrategy, HybridStrategy])
def test_a_strategy_may_be_closed_by_who_makes_the_items(kind):
    """In the very thread that works with it."""

    def items():
        yield from range(10)
        strategy.__exit__(None, None, None)
        yield from range(100)

    strategy = kind(max_workers=1)
    strategy.__enter__()
    with pytest.raises(ClosedStrategyError):
        run(abs, items(), strategy=strategy)


def test_programs_that_items_start_are_given_nothing_of_a_worker():
    """Its wire would stay open as long as they last. The one that is left is the folder being listed."""
    assert run(descriptors, [1], strategy=ProcessStrategy(max_workers=1)) == [1]


def test_without_a_fork_server(monkeypatch):
    """On systems without what it needs, each worker is an interpreter of its own."""
    monkeypatch.setattr(_fork_client, "pidfd", lambda _pid: None)
    with ProcessStrategy(max_workers=2, batch=1) as strategy:
        assert {parent for _, parent in run(whereabouts, range(8), strategy=strategy)} == {os.getpid()}


def test_a_fork_of_the_caller_lets_go_of_the_fork_server(host):
    """A child of the caller would keep it alive after the caller has ended."""
    ready(host.hire())
    reading, writing = os.pipe()
    if not (child := os.fork()):
        os.write(writing, b"no" if host.fork_server.pid or host.workers else b"gone")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 9) == b"gone"
    os.close(reading)
    os.close(writing)
    assert host.fork_server.pid
