"""Places that name the same thing name it alike: registry, documents, extras, errors, commands."""

from __future__ import annotations

import re

import pytest
from _tree import PACKAGE, ROOT, documents, extras, files

import concurrent_choices
from concurrent_choices import MissingExtraError, UnknownStrategyError, run
from concurrent_choices._strategies._registry import NAMES, load

# What the modules of other packages are for, their names tell, or a drawing.
MAPPED = (
    "_embed",
    "_embed/_accounting",
    "_embed/_advise",
    "_embed/_advisor",
    "_embed/_calls",
    "_embed/_processes",
    "_embed/_threads",
    "_engine",
    "_inspect",
    "_measure",
    "_mutation",
    "_plugin",
    "_run",
    "_runtime",
    "_strategies",
    "_strategies/_lanes",
    "_strategies/_workers",
    "_strategies/_workers/_between",
    "_strategies/_workers/_hosting",
    "_strategies/_workers/_inside",
    "_transfer",
    "_work",
)
EXTRA = re.compile(r"concurrent_choices\[([\w,-]+)\]")
HEADING = re.compile(r"^## `(\w+)`", re.MULTILINE)
ROW = re.compile(r"^\| `\"(\w+)\"` +\|", re.MULTILINE)


def unknown() -> str:
    """What is said to somebody who misspells a name."""
    with pytest.raises(UnknownStrategyError) as caught:
        run(len, ["x"], strategy="no such strategy")
    return str(caught.value)


def test_the_page_of_strategies_has_every_one():
    """docs/strategies.md has a section for each registered name, in the registry's order."""
    headings = HEADING.findall((ROOT / "docs" / "strategies.md").read_text())
    assert headings == [*NAMES, "auto"]


def test_the_first_table_has_every_one():
    """The README's table has a row for each registered name."""
    assert ROW.findall((ROOT / "README.md").read_text()) == [*NAMES, "auto"]


def test_a_misspelt_name_shows_every_one():
    """The error lists all the names that would have worked."""
    assert set(re.findall(r"'(\w+)'", unknown())) == {*NAMES, "auto"}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_leads_to_a_public_class(name):
    """The import string of a name leads to a public class whose objects bear that name."""
    strategy = load(name)
    assert getattr(concurrent_choices, strategy.__name__) is strategy
    assert strategy().name == name


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_the_class(name):
    """The section of a strategy shows the class behind the name."""
    page = (ROOT / "docs" / "strategies.md").read_text()
    section = page.split(f"## `{name}`")[1].split("\n## ")[0]
    assert load(name).__name__ in section


def test_every_extra_that_is_mentioned_exists():
    """Whatever says `concurrent_choices[...]` names an extra that is declared."""
    for path in (path for path in files() if path.suffix in {".py", ".md", ".toml"}):
        for mentioned in EXTRA.findall(path.read_text()):
            assert set(mentioned.split(",")) <= extras(), path


def test_every_extra_that_an_error_names_exists():
    """A MissingExtraError in the code names an extra that is declared."""
    made = re.compile(r"MissingExtraError\([^)]*?[\"'](\w+)[\"']\s*\)")
    for path in PACKAGE.rglob("*.py"):
        assert set(made.findall(path.read_text())) <= extras(), path


def test_a_missing_extra_is_installed_by_what_its_error_says():
    """The command in the error is a command that works."""
    assert "pip install 'concurrent_choices[trio]'" in str(MissingExtraError("trio", "trio"))


def test_every_error_is_documented():
    """docs/failures.md explains each error of the tree."""
    page = (ROOT / "docs" / "failures.md").read_text()
    for name in concurrent_choices._errors.__all__:
        assert f"`{name}`" in page, name


def test_every_dependency_is_explained():
    """docs/why.md says of each core dependency and each extra why it is there."""
    page = (ROOT / "docs" / "why.md").read_text()
    project = (ROOT / "pyproject.toml").read_text()
    core = re.search(r"\ndependencies = \[(.*?)\n\]", project, re.DOTALL)
    assert core is not None
    for name in [*re.findall(r'"([\w-]+)[>=<;]', core[1]), *extras()]:
        assert f"`{name}`" in page, name


def test_every_command_that_is_mentioned_exists():
    """A `make` target in the documents, or in what CI calls, is one of the Makefile's."""
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for path in [*documents(), ROOT / ".ci" / "run"]:
        # A command stands at the start of a line or in backquotes; elsewhere "make" is English.
        mentioned = re.findall(r"(?:^|`)make (\w+)", path.read_text(), re.MULTILINE)
        assert set(mentioned) <= targets, path


@pytest.mark.parametrize("folder", MAPPED)
def test_the_map_of_a_package_has_every_module(folder):
    """Whoever opens it reads what each of them is for, and of none that there is no more."""
    place = PACKAGE / folder
    there = [*place.glob("_*.py"), *(each.parent for each in place.glob("*/__init__.py"))]
    told = re.findall(r"\b_[a-z]\w*", (place / "__init__.py").read_text())
    assert set(told) == {path.stem for path in there} - {"__init__"}
