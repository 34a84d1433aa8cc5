"""The built site, for all that look at it."""

from __future__ import annotations

import pytest

from interpreters import interpreter


@pytest.fixture(scope="session")
def site(root, tmp_path_factory):
    """The built site; mkdocs says why where it cannot be built."""
    folder = tmp_path_factory.mktemp("site")
    done = interpreter("-m", "mkdocs", "build", "--strict", "--site-dir", folder, cwd=root)
    if done.returncode:
        pytest.fail(f"mkdocs build --strict:\n{done.stdout}{done.stderr}", pytrace=False)
    return folder
