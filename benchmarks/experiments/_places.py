"""Where files are written: a folder on a disk and one in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

__all__ = ["disk", "is_tmpfs", "tmpfs"]

MEMORY = Path("/dev/shm")


def is_tmpfs(folder: Path) -> bool:
    """Whether files in a folder live in memory, by the list of mounts."""
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8")
    except OSError:
        return False
    found = (line.split()[1:3] for line in mounts.splitlines())
    covering = [(where, kind) for where, kind in found if folder.resolve().is_relative_to(where)]
    return max(covering, key=lambda each: len(each[0]), default=("", ""))[1] == "tmpfs"


@contextmanager
def disk() -> Iterator[Path | None]:
    """A temporary folder on a device; None where every place is in memory."""
    candidates = (Path(tempfile.gettempdir()), Path("/var/tmp"), Path.cwd())
    yield from _folder(next((each for each in candidates if each.is_dir() and not is_tmpfs(each)), None))


@contextmanager
def tmpfs() -> Iterator[Path | None]:
    """A temporary folder in memory; None where there is no tmpfs."""
    yield from _folder(MEMORY if MEMORY.is_dir() and is_tmpfs(MEMORY) else None)


def _folder(parent: Path | None) -> Iterator[Path | None]:
    with ExitStack() as stack:
        if parent is None:
            yield None
        else:
            made = tempfile.TemporaryDirectory(prefix="concurrent-choices-", dir=parent)
            yield Path(stack.enter_context(made))
