"""The examples of embedding, run the way their reader runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from concurrent_choices._platform._processors import usable_cpus
from interpreters import interpreter
from patience import TRIES, patient

ROOT = Path(__file__).resolve().parents[2]


def said(*command):
    """What a program prints; it must end well."""
    done = interpreter("-B", "-W", "error", *command, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done


@patient
def test_the_crawler():
    """Every page is found, and the executor finds out that fetching waits."""
    lines = said("examples/crawler.py").stdout.splitlines()
    assert lines[0].startswith("60 pages")
    assert lines[1] == "60 pages again: fetch is waiting, so it runs in a thread"


def test_the_crawler_shows_progress():
    """With --progress something is shown on standard error, and the same is found."""
    done = said("examples/crawler.py", "--progress")
    assert done.stdout.startswith("60 pages")


@pytest.mark.skipif(usable_cpus() < 2, reason="one core has nothing to gain by processes")
@patient
def test_the_batch():
    """The words are counted twice, alike, and plain Python gets processes."""
    lines = said("examples/batch.py").stdout.splitlines()
    assert lines[0].startswith("400000 words")
    assert lines[1].startswith("chosen once: AdaptiveExecutor")


def test_the_notebook():
    """The cells run in a running loop, without a main guard."""
    assert said("examples/notebook.py").stdout == "(8, True)\n"


def test_the_notebook_on_standard_input():
    """The same where no file could be imported by a worker, as in a notebook."""
    code = (ROOT / "examples" / "notebook.py").read_text()
    assert said("-c", code).stdout == "(8, True)\n"


@pytest.fixture(scope="module")
def service():
    """What the service prints."""
    return said("-m", "examples.fastapi_service")


def test_the_service_answers(service):
    """All endpoints answer, and the advice is not for everybody."""
    assert service.stdout.count("20 answers, all {200}") == 8
    assert "without the secret: 401" in service.stdout


FINDINGS = {
    "/good/orders/{number}": "fine",
    "/good/upstream": "fine",
    "/bad/orders/{number}": "blocks the loop",
    "/bad/upstream": "blocks the loop",
    "/bad/picture/{size}": "computes on the loop",
    "/bad/threaded-picture/{size}": "computes under the GIL",
}


@pytest.fixture(scope="module")
def advice(service):
    """What is said of each route; a neighbour may spoil it, so each gets some chances to be judged right."""
    told = advice_in(service)
    for _ in range(TRIES - 1):
        wrong = {route for route in FINDINGS if not told[route].startswith(FINDINGS[route])}
        if not wrong:
            break
        again = advice_in(said("-m", "examples.fastapi_service"))
        told |= {route: again[route] for route in wrong}
    return told


def advice_in(service):
    """The line under that of each route."""
    lines = service.stdout.splitlines()
    return {route: lines[lines.index(f"GET {route}") + 1].strip() for route in FINDINGS}


@pytest.mark.parametrize("route", FINDINGS)
def test_the_service_gets_good_advice(advice, route):
    """What was done wrong on purpose is found, and what is right is left alone."""
    assert advice[route].startswith(f"{FINDINGS[route]}:"), advice[route]
    if FINDINGS[route] != "fine":
        assert "examples/fastapi_service/" in advice[route]


def test_the_service_prints_its_advice_at_the_end(service):
    """At shutdown the table is on standard error."""
    assert "holds the loop" in service.stderr
