"""What a suspended coroutine waits for, told from outside."""

import asyncio
import types

import pytest

from concurrent_choices._runtime._suspended import _turning, needs_its_loop


async def turns():
    await asyncio.sleep(0)


async def needs():
    await asyncio.sleep(60)


async def inside(coroutine):
    await coroutine


async def through_a_generator(coroutine):
    @types.coroutine
    def awaits():
        yield from coroutine

    await awaits()


async def over(_coroutine):
    _coroutine.close()


async def looked_at(coroutine):
    """Whether it needs its loop, after a turn of that."""
    task = asyncio.create_task(coroutine)
    await asyncio.tasks.sleep(0)
    try:
        return needs_its_loop(coroutine)
    finally:
        task.cancel()
        await asyncio.wait({task})


@pytest.mark.parametrize("around", [inside, through_a_generator])
@pytest.mark.parametrize(("fn", "needed"), [(turns, False), (needs, True)])
def test_what_waits_for_its_turn_does_not_need_its_loop(fn, needed, around):
    """However deep inside it waits."""
    assert asyncio.run(looked_at(fn())) is needed
    assert asyncio.run(looked_at(around(fn()))) is needed


class Proxy:
    """Passes on what it awaits; an attribute of any name is found, or looking for it raises."""

    def __init__(self, awaits, found):
        self.steps, self.found = awaits.__await__(), found

    def __await__(self):
        return self

    def __next__(self):
        return next(self.steps)

    def __getattr__(self, name):
        if self.found:
            return self
        raise (LookupError if name in {"cr_await", "gi_code"} else AttributeError)(name)


@pytest.mark.parametrize("found", [True, False], ids=["itself", "raises"])
def test_attributes_that_an_object_makes_up_are_not_looked_at(found):
    """Else looking would not end, or fail, and with it the loop whose coroutine it is."""

    async def proxied():
        await Proxy(asyncio.get_running_loop().create_future(), found)

    assert asyncio.run(looked_at(proxied()))


async def fake(_seconds):
    pass


def test_what_waits_while_a_test_has_replaced_the_waiting(monkeypatch):
    """How a coroutine waits for its turn is asked for but once, perhaps just then."""
    _turning.cache_clear()
    waiting = [inside(asyncio.sleep(seconds)) for seconds in (0, 60)]
    monkeypatch.setattr(asyncio, "sleep", fake)
    assert [asyncio.run(looked_at(each)) for each in waiting] == [False, True]


def test_what_has_not_begun_or_is_over_needs_nothing():
    """Nor does what is no coroutine at all."""
    fresh = turns()
    assert not needs_its_loop(fresh)
    assert not asyncio.run(looked_at(over(fresh)))
    assert not needs_its_loop(None)
