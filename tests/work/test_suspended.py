"""What a suspended coroutine waits for, told from outside."""

import asyncio
import types

import pytest

from concurrent_choices._work._suspended import needs_its_loop


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
    await asyncio.sleep(0)
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


def test_what_has_not_begun_or_is_over_needs_nothing():
    """Nor does what is no coroutine at all."""
    fresh = turns()
    assert not needs_its_loop(fresh)
    assert not asyncio.run(looked_at(over(fresh)))
    assert not needs_its_loop(None)
