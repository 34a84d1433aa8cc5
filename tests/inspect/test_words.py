"""Words for messages, of whatever is to be spoken of."""

from __future__ import annotations

from concurrent_choices._inspect._words import reason_of, show


def test_reprs_for_messages():
    """A repr is shortened, and one that raises is told about."""

    class Broken:
        def __repr__(self):
            raise LookupError

    assert show([1]) == "[1]"
    assert show("x" * 500).endswith("...")
    assert show(Broken()) == "<Broken whose repr raises LookupError>"


def test_reasons_are_one_line():
    """An error in one line, whatever it has to say."""
    assert reason_of(ValueError("one\ntwo")) == "ValueError: one"
    assert reason_of(ValueError()) == "ValueError"
