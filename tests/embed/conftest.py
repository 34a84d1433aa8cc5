"""What the tests of the executor share: callables of known kinds, and a way to wait for a verdict."""

from __future__ import annotations

import pytest

from concurrent_choices import AdaptiveExecutor


@pytest.fixture
def executor():
    """An executor, shut down afterwards, whatever the test left running in it."""
    with AdaptiveExecutor() as made:
        yield made
