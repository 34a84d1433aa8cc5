"""The instructions of code, and what becomes of what they load."""

import dis
import inspect
import textwrap
import tokenize
from types import FunctionType

import pytest

from concurrent_choices._inspect._code import codes_in
from concurrent_choices._inspect._steps import JUMPS, steps_of, use_of

SILENT = {"CACHE", "EXTENDED_ARG", "NOP", "NOT_TAKEN", "PRECALL", "PUSH_NULL", "RESUME"}


def told_by_dis(code):
    """Names and values of its instructions, and whether a jump leads there, by the standard library."""
    labels, joined = set(dis.findlabels(code.co_code)), False
    speaking = {*dis.hasname, *dis.hasconst, *dis.haslocal, *dis.hasfree, *dis.hasjrel}
    for each in dis.get_instructions(code):
        joined = joined or each.offset in labels
        if each.opname not in SILENT:
            value = each.argval if each.opcode in speaking else each.arg
            if each.opname == "KW_NAMES":  # of which `dis` tells only where it is given the constants
                value = code.co_consts[each.arg]
            yield each.offset, each.opname, value, joined
            joined = False


def plainly(told):
    """The same in the words of every version, and with places for where jumps lead to."""
    named, steps, places = False, [], {}
    for offset, name, value, joined in told:
        places[offset] = len(steps)
        plain = name.replace("_BORROW", "").replace("_CHECK", "").replace("LOAD_METHOD", "LOAD_ATTR")
        if plain == "BINARY_OP" and value == 26:
            plain = "BINARY_SUBSCR"
        if plain == "CALL" and named:
            plain, named = "CALL_KW", False
        if plain == "KW_NAMES":
            plain, named = "LOAD_CONST", True
        first, _, second = (
            plain.replace("FAST_LOAD", "FAST LOAD").replace("FAST_STORE", "FAST STORE").partition(" ")
        )
        if second:
            steps += ((first, value[0], joined), (second, value[1], joined))
        elif "JUMP" in plain:
            plain = "JUMP_OR_POP" if "OR_POP" in plain else "POP_JUMP_IF" if "POP" in plain else "JUMP"
            steps.append((plain, value, joined))
        else:
            steps.append((plain, value or 0, joined))
    return [
        (name, landing(value, places) if name in JUMPS else value, joined) for name, value, joined in steps
    ]


def landing(offset, places):
    """The place of the first step that does anything from there on."""
    return next(place for at, place in places.items() if at >= offset)


@pytest.mark.parametrize("module", [dis, inspect, textwrap, tokenize])
def test_they_are_those_that_dis_tells_of(module):
    """Of each function of some modules of the library, those that have run among them."""
    inspect.signature(textwrap.indent)
    for function in filter(lambda each: isinstance(each, FunctionType), vars(module).values()):
        for code in codes_in(function.__code__):
            found = [(name, value or 0, joined) for name, value, joined in steps_of(code)]
            assert found == plainly(told_by_dis(code))


def places(count):
    """A function that has so many variables, and returns the last of them."""
    around = {}
    names = [f"name{number}" for number in range(count)]
    exec(f"def function({', '.join(names)}):\n    return lambda: {names[-1]}, {names[-2]}", around)
    return around["function"]


def test_places_may_need_more_than_a_byte():
    """Of four hundred variables the last is in a cell, and both are told by their names."""
    values = [step.value for step in steps_of(places(400).__code__)]
    assert "name398" in values
    assert "name399" in values


def used(fn, name):
    """What becomes of the value of a variable that is loaded once."""
    steps = steps_of(fn.__code__)
    at = next(at for at, step in enumerate(steps, 1) if step[:2] == ("LOAD_FAST", name))
    use = use_of(steps, at)
    return use and (use.step.name, use.above, use.argument)


@pytest.mark.parametrize(
    ("fn", "use"),
    [
        (lambda it: it.name, ("LOAD_ATTR", 0, -2)),
        (lambda it, key: it[key], ("BINARY_SUBSCR", 1, -2)),
        (lambda it, key: it[key.name, len(key), f"{key!r:>9}", -key], ("BINARY_SUBSCR", 1, -2)),
        (lambda it, key: key[it], ("BINARY_SUBSCR", 0, -2)),
        (lambda it, key: it(key, key[1]), ("CALL", 2, -1)),
        (lambda it, key: key(it, key), ("CALL", 1, 0)),
        (lambda it, key: key(key, it), ("CALL", 0, 1)),
        (lambda it, key: it[key or 1], ("BINARY_SUBSCR", 1, -2)),
        (lambda it, key: it["a" if key else "b"], ("BINARY_SUBSCR", 1, -2)),
        (lambda it, key: (it if key else key).name, ("LOAD_ATTR", 0, -2)),
        (lambda it, key: (it or key).name, ("LOAD_ATTR", 0, -2)),
        (lambda it, key: (key and it).name, ("LOAD_ATTR", 0, -2)),
        (lambda it, key: it if key else key, ("RETURN_VALUE", 0, -2)),
        (lambda it, key: key(*it), None),
    ],
)
def test_what_takes_a_value(fn, use):
    """The step that takes it, how many values stand above it by then, and as which argument it goes."""
    assert used(fn, "it") == use


def test_arguments_that_are_named_stand_behind_the_others():
    """Whatever instructions a version has for that."""
    name, _, argument = used(lambda it, key: key(it, end=key), "it")
    assert (name.removesuffix("_KW"), argument) == ("CALL", 0)
    assert used(lambda it, key: it(key, end=key), "it")[2] == -1
