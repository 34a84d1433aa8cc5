"""What code binds anew in what it holds: to something made of what was there before, or of its item.

`self.count = self.count + 1` is as much of a change as `self.count += 1`, and so is `self.last = item`;
`self.client = connect()` is none: that is how each process connects for itself.
"""

from __future__ import annotations

from .._facts._lean import TYPE_CHECKING
from .._inspect._code import parameters_of
from .._inspect._steps import ENDING, NAMING, steps_of, times_bound, use_of
from ._trails import Reading
from ._within import attribute, has_attribute, is_shared

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType
    from typing import Any

    from .._inspect._steps import Step
    from ._trails import Held

__all__ = ["Keeping", "Renewing", "renews"]

_KEPT_IN = {"LOAD_DEREF": "STORE_DEREF", "LOAD_GLOBAL": "STORE_GLOBAL"}
"""By which instruction a variable around the code is bound that these load."""

_STORING = frozenset({"STORE_ATTR", *_KEPT_IN.values()})


class Renewing(Reading):
    """Code that is read for what it changes, by binding it anew too."""

    def _changed(self, at: int, held: Held | None) -> str:
        if (words := super()._changed(at, held)) or held is None:
            return words
        return held.words if self._is_renewed(at, held.value) else ""

    def _is_renewed(self, at: int, value: Any) -> bool:
        """Whether what was loaded before a place, or an attribute of it, is made into its successor."""
        while value is not None:
            step = self._steps[at]
            asks = step.name == "LOAD_CONST" and is_shared(value)
            if _has_successor(self._steps, at) or (asks and _has_successor(self._steps, at + 1)):
                return True
            value = attribute(value, step.value) if step.name == "LOAD_ATTR" else None
            at += 1
        return False


class Keeping(Reading):
    """A callable's own code, read for what it keeps of its item elsewhere."""

    def changes(self) -> Iterator[str]:
        """Words for where it keeps something."""
        known = {name for _, name in self._known}
        item = next((name for name in parameters_of(self._code) if name not in known), None)
        for at in _loads_of(self._steps, item):
            for place, _ in _endings(self._steps, at, set()):
                yield self._kept_at(place)

    def _kept_at(self, place: int) -> str:
        """Where a step stores something, in words; empty where that is the call's own."""
        name, value, _ = self._steps[place]
        if name == "STORE_GLOBAL":
            return f"the global {value!r}"
        if name == "STORE_DEREF":
            return f"the enclosing {value!r}" if value in self._code.co_freevars else ""
        first, *path = _path(self._steps, place)
        held = self._loaded(first)
        owner = None if held is None else held.value
        for step in path:
            owner = attribute(owner, step.value)
        return held.words if held is not None and has_attribute(owner, value) else ""


def renews(code: CodeType) -> bool:
    """Whether code binds anything anew, beside its variables, to what it makes of what was there before."""
    steps = steps_of(code)
    stored = {step.value for step in steps if step.name in _STORING}
    return any(step.value in stored and _has_successor(steps, at) for at, step in enumerate(steps, 1))


def _has_successor(steps: Sequence[Step], at: int) -> bool:
    """Whether what the step before a place loads is made into something that is kept where it was."""
    source = _source_of(steps, at)
    return bool(source) and any(
        made and [step[:2] for step in steps[end + 1 - len(source) : end + 1]] == source
        for end, made in _endings(steps, at, set())
    )


def _source_of(steps: Sequence[Step], at: int) -> list[tuple[str, Any]]:
    """What would store something where the step before a place loads it from, or has `getattr` do so.

    Nothing for what is loaded from nowhere else.
    """
    name, value, _ = steps[at - 1]
    if name in _KEPT_IN:
        return [(_KEPT_IN[name], value)]
    path = [step[:2] for step in _path(steps, at - 1)]
    asked = name == "LOAD_CONST" and steps[at - len(path) - 2][:2] == ("LOAD_GLOBAL", "getattr")
    return [*path, ("STORE_ATTR", value)] if asked or name == "LOAD_ATTR" else []


def _path(steps: Sequence[Step], at: int) -> Sequence[Step]:
    """The steps before a place that load something, and attributes of it one after the other."""
    start = at - 1
    while start and steps[start].name == "LOAD_ATTR":
        start -= 1
    return steps[start:at]


def _endings(
    steps: Sequence[Step], at: int, seen: set[str], *, made: bool = False
) -> Iterator[tuple[int, bool]]:
    """Where what the step before a place loads is stored, and whether something else is made of it before.

    Through variables that are given to it and to nothing else; those that were `seen` lead nowhere new.
    """
    use = use_of(steps, at)
    while use is not None and use.step.name not in ENDING:
        made = made or use.step.name != "COPY"
        use = use_of(steps, use.at + 1)
    if use is None:
        return
    name, value, _ = use.step
    if name in _STORING and use.above == (name == "STORE_ATTR"):
        yield use.at, made
    if name in NAMING and value not in seen and times_bound(steps, value) == 1:
        seen.add(value)
        for place in _loads_of(steps, value):
            yield from _endings(steps, place, seen, made=made)


def _loads_of(steps: Sequence[Step], variable: str | None) -> Iterator[int]:
    """The places after the steps that load a variable."""
    for at, step in enumerate(steps, 1):
        if step.name in {"LOAD_DEREF", "LOAD_FAST"} and step.value == variable:
            yield at
