import asyncio
from pkgutil import resolve_name

import pytest
from benchmarks.catalogue.all import CATALOGUE, matching, prepared

from concurrent_choices._judge._reason import BECAUSE
from interpreters import printed

WORDS = {*BECAUSE, "async that blocks the loop at "}


def test_there_are_enough():
    """Thirty at least, of all families and of both kinds."""
    assert len(CATALOGUE) >= 30
    assert sum(entry.is_async for entry in CATALOGUE.values()) >= 8
    assert matching("coroutines/") == [entry for entry in CATALOGUE.values() if entry.is_async]


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=CATALOGUE)
def test_labels_are_words_that_verdicts_use(entry):
    """A misspelt label would count every verdict as wrong."""
    assert entry.bound <= {"io", "cpu", "mixed"}
    assert entry.diagnosis <= WORDS
    assert 0 < entry.quick <= entry.count


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=CATALOGUE)
def test_callables_are_called_as_a_worker_would(entry):
    """Importable by name, or a lambda or closure on purpose; two real calls with its surroundings up."""
    reference = getattr(entry.fn, "__qualname__", "")
    if "<" not in reference:
        assert resolve_name(f"{entry.fn.__module__}:{reference}") is entry.fn
    with prepared(entry, entry.quick) as items:
        assert len(items) == entry.quick
        for item in items[:2]:
            asyncio.run(entry.fn(item)) if entry.is_async else entry.fn(item)


def test_a_worker_imports_only_what_it_calls(root):
    """Neither NumPy nor the labels, for a loop in Python."""
    script = (
        "import sys, benchmarks.catalogue.work.python; print({'numpy', 'attrs', 'uvicorn'} & {*sys.modules})"
    )
    assert printed("-c", script, cwd=root) == ["set()"]
