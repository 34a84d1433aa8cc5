"""The small examples, run the way their reader runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreters import printed

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


def test_own_strategy():
    """A strategy written from the documentation alone keeps order, errors and the contract."""
    assert printed("-B", EXAMPLES / "own_strategy.py") == [
        "A CONCURRENT TO CHOICES",
        "['OK', ValueError('')]",
        "raised by item 1: ''",
        "a strategy that loses results is found out",
    ]


MIRRORED = ["this line is printed once", "[Point(x=2, y=1), Point(x=4, y=3)] [12, 14]"]


def test_guardless_as_a_script():
    """A script without a main guard uses processes, and is run once only."""
    assert printed("-B", EXAMPLES / "guardless.py") == MIRRORED


def test_guardless_on_standard_input():
    """The same script on standard input, where workers could not find it."""
    assert printed("-B", "-", input=(EXAMPLES / "guardless.py").read_text()) == MIRRORED


def test_guardless_as_a_command():
    """The same as `python -c`."""
    assert printed("-B", "-c", (EXAMPLES / "guardless.py").read_text()) == MIRRORED


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_an_example_says_what_it_is(path):
    """The first line of an example is a sentence about it."""
    first = path.read_text().splitlines()[0]
    assert first.startswith('"""')
    assert first.rstrip('"').endswith((".", ":"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_an_example_uses_public_names_only(path):
    """Whoever copies an example depends on nothing that may change without notice."""
    assert "concurrent_choices._" not in path.read_text()
