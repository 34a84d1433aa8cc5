"""What code binds anew in what it holds: to something made of what was there before, or of its item.

`self.count = self.count + 1` is as much of a change as `self.count += 1`, and so is `self.last = item`;
`self.client = connect()` is none: that is how each process connects for itself.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from .._facts._lean import TYPE_CHECKING
from .._inspect._code import KEPT, parameters_of
from .._inspect._ownership import is_own_function
from .._inspect._steps import NAMING, UPDATES, steps_of, use_of
from ._places import CALLING, Start, flows, loads_of, path_of, target_of
from ._searches import GIVEN, ITEM, Held
from ._trails import Reading
from ._within import attribute, getter_of, has_attribute, is_shared

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType
    from typing import Any

    from .._inspect._steps import Step, Use


__all__ = ["Renewing", "keeps", "renews", "updates"]

_PLACING = frozenset({"BINARY_SUBSCR", "CALL"})
_FINDING = _PLACING | {"LOAD_ATTR", "LOAD_DEREF", "LOAD_GLOBAL"}
_GIVING = _FINDING | {"BINARY_SLICE", "FOR_ITER"}
_STORING = frozenset({"STORE_ATTR", "STORE_DEREF", "STORE_GLOBAL"})


class Renewing(Reading):
    """Code that is read for what it changes, by binding it anew too."""

    def changes(self) -> Iterator[str]:
        """Words for what it changes, and for where it keeps something of the item; and empty ones."""
        yield from super().changes()
        yield from self.kept()

    def kept(self) -> Iterator[str]:
        """Words for where it keeps something of the item, and empty ones."""
        seen = set[Start]()
        for name in [name for kind, name in self._known if kind == GIVEN]:
            for at in loads_of(self._steps, name):
                yield from self._kept_from(at, seen)

    def _changed(self, at: int, held: Held | None) -> str:
        if (words := super()._changed(at, held)) or held is None:
            return words
        return held.words if self._is_renewed(at) else ""

    def _is_renewed(self, at: int) -> bool:
        """Whether what was loaded before a place, or an attribute of it, is made into its successor."""
        first, stored = self._steps[at - 1][:2], _stored_by(self._code)
        while stored and (path := path_of(self._steps, at)):
            if path[0] != first:  # it is only what `type` or the like is given
                return False
            if _has_successor(self._steps, at, stored) and self._is_there(path, at):
                return True
            use = use_of(self._steps, at)
            if use is None:
                return False
            at = use.at + 1
        return False

    def _is_there(self, path: list[tuple[str, Any]], at: int) -> bool:
        """Whether others see what is kept where a path leads, and it had been there, or was asked for."""
        owner, (does, name) = self._owner_of(path), path[-1]
        if len(path) == 1:
            return does != "LOAD_DEREF" or name in self._code.co_freevars
        is_asked = self._steps[at - 1].name in CALLING
        return owner is not None and (is_shared(owner) if is_asked else has_attribute(owner, name))

    def _owner_of(self, path: list[tuple[str, Any]]) -> Any:
        """What has the attribute that a path leads to; None where that is not known."""
        (how, variable), *between = path[:-1] or path
        held = self._held_as(how, variable) or Held(None, "")
        for does, name in between:
            getter = held.value if does == "CALL" else getter_of(held.value, name)
            if name == "__class__":
                held = held._replace(value=type(held.value))
            elif getter is not None:
                called = held._replace(value=getter)
                held = self._search.followed(called, self._depth, is_asked=True)[1] or Held(None, "")
            else:
                held = held._replace(value=attribute(held.value, name))
        return held.value

    def _kept_from(self, at: int, seen: set[Start]) -> Iterator[str]:
        """Words for where something is kept of the item, which is loaded before a place; and empty ones.

        What one of the functions that it is handed on to calls makes of it, as a connection, does not count.
        """
        for use, _, by_call in flows(self._steps, Start(at), seen):
            if not (self._depth and by_call):
                yield self._kept_at(use) or self._handed_on(_ITEM, use)[0]

    def _kept_at(self, use: Use) -> str:
        """Where a step keeps something, in words; empty where that is the call's own."""
        path = target_of(self._steps, use)
        if not path:
            return ""
        (how, variable), *further = path
        if not further and how == "LOAD_GLOBAL":
            return f"the global {variable!r}"
        held = self._held_as(how, variable) if further else self._known.get(use.step[:2])
        if held is None or not further:
            return "" if held is None else held.words
        owner, (_, name) = self._owner_of(path), path[-1]
        return held.words if has_attribute(owner, name) or is_own_function(owner) else ""


_ITEM = Held(ITEM, "its item")


def renews(code: CodeType) -> bool:
    """Whether code binds anything anew, beside its variables, to what it makes of what was there before."""
    steps = steps_of(code)
    return any(_has_successor(steps, at, _stored_by(code)) for at in range(1, len(steps)))


def keeps(code: CodeType) -> bool:
    """Whether code binds anything, beside its variables, to what it makes of what it is given."""
    steps = steps_of(code)
    seen = set[Start]()
    return any(
        target_of(steps, flow.use)
        for name in (*parameters_of(code), *code.co_freevars)
        for at in loads_of(steps, name)
        for flow in flows(steps, Start(at), seen)
    )


def updates(code: CodeType) -> bool:
    """Whether code has `+=`, or the like, change what it has loaded, or was given, in a variable."""
    steps = steps_of(code)
    updated = {
        step.value
        for before, step in pairwise(steps)
        if step.name in NAMING and before.name == "BINARY_OP" and before.value in UPDATES
    }
    loaded = {
        step.value for before, step in pairwise(steps) if before.name in _GIVING and step.name in NAMING
    }
    return not updated.isdisjoint((*loaded, *parameters_of(code)))


@lru_cache(KEPT)
def _stored_by(code: CodeType) -> frozenset[str]:
    """The names of what code binds beside its variables, by a text too."""
    stored = (step.value for step in steps_of(code) if step.name in _STORING)
    texts = (each for each in code.co_consts if type(each) is str and each.isidentifier())
    return frozenset((*stored, *texts))


def _has_successor(steps: Sequence[Step], at: int, stored: frozenset[str]) -> bool:
    """Whether what the step before a place loads is made into something that is kept where it was."""
    name, value, _ = steps[at - 1]
    if name not in _FINDING or (name not in _PLACING and value not in stored):
        return False
    path = path_of(steps, at)
    return (
        bool(path)
        and path[-1][1] in stored
        and any(
            is_made and target_of(steps, use) == path for use, is_made, _ in flows(steps, Start(at), set())
        )
    )
