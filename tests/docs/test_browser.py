"""The site as a reader sees it: opened in a headless Chromium."""

from __future__ import annotations

import functools
import http.server
import threading
from pathlib import Path

import pytest
from _browser import absent, running_browser

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.stem for path in (ROOT / "docs").glob("*.md"))
PHONE, DESK = (360, 740), (1280, 900)
SCHEMES = {"light": "default", "dark": "slate"}

pytestmark = pytest.mark.skipif(bool(absent()), reason=absent())


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_):
        """Keep the tests' output clean."""


@pytest.fixture(scope="module")
def address(site):
    """The built site over HTTP: search needs more than files."""
    handler = functools.partial(Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def one_browser(tmp_path_factory):
    """A browser for all tests of this file."""
    with running_browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture
def browser(one_browser):
    """The browser as a desk has it: wide, light, with an empty console."""
    return at_a_desk(one_browser)


@pytest.fixture(scope="module", params=PAGES)
def page(request, one_browser, address):
    """The browser with a page, each in turn: opened once, for opening takes longer than looking."""
    browser = at_a_desk(one_browser)
    browser.open(f"{address}/{request.param}.html")
    browser.wait_for("return document.querySelector('article h1')?.innerText")
    return browser


def at_a_desk(browser):
    """Make the window wide and light, and empty the console."""
    resize(browser, DESK)
    prefer(browser, "light")
    browser.open("about:blank")
    browser.complaints()
    return browser


def resize(browser, size):
    """Make the window as large as that of a device."""
    width, height = size
    mobile = size == PHONE
    browser.devtools(
        "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile
    )


def prefer(browser, scheme):
    """Say which colours the reader prefers."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.devtools("Emulation.setEmulatedMedia", features=features)


def test_a_page_opens_without_complaint(page):
    """A page has a heading, all its pictures, and nothing to say on the console."""
    page.run("document.querySelectorAll('img').forEach(each => each.loading = 'eager')")
    page.wait_for("return [...document.images].every(each => each.complete)")
    assert (
        page.run("return [...document.images].filter(each => !each.naturalWidth).map(each => each.src)") == []
    )
    assert page.complaints() == []


def test_a_page_fits_a_phone(page):
    """On a phone nothing makes the page wider than the window; what is wide scrolls by itself."""
    resize(page, PHONE)
    page.wait_for(f"return window.innerWidth === {PHONE[0]}")
    widths = page.run("return [document.documentElement.scrollWidth, window.innerWidth]")
    assert widths == [PHONE[0], PHONE[0]]


def test_names_in_tables_stay_whole(page):
    """A name is not broken in two, on a phone either."""
    resize(page, PHONE)
    broken = """return [...document.querySelectorAll('article td code')]
        .filter(each => each.getClientRects().length > 1 && /^\\w+$/.test(each.innerText))
        .map(each => each.innerText)"""
    assert page.run(broken) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_page_follows_the_colour_scheme(browser, address, scheme):
    """Text stands out from its ground, in both schemes."""
    prefer(browser, scheme)
    browser.open(f"{address}/index.html")
    name = f"return document.body.getAttribute('data-md-color-scheme') == '{SCHEMES[scheme]}'"
    assert browser.wait_for(name)
    assert contrast(browser, "document.querySelector('article p')", "document.body") > 4.5


def test_a_reader_may_choose_the_colours(browser, address):
    """Who chooses dark on a light system gets it, and pictures are told too: they follow `color-scheme`."""
    browser.open(f"{address}/experiments.html")
    browser.wait_for("return document.querySelectorAll('[data-md-component=palette] input').length == 3")
    browser.run("document.querySelectorAll('[data-md-component=palette] input')[2].click()")
    browser.wait_for("return document.body.getAttribute('data-md-color-scheme') == 'slate'")
    assert browser.run("return getComputedStyle(document.querySelector('article img')).colorScheme") == "dark"
    browser.run("localStorage.clear()")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_decision_drawing_follows_the_colour_scheme(browser, address, scheme):
    """The drawing is in the page, as wide as its column, and its words can be read in both schemes."""
    prefer(browser, scheme)
    browser.open(f"{address}/conclusions.html")
    drawing = "document.querySelector('.decision svg')"
    browser.wait_for(f"return {drawing}")
    assert browser.run(f"return {drawing}.getBoundingClientRect().width") > 300
    assert browser.run(f"return {drawing}.querySelectorAll('a').length") >= 8
    for word in (f"{drawing}.querySelector('text')", f"{drawing}.querySelector('.name')"):
        assert contrast(browser, word, "document.body", "fill") > 3


def test_the_decision_drawing_leads_to_the_strategies(browser, address):
    """Each answer of the drawing is a link to a section that is there."""
    browser.open(f"{address}/conclusions.html")
    links = browser.wait_for(
        "return [...document.querySelectorAll('.decision a')].map(each => each.href.baseVal)"
    )
    browser.open(f"{address}/strategies.html")
    for link in set(links):
        page, _, place = link.partition("#")
        assert page == "strategies.html"
        assert browser.run("return document.getElementById(arguments[0]) !== null", place), link


@pytest.mark.parametrize("scheme", SCHEMES)
def test_plots_follow_the_colour_scheme(browser, address, scheme):
    """A plot's letters are dark on light pages and light on dark ones."""
    prefer(browser, scheme)
    browser.open(f"{address}/plots/experiment-01.svg")
    shade = brightness(browser.wait_for("return getComputedStyle(document.querySelector('text')).fill"))
    assert shade < 0.3 if scheme == "light" else shade > 0.6


def test_every_experiment_has_its_plot(browser, address):
    """The page of experiments shows fourteen plots, each wide enough to be read."""
    browser.open(f"{address}/experiments.html")
    browser.run("document.querySelectorAll('img').forEach(each => each.loading = 'eager')")
    plots = "[...document.querySelectorAll('article img')].filter(each => each.src.includes('plots/'))"
    browser.wait_for(f"return {plots}.every(each => each.complete && each.naturalWidth)")
    widths = browser.run(f"return {plots}.map(each => each.getBoundingClientRect().width)")
    assert len(widths) == 14
    assert min(widths) > 300


def test_the_search_finds_a_page(browser, address):
    """Typing a word shows results that lead to pages with it."""
    browser.open(f"{address}/index.html")
    browser.wait_for("return document.querySelector('.md-search__input')")
    browser.run(
        "const box = document.querySelector('.md-search__input');"
        "box.focus(); box.value = 'contextvars';"
        "box.dispatchEvent(new Event('input', {bubbles: true}));"
        "box.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}))"
    )
    found = browser.wait_for(
        "return [...document.querySelectorAll('.md-search-result__link')].map(each => each.href)"
    )
    assert all(link.startswith(address) for link in found)
    assert browser.complaints() == []


def contrast(browser, text, ground, property_="color"):
    """How much the colour of one element stands out from the background of another (WCAG 2)."""
    front = browser.run(f"return getComputedStyle({text})[arguments[0]]", property_)
    back = browser.run(f"return getComputedStyle({ground}).backgroundColor")
    darker, lighter = sorted((luminance(blended(front, back)), luminance(parts(back))))
    return (lighter + 0.05) / (darker + 0.05)


def parts(colour):
    """The numbers of rgb(...) or rgba(...)."""
    return [float(each) for each in colour[colour.index("(") + 1 : -1].replace("/", ",").split(",")]


def blended(front, back):
    """What a translucent colour looks like on an opaque one."""
    *rgb, alpha = [*parts(front), 1.0][:4]
    return [alpha * one + (1 - alpha) * two for one, two in zip(rgb, parts(back), strict=False)]


def luminance(rgb):
    """Relative luminance, as WCAG 2 defines it."""
    linear = [
        each / 255 / 12.92 if each <= 10.31 else ((each / 255 + 0.055) / 1.055) ** 2.4 for each in rgb[:3]
    ]
    return sum(share * each for share, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def brightness(colour):
    """From 0, black, to 1, white."""
    return sum(parts(colour)[:3]) / 765
