"""The site: it builds without a warning, shows all that is public, and fetches nothing."""

from __future__ import annotations

import html
import inspect
import re
from pathlib import Path

import concurrent_choices

ROOT = Path(__file__).resolve().parents[2]
FETCHED = re.compile(r"<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=\"?(?:https?:)?//[^\" >]+")


def test_it_has_every_page(site):
    """Each page of docs/ is a page of the site."""
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert {path.stem for path in site.glob("*.html")} >= pages


def test_it_describes_every_public_name(site):
    """The API page has an entry for each name that can be imported."""
    page = (site / "api.html").read_text()
    missing = [name for name in concurrent_choices.__all__ if f'id="concurrent_choices.{name}"' not in page]
    assert missing == []


def test_it_shows_how_a_strategy_is_made(site):
    """Where attrs writes the signature, the page shows it as Python would."""
    page = html.unescape(re.sub(r"<[^>]+>", "", (site / "api.html").read_text()))
    shown = re.sub(r"\s+", " ", page)
    for strategy in (concurrent_choices.ThreadStrategy, concurrent_choices.AsyncioStrategy):
        parameters = inspect.signature(strategy).parameters.values()
        inside = ", ".join(f"{each.name}: {each.annotation} = {each.default}" for each in parameters)
        assert re.search(rf"{strategy.__name__}\( ?{re.escape(inside)},? ?\)", shown)


def test_what_is_returned_is_one_thing(site):
    """Its second line goes on with the first, and is no second row of the table."""
    tables = re.findall(r"Returns:.*?</table>", (site / "api.html").read_text(), re.DOTALL)
    assert {table.count("doc-section-item") for table in tables} == {1}


def test_it_fetches_nothing_from_elsewhere(site):
    """A page opened without a network looks the same: no font, script or picture of others."""
    fetched = {
        found
        for path in site.rglob("*.html")
        for found in FETCHED.findall(path.read_text())
        if 'rel="canonical"' not in found
    }
    assert fetched == set()
