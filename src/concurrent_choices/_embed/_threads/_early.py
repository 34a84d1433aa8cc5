"""What the executor's threads come to import, imported before there are any.

A fork that strikes while a thread imports a module has that module's lock held for ever, by a thread that it
does not have: whoever needs the module in there hangs.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module

__all__ = ["import_early"]

_NEEDED = (
    "_locale",
    "ctypes",
    "dis",
    "hashlib",
    "concurrent_choices._strategies._workers._between._shared_memory",
    "concurrent_choices._transfer._by_value",
    "concurrent_choices._runtime._interrupted",
)
"""10 ms all together; each is lazy elsewhere, since most workers and runs need none of it."""


def import_early() -> None:
    """Import it all, apart from what this interpreter was built without, which nobody here insists on."""
    for name in _NEEDED:
        with suppress(ImportError):
            import_module(name)
