"""Strategies as values: registered, equal, shown, copied and sent, and all of the public kind."""

from __future__ import annotations

import copy
import pickle

import attrs
import pytest

from concurrent_choices import AsyncStrategy, HybridStrategy, InvalidArgumentError, Plan, Strategy, run
from concurrent_choices._strategies import _registry


@pytest.fixture(params=list(_registry.NAMES))
def made(request):
    """Each registered strategy, as it comes."""
    return _registry.load(request.param)()


def test_it_is_a_strategy(made):
    """It has what the protocol asks for."""
    assert isinstance(made, Strategy)
    assert isinstance(made, AsyncStrategy) == hasattr(made, "aexecute")


def test_it_knows_its_name(made):
    """It is called what it is registered as."""
    assert _registry.load(made.name) is type(made)


def test_equal_settings_are_equal(made):
    """Two with the same settings are the same, and show them."""
    assert made == type(made)()
    assert type(made).__name__ in repr(made)
    assert "_keeper" not in repr(made)


def test_it_is_frozen(made):
    """Its settings cannot be changed behind its back."""
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        made.name = "other"


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_it_can_be_copied_and_sent(made, again):
    """A copy has the same settings, and works."""
    other = again(made)
    assert other == made
    assert run(len, ["a", "bb"], strategy=other) == [1, 2]


def test_a_changed_copy(made):
    """`attrs.evolve` makes one with another setting."""
    settings = [field.name for field in attrs.fields(type(made)) if field.init]
    for name in settings:
        if name in {"max_workers", "concurrency"}:
            assert getattr(attrs.evolve(made, **{name: 3}), name) == 3


@pytest.mark.parametrize("name", _registry.NAMES)
def test_whatever_has_a_plan_will_do(name):
    """An object with a plan, such as a recommendation, stands for the strategy planned."""

    class Recommendation:
        plan = Plan(strategy=name, workers=2, concurrency=4, batch=None)

    chosen = _registry.resolve(Recommendation())
    assert type(chosen) is _registry.load(name)
    assert run(len, ["a"], strategy=Recommendation()) == [1]


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (Plan(strategy="ray"), "strategy: no strategy 'ray'; there are 'auto', 'sequential'"),
        (Plan(strategy="hybrid", workers=0), "max_workers: must be a whole number from 1, not 0"),
    ],
)
def test_a_plan_that_cannot_be_followed(plan, words):
    """One that was kept in a file may be of another release, or edited."""

    class Recommendation:
        def __init__(self):
            self.plan = plan

    with pytest.raises(InvalidArgumentError, match=words):
        run(len, ["a"], strategy=Recommendation())


async def same(item):
    """An `async def` that gives what it was given."""
    return item


def test_a_ceiling_that_no_run_reaches():
    """Lanes are started for the items there are, not for all that may be in flight."""
    assert run(same, range(10), strategy=HybridStrategy(max_workers=1, concurrency=10**9)) == list(range(10))
