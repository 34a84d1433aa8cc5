"""The gates every change passes: lint, format, types, floors; pyproject.toml configures them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from _tree import ROOT

SCRIPTS = Path(sysconfig.get_path("scripts"))


def say(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a tool at the project's root and keep what it says."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=ROOT, capture_output=True, check=False, text=True, timeout=300)


def gate(*command: str | Path) -> None:
    """Fail with the tool's own words unless it is content."""
    done = say(*command)
    if done.returncode:
        shown = " ".join(Path(word).name for word in done.args)
        pytest.fail(f"`{shown}` is not content:\n\n{done.stdout}{done.stderr}", pytrace=False)


def python(module: str, *arguments: str) -> tuple[str, ...]:
    """The command line of a tool of this very environment."""
    return (sys.executable, "-m", module, *arguments)


def test_ruff_has_no_complaint():
    """Lint is clean, with every rule on that pyproject.toml does not excuse with a reason."""
    gate(*python("ruff", "check", "--no-cache", "."))


def test_ruff_would_format_nothing():
    """The code looks the way the formatter leaves it."""
    gate(*python("ruff", "format", "--no-cache", "--check", "--diff", "."))


def test_mypy_is_content():
    """The library and the uses of its public face are typed, as mypy --strict sees it."""
    gate(*python("mypy", "--strict"))


def test_pyright_is_content():
    """The same as pyright sees it, in strict mode."""
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    if (start := say(*python("pyright", "--version"))).returncode:
        pytest.skip(f"pyright cannot start here, it needs node.js: {start.stderr.strip()[-300:]}")
    gate(*python("pyright", "--pythonpath", sys.executable))


def test_the_floors_hold():
    """Imports go downwards only, every module stands on a floor, and there are no cycles."""
    gate(SCRIPTS / "lint-imports", "--no-cache")
