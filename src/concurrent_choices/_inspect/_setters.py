"""What calls set that is the whole process's, such as its working directory, as far as their code tells."""

from __future__ import annotations

import os
from itertools import pairwise
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from ._asking import of_type, told_by
from ._code import codes_in, globals_of, imports_in
from ._steps import Step, steps_of, use_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType

__all__ = ["EVERYWHERE", "SHARED", "what_is_set"]

_SIGNALS = "it sets signal handlers, which only the main thread may"
_FOLDER = "it sets the working directory, which all threads share"
_OUTPUT = "it redirects what is printed, which all threads share"
_ENVIRONMENT = "it sets environment variables, which all threads share"
_MASK = "it sets the mode of new files, which all threads share"
_LOCALE = "it sets the locale, which all threads share"
_SEED = "it seeds a random generator, which all threads draw from"
_FIGURE = "it draws by matplotlib.pyplot, whose present figure all threads share"
_ARGUMENTS = "it sets the command line, which all threads share"
_INPUT = "it sets standard input, which all threads share"
_PATH = "it sets where modules are searched, which all threads share"
_TEMPORARY = "it sets the folder of temporary files, which all threads share"
_OPENER = "it sets how URLs are opened, which all threads share"
_DECIMAL = "it uses the caller's decimal context, which all calls share"
_CONNECTION = "it asks duckdb's default connection, which all threads share"
_WARNINGS = "it records warnings or has them raised, which all threads share"

SHARED = frozenset(
    {
        _FOLDER,
        _OUTPUT,
        _ENVIRONMENT,
        _MASK,
        _LOCALE,
        _SEED,
        _FIGURE,
        _ARGUMENTS,
        _INPUT,
        _PATH,
        _TEMPORARY,
        _OPENER,
        _DECIMAL,
        _CONNECTION,
        _WARNINGS,
    }
)
"""What binds calls to one thread, whichever that is."""

EVERYWHERE = SHARED | {_SIGNALS}
"""What binds calls to one thread of each worker process, too."""

_CALLED: dict[str, dict[str, str]] = {
    "signal": dict.fromkeys(("set_wakeup_fd", "setitimer", "signal"), _SIGNALS),
    "os": {
        **dict.fromkeys(("chdir", "fchdir"), _FOLDER),
        **dict.fromkeys(("putenv", "unsetenv"), _ENVIRONMENT),
        "umask": _MASK,
    },
    "environ": dict.fromkeys(("clear", "pop", "setdefault", "update"), _ENVIRONMENT),
    "contextlib": {"chdir": _FOLDER, "redirect_stderr": _OUTPUT, "redirect_stdout": _OUTPUT},
    "locale": {"setlocale": _LOCALE},
    "random": {"seed": _SEED},  # numpy's, too
    "torch": {"manual_seed": _SEED},
    "matplotlib": {"pyplot": _FIGURE},
    "decimal": {"getcontext": _DECIMAL},
    "sys.path": dict.fromkeys(("append", "extend", "insert", "remove"), _PATH),
    "request": {"install_opener": _OPENER},
    "duckdb": dict.fromkeys(
        ("execute", "from_df", "query", "read_csv", "read_json", "read_parquet", "sql"), _CONNECTION
    ),
}
"""By what functions and the like they do so, by the last name of their module, and what is said of it."""

_ASSIGNED: dict[str, dict[str, str]] = {
    "sys": {"argv": _ARGUMENTS, "path": _PATH, "stderr": _OUTPUT, "stdin": _INPUT, "stdout": _OUTPUT},
    "tempfile": {"tempdir": _TEMPORARY},
}
"""The same of what a module is given."""

_TABLES = {"IMPORT_FROM": _CALLED, "LOAD_ATTR": _CALLED, "STORE_ATTR": _ASSIGNED}
_INDEXED = {"argv": _ARGUMENTS, "environ": _ENVIRONMENT}
"""The same of what is given items."""

_STORED = {"DELETE_SUBSCR": 1, "STORE_SLICE": 2, "STORE_SUBSCR": 1}
"""Instructions that give it one, and how many values stand above it then."""

_NOTHING = Step("NOP", 0, joined=False)

_DRAWING = "matplotlib.pyplot"
_CATCHING, _RECORDING = "catch_warnings", "record"
_FILTERING = ("filterwarnings", "simplefilter")

_SAME = {
    "_decimal": "decimal",
    "_locale": "locale",
    "_signal": "signal",
    "nt": "os",
    "posix": "os",
    "urllib.request": "request",
}
"""Modules that others have their functions from."""


def what_is_set(function: FunctionType) -> str:
    """What a function sets of the whole process, in a sentence; empty for nothing.

    One that only names a signal, as for `os.kill`, may run anywhere.
    """
    code, named = function.__code__, globals_of(function)
    told = [_told_of(value) for _, value in named]
    if _DRAWING in imports_in(code):
        told.append(_FIGURE)
    homes = {name: _last_name(value) for name, value in named if of_type(value, ModuleType)}
    homes |= {name: "environ" for name, value in named if value is os.environ}
    told += (_told_by(each, homes) for each in codes_in(code))
    return next(filter(None, told), "")


def _told_of(value: Any) -> str:
    """The same of what was taken from its module, or of that."""
    if of_type(value, ModuleType):
        return _FIGURE if told_by(value, "__name__") == _DRAWING else ""
    if of_type(value, MethodType):
        value = value.__func__
    if not of_type(value, FunctionType, BuiltinFunctionType, type):
        return ""
    home = str(told_by(value, "__module__"))
    return _CALLED.get(_SAME.get(home, home), {}).get(str(told_by(value, "__name__")), "")


def _last_name(module: ModuleType) -> str:
    return str(told_by(module, "__name__")).rpartition(".")[2]


def _told_by(code: CodeType, homes: dict[str, str]) -> str:
    """The same of one piece of code, where some globals are modules, by last names, or the environment."""
    if not _may_set(frozenset(code.co_names), homes.values()):
        return ""
    steps = steps_of(code)
    warned = _WARNINGS if _CATCHING in code.co_names and _heeds_warnings(code, steps) else ""
    return next(filter(None, (warned, *_by_names(steps, homes), *_by_index(steps, homes))), "")


def _heeds_warnings(code: CodeType, steps: tuple[Step, ...]) -> bool:
    """Whether it records warnings or has them raised; what it ignores may be ignored for others as well."""
    names = (each for each in code.co_consts if of_type(each, tuple))  # of arguments, for one
    raises = (before.value in _FILTERING and step.value == "error" for before, step in pairwise(steps))
    return any(_RECORDING in each for each in names) or any(raises)


def _may_set(names: frozenset[str], homes: Iterable[str]) -> bool:
    """Whether code that uses such names, and what such stand for, is worth a look at its instructions."""
    used = names.union(homes)
    if not used.isdisjoint((_CATCHING, *_INDEXED)) or {"sys", "path"} <= used:
        return True
    tables = (*_CALLED.items(), *_ASSIGNED.items())
    return any(home in used and not names.isdisjoint(table) for home, table in tables)


def _by_names(steps: tuple[Step, ...], homes: dict[str, str]) -> Iterator[str]:
    """By a function of a module, or what a module is given."""
    for outer, before, step in zip((_NOTHING, *steps), steps, steps[1:], strict=False):
        table = _TABLES.get(step.name)
        if table is not None and isinstance(before.value, str):
            home = homes.get(before.value, before.value)
            if home == "path" and outer.value == "sys":
                home = "sys.path"  # alone it may be any list
            yield table.get(home, {}).get(step.value, "")


def _by_index(steps: tuple[Step, ...], homes: dict[str, str]) -> Iterator[str]:
    """By an item of `os.environ` or `sys.argv`."""
    for at, step in enumerate(steps, 1):
        if step.name not in {"LOAD_ATTR", "LOAD_GLOBAL"}:
            continue
        if told := _INDEXED.get(homes.get(step.value, str(step.value))):
            use = use_of(steps, at)
            yield told if use and _STORED.get(use.step.name) == use.above else ""
