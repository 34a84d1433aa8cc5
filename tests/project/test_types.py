"""The two gates that take longest: mypy and pyright, at work since the first test of this folder."""

from __future__ import annotations

import importlib.util
from concurrent.futures import Future
from subprocess import CompletedProcess

import pytest
from _tools import judge, python, say

Checkers = dict[str, Future[CompletedProcess[str]]]


@pytest.mark.timeout(300)
def test_mypy_is_content(checkers: Checkers):
    """The library and the uses of its public face are typed, as mypy --strict sees it."""
    judge(checkers["mypy"].result())


@pytest.mark.timeout(300)
def test_pyright_is_content(checkers: Checkers):
    """The same as pyright sees it, in strict mode."""
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    done = checkers["pyright"].result()
    if done.returncode and (start := say(*python("pyright", "--version"))).returncode:
        pytest.skip(f"pyright cannot start here, it needs node.js: {start.stderr.strip()[-300:]}")
    judge(done)
