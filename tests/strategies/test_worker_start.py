"""What a worker process is when it comes up: lean, with nothing but its own, under the caller's options."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

from concurrent_choices import HybridStrategy, InvalidArgumentError, ProcessStrategy, run, stream
from concurrent_choices._strategies._workers._between import _settings, _surroundings
from concurrent_choices._strategies._workers._hosting import _spawn
from concurrent_choices._strategies._workers._hosting._host import Worker
from descriptors import no_descriptors
from interpreters import interpreter, printed

SLOW = {
    "asyncio",
    "attr",
    "attrs",
    "contextlib",
    "enum",
    "inspect",
    "opcode",
    "pathlib",
    "pickle",
    "re",
    "selectors",
    "signal",
    "socket",
    "subprocess",
    "threading",
    "traceback",
    "typing",
    "weakref",
}
"""What costs a worker's start a millisecond and more, and callables that need it import themselves."""


LOADED = "[*__import__('sys').modules]"
"""An expression: what is imported where it is evaluated."""


def asked(expression, strategy=None):
    """What an expression says in a worker that is asked nothing else; it must name no module of ours."""
    with strategy or ProcessStrategy(max_workers=1) as workers:
        return run(eval, [expression], strategy=workers)[0]


@pytest.mark.parametrize("spare", range(6))
def test_a_worker_that_finds_no_descriptors_leaves_none(spare):
    """Those it has got already are closed again."""
    with ProcessStrategy(max_workers=1) as workers:
        run(abs, [1], strategy=workers)  # so that everything is loaded
    before = len([*Path("/proc/self/fd").iterdir()])
    with no_descriptors(spare), pytest.raises(OSError, match="Too many open files"):
        Worker(_spawn.fresh, [b""])
    assert len([*Path("/proc/self/fd").iterdir()]) <= before


CRASH = """
import ctypes
from concurrent_choices import run

def read_nothing(_item):
    return ctypes.string_at(0)

print(type(run(read_nothing, [1], strategy="process", return_exceptions=True)[0]).__name__)
"""


def end_the_first(folder):
    """An initializer that ends the first worker which comes to it."""
    with suppress(FileExistsError):
        Path(folder, "ended").touch(exist_ok=False)
        os._exit(3)


@pytest.mark.parametrize("buffersize", [1, 3])
def test_items_sent_to_a_worker_that_never_came_up(tmp_path, buffersize):
    """Another takes them, though as many items are on their way as may be."""
    strategy = ProcessStrategy(1, initializer=end_the_first, initargs=(str(tmp_path),))
    assert [*stream(abs, range(-5, 0), strategy=strategy, buffersize=buffersize)] == [5, 4, 3, 2, 1]


SITE = """
import sys
sys.path.insert(0, "")
from concurrent_choices import run

class Holding:
    def __init__(self):
        self.held = [0]
    def __call__(self, item):
        self.held[0] = item

run(Holding(), range(3), strategy="process")
"""


def test_workers_do_not_run_site(tmp_path):
    """Nor where what looks at a callable that holds something asks it for the folders of packages."""
    (tmp_path / "sitecustomize.py").write_text("print('is run')")
    assert printed("-c", SITE, cwd=tmp_path) == []


def test_a_worker_that_crashes_says_where():
    """In C there is no traceback, and the error has the exit code only."""
    done = interpreter("-c", CRASH)
    assert done.stdout == "WorkerDiedError\n"
    assert "in read_nothing" in done.stderr


@pytest.fixture
def nothing_set(monkeypatch):
    """As if nobody had set logging up, or filters of warnings, or were the program: pytest does and is."""
    monkeypatch.setattr(_surroundings, "_logging", lambda: None)
    monkeypatch.setattr(_surroundings, "_programs", list)
    with warnings.catch_warnings():
        warnings.filters[:] = _settings._FILTERS
        yield


@pytest.mark.usefixtures("nothing_set")
def test_a_bare_worker_is_lean():
    """A worker has imported nothing slow, and few modules of this library."""
    modules = asked(LOADED)
    assert not SLOW & {*modules}
    ours = [name.partition(".")[2] for name in modules if name.startswith("concurrent_choices.")]
    assert sorted(ours) == [
        "_errors",
        "_facts",
        "_facts._batch",
        "_facts._lean",
        "_inspect",
        "_inspect._words",
        "_runtime",
        "_runtime._contexts",
        "_strategies",
        "_strategies._workers",
        "_strategies._workers._between",
        "_strategies._workers._between._loading",
        "_strategies._workers._between._outcome",
        "_strategies._workers._between._page",
        "_strategies._workers._between._portable_errors",
        "_strategies._workers._between._settings",
        "_strategies._workers._between._surroundings",
        "_strategies._workers._between._wire",
        "_strategies._workers._inside",
        "_strategies._workers._inside._fork_server",
        "_strategies._workers._inside._voice",
        "_strategies._workers._inside._worker",
        "_transfer",
        "_transfer._pickling",
        "_transfer._whole_errors",
        "_work",
        "_work._notes",
        "_work._perform",
    ]


@pytest.mark.usefixtures("nothing_set")
def test_a_worker_with_threads_inside_is_lean():
    """What lanes need, it has imported: nothing that takes longer than a few of our own modules."""
    modules = {*asked(LOADED, HybridStrategy(max_workers=1, concurrency=2))}
    assert "concurrent_choices._strategies._lanes._threads" in modules
    assert SLOW & modules == {"contextlib", "threading", "weakref"}


def test_a_worker_with_a_loop_inside_needs_no_attrs():
    """Which asyncio does without, unlike most that is slow."""

    async def loaded_there(_item):
        return [*sys.modules]

    with HybridStrategy(max_workers=1, concurrency=2) as strategy:
        (modules,) = run(loaded_there, [0], strategy=strategy)
    assert "asyncio" in modules
    assert not {"attr", "attrs", "concurrent_choices._strategies._event_loop"}.intersection(modules)


def test_a_worker_that_looks_for_changes_is_lean():
    """Most callables that hold something have their workers look at it."""
    code = f"""if True:
        import sys
        sys.path[:0] = {sys.path!r}
        from concurrent_choices._strategies._workers._inside import _watch
        print(sorted({SLOW!r}.intersection(sys.modules)))
    """
    assert printed("-S", "-c", code) == ["['contextlib', 'opcode']"]


def test_inheritable_descriptors_stay_with_the_caller():
    """A descriptor that the caller lets children inherit is closed in workers, lest its end be waited for."""
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)  # noqa: FBT003 - takes no name
    held = asked("__import__('os').popen('ls -l /proc/$PPID/fd').read()")
    name = str(Path(f"/proc/self/fd/{writing}").readlink())
    os.close(reading)
    os.close(writing)
    assert "socket" in held
    assert name not in held


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-OO", "-b"], "(flags.optimize, flags.bytes_warning)"),
        (["-I", "-W", "error"], "(flags.isolated, sys.warnoptions)"),
        (["-X", "utf8", "-X", "int_max_str_digits=0"], "(flags.utf8_mode, flags.int_max_str_digits)"),
        (["-X", "dev"], "(flags.dev_mode, sys._xoptions)"),
    ],
)
def test_interpreter_options_are_passed_on(options, told):
    """A worker runs under the options of the caller's interpreter."""
    expression = f"(lambda sys, flags: {told})(__import__('sys'), __import__('sys').flags)"
    code = f"""if True:
        import sys
        sys.path[:] = {sys.path!r}
        from concurrent_choices import run
        expression = {expression!r}
        sys.exit(run(eval, [expression], strategy="process") != [eval(expression)])
    """
    subprocess.run([sys.executable, *options, "-c", code], check=True, timeout=60)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="CPython has the option from 3.12 on")
def test_a_file_of_the_interpreters_own_stays_open():
    """What `-X perf` writes to at any time is not closed: it would write to what has its number next."""
    code = f"""if True:
        import os, sys
        sys.path[:] = {sys.path!r}
        from concurrent_choices import ProcessStrategy, run
        pids = run(lambda _: (os.getpid(), os.getppid()), [0, 1], strategy=ProcessStrategy(max_workers=1))
        print(os.getpid(), *pids[0])
    """
    done = interpreter("-X", "perf", "-c", code)
    for pid in done.stdout.split():
        Path(f"/tmp/perf-{pid}.map").unlink(missing_ok=True)
    assert (done.stderr, len(done.stdout.split())) == ("", 3)


def test_where_proc_is_not_mounted():
    """A worker starts where nobody says which descriptors are open, and closes those that are not its own."""
    code = f"""if True:
        import os, sys
        sys.path[:] = {sys.path!r}
        from concurrent_choices import ProcessStrategy, run
        reading, writing = os.pipe()
        os.set_inheritable(writing, True)
        with ProcessStrategy() as strategy:
            print(run(abs, [-1, -2], strategy=strategy))
            os.close(writing)
            print(os.read(reading, 1))  # comes back once nobody else holds the other end
    """
    hidden = 'mount -t tmpfs none /proc && exec "$@"'
    try:
        subprocess.run(["unshare", "-rm", "sh", "-c", hidden, "sh", "true"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("nothing may be mounted here")
    command = ["unshare", "-rm", "sh", "-c", hidden, "sh", sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[1, 2]\nb''\n", "")


def test_the_part_of_a_callable_that_cannot_travel_is_named():
    """The error says what it is that the callable holds and no process can be sent."""
    lock = threading.Lock()
    with pytest.raises(InvalidArgumentError) as caught:
        run(lambda item: (item, lock), [1], strategy="process")
    assert "the callable's closure cell 'lock' is a lock (cannot pickle '_thread.lock' object)" in str(
        caught.value
    )
