"""`auto` and each strategy of the registry, callables of both kinds, and a look at what is left behind."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import contract_acts as acts
import pytest
import uvloop
from contract_ways import (
    NAMES,
    children,
    descriptors,
    dismiss_resting,
    eventually,
    is_outside,
    shown_descriptors,
    small,
    threads,
)

from concurrent_choices._engine import _ticker
from concurrent_choices._strategies._lanes import _any_loop, _native, _thread_pool, _threads


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what is tried already.

    To other processes the caller's loop is the same for both kinds, and all get to know of its main module in
    one way, whichever way that was executed.
    """
    items[:] = [item for item in items if not _is_tried_elsewhere(item)]


def _is_tried_elsewhere(item: pytest.Item) -> bool:
    told: dict[str, str] = item.callspec.params if hasattr(item, "callspec") else {}
    if item.path.parent != Path(__file__).parent:
        return False
    if {"name", "way"} <= told.keys():
        return told["name"] != "process" and told["way"] != "file"
    if {"name", "kind", "loop"} <= told.keys():
        return is_outside(told["name"]) and (told["kind"] == "def") != (told["loop"] == "asyncio")
    return False


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    """The name of a strategy: each in turn."""
    return request.param


@pytest.fixture
def strategy(name: str) -> Any:
    """A strategy: each in turn, with few workers."""
    return small(name)


@pytest.fixture
def lean(name: str, outside: bool) -> Any:  # noqa: FBT001 - a fixture's value
    """A strategy that starts one process at most: what fails costs its workers, and new ones take time."""
    return small(name, max_workers=1) if outside else small(name)


@pytest.fixture
def outside(name: str) -> bool:
    """Whether the strategy's items run in other processes."""
    return is_outside(name)


@pytest.fixture(params=["def", "async def"])
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of callable: each in turn."""
    return request.param


@pytest.fixture
def of_kind(kind: str) -> Callable[[Any], Any]:
    """Gives an act in the kind of callable that is in turn."""
    return acts.twin if kind == "async def" else lambda fn: fn


@pytest.fixture(params=["asyncio", "trio"])
def loop(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Runs an async function on a loop of asyncio or trio: each in turn."""
    import anyio

    def in_loop(main: Callable[[], Any]) -> Any:
        return anyio.run(main, backend=request.param)

    return in_loop


@pytest.fixture
def parting(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets how many seconds the end of a run waits for lanes that are busy."""

    def wait(seconds: float) -> None:
        for module in (_any_loop, _thread_pool, _native, _threads):
            monkeypatch.setattr(module, "PARTING", seconds)

    return wait


@pytest.fixture
def hurried(nothing_left: None, parting: Callable[[float], None]) -> Iterator[None]:
    """Nobody waits long for orphaned threads, and they are let go when the test ends."""
    parting(0.02)
    acts.RELEASE.clear()
    yield
    acts.RELEASE.set()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where calls are written down, across processes."""
    return tmp_path / "calls"


@pytest.fixture(autouse=True)
def nothing_left(whole_suite):
    """After every test: no child process, no thread of ours, no descriptor more than before."""
    # What an earlier test has left behind is that test's failure, not this one's.
    before, old_children, old_threads = descriptors(), children(), threads()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ticker, "REST", 1e-3)  # or each test of `auto` would wait for it, to see that it ends
        yield
        assert eventually(lambda: children() <= old_children), f"left: {children() - old_children}"
        assert eventually(lambda: threads() <= old_threads), f"left: {threads() - old_threads}"
    if descriptors() > before:
        dismiss_resting()
        gc.collect()
    assert eventually(lambda: descriptors() <= before), shown_descriptors()


@pytest.fixture(scope="session", autouse=True)
def whole_suite():
    """What libraries keep for the life of a process is opened first; resting workers go home last."""
    uvloop.new_event_loop().close()  # libuv keeps one pipe for signals
    descriptors()
    yield
    dismiss_resting()
