"""Strategies beside a loop that runs already."""

from __future__ import annotations

import anyio
import pytest

from concurrent_choices import arun

BACKENDS = ["asyncio", "trio"]


async def double(item):
    await anyio.sleep(0.001)
    return 2 * item


def run_anew(item):
    return anyio.run(double, item)


@pytest.mark.parametrize("fn", [double, run_anew])
@pytest.mark.parametrize("backend", BACKENDS)
def test_anyio_is_at_home_on_loops_beside_the_callers(backend, fn):
    """What says which library runs in the caller's context is not for items that left its loop."""

    async def main():
        return await arun(fn, range(5), strategy="thread")

    assert anyio.run(main, backend=backend) == [0, 2, 4, 6, 8]
