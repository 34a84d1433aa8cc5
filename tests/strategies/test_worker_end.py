"""What ends with a worker process."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from concurrent_choices import ProcessStrategy, run
from concurrent_choices._strategies._workers._hosting._child import Child, readable


def start_and_die(path):
    """Start a process, which holds a pipe open, and end without a word."""
    subprocess.Popen(["sleep", "1000"], stdout=os.open(path, os.O_WRONLY))
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("start_method", ["fresh", "fork"])
def test_what_it_has_started_ends_with_it(start_method, tmp_path):
    """However it came up, and whoever sees its end first: nobody else would end them."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    strategy = ProcessStrategy(2, batch=1, start_method=start_method)
    run(start_and_die, [pipe] * 8, strategy=strategy, return_exceptions=True)
    assert readable(held, 30)
    os.close(held)


def test_nothing_is_ended_by_the_number_of_a_child_that_another_has_waited_for(monkeypatch):
    """A handler of the application's may wait for all children; the number may be another group's by then."""
    child = Child(os.posix_spawn("/bin/true", ["true"], {}))
    os.waitpid(child.pid, 0)
    with monkeypatch.context() as watched:
        watched.setattr(os, "killpg", lambda *_: pytest.fail("killed"))
        assert child.ended
    child.release()
