"""Why a callable stays here that could perhaps travel: a worker process would find other things.

That is what code looks up by names that it does not spell out, what a test has replaced, in modules that the
callable uses or for the whole process, the terminal, what each process has one of its own of, and the items
themselves.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .._inspect._asking import written_in
from .._inspect._bonds import prompts
from .._inspect._captured import reached_from
from .._inspect._code import names_in
from .._inspect._held_items import holds_items
from .._inspect._one_process import held_within, of_one_process
from .._inspect._ownership import MAINS, is_own_class, is_own_function
from .._inspect._strangers import is_mock, strangers_in
from ._hashed import items_hashed, shows_hashes
from ._lookups import looked_up
from ._pretences import pretended, put_there, unseen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["kept_here", "mocked", "replaced_in", "tied_here"]


def kept_here(fn: Any, items: Sequence[Any] = (), tasks: Iterable[Any] = ()) -> str:
    """Why a callable stays that is called with such items, and may call these tasks; empty if it may go."""
    for each in (fn, *tasks):
        if stays := unseen(replaced_in(each) or pretended()) or tied_here(each):
            return stays
    reached = list(reached_from(fn))
    return unseen(_put_into_items(reached, items)) or items_hashed(fn, items) or holds_items(reached, items)


def _put_into_items(reached: Iterable[tuple[str, Any]], items: Iterable[Any]) -> str:
    """A method that code names, and that the main module has put into a library's class that items are of."""
    own = (each for _, each in reached if is_own_function(each))
    names = frozenset[str]().union(*(names_in(each.__code__) for each in own))
    for kind in dict.fromkeys(each for item in items for each in type(item).__mro__):
        if not is_own_class(kind):
            put = (name for name, value in strangers_in(kind, names) if _is_of_main(value))
            if name := next(put, ""):
                return f"{kind.__module__}.{kind.__qualname__}.{name}"
    return ""


def _is_of_main(value: Any) -> bool:
    return is_own_function(value) and written_in(value) in MAINS


def tied_here(fn: Any) -> str:
    """The same of what no end of a test changes: names that it looks up, the terminal, locks and such."""
    reached = list(reached_from(fn))
    if stays := looked_up(reached) or prompts(fn, reached):
        return stays
    things = list(held_within(reached))
    return of_one_process(things) or shows_hashes(fn, reached, things)


def mocked(fn: Any) -> str:
    """Why a callable that uses, or may use, what a test has replaced stays; empty where nothing is known.

    That is why it stays for now, while `kept_here` leaves out what workers find out for themselves.
    """
    return unseen(replaced_in(fn) or _put_in(fn) or pretended())


def replaced_in(fn: Any) -> str:
    """What a test has put a mock in place of, among what a callable uses; empty for nothing."""
    if "unittest.mock" not in sys.modules:
        return ""
    return next((name for name, value in reached_from(fn) if is_mock(value)), "")


def _put_in(fn: Any) -> str:
    """What a test has put anything else in place of, among what a callable uses; empty for nothing."""
    put = put_there()
    reached = reached_from(fn) if put else ()
    return next((at for at, value in reached if any(value is it and name in at for it, name in put)), "")
