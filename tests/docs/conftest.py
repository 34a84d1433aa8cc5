"""The built site, for all that look at it."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def site(root, tmp_path_factory):
    """The built site; mkdocs says why where it cannot be built."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False, text=True, timeout=110)
    if done.returncode:
        pytest.fail(f"mkdocs build --strict:\n{done.stdout}{done.stderr}", pytrace=False)
    return folder
