import math

import pytest
from attrs import evolve

from concurrent_choices._errors import UnknownStrategyError
from concurrent_choices._facts._estimate import Estimate
from concurrent_choices._facts._machine import Machine
from concurrent_choices._facts._plan import Plan
from concurrent_choices._facts._profile import Profile
from concurrent_choices._facts._recommendation import Recommendation
from concurrent_choices._facts._table import counted, how, spell

THREADS = Plan(strategy="thread", workers=32, concurrency=32)
ESTIMATES = (
    Estimate(plan=THREADS, seconds=0.18, error=0.01, limit="lanes"),
    Estimate(plan=Plan(strategy="sequential"), seconds=4.1, error=0.2),
    Estimate(plan=Plan(strategy="process"), obstacle="this lambda's closure holds a socket"),
)
VERDICT = Recommendation(
    name="fetch",
    items=200,
    plan=THREADS,
    estimates=ESTIMATES,
    bound="io",
    diagnosis="waiting",
    reason="each call waits, so 32 threads get on with it at the same time.",
    changes=("With a tenth of the items: sequential.",),
    machine=Machine(cpus=2, python="cpython 3.11.7"),
)

TABLE = """\
fetch: 200 items on 2 CPUs (cpython 3.11.7)
bound: io    diagnosis: waiting
Use "thread" (32 threads): each call waits, so 32 threads get on with it at the same time.

   strategy    how                     predicted
>  thread      32 threads              180 ms ± 10.0 ms
   sequential  one item after another  4.10 s ± 200 ms
   process     cannot run: this lambda's closure holds a socket

What would change it:
  - With a tenth of the items: sequential.
± is one standard error; times are for all items together, starting up included."""


def test_it_prints_as_a_table():
    """A newcomer reads what to use, why, what it was weighed against, and what would change it."""
    assert str(VERDICT) == TABLE


def test_a_notebook_shows_the_table():
    """IPython asks for this by name; the repr would be one line of two thousand characters."""
    assert VERDICT._repr_mimebundle_(include=None, exclude=None) == {"text/plain": TABLE}


def test_a_race_adds_a_column():
    """Measured seconds stand beside the predicted ones, of what raced."""
    raced = (evolve(ESTIMATES[0], measured=0.17), *ESTIMATES[1:])
    lines = str(evolve(VERDICT, estimates=raced)).splitlines()
    assert lines[4] == "   strategy    how                     predicted         measured"
    assert lines[5] == ">  thread      32 threads              180 ms ± 10.0 ms  170 ms"
    assert lines[6] == "   sequential  one item after another  4.10 s ± 200 ms"


def test_an_error_that_nobody_knows_is_not_printed():
    """JSON may have none: what is not finite becomes null there."""
    read = Estimate.from_json(Estimate(plan=THREADS, seconds=0.18, error=math.inf).to_json())
    lines = str(evolve(VERDICT, estimates=(read, *ESTIMATES[1:]))).splitlines()
    assert lines[5] == ">  thread      32 threads              180 ms"


def test_a_close_call_is_called_close():
    """Nobody should read much into 7 %."""
    assert "It was close" in str(evolve(VERDICT, close=True))


def test_notes_are_printed():
    """What could not be measured is part of the verdict, and so are remarks on single estimates."""
    noted = (evolve(ESTIMATES[0], note="a guess"), *ESTIMATES[1:])
    text = str(evolve(VERDICT, notes=("Not measured: gil: no witness.",), estimates=noted))
    assert "To know:\n  - Not measured: gil: no witness.\n  - thread: a guess" in text


def test_assumed_items_and_a_missing_gil_are_said():
    """The first line says what the prediction is for."""
    verdict = evolve(VERDICT, items_known=False, machine=Machine(cpus=1, gil=False))
    assert str(verdict).startswith("fetch: 200 items (assumed) on 1 CPU (cpython 3.11, no GIL)\n")


def test_it_survives_json():
    """Plan, estimates, profile, machine and words come back."""
    verdict = evolve(
        VERDICT, profile=Profile(wall=0.02, ramp=((4, 3.9),)), contenders=(THREADS,), notes=("a",), close=True
    )
    assert Recommendation.from_json(verdict.to_json()) == verdict


def test_estimates_are_found_by_name():
    """The chosen one and any other can be asked for."""
    assert VERDICT.chosen is ESTIMATES[0]
    assert VERDICT.estimate("process") is ESTIMATES[2]
    with pytest.raises(UnknownStrategyError, match=r"no estimate of 'dask'; there are .*process"):
        VERDICT.estimate("dask")
    with pytest.raises(UnknownStrategyError, match="no estimate of 'dask'"):
        evolve(VERDICT, plan=Plan(strategy="dask")).chosen  # noqa: B018 - asked for


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (5e-9, "5 ns"),
        (1.25e-6, "1.25 µs"),
        (0.0995, "99.5 ms"),
        (0.9999, "1.00 s"),
        (12.34, "12.3 s"),
        (123, "2.05 min"),
        (7200, "2.00 h"),
        (720000, "200 h"),
    ],
)
def test_durations_have_three_digits_and_a_unit(seconds, text):
    """Every magnitude reads at a glance."""
    assert spell(seconds) == text


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (1, "item", "1 item"),
        (2000, "item", "2,000 items"),
        (3, "process", "3 processes"),
        (1.5, "CPU", "1.5 CPUs"),
        (12_345_678, "item", "12,345,678 items"),
        (2**63 - 1, "item", "9,223,372,036,854,775,807 items"),
    ],
)
def test_nouns_are_counted(number, noun, text):
    """Singular, plural, fractions, millions, and more than a float can hold."""
    assert counted(number, noun) == text


@pytest.mark.parametrize(
    ("plan", "is_async", "text"),
    [
        (Plan(strategy="process", workers=2, batch=50), False, "2 processes, 50 items at a time"),
        (Plan(strategy="uvloop", concurrency=100), True, "100 coroutines on one loop"),
        (Plan(strategy="asyncio", concurrency=8), False, "8 threads beside a loop"),
        (Plan(strategy="hybrid", workers=2, concurrency=100), True, "2 processes, 50 coroutines in each"),
        (Plan(strategy="hybrid", workers=0, concurrency=2), False, "0 processes, 2 threads in each"),
    ],
)
def test_plans_are_put_into_words(plan, is_async, text):
    """What a plan does depends on what it runs: a `def` under a loop runs in threads."""
    assert how(plan, is_async=is_async) == text
