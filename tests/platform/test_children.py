"""Whose child processes have computed: workers of ours end beside calls that are measured."""

import os
import subprocess
import sys
import time

import pytest

from concurrent_choices._measure._clock import SystemClock
from concurrent_choices._platform._children import reap

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
