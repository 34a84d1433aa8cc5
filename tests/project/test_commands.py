"""The two commands a newcomer types, and what they say where they cannot work."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys

import pytest
from _tree import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(*words: str) -> subprocess.CompletedProcess[str]:
    """Run make at the project's root."""
    return subprocess.run(["make", *words], cwd=ROOT, capture_output=True, check=False, text=True, timeout=60)


def test_without_a_python_it_says_so(tmp_path):
    """Where no Python is found, the message says which are looked for and how to name another."""
    done = make(f"VENV={tmp_path}/venv", "PYTHON=", f"{tmp_path}/venv/bin/python")
    assert done.returncode
    assert "needs Python 3.11 or newer" in done.stderr
    assert "make PYTHON=" in done.stderr


def test_with_a_python_that_will_not_do_it_says_so(tmp_path):
    """A Python that is too old, or does not run, is refused before anything is made of it."""
    done = make(f"VENV={tmp_path}/venv", "PYTHON=false", f"{tmp_path}/venv/bin/python")
    assert done.returncode
    assert "false does not run or is older than Python 3.11" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_an_environment_that_cannot_be_made_is_not_left_half_made(tmp_path):
    """Where venv fails, what it left is removed, or the next attempt would trust it."""
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\nif [ "$1" = "-m" ]; then mkdir -p {tmp_path}/venv/bin; exit 1; fi\n'
        f'exec {shlex.quote(sys.executable)} "$@"\n'
    )
    python.chmod(0o755)
    done = make(f"VENV={tmp_path}/venv", f"PYTHON={python}", f"{tmp_path}/venv/bin/python")
    assert done.returncode
    assert "cannot make a virtual environment" in done.stderr
    assert not (tmp_path / "venv").exists()


@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("demo", "-m examples.demo"),
        ("test", "-m pytest"),
        ("lowest", "-m pytest tests/contract tests/embed"),
        ("bench", "-m benchmarks.dispatch"),
        ("docs", "mkdocs build --strict"),
    ],
)
def test_a_target_runs_what_it_is_called(target, command):
    """Each target ends in the command that the documents give beside it."""
    done = make("--dry-run", target)
    assert done.returncode == 0
    assert command in done.stdout


def test_ci_calls_what_a_newcomer_types():
    """What CI runs is `make test` and nothing else."""
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    commands = [line for line in lines if line and not line.startswith(("#", "set ", "cd "))]
    assert commands == ["make test"]
