"""Patience with tests of real parts: a busy neighbour, or a host that takes our cores away, spoils a try."""

import functools
import inspect
import time

from concurrent_choices._engine._memory import memory

TRIES = 6
"""How often a test of real measurements may be tried: one that fails by chance in a third of its tries
then fails once in 700."""

PAUSE = 0.1
"""Seconds before the second try, twice as many before each further one: noise comes in bursts."""

LIMITS = 0.05, 0.5, 5.0
"""Seconds that quick items are allowed, one after the other: no machine should stand still for the last."""


def patient(test):
    """Let a test of real measurements fail some times: what it says of the work is right if it is so once."""

    @functools.wraps(test)
    def again(*arguments, **named):
        for attempt in range(TRIES - 1):
            try:
                return afresh(*arguments, **named)
            except AssertionError:
                time.sleep(PAUSE * 2**attempt)
        return afresh(*arguments, **named)

    def afresh(*arguments, **named):
        memory.clear()  # or what a spoilt try has learnt would spoil those after it
        return test(*arguments, **named)

    return again


def with_ample_limit(test):
    """Give a test its `limit`, a longer one after a failure: quick items outlast a short one by bad luck."""

    @functools.wraps(test)
    def longer(*arguments, **named):
        for limit in LIMITS[:-1]:
            try:
                return test(*arguments, limit=limit, **named)
            except (AssertionError, TimeoutError):
                continue
        return test(*arguments, limit=LIMITS[-1], **named)

    signature = inspect.signature(test)
    fixtures = [each for each in signature.parameters.values() if each.name != "limit"]
    longer.__signature__ = signature.replace(parameters=fixtures)
    return longer
