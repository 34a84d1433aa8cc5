"""Arguments that cannot work: an error at the call that names the argument and what would be right."""

from __future__ import annotations

import asyncio
import math
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from functools import partial

import contract_acts as acts
import pytest
from contract_ways import dismiss_resting, only_keeping, small

import concurrent_choices as cc
from concurrent_choices import (
    AnyioStrategy,
    AsyncioStrategy,
    ClosedStrategyError,
    HybridStrategy,
    InvalidArgumentError,
    MissingExtraError,
    ProcessStrategy,
    ThreadStrategy,
    UnknownStrategyError,
    UvloopStrategy,
    WorkerStartError,
    arun,
    astream,
    recommend,
    run,
    stream,
)
from concurrent_choices._strategies import _registry


def call_arun(*arguments, **options):
    """Take `arun` one step, which is where it checks."""
    coroutine = arun(*arguments, **options)
    try:
        coroutine.send(None)
    finally:
        coroutine.close()


def call_run(*arguments, **options):
    """`run`."""
    return run(*arguments, **options)


CALLS = {"run": call_run, "stream": stream, "arun": call_arun, "astream": astream}


@pytest.fixture(params=CALLS)
def call(request):
    """Each of the four public functions."""
    return CALLS[request.param]


def refused(call, *arguments, **options):
    """The error with which a call is refused: InvalidArgumentError, a ValueError and a TypeError."""
    with pytest.raises(InvalidArgumentError) as caught:
        call(*arguments, **options)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TypeError)
    return caught.value


@pytest.mark.parametrize("fn", [None, 3, "len", [len]])
def test_not_callable(call, fn):
    """What cannot be called is refused."""
    error = refused(call, fn, [1])
    assert str(error) == (
        f"fn: must be callable, not {type(fn).__name__}; give the function itself, without calling it"
    )


@pytest.mark.parametrize("items", [None, 3])
def test_not_iterable(call, items):
    """What cannot be iterated is refused."""
    error = refused(call, len, items)
    assert str(error) == f"items: must be iterable, not {type(items).__name__}"


def test_an_array_without_dimensions(call):
    """It has all methods of what can be iterated, and raises in each."""
    numpy = pytest.importorskip("numpy")
    error = refused(call, str, numpy.array(3))
    assert str(error) == "items: must be iterable, not array(3), which has no dimensions"


def test_a_callable_for_items(call):
    """Arguments the wrong way round, or a generator function that was not called: the error names both."""
    error = refused(call, ["a"], len)
    assert str(error) == (
        "items: must be iterable, not builtin_function_or_method; "
        "call it for its items, or put it first if it is the function"
    )


@pytest.mark.parametrize("name", ["run", "stream"])
def test_async_items_in_a_blocking_form(name):
    """An async iterable needs a loop; the error says which functions have one."""

    async def items():
        yield 1

    given = items()
    error = refused(CALLS[name], len, given)
    assert str(error) == "items: an async iterable needs `arun` or `astream`"


class Query:
    """What can be had in both ways, as a query of Django."""

    def __iter__(self):
        return iter([1, 2])

    async def __aiter__(self):
        for number in (3, 4):
            yield number


def test_what_can_be_had_in_both_ways():
    """Each form takes it in its own; none refuses it."""

    async def in_a_loop():
        return await arun(str, Query()), [text async for text in astream(str, Query())]

    assert run(str, Query()) == list(stream(str, Query())) == ["1", "2"]
    assert recommend(str, Query(), verify=False).run() == ["1", "2"]
    assert asyncio.run(in_a_loop()) == (["3", "4"], ["3", "4"])


def test_a_generator_function(call):
    """Calling one runs nothing, so it is refused by name."""

    def numbers(item):
        yield item

    error = refused(call, numbers, [1])
    assert str(error) == (
        "fn: test_a_generator_function.<locals>.numbers is a generator function: calling it runs "
        "nothing; have it return a value, such as a list, for each item"
    )


def test_an_async_generator_function(call):
    """The same for asynchronous ones, also behind a partial or a method."""
    from functools import partial

    async def numbers(item):
        yield item

    class Holder:
        async def __call__(self, item):
            yield item

    for fn in (numbers, partial(numbers), Holder()):
        assert "is a generator function" in str(refused(call, fn, [1]))


@pytest.mark.parametrize("timeout", [0, -1, -0.5, math.nan, True, "1", [1], Decimal("sNaN")])
def test_timeouts(call, timeout):
    """A timeout is a number of seconds above 0."""
    error = refused(call, len, ["a"], timeout=timeout)
    assert str(error) == f"timeout: must be seconds above 0, or None, not {timeout!r}"


@pytest.mark.parametrize("buffersize", [0, -1, 2.5, True, "1", Decimal("sNaN")])
@pytest.mark.parametrize("name", ["stream", "astream"])
def test_buffersizes(name, buffersize):
    """A buffersize is a whole number from 1."""
    error = refused(CALLS[name], len, ["a"], buffersize=buffersize)
    assert error.argument == "buffersize"
    assert repr(buffersize) in str(error)


@pytest.mark.parametrize("value", ["no", "False", 0, 1, None])
@pytest.mark.parametrize("switch", ["return_exceptions", "progress", "idempotent"])
def test_switches(call, switch, value):
    """A switch is True or False: "no", which counts as true, would have items called twice."""
    error = refused(call, len, ["a"], **{switch: value})
    assert str(error) == f"{switch}: must be True or False, not {value!r}"


@pytest.mark.parametrize("name", ["stream", "astream"])
def test_the_order_is_a_switch(name):
    """As the others are, where there is one for the order."""
    error = refused(CALLS[name], len, ["a"], ordered="as they come")
    assert str(error) == "ordered: must be True or False, not 'as they come'"


def test_switches_of_verdicts():
    """Those of `recommend` and of what it gives are no other."""
    error = refused(recommend, len, ["a"], verify="no")
    assert str(error) == "verify: must be True or False, not 'no'"
    error = refused(recommend(len, ["a"], verify=False).run, return_exceptions="no")
    assert str(error) == "return_exceptions: must be True or False, not 'no'"


@pytest.mark.parametrize("strategy", ["threads", "", "Thread", "ThreadStrategy"])
def test_unknown_names(call, strategy):
    """A misspelt name is answered with all there are."""
    with pytest.raises(UnknownStrategyError) as caught:
        call(len, ["a"], strategy=strategy)
    assert repr(strategy) in str(caught.value)
    assert all(repr(name) in str(caught.value) for name in ("auto", *_registry.NAMES))


@pytest.mark.parametrize("name", _registry.NAMES)
def test_a_class_instead_of_an_object(call, name):
    """A strategy class is answered with how to make an object of it."""
    made = _registry.load(name)
    error = refused(call, len, ["a"], strategy=made)
    assert f"{made.__name__}()" in str(error)
    assert error.argument == "strategy"


def test_a_plan_instead_of_a_verdict(call):
    """A verdict can be given as a strategy; who gives its plan is told so."""
    error = refused(call, len, ["a"], strategy=cc.Plan(strategy="thread"))
    advice = "give the verdict itself, as in run(fn, items, strategy=verdict), not its plan"
    assert (error.argument, error.problem) == ("strategy", advice)


@pytest.mark.parametrize("strategy", [None, 3, object(), len, {}, ThreadPoolExecutor])
def test_no_strategy_at_all(call, strategy):
    """Neither a name nor a strategy, nor a class of strategies: the error shows one of each kind there is."""
    error = refused(call, len, ["a"], strategy=strategy)
    assert str(error).startswith('strategy: must be a name, such as "thread", or an object with')
    assert str(error).endswith(f"such as ThreadStrategy(max_workers=8), not {strategy!r}")


NUMBERS = [
    (made, argument)
    for made, arguments in {
        ThreadStrategy: ["max_workers", "batch"],
        ProcessStrategy: ["max_workers", "batch"],
        AsyncioStrategy: ["concurrency"],
        UvloopStrategy: ["concurrency"],
        AnyioStrategy: ["concurrency"],
        HybridStrategy: ["max_workers", "concurrency"],
    }.items()
    for argument in arguments
]


class Two:
    """A whole number that is no `int`, as NumPy has them."""

    def __index__(self):
        return 2


@pytest.mark.parametrize("value", [0, -1, 2.5, True, False, "2", Decimal("sNaN")])
@pytest.mark.parametrize(("made", "argument"), NUMBERS)
def test_numbers_of_workers(made, argument, value):
    """Workers, items in flight and batches are whole numbers from 1, and True is none."""
    with pytest.raises(InvalidArgumentError) as caught:
        made(**{argument: value})
    assert caught.value.argument == argument
    assert str(caught.value) == f"{argument}: must be a whole number from 1, not {value!r}"


@pytest.mark.parametrize(("made", "argument"), NUMBERS)
def test_numbers_of_another_make(made, argument):
    """What is a whole number in all but its class counts, and is kept as Python's own."""
    kept = getattr(made(**{argument: Two()}), argument)
    assert (kept, type(kept)) == (2, int)


@pytest.mark.parametrize("timeout", [Two(), Fraction(60), Decimal(60)])
@pytest.mark.parametrize("strategy", ["thread", "process"])
def test_seconds_of_another_make(strategy, timeout):
    """Seconds are seconds, whoever counts them."""
    assert run(len, ["a"], strategy=strategy, timeout=timeout) == [1]


def test_buffersizes_of_another_make():
    """As for the numbers of workers."""
    assert list(stream(len, ["a"], buffersize=Two())) == [1]


@pytest.mark.parametrize(
    ("made", "options"),
    [
        (ProcessStrategy, {"start_method": "spawned"}),
        (HybridStrategy, {"start_method": "spawned"}),
        (HybridStrategy, {"loop": "trio"}),
        (AnyioStrategy, {"backend": "curio"}),
    ],
)
def test_words(made, options):
    """A wrong word is answered with the right ones."""
    ((argument, value),) = options.items()
    with pytest.raises(InvalidArgumentError, match=f"^{argument}: must be one of '") as caught:
        made(**options)
    assert repr(value) in str(caught.value)


def test_an_initializer_that_is_none():
    """An initializer must be callable."""
    with pytest.raises(InvalidArgumentError, match=r"^initializer: must be callable, not 3$"):
        ProcessStrategy(initializer=3)


@pytest.mark.parametrize("given", [3, "up", b"up"])
def test_arguments_for_an_initializer_that_are_none(given):
    """They must be several, or one in a tuple; a text is one, and not as many as it has letters."""
    with pytest.raises(InvalidArgumentError) as caught:
        ProcessStrategy(initializer=print, initargs=given)
    assert str(caught.value) == f"initargs: must be a tuple, such as ({given!r},), not {given!r}"


STAYING = acts.RaisesOnDumps()


@pytest.mark.parametrize("setting", [{"initializer": partial(print, STAYING)}, {"initargs": (STAYING,)}])
def test_what_an_initializer_is_to_be_sent_with_cannot_travel(setting):
    """The argument is named, and the part of it that cannot be sent."""
    strategy = ProcessStrategy(**{"initializer": print, **setting})
    (name,) = setting
    with pytest.raises(InvalidArgumentError, match=f"^{name}: cannot be pickled .* RaisesOnDumps"):
        run(len, ["a"], strategy=strategy)


def test_nothing_is_started_by_a_refusal(call):
    """A refused call has pulled nothing from the items."""
    pulled = []

    def items():
        pulled.append(1)
        yield 1

    refused(call, len, items(), timeout=-1)
    refused(call, len, items(), strategy="nonsense")
    assert pulled == []


@only_keeping
def test_a_closed_strategy(name, kind, of_kind):
    """A strategy that keeps something cannot be used after its with block; the whole message."""
    strategy = small(name)
    with strategy:
        run(of_kind(acts.double), [1], strategy=strategy)
    for again in (run, lambda *args, **kw: list(stream(*args, **kw))):
        with pytest.raises(ClosedStrategyError) as caught:
            again(of_kind(acts.double), [1], strategy=strategy)
        assert str(caught.value) == (
            f"this {name} strategy is closed; make a new one or stay inside its with block"
        )
    with pytest.raises(ClosedStrategyError), strategy:
        pass


@only_keeping
def test_a_closed_strategy_in_a_loop(name, of_kind, loop):
    """The same from `arun`."""
    strategy = small(name)
    with strategy:
        pass

    async def main():
        with pytest.raises(ClosedStrategyError):
            await arun(of_kind(acts.double), [1], strategy=strategy)

    loop(main)


@pytest.mark.parametrize("module", ["uvloop"])
def test_a_missing_package_names_its_extra(monkeypatch, module):
    """Where the package of a strategy is not installed, the error says what to install."""
    import sys

    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError) as caught:
        run(acts.twin(acts.double), [1], strategy=module)
    assert str(caught.value) == (
        f'strategy "{module}" needs a package that is not installed; '
        f"install it with: pip install 'concurrent_choices[{module}]'"
    )


def test_a_missing_uvloop_of_a_hybrid_names_its_extra(monkeypatch):
    """It is said before a worker is started, which could only say that it cannot load the callable."""
    import sys

    monkeypatch.setitem(sys.modules, "uvloop", None)
    with pytest.raises(MissingExtraError) as caught:
        run(acts.twin(acts.double), [1], strategy=HybridStrategy(loop="uvloop"))
    assert str(caught.value) == (
        'HybridStrategy(loop="uvloop") needs a package that is not installed; '
        "install it with: pip install 'concurrent_choices[uvloop]'"
    )
    assert run(acts.double, [1], strategy=HybridStrategy(1, 2, loop="uvloop")) == [2]


def test_a_missing_trio_names_its_extra(monkeypatch):
    """The same for a backend."""
    import sys

    monkeypatch.setitem(sys.modules, "trio", None)
    with pytest.raises(MissingExtraError, match=r"concurrent_choices\[trio\]"):
        run(acts.twin(acts.double), [1], strategy=AnyioStrategy(backend="trio"))


def test_an_initializer_that_raises():
    """Workers that cannot be prepared are not started again and again."""
    strategy = ProcessStrategy(max_workers=1, initializer=acts.explode)
    with pytest.raises(WorkerStartError, match="initializer raised ValueError: no landing"):
        run(acts.double, [1], strategy=strategy)


def test_an_initializer_that_ends_the_worker():
    """Workers that die before they are ready are given up after a few."""
    strategy = ProcessStrategy(max_workers=1, initializer=acts.leave)
    with pytest.raises(WorkerStartError, match="exit code 9"):
        run(acts.double, [1], strategy=strategy)


def test_an_interpreter_that_is_not_there(monkeypatch):
    """Where there is no interpreter to start, the error says so."""
    import sys

    dismiss_resting()
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(WorkerStartError, match=r"sys\.executable is empty"):
        run(acts.double, [1], strategy=ProcessStrategy(max_workers=1))


def test_a_strategy_that_loses_results():
    """A strategy of somebody else's that yields too little is found out."""

    class Silent:
        name = "silent"

        def execute(self, job):
            claim = job.claim(2)
            yield cc.Batch(claim.start, [])

    with pytest.raises(cc.ConcurrentChoicesError, match="'silent' ended after 0 results"):
        run(acts.double, [1, 2, 3], strategy=Silent())


async def _streamed(*args, **named):
    return [result async for result in cc.astream(*args, **named)]


each_way = pytest.mark.parametrize(
    "way",
    [
        cc.run,
        lambda *args, **named: list(cc.stream(*args, **named)),
        lambda *args, **named: asyncio.run(cc.arun(*args, **named)),
        lambda *args, **named: asyncio.run(_streamed(*args, **named)),
    ],
)


@pytest.mark.parametrize("make", [list, lambda items: items, set, iter])
@each_way
def test_a_strategy_that_leaves_items(way, make):
    """One that claims too few is found out too, whatever the items came in."""

    class Weary:
        name = "weary"

        def execute(self, job):
            yield job.perform(job.claim(1))

    with pytest.raises(cc.ConcurrentChoicesError, match="with more to claim"):
        way(acts.double, make(range(3)), strategy=Weary())


@pytest.mark.parametrize("order", [[0, 1, 1, 2], [0, 2, 2, 1], [0, 1, 2, 0]], ids=["late", "early", "last"])
@each_way
def test_a_strategy_that_yields_a_result_twice(way, order):
    """One of the two would be dropped without a word, and nobody knows which is right."""

    class Stammering:
        name = "stammering"

        def execute(self, job):
            batches = [job.perform(job.claim(1)) for _ in range(3)]
            yield from (batches[at] for at in order)

    twice = next(at for at in order if order.count(at) == 2)
    told = rf"strategy 'stammering' yielded the result of item {twice} twice; its execute\(\) must yield one"
    with pytest.raises(cc.ConcurrentChoicesError, match=told):
        way(acts.double, range(3), strategy=Stammering())


class Made:
    """A strategy that gives what it was made with instead of batches."""

    name = "made"

    def __init__(self, given):
        self.given = given

    def execute(self, job):
        """Give it."""
        return self.given


async def _no_batches():
    yield cc.Batch(0, [1])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([3], "strategy 'made' yielded 3; it must yield batches, as `job.perform` returns them"),
        ([None], "strategy 'made' yielded None; it must yield"),
        ([[1]], r"strategy 'made' yielded \[1\]; it must yield"),
        (None, "strategy 'made': its execute\\(\\) gave None; it must be a generator of batches"),
        (_no_batches(), "its execute.* gave <async_generator .*; it must be a generator of batches"),
    ],
)
@each_way
def test_a_strategy_that_gives_no_batches(way, given, told):
    """A mistake in a strategy of somebody else's is told as one, not as ours."""
    with pytest.raises(cc.ConcurrentChoicesError, match=told):
        way(acts.double, [1, 2, 3], strategy=Made(given))


def test_a_strategy_that_gives_no_batches_on_the_loop():
    """The same where it works on the caller's own loop, for which it needs an async generator."""

    class Listing(Made):
        def aexecute(self, job):
            return self.given

    coroutine = arun(acts.twin(acts.double), [1], strategy=Listing([]))
    with pytest.raises(
        cc.ConcurrentChoicesError, match=r"its aexecute\(\) gave \[\]; it must be an async gen"
    ):
        asyncio.run(coroutine)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_strategy_that_claims_nothing(limit):
    """It would wait for ever for the first item."""

    class Idle:
        name = "idle"

        def execute(self, job):
            while claim := job.claim(limit):
                yield job.perform(claim)

    with pytest.raises(InvalidArgumentError, match="limit: must be a whole number from 1"):
        run(acts.double, [1, 2, 3], strategy=Idle())


def test_a_strategy_that_raises():
    """What goes wrong in a strategy itself reaches the caller."""

    class Broken:
        name = "broken"

        def execute(self, job):
            job.claim(1)
            raise LookupError("of the strategy")
            yield

    with pytest.raises(LookupError, match="of the strategy"):
        run(acts.double, [1, 2, 3], strategy=Broken())


@pytest.mark.parametrize("name", ["arun", "astream"])
def test_a_strategy_that_raises_beside_a_loop(name, loop):
    """The same where it runs in a thread beside the loop."""

    class Broken:
        name = "broken"

        def execute(self, job):
            raise LookupError("of the strategy")
            yield

    async def main():
        if name == "arun":
            return await arun(acts.double, [1], strategy=Broken())
        return [result async for result in astream(acts.double, [1], strategy=Broken())]

    with pytest.raises(LookupError, match="of the strategy"):
        loop(main)
