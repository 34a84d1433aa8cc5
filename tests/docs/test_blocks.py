"""What the documentation shows is run: every Python block, as a newcomer would run it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from _run_document import count

from interpreters import interpreter

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = sorted(path for path in (ROOT / "src").rglob("*.py") if ">>>" in path.read_text())
SHOWING = [path for path in DOCUMENTS if count(str(path))]


def named(path: Path) -> str:
    """A file as a person refers to it."""
    return path.relative_to(ROOT).as_posix()


def run_blocks(path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a file's blocks in a fresh interpreter, where a warning is an error."""
    code = f"import _run_document; _run_document.evaluate({str(path)!r})"
    return interpreter("-W", "error", "-c", code, cwd=folder, env={**os.environ, "PYTHONPATH": str(HERE)})


@pytest.mark.parametrize("path", [*SHOWING, *SOURCES], ids=named)
def test_what_is_shown_runs(path, tmp_path):
    """The blocks run from the first to the last, and leave nothing on standard error."""
    done = run_blocks(path, tmp_path)
    if done.returncode or done.stderr:
        pytest.fail(f"{named(path)}:\n{done.stdout}{done.stderr}", pytrace=False)


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_no_block_is_passed_over(path):
    """Every fence that says python is an example that was run, and none is told to be skipped."""
    text = path.read_text()
    fences = re.findall(r"^ *(?:```|~~~) ?(?:python|py|pycon)\b", text, re.MULTILINE)
    assert len(re.findall(r"^ *(?:```|~~~) ?python$", text, re.MULTILINE)) == len(fences)
    assert count(str(path)) == len(fences) + text.count("<!-- invisible-code-block")
    assert "skip: " not in text


def test_a_wrong_block_is_noticed(tmp_path):
    """A document whose code fails makes the test above fail, and names the line."""
    document = tmp_path / "wrong.md"
    document.write_text("Fine.\n\n```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n")
    done = run_blocks(document, tmp_path)
    assert done.returncode
    assert "line 8" in done.stderr
