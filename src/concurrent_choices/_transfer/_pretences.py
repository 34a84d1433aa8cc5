"""What tests pretend: for a whole process, deep in libraries or in classes, or where code names it."""

from __future__ import annotations

import gc
import sys
import weakref
from itertools import starmap
from types import ModuleType
from typing import Any

from .._inspect._asking import of_type
from .._inspect._ownership import is_own_class, is_own_module
from .._runtime._mutex import Mutex

__all__ = ["pretended", "put_there", "unseen"]


def pretended() -> str:
    """What of libraries or classes is not itself here, as tests have replaced it, or moved a clock.

    So do `responses` and `respx`, which answer in place of a network: in a worker it would be the network.
    Others set what they put there by no patch that could be found.
    """
    if getattr(sys.modules.get("time_machine"), "traveller_stack", ()):
        return "the time"
    if place := next((f"{module}.{name}" for module, name in _HOMES if not _is_at_home(module, name)), ""):
        return place
    # In classes of libraries pytest and its plugins put things for as long as they run.
    own = [place for place in _by_monkeypatch() if of_type(place[0], type) and is_own_class(place[0])]
    return next((place for place in starmap(_place_unnamed, _by_patch() + own) if place), "")


_HOMES = {
    ("builtins", "open"): ("io", "_io"),
    ("datetime", "datetime"): ("datetime",),
    ("socket", "socket"): ("socket", "gevent", "eventlet"),
    ("time", "time"): ("time",),
}
"""What nearly all libraries use, and where it is from. freezegun, pyfakefs, pytest-socket and httpretty put
things of theirs in its place; those of gevent and eventlet do the same as Python's."""


def _is_at_home(module: str, name: str) -> bool:
    """Whether a thing is Python's own, or not there yet."""
    thing = getattr(sys.modules.get(module), name, None)
    home = getattr(thing, "__module__", None)
    return thing is None or str(home).partition(".")[0] in _HOMES[module, name]


def unseen(place: str) -> str:
    """Why what may use a thing that was replaced here stays; empty where no place is named."""
    return place and f"{place} was replaced here, which another process would not see"


def put_there() -> list[tuple[Any, str]]:
    """What tests have put in some place for now, by a patch of `unittest.mock` or by pytest's `monkeypatch`.

    Returns:
        Each thing, and the name that it goes by where code finds it. Of what is not put in a module, it is
        the object or class that has it, or the dictionary, under whatever name.
    """
    filled = [(holder, "") for each in _MONKEYS.alive() for holder, _, _ in getattr(each, "_setitem", ())]
    return [*starmap(_as_found, _by_patch() + _by_monkeypatch()), *filled]


def _as_found(target: Any, name: str) -> tuple[Any, str]:
    if not of_type(target, ModuleType):
        return target, ""
    held: dict[str, Any] = target.__dict__
    return held.get(name), name


_COUNTED = "t" not in getattr(sys, "abiflags", "")
"""Whether there is a count of those who refer to a class."""


class _Instances:
    """Those of a class that are alive, though nobody has a list of them.

    Each refers to its class. To find who does takes 30 ms (84 000 objects) or more, in which nothing else can
    run: so that is done only if more or fewer refer to it than at the last look, or one of those is gone. On
    builds that can do without the GIL nobody counts who refers to a class, and it is done at each look.
    """

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name
        self._lock = Mutex()
        self._known: list[weakref.ref[Any]] = []
        self._count = -1

    def alive(self) -> list[Any]:
        """All of them."""
        with self._lock:  # each who looks refers to the class, too
            kind: Any = getattr(sys.modules.get(self._module), self._name, None)
            if kind is None:
                return []
            count = sys.getrefcount(kind)
            found = [each for known in self._known if (each := known()) is not None]
            if not _COUNTED or count != self._count or len(found) < len(self._known):
                found = [each for each in gc.get_referrers(kind) if type(each) is kind]
                self._count, self._known = count, [weakref.ref(each) for each in found]
        return found


_PATCHES = _Instances("unittest.mock", "_patch")
_MONKEYS = _Instances("_pytest.monkeypatch", "MonkeyPatch")


def _by_patch() -> list[tuple[Any, str]]:
    """Objects, and the names under which a patch of theirs stands.

    They do by `start()`, of which there is a list, by a `with` or by a decorator.
    """
    standing = [patch for patch in _PATCHES.alive() if "temp_original" in vars(patch)]
    return [(patch.target, str(patch.attribute)) for patch in standing]


def _by_monkeypatch() -> list[tuple[Any, str]]:
    """Objects, and the names under which pytest's `monkeypatch` has set something in them for now."""
    return [(target, name) for each in _MONKEYS.alive() for target, name, _ in getattr(each, "_setattr", ())]


def _place_unnamed(target: Any, name: str) -> str:
    """A place that code need not name; empty for one in a module of the user's own, where code names it.

    What is in a class, code also comes to by objects that it is given, or holds.
    """
    if not of_type(target, ModuleType, type):
        return ""
    module: Any = target if of_type(target, ModuleType) else sys.modules.get(target.__module__)
    if not of_type(module, ModuleType) or (module is target and is_own_module(module)):
        return ""
    if module.__name__ == "unittest.mock":  # pytest-mock improves what mocks say, as long as tests run
        return ""
    inside = "" if module is target else f".{target.__qualname__}"
    return f"{module.__name__}{inside}.{name}"
