"""Threads are found where /proc keeps them, in forked processes too."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from concurrent_choices._platform._tasks import (
    cpu_clock_of,
    cpu_of_process,
    cpu_of_task,
    is_greenlet,
    number_of,
    task_of,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")

FORKED = """
import os, threading
from concurrent_choices._platform._tasks import task_of
def number():
    return int(open(task_of(threading.current_thread()) + "/stat").read().split()[0])
child = os.fork()
if child == 0:
    right = [number() == threading.get_native_id()]
    other = threading.Thread(target=lambda: right.append(number() == threading.get_native_id()))
    other.start()
    other.join()
    os._exit(right != [True, True])
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_every_thread_has_its_own():
    """The main thread's is the process's; another's is not."""
    found = []
    thread = threading.Thread(target=lambda: found.append(task_of(threading.current_thread())))
    thread.start()
    thread.join()
    assert task_of(threading.main_thread()) == f"/proc/self/task/{os.getpid()}"
    assert found == [f"/proc/self/task/{thread.native_id}"]
    assert Path(task_of(threading.main_thread())).is_dir()


def test_a_fork_finds_its_own():
    """The thread that forked bears another number in the new process than the library says."""
    done = subprocess.run([sys.executable, "-c", FORKED], check=False, timeout=60)
    assert done.returncode == 0


def test_a_thread_has_a_clock():
    """It tells what that thread has computed."""
    clock = cpu_clock_of(threading.get_ident())
    assert clock is not None
    assert time.clock_gettime_ns(clock) > 0
    assert not is_greenlet()


def test_a_clock_that_tells_nothing_is_none(monkeypatch):
    """What gevent and eventlet say is a thread's number is none, and the system may name a clock for it."""
    nobody = (~(1 << 24) << 3) | 6  # of a thread beyond the highest number there is
    monkeypatch.setattr(time, "pthread_getcpuclockid", lambda _ident: nobody)
    assert cpu_clock_of(threading.get_ident()) is None
    assert is_greenlet()


def test_what_has_ended_has_no_cpu_seconds():
    """Threads and processes are asked by the system's numbers, which may be nobody's by then."""
    assert 0 < cpu_of_task(threading.get_native_id()) <= time.thread_time()
    assert cpu_of_process(os.getpid()) > 0
    assert cpu_of_task(None) is None
    ended = threading.Thread(target=int)
    ended.start()
    ended.join()
    until = time.monotonic() + 10
    while cpu_of_task(ended.native_id) is not None:  # for the system it ends a moment after `join`
        assert time.monotonic() < until
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait(timeout=60)
    assert cpu_of_process(child.pid) is None


def test_a_thread_without_a_number(monkeypatch):
    """Eventlet's main thread has none; its folder is that of the process."""
    assert number_of(threading.current_thread()) == threading.get_native_id()
    monkeypatch.delattr(threading.main_thread(), "_native_id")
    assert number_of(threading.main_thread()) is None
    assert task_of(threading.main_thread()) == f"/proc/self/task/{os.getpid()}"
