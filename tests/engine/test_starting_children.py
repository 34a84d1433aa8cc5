"""Callables that start child processes from their loop."""

import asyncio
import subprocess
from asyncio import create_subprocess_shell
from functools import partial

import anyio
import pytest

from concurrent_choices._engine._loops import starts_children


async def execute(item):
    process = await asyncio.create_subprocess_exec("echo", str(item))
    return await process.wait()


async def say(item):
    return await (await create_subprocess_shell(f"echo {item}")).wait()


async def complete(item):
    return (await anyio.run_process(["echo", str(item)])).returncode


async def by_another(item, *, times=1):
    return [await execute(item) for _ in range(times)]


class Runner:
    async def again(self, item):
        return await self.once(item)

    async def once(self, item):
        return await execute(item)


async def rest(item):
    await asyncio.sleep(0)
    return item


async def block(item):
    return subprocess.run(["echo", str(item)], check=True)  # noqa: ASYNC221 - read, not run


@pytest.mark.parametrize(
    "fn", [execute, say, complete, by_another, partial(by_another, times=2), Runner().again]
)
def test_code_that_names_what_starts_them(fn):
    """Its own, or that of a function or a method that it names."""
    assert starts_children(fn)


@pytest.mark.parametrize("fn", [rest, block, asyncio.sleep, partial(rest)])
def test_code_that_does_not(fn):
    """Or that starts them without the loop, by which it is not touched."""
    assert not starts_children(fn)
