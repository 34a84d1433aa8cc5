"""The gates every change passes: lint, format, types, floors; pyproject.toml configures them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from _tree import ROOT

SCRIPTS = Path(sysconfig.get_path("scripts"))


def say(*command: str | Path, seconds: float = 300) -> subprocess.CompletedProcess[str]:
    """Run a tool at the project's root and keep what it says."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=ROOT, capture_output=True, check=False, text=True, timeout=seconds)


def gate(*command: str | Path) -> None:
    """Fail with the tool's own words unless it is content."""
    judge(say(*command))


def judge(done: subprocess.CompletedProcess[str]) -> None:
    """Fail with the tool's own words unless it was content."""
    if done.returncode:
        shown = " ".join(Path(word).name for word in done.args)
        pytest.fail(f"`{shown}` is not content:\n\n{done.stdout}{done.stderr}", pytrace=False)


def python(module: str, *arguments: str) -> tuple[str, ...]:
    """The command line of a tool of this very environment."""
    return (sys.executable, "-m", module, *arguments)


Checkers = dict[str, Future[subprocess.CompletedProcess[str]]]


@pytest.fixture(scope="module")
def checkers() -> Iterator[Checkers]:
    """The two slowest tools, each at work on a core of its own."""
    commands = python("mypy", "--strict"), python("pyright", "--pythonpath", sys.executable)
    with ThreadPoolExecutor(len(commands)) as pool:
        yield {command[2]: pool.submit(say, *command) for command in commands}


def test_ruff_has_no_complaint():
    """Lint is clean, with every rule on that pyproject.toml does not excuse with a reason."""
    gate(*python("ruff", "check", "--no-cache", "."))


def test_ruff_would_format_nothing():
    """The code looks the way the formatter leaves it."""
    gate(*python("ruff", "format", "--no-cache", "--check", "--diff", "."))


@pytest.mark.timeout(300)
def test_mypy_is_content(checkers: Checkers):
    """The library and the uses of its public face are typed, as mypy --strict sees it."""
    judge(checkers["mypy"].result())


@pytest.mark.timeout(300)
def test_pyright_is_content(checkers: Checkers):
    """The same as pyright sees it, in strict mode."""
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    if (start := say(*python("pyright", "--version"))).returncode:
        pytest.skip(f"pyright cannot start here, it needs node.js: {start.stderr.strip()[-300:]}")
    judge(checkers["pyright"].result())


def test_the_floors_hold():
    """Imports go downwards only, every module stands on a floor, and there are no cycles."""
    gate(SCRIPTS / "lint-imports", "--no-cache")
