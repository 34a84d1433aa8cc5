"""The failure contract where callables raise: docs/failures.md, for every strategy and both kinds."""

from __future__ import annotations

import re
import sys
import traceback
import types
from importlib.machinery import ModuleSpec

import contract_acts as acts
import pytest
from contract_ways import only_outside, small

from concurrent_choices import (
    InvalidArgumentError,
    NotPicklableError,
    RemoteError,
    UnawaitedError,
    WorkerStartError,
    run,
    stream,
)


@pytest.fixture
def strategy(lean):
    """As few processes as will do."""
    return lean


def test_the_very_exception_is_raised(strategy, of_kind):
    """Type and message are those of the exception that the item raised."""
    with pytest.raises(acts.PlainError, match=r"^three") as caught:
        run(of_kind(acts.raise_plain), range(6), strategy=strategy)
    assert type(caught.value) is acts.PlainError


def test_a_note_names_the_item(strategy, of_kind):
    """The exception says which item raised it, by index and repr, once."""
    with pytest.raises(acts.PlainError) as caught:
        run(of_kind(acts.raise_plain), [0, 1, 2, 3, 4], strategy=strategy)
    assert caught.value.__notes__ == ["raised by item 3: 3"]


def test_fields_survive(strategy, of_kind):
    """An exception with fields of its own keeps them."""
    with pytest.raises(acts.RichError) as caught:
        run(of_kind(acts.raise_rich), range(6), strategy=strategy)
    assert (caught.value.code, caught.value.reason) == (404, "gone")


def test_the_traceback_shows_where(strategy, of_kind):
    """The formatted exception names the function that raised, in whichever process it ran."""
    with pytest.raises(acts.PlainError) as caught:
        run(of_kind(acts.raise_plain), range(6), strategy=strategy)
    assert 'raise PlainError("three")' in "".join(traceback.format_exception(caught.value))


def test_the_traceback_of_a_nested_function_shows_where(strategy):
    """Also where it travels by value, as functions of scripts and notebooks do."""

    def fail(number):
        raise acts.PlainError(number)

    with pytest.raises(acts.PlainError) as caught:
        run(fail, range(6), strategy=strategy)
    assert "raise acts.PlainError(number)" in "".join(traceback.format_exception(caught.value))


@only_outside
def test_a_remote_traceback_is_the_cause(strategy, of_kind):
    """From another process the traceback comes as the exception's cause, in words."""
    with pytest.raises(acts.PlainError) as caught:
        run(of_kind(acts.raise_plain), range(6), strategy=strategy)
    assert "in raise_plain" in str(caught.value.__cause__)


def test_a_cause_and_a_context_are_told(strategy, of_kind):
    """What an exception was raised from can be read in its traceback."""
    with pytest.raises(ValueError, match="wrapped") as caught:
        run(of_kind(acts.raise_from), [0, 1], strategy=strategy)
    text = "".join(traceback.format_exception(caught.value))
    assert "ZeroDivisionError" in text


def test_no_further_item_is_started(strategy, of_kind, log):
    """After an item has raised, the rest is left alone but for what was in flight or in hand."""
    items = [(str(log), number) for number in range(300)]
    with pytest.raises(acts.PlainError):
        run(of_kind(acts.logged_failure), items, strategy=strategy)
    assert len(acts.calls(log)) < 150


def test_exceptions_stand_in_their_place(strategy, of_kind):
    """With `return_exceptions` the rest goes on, and every result stands where its item stood."""
    results = run(of_kind(acts.invert), [4, 0, 2, 0, 1], strategy=strategy, return_exceptions=True)
    assert [results[0], results[2], results[4]] == [0.25, 0.5, 1.0]
    assert [type(results[1]), type(results[3])] == [ZeroDivisionError] * 2
    assert results[1].__notes__ == ["raised by item 1: 0"]
    assert results[3].__notes__ == ["raised by item 3: 0"]


def test_all_items_fail(strategy, of_kind):
    """A run in which nothing succeeds gives all its exceptions."""
    results = run(of_kind(acts.invert), [0] * 30, strategy=strategy, return_exceptions=True)
    assert [type(result) for result in results] == [ZeroDivisionError] * 30


def test_each_is_called_once_among_failures(strategy, of_kind, log):
    """Failures make no item run twice."""
    items = [(str(log), number) for number in range(60)]
    run(of_kind(acts.logged_failure), items, strategy=strategy, return_exceptions=True)
    assert sorted(map(int, acts.calls(log))) == list(range(60))


def _noted(results, path):
    """Results as they come; a file tells that the third did."""
    for result in results:
        if result == 2:
            path.touch()
        yield result


def test_results_before_an_error_are_given_by_a_stream(strategy, of_kind, log):
    """A stream in order gives what came before the item that raised, if it had ended by then."""
    items = [(str(log), number) for number in range(6)]
    results = stream(of_kind(acts.raise_once_seen), items, strategy=strategy)
    seen = []
    with pytest.raises(acts.PlainError):
        seen.extend(_noted(results, log))
    assert seen == [0, 1, 2]
    assert next(results, "ended") == "ended"


def test_an_exception_that_does_not_pickle(strategy, of_kind, outside):
    """A stand-in with its type, message and traceback comes from another process."""
    kind = RemoteError if outside else acts.UnpicklableError
    with pytest.raises(kind) as caught:
        run(of_kind(acts.raise_unpicklable), range(6), strategy=strategy)
    assert "stays" in str(caught.value)
    if outside:
        assert (caught.value.index, caught.value.item) == (3, "3")
        assert caught.value.type_name == "contract_acts.UnpicklableError"
        assert caught.value.message == "stays"
        assert 'raise UnpicklableError("stays")' in caught.value.traceback


def test_an_exception_that_does_not_unpickle(strategy, of_kind):
    """One that cannot be called with its `args` is still the one that is raised, with all that it holds."""
    with pytest.raises(acts.KeywordOnlyError, match=r"^status 503") as caught:
        run(of_kind(acts.raise_keyword_only), range(6), strategy=strategy)
    assert caught.value.status == 503
    assert caught.value.__notes__ == ["raised by item 3: 3"]


@pytest.mark.parametrize(
    ("fn", "kind"),
    [(acts.raise_frozen, acts.FrozenError), (acts.raise_frozen_dataclass, acts.FrozenDataError)],
    ids=["attributes", "dataclass"],
)
def test_a_frozen_exception(strategy, of_kind, fn, kind):
    """One that takes no attributes, or nothing at all, is raised like others, with its note."""
    with pytest.raises(kind) as caught:
        run(of_kind(fn), range(6), strategy=strategy)
    assert caught.value.code == 3
    assert caught.value.__notes__ == ["raised by item 3: 3"]


def test_an_exception_that_answers_no_question(strategy, of_kind):
    """Whatever it is asked for, its notes among that, raises something else: it is raised like others."""
    with pytest.raises(acts.EvasiveError) as caught:
        run(of_kind(acts.raise_evasive), range(6), strategy=strategy)
    assert caught.value.__notes__ == ["raised by item 3: 3"]


def test_a_group_of_exceptions_that_do_not_unpickle(strategy, of_kind):
    """Its members arrive as they would by themselves, also those of groups in it."""
    with pytest.raises(ExceptionGroup) as caught:
        run(of_kind(acts.raise_group), range(6), strategy=strategy)
    first, inner = caught.value.exceptions
    assert (type(first), first.status, str(first)) == (acts.KeywordOnlyError, 503, "status 503")
    assert [type(member) for member in inner.exceptions] == [acts.FrozenDataError, ValueError]


def test_a_group_that_is_nested_too_deeply(strategy, of_kind, outside):
    """No worker ends of it: it arrives as whatever cannot be pickled does."""
    with pytest.raises(RemoteError if outside else ExceptionGroup) as caught:
        run(of_kind(acts.raise_deep_group), range(6), strategy=strategy)
    assert caught.value.__notes__ == ["raised by item 3: 3"] if not outside else caught.value.index == 3


@pytest.mark.parametrize("tolerant", [False, True])
def test_an_exception_without_words(strategy, of_kind, tolerant):
    """One whose text raises is still the one that is raised, or stands in its place."""
    fn = of_kind(acts.raise_speechless)
    if tolerant:
        assert type(run(fn, range(6), strategy=strategy, return_exceptions=True)[3]) is acts.SpeechlessError
    else:
        with pytest.raises(acts.SpeechlessError):
            run(fn, range(6), strategy=strategy)


def test_a_pool_survives_exceptions_that_cannot_travel(strategy, of_kind, outside):
    """Beside a stand-in, all other results arrive."""
    results = run(of_kind(acts.raise_unpicklable), range(6), strategy=strategy, return_exceptions=True)
    assert results[:3] + results[4:] == [0, 1, 2, 4, 5]
    assert type(results[3]) is (RemoteError if outside else acts.UnpicklableError)


def test_a_result_that_does_not_pickle(strategy, of_kind, outside):
    """It is refused by name across processes, and passed on within one."""
    if not outside:
        results = run(of_kind(acts.make_unpicklable), range(6), strategy=strategy)
        assert isinstance(results[3], acts.RaisesOnDumps)
        return
    with pytest.raises(NotPicklableError) as caught:
        run(of_kind(acts.make_unpicklable), range(6), strategy=strategy)
    assert (caught.value.index, caught.value.what) == (3, "result")
    assert str(caught.value) == (
        "item 3 (3) gave a result that cannot be pickled for its trip between processes "
        '(TypeError: cannot travel); send something picklable, or use strategy="thread" '
        '(place="thread" of an executor)'
    )


@only_outside
def test_a_result_that_does_not_unpickle(strategy, of_kind):
    """What cannot be read here is an error of its item."""
    with pytest.raises(NotPicklableError) as caught:
        run(of_kind(acts.make_unloadable), range(6), strategy=strategy)
    assert "no landing" in str(caught.value)


@pytest.mark.parametrize("act", [acts.make_unpicklable, acts.make_unloadable])
def test_other_results_survive_one_that_cannot_travel(strategy, of_kind, outside, act):
    """With `return_exceptions` the refusal of one that cannot leave, or arrive, stands in its place."""
    results = run(of_kind(act), range(6), strategy=strategy, return_exceptions=True)
    assert results[:3] + results[4:] == [0, 1, 2, 4, 5]
    assert not outside or isinstance(results[3], NotPicklableError)


def test_an_item_that_does_not_pickle(strategy, of_kind, outside):
    """It is refused by name across processes; the others are served."""
    items = [1, 2, acts.RaisesOnDumps(), 4]
    results = run(of_kind(acts.class_of), items, strategy=strategy, return_exceptions=True)
    assert results[:2] + results[3:] == ["int"] * 3
    if not outside:
        assert results[2] == "RaisesOnDumps"
        return
    assert isinstance(results[2], NotPicklableError)
    assert (results[2].index, results[2].what) == (2, "item")
    assert "TypeError: cannot travel" in str(results[2])


def test_an_item_that_does_not_unpickle(strategy, of_kind, outside):
    """The same where it leaves and cannot arrive."""
    items = [1, 2, acts.RaisesOnLoads(), 4]
    results = run(of_kind(acts.class_of), items, strategy=strategy, return_exceptions=True)
    assert results[:2] + results[3:] == ["int"] * 3
    assert not outside or isinstance(results[2], NotPicklableError)


def test_only_the_item_that_does_not_unpickle_is_blamed(name, of_kind, outside):
    """However many travel with it: they are served, and none is waited for."""
    items = [1] * 40
    items[5] = acts.RaisesOnLoads()
    strategy = small(name, concurrency=32)
    results = run(of_kind(acts.class_of), items, strategy=strategy, return_exceptions=True)
    assert results[:5] + results[6:] == ["int"] * 39
    assert not outside or (results[5].index, results[5].what) == (5, "item")


def test_only_the_item_that_ends_its_reader_is_blamed(name, of_kind, outside):
    """Its worker starts nothing of it, and the next one would end as it reads it, and the next."""
    if not outside:
        return
    items = [1] * 20
    items[5] = acts.EndsItsReader()
    results = run(of_kind(acts.class_of), items, strategy=small(name), return_exceptions=True)
    assert [result for result in results if isinstance(result, NotPicklableError)] == [results[5]]
    assert results[5].index == 5
    assert "exit code 3" in str(results[5])


def test_an_item_without_a_usable_repr(strategy, of_kind):
    """A broken repr hides no error."""
    with pytest.raises(TypeError) as caught:
        run(of_kind(acts.invert), [1, acts.BrokenRepr()], strategy=strategy)
    assert caught.value.__notes__ == ["raised by item 1: <BrokenRepr whose repr raises RuntimeError>"]


def test_a_long_repr_is_cut(strategy, of_kind):
    """A note is no place for a megabyte."""
    with pytest.raises(TypeError) as caught:
        run(of_kind(acts.invert), ["x" * 1000], strategy=strategy)
    assert len(caught.value.__notes__[0]) < 200


def test_one_exception_object_raised_by_many(strategy, of_kind):
    """Whoever raises the same object again and again does not make it grow for ever."""
    same = ValueError("again")
    results = run(of_kind(acts.raise_given), [same] * 50, strategy=strategy, return_exceptions=True)
    assert all(isinstance(result, ValueError) for result in results)
    assert len(same.__notes__ if hasattr(same, "__notes__") else []) < 20


def test_one_exception_object_names_the_item_that_raised_it_last():
    """However often it was raised before, and whatever notes it came with."""
    lines = [f"line {number}" for number in range(8)]
    same = ValueError("again")
    for line in lines:
        same.add_note(line)

    def fn(item):
        raise same

    for item in range(20):
        with pytest.raises(ValueError, match="again"):
            run(fn, [item], strategy="sequential")
        assert same.__notes__[-1] == f"raised by item 0: {item}"
    assert same.__notes__[:8] == lines


ENDS = {
    "sys.exit": (acts.raise_system_exit, SystemExit, "enough"),
    "KeyboardInterrupt": (acts.raise_keyboard_interrupt, KeyboardInterrupt, "by hand"),
    "GeneratorExit": (acts.raise_generator_exit, GeneratorExit, "odd"),
    "CancelledError": (acts.raise_cancelled, None, "no thanks"),
}


@pytest.mark.parametrize("label", ENDS)
def test_what_is_no_ordinary_exception_ends_the_run(strategy, of_kind, label):
    """`sys.exit`, KeyboardInterrupt and their like end the run, even with `return_exceptions`."""
    import asyncio

    fn, kind, text = ENDS[label]
    kind = kind or asyncio.CancelledError
    with pytest.raises(kind, match=f"^{text}"):
        run(of_kind(fn), range(6), strategy=strategy, return_exceptions=True)


@pytest.mark.parametrize("label", ENDS)
def test_they_end_a_run_with_a_timeout_too(strategy, of_kind, label):
    """The same where each item has a limited time."""
    import asyncio

    fn, kind, text = ENDS[label]
    with pytest.raises(kind or asyncio.CancelledError, match=f"^{text}") as caught:
        run(of_kind(fn), range(6), strategy=strategy, timeout=30)
    assert caught.value.__notes__ == ["raised by item 3: 3"]


@pytest.mark.parametrize("label", ENDS)
def test_they_end_a_stream(strategy, of_kind, label):
    """The same from a stream."""
    import asyncio

    fn, kind, text = ENDS[label]
    with pytest.raises(kind or asyncio.CancelledError, match=f"^{text}"):
        list(stream(of_kind(fn), range(6), strategy=strategy))


def test_a_coroutine_that_cancels_itself(strategy):
    """It is not taken for a lane that its own strategy cancels: the item would be waited for, or lost."""
    import asyncio

    with pytest.raises(asyncio.CancelledError) as caught:
        run(acts.cancel_itself, range(6), strategy=strategy)
    assert caught.value.__notes__ == ["raised by item 3: 3"]


def test_stop_iteration_is_an_error_like_any_other(strategy, kind, of_kind):
    """It does not end the run quietly; in a coroutine Python itself makes it a RuntimeError."""
    expected = StopIteration if kind == "def" else RuntimeError
    with pytest.raises(expected, match=r"stop|StopIteration"):
        run(of_kind(acts.raise_stop_iteration), range(6), strategy=strategy)


def test_stop_iteration_does_not_end_a_stream_quietly(strategy, of_kind):
    """A generator cannot raise it, so Python makes it a RuntimeError; no result goes missing."""
    with pytest.raises(RuntimeError, match="StopIteration"):
        list(stream(of_kind(acts.raise_stop_iteration), range(6), strategy=strategy))


def test_a_coroutine_that_nobody_awaits(strategy, of_kind):
    """A call that gives back a coroutine is an error, which says what to pass instead."""
    with pytest.raises(UnawaitedError) as caught:
        run(of_kind(acts.give_coroutine), range(6), strategy=strategy)
    assert str(caught.value) == (
        "item 3 (3) gave back a coroutine that nothing awaits; "
        "pass the async function itself, or an `async def` that awaits it"
    )
    assert caught.value.__cause__ is None  # nobody has raised it, so there is no traceback to tell


def test_a_coroutine_that_nobody_awaits_before_an_error(strategy, of_kind):
    """Such coroutines are closed, so that no warning follows, also where another item raises."""
    fn = of_kind(acts.give_coroutine_or_raise)
    with pytest.raises((UnawaitedError, ZeroDivisionError)):
        run(fn, [3, 0, 3, 0, 3, 0], strategy=strategy)


def test_return_exceptions_covers_unawaited_coroutines(strategy, of_kind):
    """With `return_exceptions` the error stands in its item's place."""
    results = run(of_kind(acts.give_coroutine), range(6), strategy=strategy, return_exceptions=True)
    assert results[:3] + results[4:] == [0, 1, 2, 4, 5]
    assert isinstance(results[3], UnawaitedError)


def test_a_callable_that_cannot_travel(strategy, of_kind, outside):
    """Across processes the callable itself is refused, by the name of the argument."""
    lock = acts.RaisesOnDumps()

    def holds(number):
        return (number, lock)[0]

    if not outside:
        assert run(holds, [1], strategy=strategy) == [1]
        return
    with pytest.raises(InvalidArgumentError, match=re.escape("fn: ")) as caught:
        run(holds, [1], strategy=strategy)
    assert "holds cannot be pickled for its trip to worker processes" in str(caught.value)
    assert 'strategy="thread"' in str(caught.value)


def made_up(name, monkeypatch):
    """A module that exists in this process alone."""
    module = types.ModuleType(name)
    exec("def fn(item):\n    return item\n", module.__dict__)
    monkeypatch.setitem(sys.modules, name, module)
    return module


def test_a_callable_of_a_module_that_is_taken_out_again(strategy, monkeypatch):
    """It travels by value while its module is there, and is in nobody's way afterwards."""
    with monkeypatch.context() as patch:
        assert run(made_up("contract_apart", patch).fn, [1, 2], strategy=strategy) == [1, 2]
    assert run(lambda item: -item, [1, 2], strategy=strategy) == [-1, -2]


class OnlyHere:
    """Finds a module that workers do not."""

    @staticmethod
    def find_spec(name, _path=None, _target=None):
        """Say that it could be imported."""
        return ModuleSpec(name, None) if name == "contract_nowhere" else None


def test_a_callable_that_workers_cannot_import(strategy, outside, monkeypatch):
    """A module that only the importers of this process find is named by the error, with the way out."""
    module = made_up("contract_nowhere", monkeypatch)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, OnlyHere])
    if not outside:
        assert run(module.fn, [1], strategy=strategy) == [1]
        return
    with pytest.raises(WorkerStartError) as caught:
        run(module.fn, [1, 2], strategy=strategy)
    assert str(caught.value) == (
        "no worker process came up: a worker process cannot load fn: ModuleNotFoundError: No module named "
        "'contract_nowhere'; define it in a module that a new process can import, have an initializer= of "
        'ProcessStrategy prepare for that, or use strategy="thread"'
    )


@only_outside
def test_a_callable_that_ends_its_readers(strategy):
    """Workers that end one after another as they load it are not replaced for ever."""
    with pytest.raises(WorkerStartError, match="as they loaded CallsAndEndsItsReader"):
        run(acts.CallsAndEndsItsReader(), [1, 2], strategy=strategy)


def test_a_strategy_serves_after_failures(strategy, of_kind):
    """Nothing that went wrong spoils the next run."""
    for fn in (acts.raise_plain, acts.raise_unpicklable, acts.raise_system_exit):
        with pytest.raises(BaseException):  # noqa: B017, PT011 - whichever it is
            run(of_kind(fn), range(6), strategy=strategy)
        assert run(of_kind(acts.double), range(6), strategy=strategy) == [0, 2, 4, 6, 8, 10]
