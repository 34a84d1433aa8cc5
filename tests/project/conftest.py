"""The two slowest tools, each at work on a core of its own while the other tests of this folder run."""

from __future__ import annotations

import sys
from concurrent.futures import Future, ThreadPoolExecutor
from subprocess import CompletedProcess

import pytest
from _tools import python, say


@pytest.fixture(scope="session")
def checkers() -> dict[str, Future[CompletedProcess[str]]]:
    """What mypy and pyright will have said."""
    commands = python("mypy", "--strict"), python("pyright", "--pythonpath", sys.executable)
    pool = ThreadPoolExecutor(len(commands))
    started = {command[2]: pool.submit(say, *command) for command in commands}
    pool.shutdown(wait=False)  # its threads end with the tools
    return started


@pytest.fixture(scope="session", autouse=True)
def checkers_begin_early(request: pytest.FixtureRequest) -> None:
    """They begin with the first test here, if those that ask for them, which come last, are to run at all."""
    if any(item.path.name == "test_types.py" for item in request.session.items):
        request.getfixturevalue("checkers")
