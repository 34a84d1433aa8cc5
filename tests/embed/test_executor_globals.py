"""What is set, replaced or patched in this process counts for the calls after it, wherever they would run."""

from __future__ import annotations

import importlib
import sys
from contextlib import contextmanager, nullcontext
from functools import partial
from unittest import mock

import pytest
from executor_acts import spin
from executor_verdicts import PATIENCE, why

FACTOR = {"by": 1}


def scaled(rounds):
    """Compute with a global."""
    spin(rounds)
    return FACTOR["by"]


class Scaler:
    """Computes with a global, too."""

    def scale(self, rounds):
        """Compute with a global."""
        spin(rounds)
        return FACTOR["by"]

    def __call__(self, rounds):
        """Compute with a global."""
        spin(rounds)
        return FACTOR["by"]


USERS = {
    "function": lambda executor: executor.submit(scaled, 200_000).result(),
    "method": lambda executor: executor.submit(Scaler().scale, 200_000).result(),
    "partial": lambda executor: executor.submit(partial(scaled, 200_000)).result(),
    "object": lambda executor: executor.submit(Scaler(), 200_000).result(),
    "chunk": lambda executor: next(executor.map(scaled, [100_000] * 2, chunksize=2)),
}


@pytest.mark.parametrize("kind", USERS)
def test_a_global_that_is_set_between_calls_counts_from_the_next_one_on(kind, executor, monkeypatch):
    """Whatever it is of whose calls are away, it comes back before a worker uses what it has imported."""
    use = USERS[kind]
    for _ in range(PATIENCE):
        use(executor)
        (learnt,) = executor.explain()
        if learnt.place == "process":
            break
    assert learnt.place == "process", executor.explain()
    assert [use(executor) for _ in range(3)] == [1] * 3
    monkeypatch.setitem(FACTOR, "by", 2)
    assert [use(executor) for _ in range(20)] == [2] * 20
    (learnt,) = executor.explain()
    assert learnt.place == "thread"


def priced(rounds):
    """Compute with another function."""
    return spin(rounds), price()


def price():
    """An old price."""
    return "old"


def test_a_function_that_is_bound_anew_counts_from_the_next_call_on(executor, monkeypatch):
    """As a helper that is defined again in a notebook, or replaced for a test."""
    for _ in range(PATIENCE):
        assert executor.submit(priced, 200_000).result()[1] == "old"
        if executor.explain()["priced"].place == "process":
            break
    monkeypatch.setitem(globals(), "price", lambda: "new")
    assert [executor.submit(priced, 200_000).result()[1] for _ in range(20)] == ["new"] * 20


def dearer():
    """A price that a test asks for."""
    return "dear"


@contextmanager
def monkeypatched(target):
    """As the fixture has it, for the time of a test."""
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(target, dearer)
        yield


@pytest.mark.parametrize(
    "patched",
    [
        partial(mock.patch, "time.localtime"),
        partial(mock.patch, f"{__name__}.price"),
        partial(mock.patch, f"{__name__}.price", new=dearer),
        partial(monkeypatched, f"{__name__}.price"),
    ],
    ids=["library", "own", "own by own", "monkeypatch"],
)
@pytest.mark.parametrize("places", [("process", "thread", "process"), ("thread", "process")])
def test_a_patch_keeps_a_callable_only_while_it_lasts(patched, places, executor):
    """It may surround one call of many in a test, and workers are the right place for those after it."""
    for place in places:
        with patched() if place == "thread" else nullcontext():
            for _ in range(PATIENCE):
                executor.submit(priced, 200_000).result()
                known = executor.explain()["priced"]
                if known.place == place and (place == "process" or "replaced" in known.why):
                    break
            assert known.place == place, known.why
            assert place == "process" or "was replaced here" in known.why


SETTABLE = """
LIMIT = 1


def work(rounds):
    total = 0
    for number in range(rounds):
        total += number
    return LIMIT
"""


def test_what_was_set_in_a_module_since_its_import_stays(executor, tmp_path, monkeypatch):
    """A worker imports the module and would find what it says, so results would depend on the place."""
    (tmp_path / "settable.py").write_text(SETTABLE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "settable", raising=False)
    settable = importlib.import_module("settable")
    settable.LIMIT = 2
    for _ in range(PATIENCE):
        assert executor.submit(settable.work, 200_000).result() == 2
        if "LIMIT" in why(executor, settable.work):
            break
    assert "settable.LIMIT has another value there than here" in why(executor, settable.work)


@pytest.mark.parametrize("limit", [1, 2])
def test_what_travels_by_value_stays_if_a_worker_finds_other_things_in_modules(
    limit, executor, tmp_path, monkeypatch
):
    """It brings nothing along of the modules that it uses, and a worker imports them anew."""
    (tmp_path / "settable.py").write_text(SETTABLE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "settable", raising=False)
    settable = importlib.import_module("settable")
    settable.LIMIT, inner = limit, settable.work

    def work(rounds):
        return inner(rounds)

    for _ in range(PATIENCE):
        assert executor.submit(work, 200_000).result() == limit
        if executor.explain()[work.__qualname__].place == "process" or "modules" in why(executor, work):
            break
    differs = "(settable.LIMIT has another value there than here)"
    words = f"a worker process finds other things in modules {differs}"
    assert (why(executor, work) == words) is (limit == 2)
