"""How it ends from outside: Ctrl-C in a script, and callers that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest
from contract_ways import DEADLINE, NAMES, eventually, made_by, only_outside

SOON = 10.0
"""Seconds in which a script is back after Ctrl-C; half a second is meant, the machine is shared. Its items
take twice as long."""

HEADER = """
import os, re, sys, time
from concurrent_choices import ItemTimeoutError, arun, run, stream
sys.path.insert(0, {here!r})
import contract_acts as acts
"""


class Script:
    """A script that is running, and what it has written."""

    def __init__(self, code, folder):
        here = str(Path(__file__).parent)
        self.pids = folder / "pids"
        self.process = subprocess.Popen(
            [sys.executable, "-c", HEADER.format(here=here) + textwrap.dedent(code)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PIDS": str(self.pids)},
            start_new_session=True,
        )

    def workers(self, count):
        """The processes that items ran in, once there are so many."""
        assert eventually(lambda: len(self._seen()) >= count or self.process.poll() is not None)
        assert self.process.poll() is None, self.process.communicate()
        return {int(word) for word in self._seen()}

    def _seen(self):
        return set(self.pids.read_text().split()) if self.pids.exists() else set()

    def _sleeps(self):
        """Whether no thread of the script runs, a moment from now."""
        time.sleep(0.02)
        try:
            threads = psutil.Process(self.process.pid).threads()
            return all(psutil.Process(thread.id).status() == psutil.STATUS_SLEEPING for thread in threads)
        except psutil.NoSuchProcess:
            return False

    def interrupt(self):
        """Ctrl-C, as a terminal sends it; the seconds until the end, and what was written."""
        # A signal that comes between a thread's last look for signals and the sleep it enters is not seen
        # before the sleep's end: CPython's own race, wide where threads stand in line for the GIL.
        assert eventually(lambda: self._sleeps() and self._sleeps())
        began = time.monotonic()
        os.killpg(self.process.pid, signal.SIGINT)
        output, errors = self.process.communicate(timeout=60)
        return time.monotonic() - began, output, errors

    def end(self):
        """Whatever became of it, it is over."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


@pytest.fixture
def start(tmp_path):
    """Starts a script; it is ended with its test."""
    started = []

    def starting(code):
        started.append(Script(code, tmp_path))
        return started[-1]

    yield starting
    for script in started:
        script.end()


def gone(pids):
    """Whether none of these processes runs any more."""
    return not any(running(pid) for pid in pids)


def running(pid):
    """Whether a process runs: not even as one that nobody has buried."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


ITEM = {"def": "acts.note_and_sleep", "async def": "acts.twin(acts.note_and_sleep)"}


def assert_quiet_end(script, before):
    """Back soon, by KeyboardInterrupt alone, with nobody left."""
    seconds, output, errors = script.interrupt()
    assert seconds < SOON
    assert "KeyboardInterrupt" in errors
    assert "Exception ignored" not in errors
    assert "never" not in errors  # awaited, retrieved
    assert output == ""
    assert script.process.returncode in (-signal.SIGINT, 130)
    assert eventually(lambda: gone(before))


def assert_workers_die_with(script, count):
    """None of so many workers outlives a script that is killed."""
    workers = script.workers(count)
    script.process.kill()
    script.process.wait(DEADLINE)
    assert eventually(lambda: gone(workers))


def test_ctrl_c(name, kind, start):
    """In the middle of `run`, Ctrl-C ends the script at once and all its workers."""
    script = start(f"run({ITEM[kind]}, [20] * 4, strategy={name!r})")
    assert_quiet_end(script, script.workers(1))


def test_ctrl_c_in_a_stream(name, start):
    """The same in the middle of `stream`."""
    script = start(f"for _ in stream(acts.note_and_sleep, [20] * 4, strategy={name!r}): pass")
    assert_quiet_end(script, script.workers(1))


# One that serves coroutines on the caller's loop runs a `def` beside it as threads do, on either loop.
IN_A_LOOP = [(name, "asyncio") for name in NAMES] + [
    (name, "trio") for name in NAMES if not hasattr(made_by(name), "aexecute")
]


@pytest.mark.parametrize(("name", "backend"), IN_A_LOOP)
def test_ctrl_c_in_a_loop(name, start, backend):
    """The same in `arun`, on either loop."""
    script = start(
        f"""
        import {backend}
        async def main():
            await arun(acts.note_and_sleep, [20] * 4, strategy={name!r})
        {backend}.run(main{"()" if backend == "asyncio" else ""})
        """
    )
    assert_quiet_end(script, script.workers(1))


def test_ctrl_c_that_is_caught(name, start):
    """A script that catches it goes on, and can run again."""
    script = start(
        f"""
        try:
            run(acts.note_and_sleep, [20] * 4, strategy={name!r})
        except KeyboardInterrupt:
            print(*run(abs, [-1, -2], strategy={name!r}), flush=True)
        """
    )
    script.workers(1)
    _, output, errors = script.interrupt()
    assert (output.split(), errors) == (["1", "2"], "")


BUSY = {
    "sleeping": "time.sleep(600)",
    "computing in C": "sum(range(10**12))",
    "in a regular expression": "re.match('(a+)+$', 'a' * 60 + 'b')",
}


@only_outside
@pytest.mark.parametrize("label", BUSY)
def test_workers_die_with_their_caller(name, start, label):
    """However the caller dies and whatever they do, worker processes do not outlive it."""
    script = start(
        f"""
        def busy(_item):
            acts.note()
            import re, time
            {BUSY[label]}

        run(busy, range(2), strategy={name!r})
        """
    )
    workers = script.workers(1)
    assert all(running(pid) for pid in workers)
    script.process.kill()
    script.process.wait(DEADLINE)
    assert eventually(lambda: gone(workers), 2 * DEADLINE)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="has forks")
def test_forked_workers_die_with_their_caller(start):
    """They have all that the caller had, but not its end of the wire."""
    script = start(
        """
        from concurrent_choices import ProcessStrategy
        run(acts.note_and_sleep, [600] * 2, strategy=ProcessStrategy(max_workers=2, start_method="fork"))
        """
    )
    assert_workers_die_with(script, 2)


@only_outside
def test_resting_workers_die_with_their_caller(name, start):
    """Workers that wait for another call do not outlive their caller either."""
    script = start(
        f"""
        run(acts.note, range(2), strategy={name!r})
        time.sleep(600)
        """
    )
    assert_workers_die_with(script, 1)


@only_outside
def test_workers_of_workers_die_with_the_caller(name, start):
    """Nor do those that items have started."""
    script = start(
        f"""
        def nested(_item):
            acts.note()
            run(acts.note_and_sleep, [600] * 2, strategy="process")

        run(nested, range(1), strategy={name!r})
        """
    )
    assert_workers_die_with(script, 2)


@only_outside
def test_workers_end_when_the_script_ends(name, start):
    """After its last line a script waits for no worker, and none outlives it."""
    script = start(f"run(acts.note, range(2), strategy={name!r})")
    output, errors = script.process.communicate(timeout=60)
    assert (output, errors, script.process.returncode) == ("", "", 0)
    assert eventually(lambda: gone(map(int, script.pids.read_text().split())))


def test_sys_exit_beside_a_stuck_thread(start):
    """A thread that nobody can stop does not keep a script from ending."""
    script = start(
        """
        try:
            run(acts.sleep, [600], strategy="thread", timeout=0.05)
        except ItemTimeoutError:
            print("timed out", flush=True)
        """
    )
    output, errors = script.process.communicate(timeout=30)
    assert (output.strip(), errors, script.process.returncode) == ("timed out", "", 0)


@pytest.mark.parametrize("closed", [0, 1])
def test_without_a_standard_stream(name, start, closed, tmp_path):
    """A daemon that has closed one is served like others, and not aborted."""
    answer = tmp_path / "answer"
    script = start(
        f"""
        from pathlib import Path
        os.close({closed})
        results = run(acts.twin(acts.double), range(200), strategy={name!r})
        Path({str(answer)!r}).write_text(str(results == list(range(0, 400, 2))))
        os._exit(0)
        """
    )
    _, errors = script.process.communicate(timeout=30)
    assert (script.process.returncode, errors) == (0, "")
    assert answer.read_text() == "True"
