"""How much memory this process may use."""

from __future__ import annotations

import os

from .._facts._lean import TYPE_CHECKING
from ._cgroups import groups
from ._files import lines, read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["memory_limit"]


def memory_limit(root: Path | str = "") -> int | None:
    """How many bytes this process may use; None where nobody knows.

    The least of the limits of all control groups around this process and the machine's memory.
    """
    return min([*_memory_limits(root), *_physical(root)], default=None)


def _memory_limits(root: Path | str) -> Iterator[int]:
    for kind, group in groups(root, "memory"):
        name = "memory.max" if kind == "cgroup2" else "memory.limit_in_bytes"
        text = read(root, f"{group}/{name}").strip()
        if text.isdecimal() and int(text):
            yield int(text)


def _physical(root: Path | str) -> list[int]:
    for line in lines(root, "/proc/meminfo"):
        words = line.split()
        if words[:1] == ["MemTotal:"] and len(words) > 1 and words[1].isdecimal():
            return [int(words[1]) * 1024]
    try:
        return [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    except (AttributeError, OSError, ValueError):
        return []
