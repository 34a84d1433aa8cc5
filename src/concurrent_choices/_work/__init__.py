"""The work itself: the one source that all lanes draw from, and how a batch is performed.

_job          what a strategy is handed: it claims items from the _source, and has claims performed
_tap          the caller's iterable, as the source draws from it; _window: how far ahead of the results
_perform      a claim of a `def`; _watched, under a time limit; _awaiter, one of an `async def`
_notes        on errors, which name the item
_pace         how many items are claimed at a time; _weight: how much memory a result takes

Worker processes import most of this, and of what lies below it. So nothing here, nor there, may import attrs,
anyio or multiprocessing at the top; and asyncio only what serves coroutines alone, as _awaiter does.
"""
