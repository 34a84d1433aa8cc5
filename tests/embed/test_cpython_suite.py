"""The interpreter's own tests of executors, where they are installed, run against ours.

Left out are those that look inside ThreadPoolExecutor or ProcessPoolExecutor (`_threads`, `_processes`,
`_broken`), initializers, which ours does not have, and the test of the interpreter's end, which names its
executor by importing it from `concurrent.futures`; test_executor_end.py tries the same with ours.
"""

from __future__ import annotations

import importlib
import unittest

import pytest

from concurrent_choices import AdaptiveExecutor

HOMES = (
    ("test.test_concurrent_futures",),
    (
        "test.test_concurrent_futures.executor",
        "test.test_concurrent_futures.test_wait",
        "test.test_concurrent_futures.test_as_completed",
        "test.test_concurrent_futures.test_shutdown",
        "test.test_concurrent_futures.util",
    ),
)
SUITES = ("ExecutorTest", "WaitTests", "AsCompletedTests", "ExecutorShutdownTest")
LEFT_OUT = {
    "test_interpreter_shutdown": "imports its executor from concurrent.futures",
    "test_submit_after_interpreter_shutdown": "imports its executor from concurrent.futures",
    "test_hang_gh83386": "imports its executor from concurrent.futures",
    "test_max_workers_negative": "asks for the very words that ThreadPoolExecutor says",
}


def found():
    """The interpreter's modules of tests, or why there are none."""
    for names in HOMES:
        try:
            modules = [importlib.import_module(name) for name in names]
        except ImportError:
            continue
        except unittest.SkipTest as reason:
            pytest.skip(f"the interpreter skips its own tests: {reason}", allow_module_level=True)
        if any(hasattr(module, "ExecutorTest") for module in modules):
            return modules
    pytest.skip("this interpreter came without its test package", allow_module_level=True)
    return []


def take(name):
    """Something that one of the interpreter's modules defines."""
    return next(getattr(module, name) for module in MODULES if hasattr(module, name))


MODULES = found()


LEFT_OUT_OF_PINNED = {
    "test_cancel_futures": "asks that one of fifty has begun, however soon they are all cancelled",
}


class Named(AdaptiveExecutor):
    """Ours under the argument name that the tests use."""

    def __init__(self, max_workers=None):
        super().__init__(max_workers)


class Pinned(AdaptiveExecutor):
    """Ours with every call in a worker process."""

    def __init__(self, max_workers=None):
        super().__init__(max_processes=2, place="process")


def adapted(suite, kind):
    """One of the interpreter's suites for one kind of executor."""
    theirs = take(suite)
    members = {
        name: unittest.skip(why)(getattr(theirs, name))
        for name, why in (LEFT_OUT | (LEFT_OUT_OF_PINNED if kind is Pinned else {})).items()
        if hasattr(theirs, name)
    }
    members |= {"executor_type": kind, "__module__": __name__}
    bases = (theirs, take("ExecutorMixin"), take("BaseTestCase"))
    return type(f"{kind.__name__}{suite}", bases, members)


for _kind in (Named, Pinned):
    for _suite in SUITES:
        if any(hasattr(module, _suite) for module in MODULES):
            _made = adapted(_suite, _kind)
            globals()[_made.__name__] = _made
del _made
