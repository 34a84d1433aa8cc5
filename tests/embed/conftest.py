"""What the tests of the executor share: callables of known kinds, and a way to wait for a verdict."""

from __future__ import annotations

import pytest

from concurrent_choices import AdaptiveExecutor
from concurrent_choices._embed import _core


@pytest.fixture(autouse=True)
def gil(monkeypatch):
    """That there is one, for which calls that compute move to processes; on builds without one, too."""
    monkeypatch.setattr(_core, "gil_enabled", lambda: True)


@pytest.fixture
def executor():
    """An executor, shut down afterwards, whatever the test left running in it."""
    with AdaptiveExecutor() as made:
        yield made
