"""Whether an event loop runs in this thread."""

from __future__ import annotations

import asyncio
import sys
from types import ModuleType

import pytest

from concurrent_choices._runtime._running_loop import loop_runs, on_asyncio, on_trio


def seen():
    return on_asyncio(), on_trio(), loop_runs()


async def seen_on_a_loop():
    return seen()


async def seen_beside_a_loop():
    return await asyncio.to_thread(seen)


def test_without_a_loop_there_is_none():
    """Though asyncio has been imported."""
    assert seen() == (False, False, False)


def test_asyncio_is_seen():
    """In its own thread alone."""
    assert asyncio.run(seen_on_a_loop()) == (True, False, True)
    assert asyncio.run(seen_beside_a_loop()) == (False, False, False)


def test_trio_is_seen():
    """It is told from asyncio."""
    trio = pytest.importorskip("trio")
    assert trio.run(seen_on_a_loop) == (False, True, True)


def begun(name, **parts):
    """A module that another thread has only begun to import."""
    module = ModuleType(name)
    vars(module).update(parts)
    return module


@pytest.mark.parametrize(
    "module", [begun("asyncio.events"), begun("trio"), begun("trio", lowlevel=begun("trio.lowlevel"))]
)
def test_what_is_being_imported_runs_no_loop(monkeypatch, module):
    """`run` raised an AttributeError while another thread was importing it."""
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert not loop_runs()
