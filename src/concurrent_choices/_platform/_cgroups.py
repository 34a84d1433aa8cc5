"""Finding the control groups around this process, in both versions of Linux's hierarchies.

The limits of nested groups all hold at once, so each group is listed from the innermost up to the
mount point (kernel documentation, cgroup-v1 and cgroup-v2).
"""

from __future__ import annotations

import os

from .._facts._lean import TYPE_CHECKING, NamedTuple
from ._files import lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["groups"]

_USUAL_MOUNT = "/sys/fs/cgroup"
_FIELDS_BEFORE_OPTIONAL = 6  # of a line of mountinfo; proc_pid_mountinfo(5)


class _Mount(NamedTuple):
    """A hierarchy of control groups: which of its groups stands where in the file system."""

    kind: str
    controllers: frozenset[str]
    top: str
    point: str


def groups(root: Path | str, controller: str) -> Iterator[tuple[str, str]]:
    """The groups around this process that may limit `controller`: their kind and their folder.

    A hybrid system has a hierarchy of each version; the limits of both hold.
    """
    mounts = list(_mounts(root))
    # Where /proc is hidden, the mount points can still be read.
    for line in lines(root, "/proc/self/cgroup") or ["0::/", f"1:{controller}:/"]:
        number, _, rest = line.partition(":")
        controllers, _, member = rest.partition(":")
        if number == "0" and not controllers:
            yield from _climb(root, _find(mounts, "cgroup2", ""), member)
        elif controller in controllers.split(","):
            yield from _climb(root, _find(mounts, "cgroup", controller), member)


def _climb(root: Path | str, mount: _Mount, member: str) -> Iterator[tuple[str, str]]:
    """The folders of a group and of all around it, innermost first, up to the mount point."""
    parts = _below(mount.top, member)
    if not os.path.isdir(f"{root}/{mount.point}/{'/'.join(parts)}"):  # noqa: PTH112 - asked on every run; a Path costs more than the question
        # In a container the path can be the host's; all there is to read is the mount point.
        parts = []
    while parts:
        yield mount.kind, "/".join((mount.point, *parts))
        parts.pop()
    yield mount.kind, mount.point


def _below(top: str, member: str) -> list[str]:
    """The path of group `member`, as parts, seen from group `top`."""
    parts = [part for part in member.split("/") if part]
    prefix = [part for part in top.split("/") if part]
    if ".." in parts:  # the group lies outside this namespace
        return []
    return parts[len(prefix) :] if parts[: len(prefix)] == prefix else parts


def _find(mounts: list[_Mount], kind: str, controller: str) -> _Mount:
    for mount in mounts:
        if mount.kind == kind and (not controller or controller in mount.controllers):
            return mount
    usual = f"{_USUAL_MOUNT}/{controller}" if controller else _USUAL_MOUNT
    return _Mount(kind, frozenset(), "/", usual)


def _mounts(root: Path | str) -> Iterator[_Mount]:
    for line in lines(root, "/proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) >= _FIELDS_BEFORE_OPTIONAL and right and right[0] in {"cgroup", "cgroup2"}:
            yield _Mount(right[0], frozenset(right[-1].split(",")), left[3], left[4])
