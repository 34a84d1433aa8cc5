"""Patience with tests of real measurements."""

import functools


def patient(test):
    """Let a test of real measurements fail twice: a busy neighbour may spoil one, not three."""

    @functools.wraps(test)
    def again(*arguments, **named):
        for _ in range(2):
            try:
                return test(*arguments, **named)
            except AssertionError:
                continue
        return test(*arguments, **named)

    return again
