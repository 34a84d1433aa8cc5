"""Whose child processes have computed: workers of ours end beside calls that are measured."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._platform._children import computed_by_running, reap

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nobody adds up what children computed")

COMPUTING = "import time\nwhile time.process_time() < 0.1: pass"


def starting():
    """A child of ours that computes for a while and ends; its number, and when it was started."""
    arguments = [sys.executable, "-I", "-S", "-c", COMPUTING]
    return os.posix_spawn(sys.executable, arguments, os.environ), time.monotonic()


def ended(pid, started):
    while not reap(pid, started)[0]:
        time.sleep(0.001)


def test_workers_that_were_there_before_are_no_children_of_calls():
    """One that rests since an earlier run ends, and all that it has computed is told at once."""
    child = starting()
    clock = SystemClock()
    before = clock.children_cpu()
    ended(*child)
    assert abs(clock.children_cpu() - before) < 1_000_000
    assert SystemClock().children_cpu() - before >= 100_000_000  # and not taken off for who comes later


def test_children_that_calls_start_are_theirs():
    """Workers of a run within a call, and processes of the caller's own."""
    clock = SystemClock()
    before = clock.children_cpu()
    ended(*starting())
    assert clock.children_cpu() - before >= 100_000_000

    subprocess.run([sys.executable, "-I", "-S", "-c", COMPUTING], check=True)
    assert clock.children_cpu() - before >= 200_000_000


@pytest.mark.skipif(not Path("/proc/thread-self/children").exists(), reason="nobody tells whose they are")
def test_children_that_still_run_and_theirs():
    """Of the thread that has started them; what they had computed is told of those that were waited for."""
    child = f"import subprocess, sys\nsubprocess.run([sys.executable, '-I', '-S', '-c', {COMPUTING!r}])"
    command = [sys.executable, "-I", "-S", "-c", f"{child}\nprint(flush=True)\ninput()"]
    began = computed_by_running("/proc/thread-self")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert computed_by_running("/proc/thread-self") - began >= 0.09
        assert computed_by_running("/proc/self/task/0") == 0.0
        process.communicate(b"\n")
    assert computed_by_running("/proc/thread-self") == began
