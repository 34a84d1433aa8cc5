"""What the code of a function names."""

import dis
import inspect
import textwrap
import tokenize
from types import FunctionType

import pytest

from concurrent_choices._inspect._code import codes_in, globals_in

_REACH = {"DELETE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL"}


@pytest.mark.parametrize("module", [dis, inspect, textwrap, tokenize])
def test_the_globals_are_those_that_dis_tells_of(module):
    """Of each function of some modules of the library."""
    for function in filter(lambda each: isinstance(each, FunctionType), vars(module).values()):
        steps = (step for code in codes_in(function.__code__) for step in dis.get_instructions(code))
        assert set(globals_in(function.__code__)) == {step.argval for step in steps if step.opname in _REACH}


def test_places_may_need_more_than_a_byte():
    """Four hundred names, and an attribute of one."""
    names = {f"name{number}" for number in range(400)}
    around = {}
    exec(f"def function():\n    {'; '.join(sorted(names))}\n    return last.attribute", around)
    assert globals_in(around["function"].__code__) == tuple(sorted({*names, "last"}))
