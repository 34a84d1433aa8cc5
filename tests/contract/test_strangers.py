"""A strategy of somebody else's, written from the protocol alone, is under the same contract."""

from __future__ import annotations

import gc
from contextlib import aclosing
from itertools import count, islice

import contract_acts as acts
import pytest

from concurrent_choices import Batch, Claim, Strategy, UnawaitedError, arun, astream, run, stream
from patience import with_ample_limit


class OneByOne:
    """The example of the protocol's own documentation."""

    name = "one by one"

    def execute(self, job):
        """Perform one item after another."""
        while claim := job.claim(1):
            yield job.perform(claim)


class Backwards:
    """Claims everything first, and performs the last first."""

    name = "backwards"

    def execute(self, job):
        """Perform in the wrong order."""
        claims = []
        while claim := job.claim(3):
            claims.append(claim)
        for claim in reversed(claims):
            yield job.perform(claim)


class Listing:
    """Gives its batches as a list, which has no `close`."""

    name = "listing"

    def execute(self, job):
        """Perform all of it before giving any."""
        return list(OneByOne().execute(job))


@pytest.fixture(params=[OneByOne, Backwards, Listing])
def stranger(request):
    """Each stranger."""
    return request.param()


def test_it_is_a_strategy(stranger):
    """Two members are enough."""
    assert isinstance(stranger, Strategy)


def test_run(stranger, of_kind):
    """Results come in input order, whatever the order of the batches."""
    assert run(of_kind(acts.double), range(20), strategy=stranger) == list(range(0, 40, 2))
    assert run(of_kind(acts.double), iter(range(20)), strategy=stranger) == list(range(0, 40, 2))


def test_stream(stranger, of_kind):
    """So they do from a stream, however little may be taken ahead."""
    results = stream(of_kind(acts.double), range(20), strategy=stranger, buffersize=2)
    assert list(results) == list(range(0, 40, 2))


def test_in_a_loop(stranger, of_kind, loop):
    """And in a running loop, from plain and from async iterables."""

    async def items():
        for number in range(20):
            yield number

    async def main():
        fn = of_kind(acts.double)
        async with aclosing(astream(fn, items(), strategy=stranger)) as results:
            streamed = [result async for result in results]
        return await arun(fn, range(20), strategy=stranger), streamed

    assert loop(main) == (list(range(0, 40, 2)),) * 2


def test_failures(stranger, of_kind):
    """`job.perform` brings the failure contract along."""
    with pytest.raises(acts.PlainError, match=r"^three") as caught:
        run(of_kind(acts.raise_plain), range(6), strategy=stranger)
    assert caught.value.__notes__ == ["raised by item 3: 3"]
    results = run(of_kind(acts.raise_plain), range(6), strategy=stranger, return_exceptions=True)
    assert results[:3] + results[4:] == [0, 1, 2, 4, 5]
    assert isinstance(results[3], acts.PlainError)


@pytest.mark.usefixtures("hurried")
@with_ample_limit
def test_a_def_that_takes_too_long(stranger, limit):
    """`job.perform` gives up on it; the items behind it are done."""
    items = [0, 30, 0, 0]
    results = run(acts.hold, items, strategy=stranger, timeout=limit, return_exceptions=True)
    assert [results[0], *results[2:]] == [0, 0, 0]
    assert str(results[1]) == (
        f"item 1 (30) took longer than timeout={limit:g} s; "
        "its thread cannot be stopped and still runs it; only a process can be"
    )


@with_ample_limit
def test_a_coroutine_that_takes_too_long(stranger, limit):
    """`job.perform` cancels it, and the error names its item."""
    results = run(acts.twin(acts.sleep), [0, 30], strategy=stranger, timeout=limit, return_exceptions=True)
    assert results[0] == 0
    assert str(results[1]) == f"item 1 (30) took longer than timeout={limit:g} s; it was cancelled"


def test_a_coroutine_that_nobody_awaits(stranger, of_kind):
    """It is found, and closed without a warning."""
    with pytest.raises(UnawaitedError):
        run(of_kind(acts.give_coroutine), range(6), strategy=stranger)


def test_what_is_no_ordinary_exception(stranger, of_kind, caplog):
    """`sys.exit` reaches the caller, and asyncio reports nothing beside it."""
    with pytest.raises(SystemExit, match="enough"):
        run(of_kind(acts.raise_system_exit), range(6), strategy=stranger)
    gc.collect()
    assert caplog.text == ""


def test_an_infinite_iterator(of_kind):
    """One that gives batches as it goes serves endless streams."""
    results = stream(of_kind(acts.double), count(), strategy=OneByOne())
    assert list(islice(results, 10)) == list(range(0, 20, 2))
    results.close()


def test_contexts(stranger, of_kind):
    """What one item sets, no other sees."""
    assert run(of_kind(acts.change_sometimes), range(9), strategy=stranger) == [-1] * 9


def test_it_is_closed_early(of_kind):
    """When the stream is closed, its `execute` is, so that it can clean up; the job is stopped by then."""
    closed = []

    class Closing:
        name = "closing"

        def execute(self, job):
            try:
                while claim := job.claim(1):
                    yield job.perform(claim)
            finally:
                closed.append(job.stopped)

    results = stream(of_kind(acts.double), count(), strategy=Closing())
    next(results)
    results.close()
    assert closed == [True]


def test_it_is_closed_early_in_a_loop(loop):
    """So it is where it serves coroutines on the caller's own loop."""
    closed = []

    class Closing(OneByOne):
        async def aexecute(self, job):
            try:
                while claim := job.claim(1):
                    yield Batch(claim.start, [await job.fn(claim.items[0])])
            finally:
                closed.append(job.stopped)

    async def main():
        async with aclosing(astream(acts.twin(acts.double), range(6), strategy=Closing())) as results:
            await anext(results)

    loop(main)
    assert closed == [True]


def test_batches_may_be_made_by_hand():
    """A strategy need not use `perform`."""

    class ByHand:
        name = "by hand"

        def execute(self, job):
            while claim := job.claim(4):
                assert isinstance(claim, Claim)
                yield Batch(claim.start, [job.fn(item) for item in claim.items])

    assert run(acts.double, range(10), strategy=ByHand()) == list(range(0, 20, 2))


def test_a_batch_that_says_nothing_replaces_none(of_kind):
    """A lane that was cut short before its first item hands that over after another has done it."""

    class Hesitant:
        name = "hesitant"

        def execute(self, job):
            first, second = job.claim(1), job.claim(1)
            yield job.perform(second)
            yield Batch(second.start, [])
            yield job.perform(first)

    assert run(of_kind(acts.double), range(2), strategy=Hesitant()) == [0, 2]
