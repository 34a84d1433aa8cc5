"""All groups, in the order in which they run."""

from __future__ import annotations

from fnmatch import fnmatchcase

import attrs

from benchmarks.dispatch import coroutines, memory, payload, processes, sequential, sleeping, startup, threads
from benchmarks.dispatch._case import Group, Row, Size

__all__ = ["all_groups", "all_rows", "matching"]

# Processes come before what starts many threads: some peers fork.
MODULES = (startup, sequential, processes, payload, threads, coroutines, sleeping, memory)


def all_groups(size: Size) -> list[Group]:
    """Make every group at this size."""
    return [group for module in MODULES for group in module.groups(size)]


def all_rows(size: Size) -> dict[str, Row]:
    """Make every row at this size, by its name."""
    return {row.name: row for group in all_groups(size) for row in group.rows}


def matching(groups: list[Group], pattern: str) -> list[Group]:
    """Keep the rows whose "group/row" contains the pattern, in which * and ? may stand.

    Raises:
        ValueError: If none does; the message lists what there is.
    """
    kept = [attrs.evolve(group, rows=_rows(group, pattern)) for group in groups]
    kept = [group for group in kept if group.rows]
    if not kept:
        names = ", ".join(f"{group.name}/{row.name}" for group in groups for row in group.rows)
        msg = f"--only {pattern!r} fits no row; there are: {names}"
        raise ValueError(msg)
    return kept


def _rows(group: Group, pattern: str) -> list[Row]:
    return [row for row in group.rows if fnmatchcase(f"{group.name}/{row.name}", f"*{pattern}*")]
