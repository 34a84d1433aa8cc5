"""Starting the catalogue's server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.catalogue.work.server import VARIABLE

__all__ = ["serving"]

_ROOT = Path(__file__).parents[2]


@contextmanager
def serving() -> Iterator[None]:
    """Have the server up, and its ports in the environment; one that is up already is used."""
    if VARIABLE in os.environ:
        yield
        return
    command = [sys.executable, "-m", "benchmarks.catalogue._application"]
    with subprocess.Popen(
        command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        os.environ[VARIABLE] = server.stdout.readline().strip()
        try:
            yield
        finally:
            del os.environ[VARIABLE]
            server.stdin.close()
