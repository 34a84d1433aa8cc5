"""What a program has set in modules of others, and results depend on: carried only where somebody changed it.

A worker imports this when it starts, so nothing slow may be imported here, and no module only to find that
nobody has set anything in it.
"""

from __future__ import annotations

import sys
from _pickle import dumps, loads
from _socket import getdefaulttimeout, setdefaulttimeout

from ...._facts._lean import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    _Filter = tuple[Any, ...]  # an action, a message, a category, a module and a line

__all__ = ["loaded", "settings", "take_settings"]

_DIALECT = (
    "delimiter",
    "quotechar",
    "escapechar",
    "doublequote",
    "skipinitialspace",
    "lineterminator",
    "quoting",
    "strict",
)
_EXCEL = (",", '"', None, True, False, "\r\n", 0, False)
_DIALECTS: dict[str, Any] = {
    "excel": _EXCEL,
    "excel-tab": ("\t", *_EXCEL[1:]),
    "unix": (",", '"', None, True, False, "\n", 1, False),
}
_FIELD_SIZE = 128 * 1024  # all of these as in CPython's csv.py and _csv.c

_ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
_PRINTED = {
    "edgeitems": 3,
    "threshold": 1000,
    "floatmode": "maxprec",
    "precision": 8,
    "suppress": False,
    "linewidth": 75,
    "nanstr": "nan",
    "infstr": "inf",
    "sign": "-",
    "legacy": False,
}
"""As in NumPy 1.26 to 2.4. What is printed by functions of the caller's own is not carried."""

_FILTERS = (
    ("default", None, DeprecationWarning, "__main__", 0),
    ("ignore", None, DeprecationWarning, None, 0),
    ("ignore", None, PendingDeprecationWarning, None, 0),
    ("ignore", None, ImportWarning, None, 0),
    ("ignore", None, ResourceWarning, None, 0),
)
"""As in CPython's _warnings.c, where no option says otherwise."""


def settings() -> dict[str, Any]:
    """What is not as Python and NumPy have it by themselves, in the context that this is called in."""
    found = {
        "csv": _csv_rules(),
        "numpy": _numpy_rules(),
        "timeout": getdefaulttimeout(),
        "warnings": _warning_filters(),
    }
    return {name: value for name, value in found.items() if value is not None}


def loaded(module: str, last: str) -> Any:
    """A module that has been imported as far as to have `last`; else None. It is not imported for that."""
    found = sys.modules.get(module)
    return found if hasattr(found, last) else None


def _csv_rules() -> tuple[int, dict[str, Any]] | None:
    """How long a field may be, and dialects by their attributes."""
    csv: Any = sys.modules.get("_csv")
    if csv is None:
        return None
    dialects = {name: _attributes(csv.get_dialect(name)) for name in csv.list_dialects()}
    dialects = {name: rules for name, rules in dialects.items() if _DIALECTS.get(name) != rules}
    limit = csv.field_size_limit()
    return (limit, dialects) if dialects or limit != _FIELD_SIZE else None


def _attributes(dialect: Any) -> tuple[Any, ...]:
    return tuple([getattr(dialect, name) for name in _DIALECT])


def _numpy_rules() -> tuple[dict[str, str], dict[str, Any]] | None:
    """What becomes of errors in floating point, and how arrays are printed."""
    if (numpy := loaded("numpy", "get_printoptions")) is None:
        return None
    errors, printed = numpy.geterr(), numpy.get_printoptions()
    if "call" in errors.values() or "log" in errors.values():
        errors = _ERRORS  # what is called then is the caller's
    printed = {name: printed[name] for name, usual in _PRINTED.items() if printed[name] != usual}
    return (errors, printed) if printed or errors != _ERRORS else None


def _warning_filters() -> str | None:
    """All of them, in their order, without anything that would have to be imported."""
    warnings: Any = sys.modules.get("warnings")
    # From CPython 3.14 on `catch_warnings` may keep them to its context; without the GIL it does.
    ask = getattr(warnings, "_get_filters", None)
    now: tuple[_Filter, ...] = tuple(ask() if ask else getattr(warnings, "filters", _FILTERS))
    if now == _FILTERS:
        return None
    seen, words = _last[0]
    if seen != now:
        # Python's own filters name `__main__`, for which `dump` would ask cloudpickle if it saw the word.
        words = dumps([*map(_packed, now)], 5).hex()
        _last[0] = now, words
    return words


_last: list[tuple[_Filter, str]] = [((), "")]
"""The filters of the time before: a program changes them seldom, and to pickle them takes 40 us."""


def _packed(rule: _Filter) -> _Filter:
    action, message, category, module, line = rule
    if category.__module__ != "builtins":
        category = category.__module__, category.__qualname__
    return action, _words(message), category, _words(module), line


def _words(pattern: Any) -> Any:
    """A compiled pattern by what it was compiled of."""
    return pattern if pattern is None or isinstance(pattern, str) else (pattern.pattern, pattern.flags)


def take_settings(new: dict[str, Any], old: dict[str, Any] | None) -> None:
    """In a worker: have what a caller has set, where that is not what it had set before; None at first."""
    if new == (old or {}):
        return
    if old is None and "warnings" in new:
        _note_filters()
    before = old or {}
    for name, take in _TAKERS.items():
        if new.get(name) != before.get(name):
            take(new.get(name), before.get(name))


def _take_csv_rules(new: tuple[int, dict[str, Any]] | None, old: tuple[int, dict[str, Any]] | None) -> None:
    import csv  # noqa: PLC0415 - seldom needed, and a worker must start fast

    limit, dialects = new or (_FIELD_SIZE, {})
    csv.field_size_limit(limit)
    for name in (old[1] if old else {}).keys() - dialects.keys() - _DIALECTS.keys():
        csv.unregister_dialect(name)
    for name, rules in {**_DIALECTS, **dialects}.items():
        attributes: dict[str, Any] = dict(zip(_DIALECT, rules, strict=True))
        csv.register_dialect(name, **attributes)


def _take_numpy_rules(new: tuple[dict[str, str], dict[str, Any]] | None, _old: object) -> None:
    import numpy  # noqa: ICN001, PLC0415 - as above

    module: Any = numpy  # its stubs want literals
    errors, printed = new or (_ERRORS, {})
    module.seterr(**errors)
    module.set_printoptions(**{**_PRINTED, **printed})


def _take_warning_filters(new: str | None, _old: object) -> None:
    """Have the caller's in place of those of before, after those that were set here."""
    import warnings  # noqa: PLC0415 - as above

    now: Any = warnings.filters
    before, last = _given or ([*_FILTERS],) * 2
    theirs: list[_Filter] = before if new is None else loads(bytes.fromhex(new))
    own = [each for each in now if _packed(each) not in last and _packed(each) not in theirs]
    _given[:] = before, theirs
    warnings.resetwarnings()
    now.extend([*own, *map(_unpacked, theirs)])


def _note_filters() -> None:
    """Keep which filters there are before an initializer adds its own."""
    import warnings  # noqa: PLC0415 - as above

    _given[:] = [[*map(_packed, warnings.filters)]] * 2


_given: list[list[_Filter]] = []
"""In a worker that was given some: the filters it had when it came up, and those it was given last."""


def _unpacked(rule: _Filter) -> _Filter:
    action, message, category, module, line = rule
    known = category if isinstance(category, type) else _category(*category)
    return action, _pattern(message), known, _pattern(module), line


def _category(home: str, name: str) -> type:
    return _Category(name, (Warning,), {"__module__": home, "__qualname__": name})


def _pattern(words: Any) -> Any:
    return words if words is None or isinstance(words, str) else _Pattern(*words)


class _Pattern(NamedTuple):
    """What is compiled where a warning is compared with it, since the import of `re` takes 5 ms."""

    pattern: str
    flags: int

    def match(self, text: str) -> Any:
        """As a compiled pattern's."""
        import re  # noqa: PLC0415 - see above

        return re.match(self.pattern, text, self.flags)


class _Category(type):
    """A category of warnings that is known by its name: to have the class would be to import its module."""

    def __subclasscheck__(cls, kind: type) -> bool:
        name = cls.__module__, cls.__qualname__
        return any((each.__module__, each.__qualname__) == name for each in kind.__mro__)


_TAKERS: dict[str, Callable[[Any, Any], None]] = {
    "csv": _take_csv_rules,
    "numpy": _take_numpy_rules,
    "timeout": lambda seconds, _old: setdefaulttimeout(seconds),
    "warnings": _take_warning_filters,
}
