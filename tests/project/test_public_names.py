"""The front door: what can be imported, and what importing it costs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_type_hints

import pytest
from _tree import PACKAGE, modules, public_literal

import concurrent_choices
from concurrent_choices import _errors
from interpreters import printed

HEAVY = ("anyio", "asyncio", "concurrent.futures", "multiprocessing", "rich", "trio", "uvloop")
PROMISED = {
    "AnyioStrategy",
    "AsyncioStrategy",
    "Batch",
    "Claim",
    "HybridStrategy",
    "Machine",
    "Plan",
    "ProcessStrategy",
    "SequentialStrategy",
    "Strategy",
    "ThreadStrategy",
    "UvloopStrategy",
    "arun",
    "astream",
    "run",
    "stream",
    *_errors.__all__,
}


def fresh(code: str) -> str:
    """What a new interpreter prints."""
    return "\n".join(printed("-c", code))


@cache
def loaded_by(code: str) -> set[str]:
    """The modules that a new interpreter has loaded after some code."""
    return set(fresh(f"import sys\n{code}\nprint(*sys.modules)").split())


def rank(name: str) -> tuple[int, str]:
    """The order ruff gives names: constants, then classes, then functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


@pytest.mark.parametrize("module", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_all_is_literal_and_sorted(module):
    """A reader and a tool find a module's public names without running it."""
    names = public_literal(module)
    if names is None:
        assert module.name == "__init__.py", "a module without __all__"
        assert module.parent != PACKAGE, "the front door without __all__"
    else:
        assert names == sorted(set(names), key=rank)


def taken(module: Path) -> Iterator[tuple[Path, str]]:
    """What a module imports of others of ours that have an `__all__`."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level and node.module:
            home = module.parents[node.level - 1].joinpath(*node.module.split("."))
            if home.with_suffix(".py").exists():
                yield from ((home.with_suffix(".py"), each.name) for each in node.names)


@pytest.mark.parametrize("module", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_what_is_taken_was_offered(module):
    """So `__all__` tells who changes a module what others rely on."""
    assert [(home.name, name) for home, name in taken(module) if name not in public_literal(home)] == []


@pytest.mark.parametrize(
    "name", ["arun", "astream", "offload", "pick_executor", "recommend", "run", "stream"]
)
def test_annotations_can_be_read_while_running(name):
    """Frameworks that look at signatures find every name they hold."""
    assert get_type_hints(getattr(concurrent_choices, name))


def test_the_door_opens_to_what_was_promised():
    """Every name the design promises can be imported from the package itself."""
    assert set(concurrent_choices.__all__) >= PROMISED


@pytest.mark.parametrize("name", concurrent_choices.__all__)
def test_every_public_name_is_there_and_described(name):
    """A name in __all__ exists and says in a docstring what it is."""
    assert getattr(concurrent_choices, name).__doc__


def test_nothing_leaks():
    """Apart from its public modules the package shows no name that it does not promise."""
    public_modules = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith("_")}
    shown = fresh("import concurrent_choices as c; print(*[n for n in dir(c) if not n.startswith('_')])")
    assert set(shown.split()) - public_modules <= set(concurrent_choices.__all__)


def test_dir_lists_what_is_promised():
    """Completion in a shell finds every public name, also those that are loaded when first used."""
    assert set(dir(concurrent_choices)) >= set(concurrent_choices.__all__)


def test_a_star_import_gives_all_of_it():
    """`from concurrent_choices import *` works and brings exactly the public names."""
    namespace = {}
    exec("from concurrent_choices import *", namespace)
    assert set(namespace) - {"__builtins__"} == set(concurrent_choices.__all__)


def test_a_wrong_name_is_an_attribute_error():
    """A name that is not there fails as in any module."""
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = concurrent_choices.no_such_name


@pytest.mark.parametrize("heavy", HEAVY)
def test_importing_is_light(heavy):
    """Importing the package loads nothing that a sequential run would not need."""
    assert heavy not in loaded_by("import concurrent_choices")


@pytest.mark.parametrize(
    "heavy",
    [
        "asyncio",
        "attr",
        "concurrent_choices._judge._search",
        "concurrent_choices._strategies._workers",
        "dis",
        "hashlib",
        "inspect",
        "json",
        "pathlib",
        "pickle",
        "sysconfig",
    ],
)
def test_a_first_run_is_light(heavy):
    """A job that is over before anything need be decided loads little besides what decides."""
    assert heavy not in loaded_by("import concurrent_choices as us; us.run(abs, [1])")


RUNS = {
    "a def": "import time\nus.run(time.sleep, [0.01] * 8)",
    "a coroutine": "import asyncio\nus.run(asyncio.sleep, [0.01] * 8)",
}


@pytest.mark.parametrize("heavy", ["anyio", "attr", "concurrent_choices._strategies._workers", "pathlib"])
@pytest.mark.parametrize("work", RUNS)
def test_a_first_run_that_waits_is_light(work, heavy):
    """It is soon over, and loads neither what processes need nor what only some of the package does."""
    assert heavy not in loaded_by(f"import concurrent_choices as us\n{RUNS[work]}")


def test_errors_share_a_root_that_names_them_all():
    """Every public error is a ConcurrentChoicesError and stands in the tree above its module."""
    for name in _errors.__all__:
        error = getattr(concurrent_choices, name)
        assert issubclass(error, concurrent_choices.ConcurrentChoicesError)
        assert name in (_errors.__doc__ or "")


def test_the_package_is_typed():
    """Type checkers of those who install it read its annotations."""
    assert (PACKAGE / "py.typed").exists()
