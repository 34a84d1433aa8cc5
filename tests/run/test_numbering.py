import pickle

from concurrent_choices import ItemTimeoutError, WorkerDiedError
from concurrent_choices._run._numbering import renumber, was_raised


def noted(place, error=None):
    raised = error or ValueError("no")
    raised.add_note(f"raised by item {place}: 'x'")
    return raised


def test_a_note_is_renumbered():
    """The index of the whole stands where the place in the part stood."""
    error = noted(1)
    renumber(error, [10, 20, 30])
    assert error.__notes__ == ["raised by item 20: 'x'"]


def test_only_the_last_note_is_this_run_s():
    """Those before it are of runs within."""
    error = noted(2, noted(0))
    renumber(error, [10, 20, 30])
    assert error.__notes__ == ["raised by item 0: 'x'", "raised by item 30: 'x'"]


def test_a_note_below_does_not_matter():
    """Advice about an error stands below the note that names its item."""
    error = noted(1)
    error.add_note("do it otherwise")
    assert was_raised(error, 1)
    renumber(error, [10, 20, 30])
    assert error.__notes__ == ["raised by item 20: 'x'", "do it otherwise"]


def test_an_error_about_an_item_is_renumbered():
    """It says the index itself, also after a trip through pickle."""
    for error in (ItemTimeoutError(1, "'x'", 2.0, "gone"), WorkerDiedError(1, "'x'", 7, -9)):
        renumber(error, [10, 20])
        assert str(error).startswith("item 20 ('x')")
        assert repr(error).startswith(f"{type(error).__name__}(20, ")
        assert pickle.loads(pickle.dumps(error)).index == 20


def test_other_errors_are_left_alone():
    """What the caller's iterable raised is about no item."""
    error = RuntimeError("no more")
    renumber(error, [10, 20])
    assert not hasattr(error, "__notes__")
    late = noted(5)
    renumber(late, [10, 20])
    assert late.__notes__ == ["raised by item 5: 'x'"]


def test_raised_is_not_given_back():
    """The note makes the difference, or an error that is about that very item."""
    assert was_raised(noted(3), 3)
    assert was_raised(WorkerDiedError(3, "'x'", 7, -9), 3)
    assert not was_raised(noted(3), 4)
    assert not was_raised(ValueError("no"), 3)
    assert not was_raised("a string", 3)
