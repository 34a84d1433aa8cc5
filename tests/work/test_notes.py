"""Notes on exceptions: the item that raised one, as often as it is raised, and advice."""

from __future__ import annotations

import pytest

from concurrent_choices._work._notes import add_note, annotate, index_noted, note_index


def test_notes_do_not_pile_up():
    """The same object raised for ever gets a few notes only."""
    error = ValueError()
    for index in range(100):
        annotate(error, index, index)
    assert len(error.__notes__) < 20


@pytest.mark.parametrize(
    ("error", "notes"),
    [
        (RuntimeError("<Lock [locked]> is bound to a different event loop"), 2),
        (RuntimeError("Event loop is closed"), 2),
        (RuntimeError("out of paper"), 1),
        (ValueError("Event loop is closed"), 1),
    ],
)
def test_what_serves_another_loop_is_told_of(error, notes):
    """Its own words do not say what to do."""
    annotate(error, 3, "x")
    assert len(error.__notes__) == notes
    assert ("await arun(fn, items)" in error.__notes__[-1]) is (notes > 1)


def test_the_last_item_is_named_by_the_last_note():
    """Also after many; then the first that was named is forgotten, and none of the caller's own notes."""
    error = ValueError()
    error.add_note("mine")
    for index in range(20):
        annotate(error, index, "x")
    assert error.__notes__ == ["mine", *(f"raised by item {index}: 'x'" for index in range(12, 20))]


def test_what_a_note_says_can_be_read_and_put_right():
    """The last that names an item counts, whatever stands below."""
    error = ValueError()
    assert index_noted(error) is None
    annotate(error, 1, "first")
    annotate(error, 2, "raised by item 7: x")
    add_note(error, "raised by item of which nobody knows the number")
    assert index_noted(error) == 2
    note_index(error, 30)
    assert error.__notes__[:2] == ["raised by item 1: 'first'", "raised by item 30: 'raised by item 7: x'"]


def test_notes_that_are_no_text():
    """Python shows them too, so they are left where they are."""
    error = ValueError()
    error.__notes__ = [1, None]
    annotate(error, 3, "x")
    assert index_noted(error) == 3
    assert error.__notes__[:2] == [1, None]
