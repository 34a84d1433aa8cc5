"""What a test pretends for a whole process, deep in libraries, where no code of a callable names it."""

from __future__ import annotations

import gc
import sys
import weakref
from types import ModuleType
from typing import Any, ClassVar

from ._asking import of_type
from ._mutex import Mutex
from ._ownership import is_own_module

__all__ = ["pretended", "unseen"]


def pretended() -> str:
    """What of libraries is not itself here: patched by `unittest.mock`, or a clock that was moved; or empty.

    So do `responses` and `respx`, which answer in place of a network: in a worker it would be the network.
    """
    if getattr(sys.modules.get("time_machine"), "traveller_stack", ()):
        return "the time"
    return next((place for place in map(_place_in_library, _standing()) if place), "")


def unseen(place: str) -> str:
    """Why what may use a thing that was replaced here stays; empty where no place is named."""
    return place and f"{place} was replaced here, which another process would not see"


class _Known:
    """The patches there were at the last look, and how many referred to their class."""

    lock = Mutex()
    patches: ClassVar[list[weakref.ref[Any]]] = []
    count = -1


def _standing() -> list[Any]:
    """The patches that stand: by `start()`, of which there is a list, by a `with` or by a decorator.

    Each refers to its class. To find who does takes 30 ms (84 000 objects) or more, in which nothing else can
    run: so that is done only if there are more or fewer than before, or one of those is gone.
    """
    with _Known.lock:  # each who looks refers to it, too
        kind: Any = getattr(sys.modules.get("unittest.mock"), "_patch", None)
        if kind is None:
            return []
        count = sys.getrefcount(kind)
        patches = [patch for known in _Known.patches if (patch := known()) is not None]
        if count != _Known.count or len(patches) < len(_Known.patches):
            patches = [each for each in gc.get_referrers(kind) if type(each) is kind]
            _Known.count, _Known.patches = count, [weakref.ref(patch) for patch in patches]
    return [patch for patch in patches if "temp_original" in vars(patch)]


def _place_in_library(patch: Any) -> str:
    """What a patch has put something in place of; empty where that is the user's own."""
    target: Any = getattr(patch, "target", None)
    name: Any = getattr(patch, "attribute", None)
    if not (of_type(target, ModuleType, type) and name):  # as of one for a dictionary
        return ""
    module: Any = target if of_type(target, ModuleType) else sys.modules.get(target.__module__)
    if not of_type(module, ModuleType) or is_own_module(module):
        return ""
    inside = "" if module is target else f".{target.__qualname__}"
    return f"{module.__name__}{inside}.{name}"
