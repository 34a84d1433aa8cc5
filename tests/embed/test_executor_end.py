"""The end of the interpreter, with work running, waiting, or never done with; imports and forks."""

from __future__ import annotations

import pytest

from interpreters import interpreter

START = """
import os, sys, threading, time
from concurrent_choices import AdaptiveExecutor
def tell(text):
    os.write(1, f'{text}\\n'.encode())  # at once: print() writes the text and the line's end apart
def slow(text):
    time.sleep(0.2)
    tell(text)
def compute(text):
    sum(number * number for number in range(200_000))
    tell(text)
"""


NO_DAEMONS = """
import threading
make = threading.Thread.__init__
def without_daemons(self, *args, daemon=None, **rest):
    if daemon:
        raise RuntimeError("daemon threads are disabled in this (sub)interpreter")
    make(self, *args, daemon=daemon, **rest)
threading.Thread.__init__ = without_daemons
"""


def ran(code, before=""):
    """What a script prints, and its exit status."""
    done = interpreter("-W", "error", "-c", before + START + code)
    assert done.stderr == ""
    return done.stdout.split(), done.returncode


@pytest.mark.parametrize("made", ["AdaptiveExecutor(2)", "AdaptiveExecutor(place='process')"])
def test_what_was_submitted_is_done_before_the_end(made):
    """A script that ends without a shutdown still does what it submitted, in threads and in processes."""
    code = f"executor = {made}\nfor number in range(4): executor.submit(slow, number)"
    assert sorted(ran(code)[0]) == ["0", "1", "2", "3"]


def test_nothing_is_left_when_the_script_fails():
    """A script that ends by an exit status keeps it, and does what it submitted."""
    assert ran("executor = AdaptiveExecutor()\nexecutor.submit(slow, 'done')\nsys.exit(3)") == (["done"], 3)


def test_where_there_are_no_daemon_threads():
    """As in a subinterpreter: calls are made, and the end comes, though nobody shut the executor down."""
    code = "executor = AdaptiveExecutor()\nfor number in range(20): executor.submit(slow, number)"
    assert sorted(ran(code, NO_DAEMONS)[0], key=int) == [str(number) for number in range(20)]


def test_submitting_at_the_end_is_refused():
    """What a call submits when the interpreter ends is refused like anything after a shutdown."""
    code = """
executor = AdaptiveExecutor(2)
def late():
    try:
        while True:
            executor.submit(time.sleep, 0.001).result()
    except RuntimeError as error:
        print("refused", flush=True)
executor.submit(late)
"""
    assert ran(code)[0] == ["refused"]


def test_a_fork_starts_afresh():
    """A forked child has none of the threads, and its executor works all the same."""
    code = """
executor = AdaptiveExecutor()
print(executor.submit(pow, 2, 3).result(), flush=True)
child = os.fork()
if child == 0:
    print(executor.submit(pow, 2, 4).result(5), flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    assert ran(code)[0] == ["8", "16", "0"]


def test_a_call_that_was_submitted_before_a_fork():
    """Whoever waits for it in the child is told that nobody makes it there; in the parent it is made."""
    code = """
import signal, warnings
warnings.simplefilter("ignore", DeprecationWarning)
from concurrent_choices import ConcurrentChoicesError
executor = AdaptiveExecutor(1)
gate = threading.Event()
calls = [executor.submit(gate.wait), executor.submit(pow, 2, 3)]
child = os.fork()
if child == 0:
    signal.alarm(20)  # which kills what waits for ever
    for call in calls:
        for ask in (call.result, call.exception):
            try:
                ask()
            except ConcurrentChoicesError as error:
                tell("fork" in str(error))
    os._exit(0)
print(os.waitpid(child, 0)[1], flush=True)
gate.set()
print(*(call.result() for call in calls))
"""
    assert ran(code) == (["True"] * 4 + ["0", "True", "8"], 0)


@pytest.mark.parametrize("options", ["", ", max_queue=9"])
def test_a_fork_that_comes_out_of_its_call(options):
    """It ends there, rather than wait for calls for ever; what waits is made by its parent alone."""
    code = f"""
import signal, warnings
warnings.simplefilter("ignore", DeprecationWarning)
executor = AdaptiveExecutor(1{options})
forked, gate = [], threading.Event()
def fork():
    gate.wait()
    if child := os.fork():
        forked.append(child)
    else:
        signal.alarm(20)  # which kills what waits for ever
calls = [executor.submit(fork), executor.submit(tell, "made")]
gate.set()
for call in calls:
    call.result()
print(os.waitpid(forked[0], 0)[1], flush=True)
"""
    assert ran(code) == (["made", "0"], 0)


def test_nothing_is_imported_in_a_thread_that_a_fork_would_not_have():
    """A fork meanwhile would keep the module's lock for ever, and hang where it needs the module."""
    code = """
def count(_size):
    return sum(number * number for number in range(60_000))
def large(size):
    return bytes(size + count(size) % 2)
def fail(size):
    raise KeyError(count(size))
executors = [AdaptiveExecutor(), AdaptiveExecutor(place="process")]
main = threading.current_thread()
def watch(event, found):
    if event == "import" and threading.current_thread() is not main:
        tell(found[0])
sys.addaudithook(watch)
for executor in executors:
    for fn in count, large, fail, lambda size: count(size):
        for _ in range(20):
            executor.submit(fn, 5_000_000).exception()
"""
    assert ran(code) == ([], 0)


def test_a_script_without_a_guard_is_run_once():
    """Worker processes do not run the main module again."""
    code = """
print("once", flush=True)
with AdaptiveExecutor(place="process") as executor:
    print(executor.submit(lambda number: number + 1, 1).result())
"""
    assert ran(code)[0] == ["once", "2"]


IMPORTED = """
import os
from concurrent_choices import AdaptiveExecutor
class Settings:
    rounds = 100_000
SETTINGS = Settings()
def work():
    sum(number * number for number in range(SETTINGS.rounds))
    return os.getpid()
EXECUTOR = AdaptiveExecutor(place="PLACE")
MADE = {EXECUTOR.submit(work).result() for _ in range(12)}
"""


@pytest.mark.parametrize("place", ["auto", "process"])
def test_a_module_that_waits_for_calls_as_it_is_imported(place, tmp_path):
    """Its functions cannot be pickled meanwhile, as that waits for the import: until then they run here."""
    (tmp_path / "imported.py").write_text(IMPORTED.replace("PLACE", place))
    code = f"""
sys.path.insert(0, {str(tmp_path)!r})
import imported
assert imported.MADE == {{os.getpid()}}
while imported.EXECUTOR.submit(imported.work).result() == os.getpid():
    pass
"""
    assert ran(code) == ([], 0)


ITS_OWN = """
from concurrent_choices import AdaptiveExecutor
import elsewhere
class Item:
    pass
def work(item):
    return elsewhere.work(item)
with AdaptiveExecutor(place="PLACE") as executor:
    MADE = [*executor.map(WORK, [Item() for _ in range(24)], chunksize=SIZE)]
"""


@pytest.mark.parametrize("place", ["auto", "process"])
@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("work", ["work", "elsewhere.work", "elsewhere.back", "elsewhere.nameless"])
def test_a_module_that_sends_its_own_as_it_is_imported(place, size, work, tmp_path):
    """What is given, in chunks too, and what comes back wait for the import no more than the callable."""
    source = ITS_OWN.replace("PLACE", place).replace("SIZE", str(size)).replace("WORK", work)
    (tmp_path / "imported.py").write_text(source)
    (tmp_path / "elsewhere.py").write_text(
        "def work(item):\n    return sum(map(abs, range(100_000)))\n"
        "def back(item):\n    work(item)\n    return item\n"
        "nameless = lambda item: work(item)\n"
    )
    code = f"""
sys.path.insert(0, {str(tmp_path)!r})
import imported
assert len(imported.MADE) == 24
"""
    assert ran(code) == ([], 0)


def test_a_module_that_starts_workers_as_it_is_imported(tmp_path):
    """It starts none in a worker that imports it, which might be without an end: its calls are made here."""
    (tmp_path / "imported.py").write_text(
        "import os\n"
        "from concurrent_choices import run\n"
        "def work():\n    return os.getpid()\n"
        "made = run(abs, [1], strategy='process')\n"
    )
    code = f"""
sys.path.insert(0, {str(tmp_path)!r})
import imported
with AdaptiveExecutor(place="process") as executor:
    assert executor.submit(os.getpid).result() != os.getpid()
    assert executor.submit(imported.work).result() == os.getpid()
"""
    assert ran(code) == ([], 0)
