"""The work itself: the callable, the one source all lanes draw from, and how a batch is performed.

Worker processes import these modules, so nothing here may import attrs, asyncio or multiprocessing
at the top, with the exception of ``_job``, which only the caller's process needs.
"""
