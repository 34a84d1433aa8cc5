"""What a test pretends for a whole process, deep in libraries, where no code of a callable names it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from ._asking import of_type
from ._captured import is_own_module

__all__ = ["pretended"]


def pretended() -> str:
    """What of libraries is not itself here: patched by `unittest.mock`, or a clock that was moved; or empty.

    So do `responses` and `respx`, which answer in place of a network: in a worker it would be the network.
    """
    if getattr(sys.modules.get("time_machine"), "traveller_stack", ()):
        return "the time"
    # A patch that is a `with` or a decorator is in no list; those of libraries for tests are.
    patch = getattr(sys.modules.get("unittest.mock"), "_patch", None)
    started: list[Any] = getattr(patch, "_active_patches", [])
    return next((place for place in map(_place_in_library, started.copy()) if place), "")


def _place_in_library(patch: Any) -> str:
    """What a patch that was started has put something in place of; empty where that is the user's own."""
    target: Any = getattr(patch, "target", None)
    name: Any = getattr(patch, "attribute", None)
    if not (of_type(target, ModuleType, type) and name):  # as of one for a dictionary
        return ""
    module: Any = target if of_type(target, ModuleType) else sys.modules.get(target.__module__)
    if not of_type(module, ModuleType) or is_own_module(module):
        return ""
    inside = "" if module is target else f".{target.__qualname__}"
    return f"{module.__name__}{inside}.{name}"
