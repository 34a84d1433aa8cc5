"""All entries by name."""

from __future__ import annotations

from benchmarks.catalogue import computing, coroutines, storage, travelling, waiting
from benchmarks.catalogue._entry import Entry, one_of, prepared

__all__ = ["CATALOGUE", "Entry", "matching", "one_of", "prepared"]

_FAMILIES = {
    "computing": computing,
    "waiting": waiting,
    "storage": storage,
    "travelling": travelling,
    "coroutines": coroutines,
}

CATALOGUE: dict[str, Entry] = {entry.name: entry for family in _FAMILIES.values() for entry in family.ENTRIES}
"""Every workload by its name, family after family."""


def matching(pattern: str) -> list[Entry]:
    """The entries whose "family/name" contains a pattern."""
    return [
        entry
        for title, family in _FAMILIES.items()
        for entry in family.ENTRIES
        if pattern in f"{title}/{entry.name}"
    ]
