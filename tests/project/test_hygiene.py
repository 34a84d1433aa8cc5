"""What no tool of others checks: the project's own habits."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from _tree import ROOT, files, modules, suite_of

LONGEST = 400
DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc"}
BINARY = {".png", ".svg", ".ico", ".gz", ".woff2"}
HOMES = re.compile(r"(?<![\w.:/])/(?:home|root|work|Users|opt/wheels)/[\w.-]")
# Spelled in two halves, or this file would be the first to offend.
HOSTS = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "npm" + "js.com")
EXCUSE = re.compile(r"#\s*(?:noqa|type: ignore|pyright: ignore)\b")
REASON = re.compile(r"#\s*(?:noqa|type: ignore|pyright: ignore).*?(?: - |# )[^#]*\w{4,}")


def named(path: Path) -> str:
    """A file as a person refers to it."""
    return path.relative_to(ROOT).as_posix()


def texts() -> list[Path]:
    """The files that are text."""
    return [path for path in files() if path.suffix not in BINARY]


def sources() -> list[Path]:
    """All Python files."""
    return [path for path in files() if path.suffix == ".py"]


def test_no_two_files_of_tests_have_one_name():
    """They are imported by their names alone, and collects nothing at all where two are the same."""
    inside = [path.name for path in sources() if (ROOT / "tests") in path.parents]
    names = [name for name in inside if name.startswith("test_")]
    assert not {name for name in names if names.count(name) > 1}


@pytest.mark.parametrize("path", modules(), ids=named)
def test_modules_stay_readable(path):
    """A module of more than 400 lines is cut."""
    assert len(path.read_text().splitlines()) <= LONGEST


def test_no_module_is_a_drawer():
    """Nothing is called utils, helpers or common: a name says what is inside."""
    drawers = [named(path) for path in sources() if path.stem.strip("_") in DRAWERS]
    assert drawers == []


@pytest.mark.parametrize("path", modules(), ids=named)
def test_a_module_says_its_role(path):
    """Every module opens with a docstring."""
    assert ast.get_docstring(ast.parse(path.read_text())), f"{named(path)} has no docstring"


def test_every_test_has_a_sentence():
    """A test says in one sentence what holds, so that a failure reads as a broken promise."""
    mute = [
        f"{named(path)}:{test.lineno} {test.name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for test in suite_of(path)
        if not ast.get_docstring(test)
    ]
    assert mute == []


def lines_matching(pattern: re.Pattern[str]) -> list[str]:
    """FILE:LINE and text of every line that matches."""
    return [
        f"{named(path)}:{number}: {line.strip()[:120]}"
        for path in texts()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_path_of_somebodys_machine():
    """Nothing committed names a folder that exists on one machine only."""
    assert lines_matching(HOMES) == []


def test_no_package_registry():
    """Nothing committed names a package registry's host: installing is the installer's business."""
    assert lines_matching(re.compile("|".join(map(re.escape, HOSTS)))) == []


def test_every_excuse_has_a_reason():
    """Whoever silences a checker says why on the same line."""
    bare = [
        f"{named(path)}:{number}: {line.strip()}"
        for path in sources()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if EXCUSE.search(line) and not REASON.search(line)
    ]
    assert bare == []


CITED = re.compile(r"DECISION\.md,? (?:(pitfall|EXP|experiments?) )?([\d.]*\d)(?: and (\d+))?")
TABLE = re.compile(r"^\| ([\d, ]+) \|", re.MULTILINE)


def test_a_constant_cites_what_is_written_down():
    """What constants say they rest on stands in DECISION.md, under that number."""
    page = (ROOT / "benchmarks" / "DECISION.md").read_text()
    experiments = set(re.findall(r"\d+", " ".join(TABLE.findall(page))))
    places = set(re.findall(r"^(?:###|- \*\*) ?([\d.]*\d)", page, re.MULTILINE))
    for path in modules():
        for kind, *numbers in CITED.findall(re.sub(r"\s+", " ", path.read_text())):
            known = experiments if kind.lower().startswith("exp") else places
            assert {number for number in numbers if number} <= known, f"{named(path)}: {kind} {numbers}"


def test_changelog_fragments_say_what_they_are():
    """A fragment is called NUMBER.KIND.md, with a kind that the README beside it explains."""
    readme = (ROOT / "changelog.d" / "README.md").read_text()
    for path in (ROOT / "changelog.d").glob("*.md"):
        if path.name != "README.md":
            number, kind, _ = path.name.split(".")
            assert number.isdigit()
            assert f"`{kind}`" in readme
            assert path.read_text().strip()
