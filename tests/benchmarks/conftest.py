"""The experiments are not installed; they are found where they lie. Their size is an option."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.experiments._model import Size


def pytest_addoption(parser):
    """How large the experiments are; pytest knows it where this folder is named on the command line."""
    parser.addoption("--experiments", choices=[size.value for size in Size], default="quick")


@pytest.fixture(autouse=True)
def at_the_root(root, monkeypatch):
    """Their servers are modules too, which are found from there, wherever pytest was called."""
    monkeypatch.chdir(root)


@pytest.fixture(scope="session")
def size(pytestconfig):
    """The size asked for."""
    return Size(pytestconfig.getoption("--experiments", "quick"))
