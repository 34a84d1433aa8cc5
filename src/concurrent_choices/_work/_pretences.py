"""What a test pretends for a whole process, deep in libraries, where no code of a callable names it."""

from __future__ import annotations

import gc
import sys
from types import ModuleType
from typing import Any, ClassVar
from weakref import ref

from ._asking import of_type
from ._mutex import Mutex
from ._ownership import is_own_module

__all__ = ["pretended"]


def pretended() -> str:
    """What of libraries is not itself here: patched by `unittest.mock`, or a clock that was moved; or empty.

    So do `responses` and `respx`, which answer in place of a network: in a worker it would be the network.
    """
    if getattr(sys.modules.get("time_machine"), "traveller_stack", ()):
        return "the time"
    return next((place for place in map(_place_in_library, _standing()) if place), "")


class _Known:
    """The patches that were there at the last look, and how many references to their class then."""

    lock = Mutex()
    patches: ClassVar[list[ref[Any]]] = []
    references = -1


def _standing() -> list[Any]:
    """The patches that stand: by `start()`, of which there is a list, by a `with` or by a decorator.

    Each refers to its class. To find who does takes 30 ms (84 000 objects) or more, in which nothing else can
    run: so references are counted first. As many as before, and no patch let go of, are the same patches.
    """
    with _Known.lock:  # each who looks refers to it, too
        kind: Any = getattr(sys.modules.get("unittest.mock"), "_patch", None)
        if kind is None:
            return []
        references = sys.getrefcount(kind)
        patches: list[Any] = [known() for known in _Known.patches]
        if references != _Known.references or any(patch is None for patch in patches):
            patches = [each for each in gc.get_referrers(kind) if type(each) is kind]
            _Known.patches = [ref(patch) for patch in patches]
            _Known.references = references
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
