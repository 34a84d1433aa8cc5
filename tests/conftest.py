"""What every test shares: where the project is, and how hypothesis searches."""

from __future__ import annotations

import gc
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Or an interpreter's complaint would not be shown where it must have none, nor what others find instead.
pytest.register_assert_rewrite("interpreters", "controller_sights", "engine_moves", "profiled")

# In the background of a shell Ctrl-C is ignored, and so it would be by every script that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine must not fail a property, and two runs of the same commit must agree.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


def pytest_collection_finish() -> None:
    """Spare every later collection of garbage the thousands of collected tests: they are there to stay."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder that holds pyproject.toml."""
    return Path(__file__).resolve().parents[1]
