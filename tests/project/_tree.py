"""The project as files: what is committed, or would be with `git add --all`."""

from __future__ import annotations

import ast
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["PACKAGE", "ROOT", "documents", "extras", "files", "modules", "public_literal", "suite_of"]

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "concurrent_choices"
_NEVER = {".git", ".venv", "site", "dist", "build", "__pycache__", ".hypothesis", ".benchmarks"}


def files() -> list[Path]:
    """Every file that belongs to the project: from git, or from the folder where there is none."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return [path for path in _walk(ROOT) if path.is_file()]
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in _NEVER or path.name.endswith("_cache"):
            continue
        if path.is_dir():
            yield from _walk(path)
        else:
            yield path


def modules() -> list[Path]:
    """The library's modules."""
    return sorted(PACKAGE.rglob("*.py"))


def documents() -> list[Path]:
    """Everything written for people to read from top to bottom."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@cache
def extras() -> set[str]:
    """The extras that pyproject.toml declares."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return set(project["project"]["optional-dependencies"])


@cache  # a module is asked for by all that import from it
def public_literal(module: Path) -> list[str] | None:
    """A module's ``__all__``, or None where it has none; it must be a literal."""
    for node in ast.parse(module.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            value: Any = ast.literal_eval(node.value)
            return list(value)
    return None


def suite_of(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The test functions of a file, in classes too."""
    nodes = ast.walk(ast.parse(path.read_text()))
    functions = (node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return [function for function in functions if function.name.startswith("test_")]
