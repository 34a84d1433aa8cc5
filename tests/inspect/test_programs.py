"""An installed command is the user's own code where it calls this library itself, as in its checkout."""

from __future__ import annotations

import functools
import importlib
import sys
from types import ModuleType

import pytest

from concurrent_choices import AdaptiveExecutor, recommend, run
from concurrent_choices._inspect._captured import data_among, reached_from
from concurrent_choices._inspect._ownership import is_own_class
from concurrent_choices._platform._libraries import package_of, programs, take_programs
from concurrent_choices._transfer._imported import Imported
from interpreters import printed

COMMAND = """
import functools, time
from concurrent_choices import AdaptiveExecutor, recommend, run
from shelf import wrapping

SCALE = 1

def scaled(item):
    return item * SCALE

@wrapping
def wrapped(item):
    return item * SCALE

class Scale:
    def scaled(self, item):
        return item * SCALE

    def __call__(self, item):
        return item * SCALE

def heavy(item):
    began = time.thread_time()
    while time.thread_time() - began < 0.01:
        sum(range(1000))
    return item * SCALE

def by_run(fn):
    return run(fn, [2])

def by_recommend(fn):
    return recommend(fn, [2], budget=0.01).run()

def by_executor(fn):
    with AdaptiveExecutor() as executor:
        return [executor.submit(fn, 2).result()]

def by_decorated(fn):
    return wrapping(by_run)(fn)

def call(how, fn):
    return how(fn)

def main():
    global SCALE
    SCALE = 10
"""

AUTO = """
    found = run(heavy, range(100))
    print(found == [item * 10 for item in range(100)])
"""

EXECUTOR = """
    with AdaptiveExecutor() as executor:
        found = list(executor.map(heavy, range(100)))
    print(found == [item * 10 for item in range(100)])
"""

SHELF = """
import functools

def wrapping(fn):
    @functools.wraps(fn)
    def wrapper(item):
        return fn(item)
    return wrapper
"""


def installed(folder, main=""):
    """A folder like those of pip with a command in it, and a library that it uses."""
    (folder / "command").mkdir(parents=True)
    (folder / "command" / "__init__.py").touch()
    (folder / "command" / "core.py").write_text(COMMAND + main)
    (folder / "shelf.py").write_text(SHELF)
    return folder


@pytest.fixture
def core(tmp_path, monkeypatch):
    """The command's module, installed; what is taken for a program is forgotten again."""
    monkeypatch.syspath_prepend(installed(tmp_path / "site-packages"))
    before = programs()
    yield importlib.import_module("command.core")
    take_programs(before)
    for name in ("command.core", "command", "shelf"):
        sys.modules.pop(name)


def with_executor(fn):
    """A call by an executor, done."""
    with AdaptiveExecutor() as executor:
        return [executor.submit(fn, 2).result()]


WAYS = {
    "run": lambda fn: run(fn, [2]),
    "recommend": lambda fn: recommend(fn, [2], budget=0.01).run(),
    "executor": with_executor,
}

CALLABLES = {
    "function": lambda core: core.scaled,
    "partial": lambda core: functools.partial(core.scaled),
    "method": lambda core: core.Scale().scaled,
    "object": lambda core: core.Scale(),
    "class": lambda core: core.Scale().__call__,
    "decorated": lambda core: core.wrapped,
}


@pytest.mark.parametrize("kind", CALLABLES)
@pytest.mark.parametrize("way", ["run", "recommend", "executor", "decorated"])
def test_a_command_is_looked_at_as_in_its_checkout(core, way, kind):
    """Where it hands over a callable of its own, what it has set in its modules is found."""
    fn = CALLABLES[kind](core)
    assert not is_own_class(core.Scale)
    assert getattr(core, f"by_{way}")(fn) == [2]
    assert is_own_class(core.Scale)
    assert programs()[-1].endswith("command/")
    assert "the global 'SCALE'" in dict(data_among(reached_from(fn)))
    if kind == "function":
        assert ("command.core", "SCALE") in Imported(fn).marks


@pytest.mark.parametrize("way", WAYS)
def test_a_librarys_function_stays_the_librarys(core, way):
    """Where somebody else calls with it: its own modules change as it pleases."""
    assert WAYS[way](core.scaled) == [2]
    assert not is_own_class(core.Scale)


@pytest.mark.parametrize("way", WAYS)
def test_a_library_that_calls_the_caller_is_no_program(core, way):
    """As that of a loop, whose own functions are called under it: it is not what calls us with them."""
    assert core.call(WAYS[way], core.scaled) == [2]
    assert not is_own_class(core.Scale)


def test_a_decorators_library_is_no_program(core):
    """A callable belongs to the package that it was written in, not to that of what stands around it."""
    core.by_run(core.wrapped)
    assert not any("shelf" in package for package in programs())


@pytest.mark.parametrize("main", [AUTO, EXECUTOR], ids=["run", "executor"])
@pytest.mark.parametrize("folder", ["site-packages", "checkout"])
def test_options_that_are_set_while_it_runs(folder, main, tmp_path):
    """They hold in every call, wherever the command stands: workers would have it as it is imported."""
    path = installed(tmp_path / folder, main)
    script = f"import sys; sys.path.insert(0, {str(path)!r}); import command.core as core; core.main()"
    assert printed("-c", script) == ["True"]


@pytest.mark.parametrize(
    ("file", "package"),
    [
        ("/env/lib/python3/site-packages/command/core/deep.py", "/env/lib/python3/site-packages/command/"),
        ("/env/lib/python3/dist-packages/single.py", "/env/lib/python3/dist-packages/single.py"),
        ("/checkout/command/core.py", ""),
        (run.__code__.co_filename, ""),
        ("", ""),
    ],
)
def test_the_package_of_a_file(file, package):
    """A folder or a single file; this library is nobody's program."""
    assert package_of(file) == package


LOOPED = """
import anyio
from concurrent_choices import arun
from concurrent_choices._platform._libraries import programs

async def nap(item):
    return item

async def task():
    await arun(nap, [0])
    print(*programs())

async def main():
    await arun(anyio.sleep, [0])
    print(*programs())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(task)
"""

LOOP_SCRIPT = """
import sys
sys.path.insert(0, {0!r})
import anyio, looped

async def elsewhere():
    await looped.arun(anyio.sleep, [0])
    await looped.arun(looped.nap, [0])
    print(*looped.programs())

anyio.run(elsewhere)
anyio.run(looped.main)
"""


def test_a_loop_is_no_program(tmp_path):
    """It calls all tasks, those that call us with a function of its own, too, and those of a command."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "looped.py").write_text(LOOPED)
    told = printed("-c", LOOP_SCRIPT.format(str(folder)))
    assert told == ["", "", str(folder / "looped.py")]


class Shut(ModuleType):
    """A module that was put there, and raises for what nobody has put in it, its file too."""

    def __getattr__(self, name):
        raise LookupError(name)


def test_a_callable_of_a_module_that_raises_for_what_it_lacks(monkeypatch):
    """Where that stands is not known, which is no reason not to call."""

    def doubled(item):
        return 2 * item

    monkeypatch.setitem(sys.modules, "shut", Shut("shut"))
    doubled.__module__ = "shut"
    assert run(doubled, [1, 2]) == [2, 4]
