"""What a worker process takes over from its caller: where modules are, the environment, and what else is set.

Results must not depend on the process that computes them. A worker is born with what the caller had when
its fork server began; whatever the caller has changed since, it is told with the next job.

A worker imports this when it starts, so nothing slow may be imported here.
"""

from __future__ import annotations

import os
import sys
import time

from ...._facts._lean import TYPE_CHECKING
from ._settings import loaded, settings, take_settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["RECORDS", "adopt", "surroundings"]

RECORDS = "concurrent_choices._strategies._workers._inside._records"
"""What a worker has imported that hands on what is logged in it."""


def surroundings() -> dict[str, Any]:
    """What the caller has now, in the context that it is called in."""
    return {
        "argv": list(sys.argv),
        "authkey": _authkey(),
        "decimal": _decimal_rules(),
        "digits": sys.get_int_max_str_digits(),
        "environ": dict(os.environ),
        "folder": _folder(),
        "locale": _locale(),
        "logging": _logging(),
        "path": list(map(_searched, sys.path)),
        "prefixes": (sys.prefix, sys.exec_prefix),
        "programs": _programs(),
        "recursion": sys.getrecursionlimit(),
        "settings": settings(),
        # Finders that .pth files installed, as editable installs do, must be installed there too.
        "site": any(_from_site(finder) for finder in sys.meta_path),
        "umask": _umask(),
    }


def _programs() -> list[str]:
    """Installed packages that are the program, which is looked at in workers, too."""
    from ...._platform._libraries import programs  # noqa: PLC0415 - a worker that has no workers starts without

    return programs()


def _authkey() -> bytes | None:
    """What a manager's server lets this process in by, as it does those that have proxies; None without."""
    if loaded("multiprocessing.managers", "BaseProxy") is None:
        return None
    from multiprocessing import current_process  # noqa: PLC0415 - there by now

    return bytes(current_process().authkey)  # its own kind refuses to be pickled


def _decimal_rules() -> tuple[Any, ...] | None:
    """How decimals are rounded; None where nobody has chosen it."""
    if (decimal := loaded("decimal", "getcontext")) is None:
        return None
    # Not what `DefaultContext` holds now: that can be changed too.
    raised = [decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow]
    usual = decimal.Context(28, decimal.ROUND_HALF_EVEN, -999999, 999999, 1, 0, [], raised)
    ours = _rules(decimal.getcontext())
    return None if ours == _rules(usual) else ours


def _rules(context: Any) -> tuple[Any, ...]:
    traps = [signal for signal, raises in context.traps.items() if raises]
    return (
        context.prec,
        context.rounding,
        context.Emin,
        context.Emax,
        context.capitals,
        context.clamp,
        [],  # no flags are raised
        traps,
    )


def _folder() -> tuple[str, int, int] | None:
    """Its name, and the device and number by which another of that name is told apart."""
    try:
        name = os.getcwd()  # noqa: PTH109 - pathlib costs a worker's start 5 ms
        found = os.stat(name)  # noqa: PTH116 - the same
    except OSError:  # it is gone
        return None
    return name, found.st_dev, found.st_ino


def _searched(entry: Any) -> Any:
    """An entry of ``sys.path``, as it is searched here: in the folder that was the current one at first."""
    if not entry or not isinstance(entry, str) or os.path.isabs(entry):  # noqa: PTH117 - as above
        return entry  # an empty one stands for whichever folder is the current one
    return getattr(sys.path_importer_cache.get(entry), "path", entry)


def _locale() -> str:
    import _locale as locale  # noqa: PLC0415 - `locale` itself costs 5 ms

    return locale.setlocale(locale.LC_ALL, None)


def _logging() -> tuple[int, dict[str, int], set[str]] | None:
    """What is disabled, the levels of loggers, and which of these are of classes of their own.

    None where nobody has set logging up.
    """
    if (logging := loaded("logging", "NullHandler")) is None:
        return None
    root = logging.root
    loggers = [each for each in root.manager.loggerDict.copy().values() if isinstance(each, logging.Logger)]
    kinds: set[type] = {type(handler) for each in (root, *loggers) for handler in each.handlers}
    turned_off = any(each.filters or each.disabled or not each.propagate for each in loggers)
    levels = {each.name: each.level for each in loggers if each.level}
    own = {name for name in levels if type(root.manager.loggerDict.get(name)) is not logging.Logger}
    rules = root.manager.disable, {**levels, root.name: root.level}, own
    # In a worker that hands records on, those of its own workers go the same way.
    handed_on = RECORDS in sys.modules
    is_set_up = turned_off or kinds - {logging.NullHandler} or rules != _UNUSED
    return rules if is_set_up or handed_on else None


_UNUSED: tuple[int, dict[str, int], set[str]] = 0, {"root": 30}, set()  # nothing, and warnings


def _umask() -> int | None:
    """Which rights new files do not get; None where no /proc says so.

    `os.umask` tells it only as it sets another, for all threads: one might make a file in between.
    """
    try:
        status = os.open("/proc/self/status", os.O_RDONLY)
    except OSError:
        return None
    try:
        words = os.read(status, _TOP)
    finally:
        os.close(status)
    _, found, rest = words.partition(b"\nUmask:")
    return int(rest.split(None, 1)[0], 8) if found else None


_TOP = 256  # bytes of that file in which it stands, on the second line, after a name of 64 at most


def _from_site(finder: object) -> bool:
    kind = finder if isinstance(finder, type) else type(finder)
    return "editable" in kind.__module__ or "editable" in kind.__qualname__.lower()


def adopt(new: dict[str, Any], told: dict[str, Any]) -> None:
    """In a worker: take over the caller's surroundings, where they are not what it was told before.

    What an initializer or an item has set by itself stays.

    `told` are those that were adopted last; empty at first.
    """
    _adopt_environment(new["environ"], told.get("environ"))  # first: it says where locales are
    _adopt_logging(new["logging"] or _UNUSED, told.get("logging") or _UNUSED)
    for name, take in _TAKERS.items():
        if name not in told or told[name] != new[name]:
            take(new[name])
    take_settings(new["settings"], told.get("settings"))  # last: it may import what the path leads to


def _adopt_environment(new: dict[str, str], old: dict[str, str] | None) -> None:
    if old is None:
        old = dict(os.environ)
    for name in old.keys() - new.keys():
        os.environ.pop(name, None)
    for name, value in new.items():
        if old.get(name) != value:
            os.environ[name] = value
    if old.get("TZ") != new.get("TZ") and hasattr(time, "tzset"):
        time.tzset()


def _adopt_logging(
    new: tuple[int, dict[str, int], set[str]], old: tuple[int, dict[str, int], set[str]]
) -> None:
    if new == old:
        return
    import logging  # noqa: PLC0415 - as in `_take_decimal_rules`

    logging.disable(new[0])
    for name in old[1] | new[1]:
        if old[1].get(name) == (level := new[1].get(name, 0)):
            continue
        # A logger of a class of its own is made by its module, which would find one without its methods.
        if name in new[2] | old[2] and name not in logging.root.manager.loggerDict:
            _set_when_made(name, level)
        else:
            logging.getLogger(name).setLevel(level)


def _set_when_made(name: str, level: int) -> None:
    """Have a logger begin with a level, and those beneath it, since it may never be made here itself."""
    if not _awaited:
        import logging  # noqa: PLC0415 - as above

        begin = logging.Logger.__init__

        def begin_at(logger: logging.Logger, name: str, level: Any = 0) -> None:
            place = name
            while place and place not in _awaited:
                place = place.rpartition(".")[0]
            begin(logger, name, level or _awaited.get(place, 0))

        logging.Logger.__init__ = begin_at  # type: ignore[method-assign,assignment]  # the only seam
    _awaited[name] = level


_awaited: dict[str, int] = {}
"""In a worker: levels of loggers that were not made yet."""


def _take_decimal_rules(rules: tuple[Any, ...] | None) -> None:
    if rules is not None or "decimal" in sys.modules:
        import decimal  # noqa: PLC0415 - seldom needed, and a worker must start fast

        decimal.setcontext(decimal.Context(*rules) if rules else decimal.DefaultContext.copy())


def _take_folder(folder: tuple[str, int, int] | None) -> None:
    if folder is not None:
        try:
            os.chdir(folder[0])
        except OSError:  # it is gone, for the caller too
            return


def _take_locale(name: str) -> None:
    import _locale as locale  # noqa: PLC0415 - as above

    if locale.setlocale(locale.LC_ALL, None) != name:
        locale.setlocale(locale.LC_ALL, name)


def _take_authkey(key: bytes | None) -> None:
    if key is not None:
        from multiprocessing import current_process  # noqa: PLC0415 - seldom needed, and takes 10 ms

        current_process().authkey = key


def _take_argv(argv: list[str]) -> None:
    sys.argv[:] = argv


def _take_path(path: list[str]) -> None:
    sys.path[:] = path


def _take_prefixes(prefixes: tuple[str, str]) -> None:
    sys.prefix, sys.exec_prefix = prefixes


def _take_programs(packages: list[str]) -> None:
    if packages:
        from ...._platform._libraries import take_programs  # noqa: PLC0415 - seldom needed

        take_programs(packages)


def _take_site(used: bool) -> None:  # noqa: FBT001 - private
    if used:
        import site  # noqa: PLC0415 - only where something it sets up is in use

        path = list(sys.path)
        site.main()
        sys.path[:] = path


def _take_umask(mask: int | None) -> None:
    if mask is not None:
        os.umask(mask)


_TAKERS: dict[str, Callable[[Any], None]] = {
    "argv": _take_argv,
    "authkey": _take_authkey,
    "decimal": _take_decimal_rules,
    "digits": sys.set_int_max_str_digits,
    "folder": _take_folder,
    "locale": _take_locale,
    "path": _take_path,
    "prefixes": _take_prefixes,
    "programs": _take_programs,
    "recursion": sys.setrecursionlimit,
    "site": _take_site,  # after what it looks at, prefixes, and what it changes, the path
    "umask": _take_umask,
}
