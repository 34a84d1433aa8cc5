"""What there is once in each process, so that in another one a callable would meet a different one.

A lock keeps out the threads of its own process, a queue or an event is heard in it, a counter counts there,
and a database in memory has what was written there. Of a script they cannot be sent to a worker; of a module
that a worker imports they are made anew, and nothing would tell.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from .._runtime._interrupted import raise_handlers
from ._asking import Seen, inside_of, loaded_class, of_type
from ._bonds import DEEPEST, WIDEST
from ._captured import data_among
from ._ownership import is_own_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["held_within", "of_one_process"]

_KINDS = {
    "_thread.lock": "threading.Lock",
    "_thread.RLock": "threading.RLock",
    "_queue.SimpleQueue": "queue.SimpleQueue",
    "_csv.writer": "csv.writer",
    **{name: name for name in ("csv.DictWriter", "queue.Queue")},
    **{f"threading.{name}": f"threading.{name}" for name in ("Barrier", "Condition", "Event", "Semaphore")},
}
"""Classes of Python's own by which threads of one process meet, or write a file in turn, and their names."""

_HOMES = (
    *("duckdb", "_duckdb", "fakeredis", "mongomock"),
    *("multiprocessing", "prometheus_client", "rich.live", "rich.progress", "tqdm"),
)
"""Modules whose objects hold data, counts or a display of the process that made them."""

_SHARED = "multiprocessing.managers"
"""Objects of a server, which all processes may share."""

_ENGINES = "sqlalchemy"
"""A package whose objects lead to the address of their database."""

_NOWHERE = ("", ":memory:")

_MOST = 200
"""Things that are looked at (guessed: a quarter of a millisecond)."""

_OWN_PICKLE = ("__getnewargs__", "__getnewargs_ex__", "__getstate__", "__reduce__", "__reduce_ex__")


def of_one_process(things: Iterable[tuple[str, str, Any]]) -> str:
    """What another process has one of its own of, of what `held_within` found; empty for nothing."""
    for name, verb, each in things:
        if what := _singular(each):
            return f"{name} {verb} {what}, which serves this process alone"
    return ""


def held_within(reached: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str, Any]]:
    """What a callable holds, and what containers and the user's own objects there hold, nearest first.

    Each is given with a name, and whether what has that name "is" it or "holds" it.
    """
    ahead = deque((name, each, DEEPEST) for name, each in data_among(reached))
    seen = Seen()
    while ahead and len(seen) < _MOST:
        name, thing, depth = ahead.popleft()
        if seen.is_new(thing):
            yield name, "is" if depth == DEEPEST else "holds", thing
            if depth:
                ahead.extend((name, each, depth - 1) for each in _within(thing))


def _within(thing: Any) -> list[Any]:
    """What of a thing is the user's; of SQLAlchemy's, what may lead to an address."""
    if _is_engine(thing):
        held = inside_of(thing, WIDEST)
        held += [each for some in held if of_type(some, dict) for each in inside_of(some, WIDEST)]
        return list(filter(_is_engine, held))
    return inside_of(thing, WIDEST) if _is_gone_into(thing) else []


def _is_engine(thing: object) -> bool:
    return _is_from(type(thing).__module__, (_ENGINES,))


def _is_gone_into(thing: object) -> bool:
    """Whether it is a container, or the user's own and does not say itself what of it travels."""
    kind = type(thing)
    told = (name in vars(each) for each in kind.__mro__[:-1] for name in _OWN_PICKLE)
    return kind.__module__ in {"builtins", "types"} or (is_own_class(kind) and not any(told))


def _singular(thing: Any) -> str:
    """What it is, if each process has one of its own."""
    for kind in type(thing).__mro__:
        name = f"{kind.__module__}.{kind.__qualname__}"
        if name in _KINDS:
            return f"a {_KINDS[name]}"
        if _is_from(name, _HOMES) and not _is_from(name, (_SHARED,)):
            return f"a {name.removeprefix('_')}"
    return "a database that is, or may be, in memory" if _is_in_memory(thing) else ""


def _is_from(module: str, homes: tuple[str, ...]) -> bool:
    return f"{module}.".startswith(tuple(f"{home}." for home in homes))


def _is_in_memory(thing: Any) -> bool:
    """Whether it is a database that no file has: a connection of sqlite3, or an address of SQLAlchemy."""
    connection = loaded_class("sqlite3", "Connection")
    if connection is not None and of_type(thing, connection):
        return _has_no_file(connection, thing)
    name = str(thing.drivername) if type(thing).__module__ == f"{_ENGINES}.engine.url" else ""
    return name.startswith(("duckdb", "sqlite")) and str(thing.database or "") in _NOWHERE


def _has_no_file(kind: Any, connection: Any) -> bool:
    """Whether a connection says so, or refuses to answer this thread."""
    try:
        cursor = kind.cursor(connection)
        cursor.row_factory = None
        return not any(file for _, _, file in cursor.execute("PRAGMA database_list"))
    except Exception as error:  # noqa: BLE001 - it is another thread's, or closed
        raise_handlers(error)
        return True
