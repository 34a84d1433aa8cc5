"""Real scripts in fresh interpreters: nothing of the caller's main module is run a second time."""

from __future__ import annotations

import os
import textwrap

import pytest
from contract_ways import only_outside

from interpreters import printed

pytestmark = only_outside
"""In this process there is no main module to run again."""

WAYS = ["file", "-c", "-", "-m", "cell"]
"""A script in a file, on the command line, on standard input, as a module, and a notebook's cell."""


@pytest.fixture
def execute(tmp_path):
    """Executes code as a main module, in one of the ways there are; gives what it printed."""

    def executed(code, way="file"):
        code = textwrap.dedent(code)
        script = tmp_path / "script.py"
        script.write_text(code)
        command, given = {
            "file": ([str(script)], None),
            "-c": (["-c", code], None),
            "-": (["-"], code),
            "-m": (["-m", "script"], None),
            "cell": (["-c", CELL.format(code=code)], None),
        }[way]
        buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        return " ".join(printed(*command, input=given, cwd=tmp_path, env=buffered)).split()

    return executed


CELL = """
cells = {{"__name__": "__main__"}}
exec(compile({code!r}, "<cell 1>", "exec"), globals())
"""


@pytest.mark.parametrize("way", WAYS)
def test_without_a_guard(name, way, execute, tmp_path):
    """A script without `if __name__ == "__main__":` works, and its lines run once."""
    printed = execute(
        f"""
        from pathlib import Path
        from concurrent_choices import run

        with Path("lines").open("a") as lines:
            lines.write("x")

        factor = 3

        def times(number):
            return number * factor

        async def times_awaited(number):
            return number * factor

        print(*run(times, range(4), strategy="{name}"))
        print(*run(times_awaited, range(4), strategy="{name}"))
        print(*run(lambda number: times(number) + 1, range(4), strategy="{name}"))
        """,
        way,
    )
    assert printed == ["0", "3", "6", "9", "0", "3", "6", "9", "1", "4", "7", "10"]
    assert (tmp_path / "lines").read_text() == "x"


@pytest.mark.parametrize("way", WAYS)
def test_classes_of_main_make_the_round_trip(name, way, execute):
    """An instance of a class of `__main__` comes back as one of that very class; so do its errors."""
    printed = execute(
        f"""
        from dataclasses import dataclass
        from enum import Enum
        from concurrent_choices import run

        @dataclass(frozen=True)
        class Point:
            x: int

        class Colour(Enum):
            RED = 1

        class Trouble(Exception):
            pass

        def move(point):
            return Point(point.x + 1)

        def fail(point):
            raise Trouble(point, Colour.RED)

        (moved,) = run(move, [Point(1)], strategy="{name}")
        print(type(moved) is Point, moved == Point(2), isinstance(moved, Point))
        try:
            run(fail, [Point(1)], strategy="{name}")
        except Trouble as error:
            print(error.args == (Point(1), Colour.RED), error.args[1] is Colour.RED)
        (raised,) = run(fail, [Point(1)], strategy="{name}", return_exceptions=True)
        print(type(raised) is Trouble)
        """,
        way,
    )
    assert printed == ["True"] * 6


def test_the_main_module_is_not_imported_by_workers(name, execute):
    """In a worker `__main__` is ours, not the caller's."""
    printed = execute(
        f"""
        import sys
        from concurrent_choices import run

        marked = True

        def look(_item):
            import __main__
            return hasattr(__main__, "marked"), "script" in sys.modules

        print(run(look, [1], strategy="{name}") == [(False, False)])
        """
    )
    assert printed == ["True"]


def test_modules_beside_the_script_are_found(name, execute, tmp_path):
    """Workers look for modules where the caller looks."""
    (tmp_path / "beside.py").write_text("def twice(number):\n    return 2 * number\n")
    printed = execute(
        f"""
        import beside
        from concurrent_choices import run

        print(*run(beside.twice, range(3), strategy="{name}"))
        """
    )
    assert printed == ["0", "2", "4"]


def test_modules_are_found_when_the_folder_has_changed(name, execute, tmp_path):
    """A relative entry of the path is searched by workers where the caller has searched it."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "wheel.py").write_text("def twice(number):\n    return 2 * number\n")
    printed = execute(
        f"""
        import os, sys
        sys.path.append("parts")
        import wheel
        os.chdir(os.sep)
        from concurrent_choices import run

        print(*run(wheel.twice, range(3), strategy="{name}"))
        """
    )
    assert printed == ["0", "2", "4"]


def test_modules_of_the_library_are_not_looked_for_in_the_folder(name, execute, tmp_path):
    """What lies there under their names is nothing to a script that is somewhere else, nor to workers."""
    (tmp_path / "elsewhere").mkdir()
    for module in ("logging", "mmap", "select", "struct", "types"):
        (tmp_path / "elsewhere" / f"{module}.py").write_text("raise SystemExit('not the one')")
    printed = execute(
        f"""
        import os
        from concurrent_choices import run

        os.chdir("elsewhere")
        print(*run(lambda number: 2 * number, range(3), strategy="{name}"))
        """
    )
    assert printed == ["0", "2", "4"]


def test_what_workers_print_is_seen(name, execute):
    """A print in a worker arrives where the caller's own prints go."""
    printed = execute(
        f"""
        from concurrent_choices import run

        def shout(word):
            print(word.upper())

        run(shout, ["a"], strategy="{name}")
        """
    )
    assert printed == ["A"]


def test_a_stream_left_open_at_exit(name, execute):
    """A script that ends in the middle of a stream ends quietly."""
    printed = execute(
        f"""
        from itertools import count
        from concurrent_choices import stream

        results = stream(abs, count(), strategy="{name}")
        print(next(results), next(results))
        """
    )
    assert printed == ["0", "1"]


def test_fork_on_request(name, execute):
    """Where it is asked for, workers are copies of the caller: they see its memory."""
    printed = execute(
        f"""
        from concurrent_choices import run
        from concurrent_choices._strategies._registry import load

        unsent = object()

        class Holder:
            def __reduce__(self):
                return globals().get, ("held",)

        held = ["in memory"]
        print("once")
        strategy = load("{name}")(max_workers=1, start_method="fork")
        print(*run(len, ["a", "bb"], strategy=strategy))
        """
    )
    assert printed == ["once", "1", "2"]


def test_in_a_child_of_multiprocessing(name, execute):
    """There the script's functions are in a main module of another name, which no worker can import."""
    printed = execute(
        f"""
        import multiprocessing
        from concurrent_choices import run

        class Point:
            pass

        def place(number):
            return Point()

        def work(_item):
            (placed,) = run(place, [1], strategy="{name}")
            return type(placed) is Point

        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(*pool.map(work, [0]))
                pool.close()
                pool.join()
        """
    )
    assert printed == ["True"]


def test_a_run_at_exit(name, execute):
    """Running things in an atexit handler works."""
    printed = execute(
        f"""
        import atexit
        from concurrent_choices import run

        atexit.register(lambda: print(*run(abs, [-1, -2], strategy="{name}")))
        """
    )
    assert printed == ["1", "2"]


@pytest.fixture
def naps(tmp_path):
    """A module of the scripts, so that its callable does not hold what they have made."""
    (tmp_path / "naps.py").write_text("import time\ndef nap(item):\n    time.sleep(0.002)\n    return item\n")


@pytest.mark.usefixtures("naps")
def test_a_stream_left_open(name, execute):
    """It is closed as the interpreter ends, while those at work for it can still let go of their locks."""
    printed = execute(
        f"""
        from itertools import count
        from naps import nap
        from concurrent_choices import stream

        results = stream(nap, count(), strategy="{name}")
        print(*(next(results) for _ in range(40)))
        """
    )
    assert printed == [*map(str, range(40))]


@pytest.mark.usefixtures("naps")
def test_a_stream_that_a_daemon_thread_reads(name, execute):
    """As the interpreter ends, nobody tells that thread that an endless stream was over."""
    printed = execute(
        f"""
        import threading
        from itertools import count
        from naps import nap
        from concurrent_choices import stream

        begun = threading.Event()

        def read():
            for _ in stream(nap, count(), strategy="{name}"):
                begun.set()
            print("over")

        threading.Thread(target=read, daemon=True).start()
        begun.wait()
        """
    )
    assert printed == []


@pytest.mark.usefixtures("naps")
def test_a_stream_that_is_open_in_a_fork(name, execute):
    """There it can be closed; the parent reads on."""
    printed = execute(
        f"""
        import os, warnings
        from itertools import count
        from naps import nap
        from concurrent_choices import stream

        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
        results = stream(nap, count(), strategy="{name}")
        before = [next(results) for _ in range(40)]
        child = os.fork()
        if not child:
            results.close()
            os._exit(0)
        print(os.waitpid(child, 0)[1], next(results))
        results.close()
        """
    )
    assert printed == ["0", "40"]


def test_a_forked_caller(name, execute):
    """A caller that forks after a run can run again, in parent and child alike."""
    printed = execute(
        f"""
        import os
        from concurrent_choices import run

        run(abs, [-1], strategy="{name}")
        child = os.fork()
        assert run(abs, [-1, -2], strategy="{name}") == [1, 2]
        if not child:
            os._exit(0)
        print(os.waitpid(child, 0)[1])
        """
    )
    assert printed == ["0"]


def test_a_module_that_runs_something_as_it_is_imported(name, execute, tmp_path):
    """Workers that import it start no workers in turn: the error says so, and there is an end."""
    (tmp_path / "table.py").write_text(
        "from concurrent_choices import run\n"
        "def twice(number):\n    return 2 * number\n"
        f"made = run(twice, range(3), strategy={name!r})\n"
    )
    printed = execute(
        """
        from concurrent_choices import WorkerStartError

        try:
            import table
        except WorkerStartError as error:
            print("function" in str(error))
        """
    )
    assert printed == ["True"]


def test_each_worker_draws_its_own_random_numbers(name, execute):
    """Of what the standard library and NumPy share in a process, also where a script binds its methods."""
    pytest.importorskip("numpy")
    printed = execute(
        f"""
        from functools import partial
        from random import randint, uniform
        from numpy.random import rand
        from concurrent_choices import run

        def draw(item):
            return randint(0, 10**15)

        def draw_of_numpy(item):
            return float(rand())

        class Sensor:
            def __init__(self):
                self.noise = uniform

            def read(self, item):
                return self.noise(0, 1)

        for fn in (draw, draw_of_numpy, Sensor().read, partial(uniform, -1e9)):
            print(len(set(run(fn, range(400), strategy="{name}"))))
        """
    )
    assert printed == ["400"] * 4


def test_a_module_that_runs_as_it_is_imported(name, execute, tmp_path):
    """Each of its workers would start others; the error says so once, and what to do about it alone."""
    (tmp_path / "rash.py").write_text(
        f'from concurrent_choices import run\ndef fn(x):\n    return x\nrun(fn, [1, 2], strategy="{name}")\n'
    )
    told = execute(
        """
        try:
            import rash
        except RuntimeError as error:
            print(error)
        """,
        "-m",
    )
    assert " ".join(told) == (
        "no worker process came up: a worker process cannot load fn: a worker imports a module that starts "
        'workers as it is imported; put that into a function, or under if __name__ == "__main__":'
    )
