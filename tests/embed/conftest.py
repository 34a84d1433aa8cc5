"""What the tests of the executor share: an executor, also without its face, and a GIL wherever they run."""

from __future__ import annotations

import pytest

from concurrent_choices import AdaptiveExecutor
from concurrent_choices._embed import _core
from concurrent_choices._embed._core import Core
from concurrent_choices._embed._settings import Settings


@pytest.fixture(autouse=True)
def gil(monkeypatch):
    """That there is one, for which calls that compute move to processes; on builds without one, too."""
    monkeypatch.setattr(_core, "gil_enabled", lambda: True)


@pytest.fixture
def executor():
    """An executor, shut down afterwards, whatever the test left running in it."""
    with AdaptiveExecutor() as made:
        yield made


@pytest.fixture
def core():
    """An executor without its face, which is closed."""
    settings = Settings(
        max_threads=None,
        max_processes=None,
        max_queue=None,
        when_full="block",
        limits={},
        place="auto",
        name="tests",
    )
    made = Core(settings)
    yield made
    made.close()
    made.join()
