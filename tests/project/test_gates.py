"""The gates every change passes: lint, format, floors; pyproject.toml configures them."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from _tools import gate, python

SCRIPTS = Path(sysconfig.get_path("scripts"))


def test_ruff_has_no_complaint():
    """Lint is clean, with every rule on that pyproject.toml does not excuse with a reason."""
    gate(*python("ruff", "check", "--no-cache", "."))


def test_ruff_would_format_nothing():
    """The code looks the way the formatter leaves it."""
    gate(*python("ruff", "format", "--no-cache", "--check", "--diff", "."))


def test_the_floors_hold():
    """Imports go downwards only, every module stands on a floor, and there are no cycles."""
    gate(SCRIPTS / "lint-imports", "--no-cache")
