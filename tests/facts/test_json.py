import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concurrent_choices._errors import InvalidArgumentError
from concurrent_choices._facts._costs import Costs
from concurrent_choices._facts._json import plain, structured
from concurrent_choices._facts._machine import Machine
from concurrent_choices._facts._plan import Plan
from concurrent_choices._facts._profile import Payload, Profile

numbers = st.floats(min_value=0, max_value=1e9)
lanes = st.integers(min_value=1, max_value=1000)
payloads = st.builds(Payload, item_bytes=numbers, result_seconds=numbers, obstacle=st.text())
profiles = st.builds(
    Profile,
    items=st.none() | lanes,
    wall=numbers,
    pair_speedup=st.none() | numbers,
    is_async=st.booleans(),
    blocks_at=st.text(),
    payload=payloads,
    missing=st.lists(st.text(), max_size=3).map(tuple),
    ramp=st.lists(st.tuples(lanes, numbers), max_size=3).map(tuple),
)


@settings(derandomize=True, max_examples=50, deadline=None)
@given(profiles)
def test_a_profile_survives_json(profile):
    """Every field comes back as it went, the nested payload and the pairs of the ramp too."""
    assert Profile.from_json(profile.to_json()) == profile


@pytest.mark.parametrize("fact", [Costs(byte=2e-9), Plan(strategy="thread", batch=3), Payload()])
def test_every_fact_survives_json(fact):
    """What is read equals what was written."""
    assert type(fact).from_json(fact.to_json(indent=2)) == fact


def test_a_fact_without_methods_survives_json():
    """The functions serve classes that do not have the methods."""
    machine = Machine(cpus=1.5, memory=None, start_methods=("fresh", "fork"))
    assert structured(plain(machine), Machine) == machine


def test_missing_fields_keep_their_defaults():
    """A text of an older version can be read."""
    assert Profile.from_json('{"wall": 1}') == Profile(wall=1.0)


def test_what_is_not_finite_becomes_null():
    """JSON has no infinity, and other languages cannot read Python's."""
    assert '"call": null' in Costs(call=float("inf")).to_json()


def test_a_figure_that_was_not_finite_can_be_read_again():
    """It was refused: "has None at call, not a float"."""
    read = Costs.from_json(Costs(call=math.inf).to_json())
    assert math.isnan(read.call)
    assert read.step == Costs().step


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "must be JSON for a Profile"),
        (3, "must be JSON for a Profile"),
        ("[" * 100_000, "must be JSON for a Profile"),
        ("[]", "has [] at the top, not a Profile"),
        ('{"wall": "long"}', "has 'long' at wall, not a float"),
        ('{"wall": true}', "has True at wall, not a float"),
        (f'{{"wall": 1{"0" * 400}}}', "at wall, not a float"),
        ('{"wall": Infinity}', "has inf at wall, not a finite float"),
        ('{"ramp": [[2, -1e999]]}', "has -inf at ramp[0][1], not a finite float"),
        ('{"items": "all"}', "has 'all' at items, not a int"),
        ('{"calls": true}', "has True at calls, not a int"),
        ('{"payload": {"obstacle": 1}}', "has 1 at payload.obstacle, not a str"),
        ('{"ramp": [[2]]}', "has [2] at ramp[0], not a tuple"),
        ('{"ramp": 2}', "has 2 at ramp, not a tuple"),
        ('{"walls": 1}', "has unknown fields in Profile: walls"),
    ],
)
def test_a_text_of_another_shape_is_refused(text, problem):
    """The message says what is wrong and where."""
    with pytest.raises(InvalidArgumentError) as caught:
        Profile.from_json(text)
    assert problem in str(caught.value)


def test_a_value_that_the_class_refuses_is_refused():
    """The class's own validation speaks through the same error."""
    with pytest.raises(InvalidArgumentError, match="is no Machine"):
        structured({"cpus": 0}, Machine)
    with pytest.raises(InvalidArgumentError, match="must be a number above 0, such as 64, not True"):
        Machine(cpus=True)
