"""Tools of others, run at the project's root, and judged by their exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from _tree import ROOT

__all__ = ["gate", "judge", "python", "say"]


def say(*command: str | Path, seconds: float = 300) -> subprocess.CompletedProcess[str]:
    """Run a tool and keep what it says."""
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
