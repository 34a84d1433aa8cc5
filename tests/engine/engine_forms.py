"""The ways to ask for results, each as a function of callable and items."""

import asyncio

from concurrent_choices import arun, astream, stream


def in_a_loop(fn, items, **options):
    """`arun` from outside."""
    return asyncio.run(arun(fn, items, **options))


def in_an_async_stream(fn, items, **options):
    """`astream` from outside, to its end."""

    async def main():
        return [result async for result in astream(fn, items, **options)]

    return asyncio.run(main())


def in_a_stream(fn, items, **options):
    """`stream` to its end."""
    return list(stream(fn, items, **options))
